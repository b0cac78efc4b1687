// `npm run fuzz [-- --minutes N] [--cases N] [--seed N] [--property NAME] [--path P]`: a million random cases on
// all processors. Prints the seed first and the counts last; exits 1 with the counterexample and how to run it
// again, also where a case never ends.

import { type ChildProcess, fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import type { Batch, Outcome } from "./fuzz-worker.ts";
import { SEARCHED } from "./properties.ts";

const BATCH = 250;
/** A batch takes seconds; one that takes so long never ends. */
const HANG_MS = 5 * 60_000;
const REPORT_MS = 60_000;

const { values } = parseArgs({
	options: {
		cases: { type: "string", default: "1000000" },
		minutes: { type: "string", default: "120" },
		seed: { type: "string", default: `${Date.now() % 1_000_000_000}` },
		property: { type: "string" },
		path: { type: "string" },
	},
});
const total = amount("cases", values.cases);
const minutes = amount("minutes", values.minutes);
const firstSeed = amount("seed", values.seed);
const names = values.property === undefined ? Object.keys(SEARCHED) : [values.property];
for (const name of names)
	if (!SEARCHED[name]) fail(`no property ${name}; ${Object.keys(SEARCHED)}`);

const started = performance.now();
const tried = new Map(names.map((name) => [name, 0]));
const workers = values.path === undefined ? availableParallelism() : 1;
console.log(
	`seed ${firstSeed}: up to ${count(total)} cases in ${minutes} minutes, ${workers} at a time`,
);
const reporting = setInterval(() => console.log(sum()), REPORT_MS);

const begun = new Map<string, number>();
let planned = 0;
let batches = 0;
const children = Array.from({ length: workers }, startWorker);
await Promise.all(children.map((child) => work(child)));
clearInterval(reporting);
console.log(`${sum()}; no law was broken`);
if (values.path === undefined && triedInAll() < total)
	console.log(`stopped after ${minutes} minutes, before all ${count(total)} cases`);

function startWorker(): ChildProcess {
	return fork(join(import.meta.dirname, "fuzz-worker.ts"));
}

/** Hands a worker one batch after the other until there is no time or no case left. */
async function work(child: ChildProcess): Promise<void> {
	for (let batch = nextBatch(); batch; batch = nextBatch()) {
		const { cases, failure } = await ask(child, batch);
		tried.set(batch.name, (tried.get(batch.name) ?? 0) + cases);
		if (failure) {
			console.error(failure.report);
			again({ ...batch, path: failure.path });
		}
	}
	child.disconnect();
}

function nextBatch(): Batch | undefined {
	if (planned >= total || performance.now() - started > minutes * 60_000) return undefined;
	const cases = Math.min(BATCH, total - planned);
	const batch = { name: nextName(), seed: firstSeed + batches++, cases, path: values.path };
	planned += values.path === undefined ? cases : total;
	return batch;
}

/** The property that lacks most of its share. */
function nextName(): string {
	const lack = (name: string) =>
		(SEARCHED[name]?.share ?? 0) * (planned + BATCH) - (begun.get(name) ?? 0);
	const name = names.toSorted((a, b) => lack(b) - lack(a))[0] ?? "";
	begun.set(name, (begun.get(name) ?? 0) + BATCH);
	return name;
}

function ask(child: ChildProcess, batch: Batch): Promise<Outcome> {
	return new Promise((resolve) => {
		const timer = setTimeout(() => {
			console.error(`a case took more than ${HANG_MS / 60_000} minutes`);
			again(batch);
		}, HANG_MS);
		const ended = () => {
			console.error("the process ended in the middle of a case");
			again(batch);
		};
		child.once("exit", ended);
		child.once("message", (outcome: Outcome) => {
			clearTimeout(timer);
			child.off("exit", ended);
			resolve(outcome);
		});
		child.send(batch);
	});
}

/** Ends everything, and says how to come back to where it was. */
function again({ name, seed, cases, path }: Batch): never {
	for (const child of children) child.kill();
	const where = path ? ` --path "${path}"` : "";
	console.error(`\n${sum()}`);
	fail(`again: npm run fuzz -- --property ${name} --seed ${seed} --cases ${cases}${where}`);
}

function fail(reason: string): never {
	console.error(reason);
	process.exit(1);
}

function amount(name: string, text: string): number {
	const value = Number(text);
	if (!Number.isFinite(value) || value < 0) fail(`--${name}: not a number: ${text}`);
	return value;
}

function triedInAll(): number {
	return [...tried.values()].reduce((all, one) => all + one, 0);
}

function sum(): string {
	const parts = [...tried].map(([name, cases]) => `${name} ${count(cases)}`).join(", ");
	const seconds = Math.round((performance.now() - started) / 1_000);
	return `${count(triedInAll())} cases in ${seconds} s (${parts})`;
}

function count(cases: number): string {
	return cases.toLocaleString("en");
}
