// `npm run mutate`: changes one place of src/fold after another and sees whether a test notices. Prints what
// no test noticed, and the share that was noticed; exits 1 below the bound.
//
// Most mutants are noticed at once, by a few cases of each property. What is left is tried again with about
// as many as `npm test` tries, and by the recorded sessions and the tests of the field reports as well. That
// takes long, so it has a limit in minutes: what was not tried again by then counts as not noticed.
//
//   npm run mutate [-- --sample N] [--seed S] [--files GLOB] [--workers N] [--minutes N]

import { type ChildProcess, fork } from "node:child_process";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import fc from "fast-check";
import { type Mutant, mutate } from "./mutants.ts";
import type { Verdict } from "./worker.ts";

/** The share of mutants that tests must notice. */
const BOUND = 0.9;
/** A mutant hangs when its tests take so many times as long as without it, and this much longer, in ms. */
const HANGS = { times: 10, more: 20_000 };
/** The tests must come to an end without a mutant within this, in ms. */
const REHEARSAL = 600_000;

const ROOT = resolve(import.meta.dirname, "../..");
const WORKER = resolve(import.meta.dirname, "worker.ts");

const { values } = parseArgs({
	options: {
		sample: { type: "string" },
		seed: { type: "string", default: String(Date.now() % 1_000_000) },
		files: { type: "string", default: "src/fold/*.ts" },
		workers: { type: "string", default: String(availableParallelism()) },
		minutes: { type: "string", default: "30" },
	},
});

/** How hard mutants are tried: by which tests, with how many cases of a property. */
interface Round {
	readonly tests: readonly string[];
	readonly cases: number;
	/** no other mutant is begun after so long, in ms */
	readonly limitMs: number;
}

const ROUNDS: readonly Round[] = [
	{
		tests: ["test/fold/!(recorded|linear).test.ts"],
		cases: 20,
		limitMs: Number.POSITIVE_INFINITY,
	},
	{
		tests: ["test/fold/*.test.ts", "test/field/!(*.e2e).test.ts"],
		cases: 200,
		limitMs: Number(values.minutes) * 60_000,
	},
];

/** What a worker says once its tests ran without a mutant. */
interface Ready {
	readonly tests: number;
	/** how long they took, in ms */
	readonly tookMs: number;
	/** mutants that are met while modules load */
	readonly atImport: readonly string[];
}

const folder = mkdtempSync(join(tmpdir(), "mutants-"));
const file = join(folder, "sources.json");
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

function start({ tests: globs, cases }: Round, preset?: string): ChildProcess {
	const tests = globSync([...globs], { cwd: ROOT }).sort();
	return fork(
		WORKER,
		tests.map((test) => resolve(ROOT, test)),
		{
			env: {
				...process.env,
				MUTANTS: file,
				DMAIL_RUNS: String(cases),
				DMAIL_SEED: values.seed,
				...(preset === undefined ? {} : { MUTANT: preset }),
			},
		},
	);
}

/** The next message of a worker; null if it takes too long, and it is killed then. Rejects if it dies. */
function answer<T>(worker: ChildProcess, limitMs: number): Promise<T | null> {
	return new Promise((done, fail) => {
		const settle = (value: T | null) => {
			clearTimeout(timer);
			worker.removeAllListeners();
			done(value);
		};
		const timer = setTimeout(() => {
			worker.kill("SIGKILL");
			settle(null);
		}, limitMs);
		worker.once("message", (message) => settle(message as T));
		worker.once("exit", (code) => {
			clearTimeout(timer);
			fail(new Error(`a worker ended with ${code} before it answered`));
		});
	});
}

/** Waits for a worker's tests to have run without a mutant. They must pass. */
async function rehearsed(worker: ChildProcess): Promise<Ready> {
	const ready = await answer<Ready>(worker, REHEARSAL);
	if (!ready) throw new Error(`the tests took longer than ${REHEARSAL} ms without a mutant`);
	return ready;
}

const timedOut = (id: string): Verdict => ({ id, killer: "time", reached: 1 });

type Done = (verdict: Verdict) => void;

