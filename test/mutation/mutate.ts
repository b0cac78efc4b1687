// `npm run mutate`: changes one place of src/fold after another and sees whether a test notices. Prints what
// no test noticed, and the share that was noticed; exits 1 below the bound.
//
// Most mutants are noticed at once, by a few cases of each property. What is left is tried again with more.
// That takes long, so it has a limit in minutes: what was not tried again by then counts as not noticed. Only
// the algebra's own tests take part, without the recorded sessions and the counts of steps: those of other
// rooms notice more.
//
//   npm run mutate [-- --sample N] [--seed S] [--files GLOB] [--workers N] [--minutes N]

import { type ChildProcess, fork } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import Table from "cli-table3";
import fc from "fast-check";
import { type Mutant, mutate } from "./mutants.ts";
import type { Rehearsal, Verdict } from "./worker.ts";

/** The share of mutants that tests must notice. */
const BOUND = 0.9;

const ROOT = resolve(import.meta.dirname, "../..");
const WORKER = resolve(import.meta.dirname, "worker.ts");
const TESTS = globSync("test/fold/!(recorded|linear).test.ts", { cwd: ROOT }).sort();

const { values } = parseArgs({
	options: {
		sample: { type: "string" },
		seed: { type: "string", default: "1" },
		files: { type: "string", default: "src/fold/*.ts" },
		workers: { type: "string", default: String(availableParallelism()) },
		minutes: { type: "string", default: "10" },
	},
});

/** How hard mutants are tried. */
interface Round {
	/** cases of each property */
	readonly cases: number;
	/** no other mutant is begun after so long, in ms */
	readonly limitMs: number;
}

const ROUNDS: readonly Round[] = [
	{ cases: 10, limitMs: Number.POSITIVE_INFINITY },
	{ cases: 100, limitMs: Number(values.minutes) * 60_000 },
];

const folder = mkdtempSync(join(tmpdir(), "mutants-"));
const file = join(folder, "sources.json");
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Where the first worker of a round writes what the tests do without a mutant. */
function rehearsalOf({ cases }: Round): string {
	return join(folder, `rehearsal-${cases}.json`);
}

/** Starts a worker, with a mutant that is there while its modules load or without one. */
function start(round: Round, preset?: string): ChildProcess {
	const env = {
		...process.env,
		MUTANTS: file,
		REHEARSAL: rehearsalOf(round),
		DMAIL_RUNS: String(round.cases),
		DMAIL_SEED: values.seed,
		...(preset === undefined ? {} : { MUTANT: preset }),
	};
	const tests = TESTS.map((test) => resolve(ROOT, test));
	return fork(WORKER, tests, { env, execArgv: ["--max-old-space-size=1500"] });
}

/** The next message of a worker; null if it ends before: it ran out of time or memory. */
function answer<T>(worker: ChildProcess): Promise<T | null> {
	return new Promise((done) => {
		const settle = (value: T | null) => {
			worker.removeAllListeners();
			done(value);
		};
		worker.once("message", (message) => settle(message as T));
		worker.once("exit", () => settle(null));
	});
}

/** What a worker says once it can be given mutants. */
interface Ready {
	readonly tests: number;
	/** tests that take no part */
	readonly unfit: readonly string[];
}

/** Waits until a worker can be given mutants. */
async function ready(worker: ChildProcess): Promise<Ready> {
	const said = await answer<Ready>(worker);
	if (!said) throw new Error("the tests do not come to an end without a mutant");
	return said;
}

const endless = (id: string): Verdict => ({ id, noticed: "endless", reached: 1 });

type Done = (verdict: Verdict) => void;

/** Tries mutants from a common queue until it is empty. */
async function work(round: Round, queue: string[], done: Done): Promise<void> {
	let worker: ChildProcess | undefined;
	for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
		if (!worker) {
			worker = start(round);
			await ready(worker);
		}
		worker.send(id);
		const verdict = await answer<Verdict>(worker);
		if (!verdict) worker = undefined;
		done(verdict ?? endless(id));
	}
	if (!worker) return;
	// nothing that a mutant did may linger, or all verdicts after it are worth nothing
	worker.send("");
	const after = await answer<Verdict>(worker);
	worker.kill();
	if (after?.noticed !== null)
		throw new Error(`without a mutant ${after?.killer ?? "a test"} fails afterwards`);
}

