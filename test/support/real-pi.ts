// Runs a real pi of either generation as a child process, in a home of its own with the scripted model.
// Touches nothing outside that home; every run ends by itself, by its handle or by its time limit.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type DmailRecord, decode, type FoldRecord } from "../../fold.ts";
import type { Script, Turn } from "./scripted-provider.ts";
import { parseWire, type WireRequest } from "./wire.ts";

/** The two hosts every end-to-end test runs on. */
export const HOSTS = ["0.73.1", "1.6.0"] as const;
export type HostVersion = (typeof HOSTS)[number];

const PACKAGES: Record<HostVersion, string> = {
	"0.73.1": "@mariozechner/pi-coding-agent",
	"1.6.0": "@earendil-works/pi-coding-agent",
};

/** The repository's root: what `-e` loads to have the extension. */
export const EXTENSION = fileURLToPath(new URL("../../", import.meta.url));

/** A neighbouring extension of test/support/neighbours, by name. */
export function neighbour(name: string): string {
	return fileURLToPath(new URL(`./neighbours/${name}.ts`, import.meta.url));
}

/** Where a pi lives that knows nothing of this machine's user. Remove it when done. */
export interface Home {
	readonly host: HostVersion;
	readonly root: string;
	readonly cwd: string;
	readonly agentDir: string;
	readonly sessionDir: string;
	readonly wireLog: string;
	remove(): void;
}

/** Makes an empty home for one host. */
export function makeHome(host: HostVersion): Home {
	const root = mkdtempSync(join(tmpdir(), `dmail-${host}-`));
	const [cwd, agentDir, sessionDir] = ["work", "agent", "sessions"].map((name) => {
		const dir = join(root, name);
		mkdirSync(dir);
		return dir;
	}) as [string, string, string];
	const remove = () => rmSync(root, { recursive: true, force: true, maxRetries: 5 });
	const home = { host, root, cwd, agentDir, sessionDir, wireLog: join(root, "wire.jsonl"), remove };
	writeSettings(home, {});
	return home;
}

/** Writes pi's global settings; short waits before a retry unless said otherwise. */
export function writeSettings(home: Home, settings: Record<string, unknown>): void {
	const merged = { retry: { baseDelayMs: 10 }, ...settings };
	writeFileSync(join(home.agentDir, "settings.json"), JSON.stringify(merged));
}

/** How a pi is started. */
export interface Launch {
	/** turns, a function that closes over nothing, or the path of a script module */
	readonly script: Script | string;
	/** extensions to load after the scripted model, in this order */
	readonly extensions?: readonly string[];
	/** also load what is installed in the home: by `pi install`, or lying in its folders */
	readonly discover?: boolean;
	/** further arguments: `-c`, `--tools …` */
	readonly args?: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
	/** ends the process after so long, in ms (60000) */
	readonly limitMs?: number;
}

/** How a process ended and what it left. */
export interface Ended {
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
	readonly stdout: string;
	readonly stderr: string;
	/** what the model was sent in this run */
	readonly requests: readonly WireRequest[];
}

/** The program and the arguments of a host's `pi`. */
export function commandOf(home: Home, launch: Launch): { file: string; args: string[] } {
	const provider = fileURLToPath(new URL("./scripted-provider.ts", import.meta.url));
	const extensions = [provider, ...(launch.extensions ?? [])].flatMap((path) => ["-e", path]);
	return {
		file: process.execPath,
		args: [
			programOf(home.host),
			...(launch.discover ? [] : ["-ne"]),
			...extensions,
			...["--model", "scripted/s1"],
			...(launch.args ?? []),
		],
	};
}

/** The script that a host's package declares as its `pi`. */
function programOf(host: HostVersion): string {
	const dir = new URL(`../../node_modules/${PACKAGES[host]}/`, import.meta.url);
	const { bin } = JSON.parse(readFileSync(new URL("package.json", dir), "utf8"));
	return fileURLToPath(new URL(bin.pi, dir));
}

/** The environment of a run: nothing of the user's but the search path. Writes the script module. */
export function environmentOf(home: Home, launch: Launch): Record<string, string> {
	return {
		PATH: process.env["PATH"] ?? "",
		TMPDIR: tmpdir(),
		LANG: "C.UTF-8",
		HOME: home.root,
		PI_CODING_AGENT_DIR: home.agentDir,
		PI_CODING_AGENT_SESSION_DIR: home.sessionDir,
		PI_OFFLINE: "1",
		PI_SKIP_VERSION_CHECK: "1",
		PI_TELEMETRY: "0",
		SCRIPTED_SCRIPT: writeScript(home, launch.script),
		SCRIPTED_WIRE: home.wireLog,
		...launch.env,
	};
}

function writeScript(home: Home, script: Script | string): string {
	const file = join(home.root, "script.mjs");
	if (typeof script === "string") return script;
	const source = typeof script === "function" ? script.toString() : JSON.stringify(script);
	writeFileSync(file, `export default ${source};\n`);
	return file;
}