/** Tries mutants from a common queue until it is empty. */
async function work(round: Round, queue: string[], done: Done): Promise<void> {
	let worker: ChildProcess | undefined;
	let limitMs = 0;
	for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
		if (!worker) {
			worker = start(round);
			limitMs = HANGS.times * (await rehearsed(worker)).tookMs + HANGS.more;
		}
		worker.send(id);
		const verdict = await answer<Verdict>(worker, limitMs);
		if (!verdict) worker = undefined;
		done(verdict ?? timedOut(id));
	}
	if (!worker) return;
	// nothing that a mutant did may linger, or all verdicts after it are worth nothing
	worker.send("");
	const after = await answer<Verdict>(worker, REHEARSAL);
	worker.kill();
	if (after?.killer !== null) throw new Error(`without a mutant ${after?.killer} fails afterwards`);
}

/** Tries mutants that are met while modules load, each in a process of its own. */
async function workAlone(round: Round, queue: string[], done: Done): Promise<void> {
	for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
		const worker = start(round, id);
		done((await answer<Verdict>(worker, REHEARSAL)) ?? timedOut(id));
		worker.kill();
	}
}

const files = globSync(values.files, { cwd: ROOT }).map((name) => resolve(ROOT, name));
const { sources, mutants } = await mutate(files);
writeFileSync(file, JSON.stringify(sources));
const seed = Number(values.seed);
const size = Number(values.sample ?? mutants.length);
const chosen =
	size < mutants.length
		? (fc.sample(fc.shuffledSubarray([...mutants], { minLength: size, maxLength: size }), {
				numRuns: 1,
				seed,
			})[0] ?? [])
		: mutants;
console.log(`${chosen.length} of ${mutants.length} mutants of ${files.length} files; seed ${seed}`);

const verdicts = new Map<string, Verdict>();

/** Tries the mutants that no test noticed yet. */
async function play(round: Round): Promise<void> {
	const scout = start(round);
	const { tests, atImport } = await rehearsed(scout);
	scout.kill();
	const left = chosen.map(({ id }) => id).filter((id) => !verdicts.get(id)?.killer);
	console.log(`${left.length} by ${tests} tests, ${round.cases} cases of each property`);
	let tried = 0;
	const atLoad = new Set(atImport);
	const together = left.filter((id) => !atLoad.has(id));
	const alone = left.filter((id) => atLoad.has(id));
	const end = Date.now() + round.limitMs;
	const done: Done = (verdict) => {
		verdicts.set(verdict.id, verdict);
		if (++tried % 50 === 0) console.error(`${tried} of ${left.length} tried`);
		if (Date.now() > end) for (const queue of [together, alone]) queue.length = 0;
	};
	const workers = Array.from({ length: Number(values.workers) });
	await Promise.all(workers.map(() => work(round, together, done)));
	await Promise.all(workers.map(() => workAlone(round, alone, done)));
	if (tried < left.length)
		console.log(`${left.length - tried} not tried so: no time left; they count as not noticed`);
}

for (const round of ROUNDS) await play(round);

/** What no test noticed, by file. */
function report(): number {
	const table = new Table({ head: ["file", "mutants", "noticed", "share", "not reached"] });
	let noticed = 0;
	for (const name of new Set(chosen.map(({ place }) => fileOf(place)))) {
		const ofFile = chosen.filter(({ place }) => fileOf(place) === name);
		const found = ofFile.map(({ id }) => verdicts.get(id));
		const killed = found.filter((verdict) => verdict?.killer).length;
		const missed = found.filter((verdict) => verdict?.reached === 0).length;
		noticed += killed;
		table.push([name, ofFile.length, killed, percent(killed / ofFile.length), missed]);
	}
	for (const mutant of chosen) if (!verdicts.get(mutant.id)?.killer) console.log(lineOf(mutant));
	console.log(table.toString());
	return noticed / chosen.length;
}

function fileOf(place: string): string {
	return relative(ROOT, place.replace(/:\d+:\d+$/, ""));
}

function lineOf({ place, kind, replacement }: Mutant): string {
	const short = replacement.replace(/\s+/g, " ").slice(0, 90);
	return `not noticed: ${relative(ROOT, place)} ${kind}: ${short}`;
}

function percent(share: number): string {
	return `${(100 * share).toFixed(1)}%`;
}

const share = report();
console.log(`${percent(share)} of ${chosen.length} mutants noticed, bound ${percent(BOUND)}`);
process.exitCode = share >= BOUND ? 0 : 1;