/** Tries mutants that are met while modules load, each in a process of its own. */
async function workAlone(round: Round, queue: string[], done: Done): Promise<void> {
	for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
		const worker = start(round, id);
		const first = await answer<Verdict | Ready>(worker);
		if (first && "tests" in first) {
			worker.send(id);
			done((await answer<Verdict>(worker)) ?? endless(id));
		} else done(first ?? endless(id));
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

const isNoticed = (id: string) => Boolean(verdicts.get(id)?.noticed);

/** Tries the mutants that no test noticed yet. */
async function play(round: Round): Promise<void> {
	const scout = start(round);
	const { tests, unfit } = await ready(scout);
	scout.kill();
	const { reach, atImport }: Rehearsal = JSON.parse(readFileSync(rehearsalOf(round), "utf8"));
	const atRun = new Set(reach.flatMap((met) => Object.keys(met)));
	const left = chosen.map(({ id }) => id).filter((id) => !isNoticed(id));
	console.log(`${left.length} by ${tests} tests, ${round.cases} cases of each property`);
	for (const name of unfit) console.log(`takes no part, fails with so few cases: ${name}`);
	const tried = new Set<string>();
	const end = Date.now() + round.limitMs;
	const queues: string[][] = [];
	const done: Done = (verdict) => {
		verdicts.set(verdict.id, verdict);
		if (tried.add(verdict.id).size % 50 === 0)
			console.error(`${tried.size} of ${left.length} tried`);
		if (Date.now() > end) for (const queue of queues) queue.length = 0;
	};
	const isAtImport = new Set(atImport);
	queues.push(left.filter((id) => atRun.has(id) || !isAtImport.has(id)));
	await inParallel((queue) => work(round, queue, done), queues[0] ?? []);
	// what is met both while modules load and later is mostly noticed without a process of its own
	queues.push(Date.now() > end ? [] : left.filter((id) => isAtImport.has(id) && !isNoticed(id)));
	await inParallel((queue) => workAlone(round, queue, done), queues[1] ?? []);
	if (tried.size < left.length)
		console.log(
			`${left.length - tried.size} not tried so: no time left; they count as not noticed`,
		);
}

async function inParallel(
	work: (queue: string[]) => Promise<void>,
	queue: string[],
): Promise<void> {
	await Promise.all(Array.from({ length: Number(values.workers) }, () => work(queue)));
}

for (const round of ROUNDS) await play(round);

/** What no test noticed, by file. */
function report(): { noticed: number; endless: number } {
	const table = new Table({
		head: ["file", "mutants", "noticed", "share", "by no end", "not reached"],
	});
	const sum = { noticed: 0, endless: 0 };
	for (const name of new Set(chosen.map(({ place }) => fileOf(place)))) {
		const ofFile = chosen.filter(({ place }) => fileOf(place) === name);
		const found = ofFile.map(({ id }) => verdicts.get(id));
		const noticed = found.filter((verdict) => verdict?.noticed).length;
		const endless = found.filter((verdict) => verdict?.noticed === "endless").length;
		const missed = found.filter((verdict) => verdict?.reached === 0).length;
		sum.noticed += noticed;
		sum.endless += endless;
		table.push([name, ofFile.length, noticed, percent(noticed / ofFile.length), endless, missed]);
	}
	for (const mutant of chosen) if (!isNoticed(mutant.id)) console.log(lineOf(mutant));
	console.log(table.toString());
	return sum;
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

const sum = report();
const share = sum.noticed / chosen.length;
console.log(`${sum.endless} noticed because tests did not come to an end with them`);
console.log(`${percent(share)} of ${chosen.length} mutants noticed, bound ${percent(BOUND)}`);
process.exitCode = share >= BOUND ? 0 : 1;
