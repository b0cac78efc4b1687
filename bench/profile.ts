// The profiler on long sessions, started from the shell as a person does it: time against a bare loop over
// the lines, memory against a bound, growth against itself, listings against another tool for them.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { recordedSessions } from "../test/support/sessions.ts";
import { type Measured, type Ratio, timeAgainst, timeProcesses } from "./ratio.ts";
import { writeSession } from "./session-file.ts";

const ROOT = join(import.meta.dirname, "..");
const MEGABYTE = 1_000_000;
const ROUNDS = 5;
/** Two runs of the same program differ by a tenth here, and the bound is near. */
const MANY_ROUNDS = 15;
const MEMORY_BOUND = 300 * MEGABYTE;
const WHAT_IF_BOUND_MS = 5_000;
const PRESET = "anthropic-5m";

/** The ratios about the profiler. */
export const PROFILE_RATIOS: readonly Ratio[] = [
	{
		name: "profile of one session of 100 MB",
		against: "readline and JSON.parse of its lines",
		atMost: 1.25,
		measure: () =>
			withSessions([100], ([file = ""]) =>
				inTurn(
					() => profile(file),
					() => node("bench/bare-loop.ts", file),
					MANY_ROUNDS,
				),
			),
	},
	{
		name: "profile of twice the entries",
		against: "of the entries of 100 MB",
		atMost: 2.2,
		measure: () =>
			withSessions([200, 100], ([twice = "", once = ""]) =>
				inTurn(
					() => profile(twice),
					() => profile(once),
				),
			),
	},
	memoryOf(100),
	memoryOf(700),
	{
		name: "deep listing of a folder of sessions",
		against: "@ccusage/pi session --json of it",
		atMost: 1,
		measure: () => withFolder(raceListings),
	},
	{
		name: "what-if on a folder of sessions, five policies",
		against: "a bound",
		atMost: 1,
		measure: () => withFolder(timeWhatIf),
	},
];

function memoryOf(megabytes: number): Ratio {
	return {
		name: `memory for one session of ${megabytes} MB`,
		against: "a bound",
		atMost: 1,
		measure: () =>
			withSessions([megabytes], ([file = ""]) => {
				const told = `${file}.memory`;
				const args = ["--import", join(ROOT, "bench/max-memory.ts"), "profile.ts", file, "--json"];
				node(...args, { BENCH_MEMORY: told });
				const value = Number(readFileSync(told, "utf8"));
				return Promise.resolve({
					value,
					against: MEMORY_BOUND,
					times: value / MEMORY_BOUND,
					unit: "bytes",
				});
			}),
	};
}

/** The recorded sessions where they are at hand, else as much of made ones. */
async function withFolder(measure: (directory: string) => Promise<Measured>): Promise<Measured> {
	const recorded = recordedSessions();
	if (recorded !== undefined) return measure(recorded);
	return withSessions(Array(20).fill(1), ([file = ""]) => measure(dirname(file)));
}

/** The one promise in seconds: nothing is at hand to compare it with. */
function timeWhatIf(directory: string): Promise<Measured> {
	const policies = "none,suffix,batch:3,cold,auto";
	const play = () =>
		node("profile.ts", "what-if", directory, "--policy", policies, "--rates", PRESET, "--json");
	return timeAgainst(WHAT_IF_BOUND_MS, { rounds: ROUNDS, ours: play });
}

function raceListings(directory: string): Promise<Measured> {
	const other = join(fileURLToPath(import.meta.resolve("@ccusage/pi/package.json")), "..");
	const { bin } = JSON.parse(readFileSync(join(other, "package.json"), "utf8"));
	const program = join(other, typeof bin === "string" ? bin : String(Object.values(bin)[0]));
	return inTurn(
		() =>
			node("profile.ts", "--list", "--all", "--deep", "--json", {
				PI_CODING_AGENT_SESSION_DIR: directory,
			}),
		() => node(program, "session", "--json", { PI_AGENT_DIR: directory, LOG_LEVEL: "0" }),
	);
}

/** Makes sessions of so many megabytes each, and takes them away when the measuring is done. */
async function withSessions(
	megabytes: readonly number[],
	measure: (files: readonly string[]) => Promise<Measured>,
): Promise<Measured> {
	const directory = mkdtempSync(join(tmpdir(), "dmail-bench-"));
	try {
		const files = megabytes.map((size, i) => {
			const file = join(directory, `${i}.jsonl`);
			writeSession(file, size * MEGABYTE);
			return file;
		});
		return await measure(files);
	} finally {
		rmSync(directory, { recursive: true });
	}
}

function inTurn(ours: () => void, theirs: () => void, rounds = ROUNDS): Promise<Measured> {
	return timeProcesses({ rounds, ours, theirs });
}

function profile(file: string): void {
	node("profile.ts", file, "--json");
}

/** Runs a program of Node's to its end; a last argument that is no text adds to its environment. */
function node(...args: readonly (string | Readonly<Record<string, string>>)[]): void {
	const texts = args.filter((one) => typeof one === "string");
	const added = args.find((one) => typeof one !== "string");
	execFileSync(process.execPath, texts, {
		cwd: ROOT,
		env: { ...process.env, ...added },
		stdio: ["ignore", "pipe", "ignore"],
		maxBuffer: Number.POSITIVE_INFINITY,
	});
}