/** Starts a pi; its standard input is a pipe. */
export function startPi(home: Home, launch: Launch): ChildProcessWithoutNullStreams {
	const { file, args } = commandOf(home, launch);
	const child = spawn(file, args, { cwd: home.cwd, env: environmentOf(home, launch) });
	const timer = setTimeout(() => child.kill("SIGKILL"), launch.limitMs ?? 60_000);
	child.on("exit", () => clearTimeout(timer));
	return child;
}

/** Waits for the end of a pi that `startPi` started; `from` is the first request of this run. */
export function endOf(
	home: Home,
	child: ChildProcessWithoutNullStreams,
	from: number,
): Promise<Ended> {
	let stdout = "";
	let stderr = "";
	child.stdout.setEncoding("utf8").on("data", (chunk) => {
		stdout += chunk;
	});
	child.stderr.setEncoding("utf8").on("data", (chunk) => {
		stderr += chunk;
	});
	return new Promise((resolve, reject) => {
		child.on("error", reject);
		child.on("close", (code, signal) =>
			resolve({ code, signal, stdout, stderr, requests: readWire(home).slice(from) }),
		);
	});
}

/** Runs another command of pi, such as `install`, to its end. */
export function runCommand(
	home: Home,
	args: readonly string[],
	env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
	const options = { cwd: home.cwd, env: environmentOf(home, { script: [], env }) };
	const child = spawn(process.execPath, [programOf(home.host), ...args], options);
	child.stdin.end();
	return endOf(home, child, 0);
}

/** Runs `pi -p` to its end. */
export function runPrint(home: Home, prompt: string, launch: Launch): Promise<Ended> {
	const from = readWire(home).length;
	const child = startPi(home, { ...launch, args: [...(launch.args ?? []), "-p", prompt] });
	child.stdin.end();
	return endOf(home, child, from);
}

/** All that the model was sent in this home so far. */
export function readWire(home: Home): WireRequest[] {
	return existsSync(home.wireLog) ? parseWire(readFileSync(home.wireLog, "utf8")) : [];
}

/** The home's only session file; throws where there is none or several. */
export function sessionFile(home: Home): string {
	const files = readdirSync(home.sessionDir).filter((name) => name.endsWith(".jsonl"));
	const [file] = files;
	if (file === undefined || files.length > 1)
		throw new Error(`expected one session in ${home.sessionDir}, found ${files.length}`);
	return join(home.sessionDir, file);
}

/** Writes a session that `-c` goes on with: each entry is the child of the one before it. */
export function writeSession(home: Home, entries: readonly Record<string, unknown>[]): void {
	const timestamp = "2026-01-01T00:00:00.000Z";
	const id = "01a00000-0000-7000-8000-000000000001";
	const header = { type: "session", version: 3, id, timestamp, cwd: home.cwd };
	const lines = entries.map((entry, index) => ({
		id: `e${index}`,
		parentId: index === 0 ? null : `e${index - 1}`,
		timestamp,
		...entry,
	}));
	const text = [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
	writeFileSync(join(home.sessionDir, `2026-01-01T00-00-00-000Z_${id}.jsonl`), text);
}

/** A session entry as it lies in the file. */
export interface StoredEntry {
	readonly type: string;
	readonly id: string;
	readonly parentId: string | null;
	readonly customType?: string;
	readonly data?: Readonly<Record<string, unknown>>;
	readonly message?: { readonly role: string; readonly content: unknown };
}

/** The lines of the session file without the header, in file order. */
export function sessionEntries(home: Home): StoredEntry[] {
	const lines = readFileSync(sessionFile(home), "utf8").trimEnd().split("\n");
	return lines.slice(1).map((line) => JSON.parse(line) as StoredEntry);
}

/** The records of ours in the session file that can be read, in file order. */
export function recordsOf(home: Home): DmailRecord[] {
	return sessionEntries(home).flatMap(({ customType, data, id }) => {
		const record = decode(customType ?? "", data, id);
		return record && record.kind !== "broken" ? [record] : [];
	});
}

/** The folds among them. */
export function foldsOf(home: Home): FoldRecord[] {
	return recordsOf(home).filter((record) => record.kind === "fold");
}

/**
 * A second home with a copy of the first one's session and settings and an empty wire log. It works in
 * the first one's folder: a session belongs to its folder.
 */
export function copyHome(home: Home): Home {
	const copy = { ...makeHome(home.host), cwd: home.cwd };
	for (const dir of ["agentDir", "sessionDir"] as const)
		for (const name of readdirSync(home[dir], { recursive: true, withFileTypes: true })) {
			if (!name.isFile()) continue;
			const target = name.parentPath.replace(home[dir], copy[dir]);
			mkdirSync(target, { recursive: true });
			copyFileSync(join(name.parentPath, name.name), join(target, name.name));
		}
	return copy;
}

/** A turn with one tool call. */
export function call(name: string, args: Record<string, unknown>, id?: string): Turn {
	return { calls: [{ name, args, ...(id === undefined ? {} : { id }) }] };
}
