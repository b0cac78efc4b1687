// Tries mutants one after another in one process: the sources hold all of them behind switches, so a mutant is
// a number to set, and the tests that never reach it need not run. Answers its parent by message.

import "./hooks.ts";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import fc from "fast-check";
import { collected } from "./collected-tests.ts";
import { allowCpu, cpuMs, watchCpu } from "./cpu-limit.ts";

/** What the instrumented sources share (`@stryker-mutator/instrumenter`: `instrument-header`). */
interface Switches {
	activeMutant?: string | undefined;
	currentTestId?: string | undefined;
	mutantCoverage?: {
		static: Record<string, number>;
		perTest: Record<string, Record<string, number>>;
	};
	/** a mutant that is met more often than this throws: an endless loop */
	hitLimit?: number | undefined;
	hitCount?: number | undefined;
}

/** What became of a mutant. */
export interface Verdict {
	readonly id: string;
	/** how it was noticed: a test failed, or did not come to an end; null: not at all */
	readonly noticed: "failed" | "endless" | null;
	/** the test that did */
	readonly killer?: string;
	/** how many tests reach it */
	readonly reached: number;
}

/** What the tests do without a mutant: all workers of a round are told by the first. */
export interface Rehearsal {
	/** by number of the test: how much of the processor it uses, in ms */
	readonly tookMs: readonly number[];
	/** by number of the test: how often it meets which mutants */
	readonly reach: readonly Readonly<Record<string, number>>[];
	/** mutants that are met while modules load */
	readonly atImport: readonly string[];
	/** numbers of tests that take no part: so few cases are not enough for them */
	readonly unfit: readonly number[];
}

/** A mutant is taken for an endless loop when it is met so many times as often as it should be. */
const OFTEN = 100;
/** A test hangs when it uses so many times as much of the processor as without a mutant, and so many ms more. */
const HANGS = { times: 3, more: 5_000 };
/** Modules that use more of the processor to load, in ms, hang. */
const LOADING = 60_000;

const switches: Switches = {};
Object.assign(globalThis, { __stryker__: switches });

// The first counterexample is enough, there is no need for the smallest.
fc.configureGlobal({ endOnFailure: true });
watchCpu();

/** A mutant that is there while modules load cannot be switched on afterwards. */
const preset = process.env["MUTANT"];
/** The file with the rehearsal; the first worker writes it. */
const rehearsed = process.env["REHEARSAL"] ?? "";

/** Loads the tests. With a mutant that is met meanwhile this may fail, and the error is returned. */
async function load(): Promise<unknown> {
	switches.activeMutant = preset;
	allowCpu(LOADING);
	for (const file of process.argv.slice(2)) {
		try {
			await import(file);
		} catch (error) {
			if (preset === undefined) throw error;
			return error;
		}
	}
	allowCpu();
	return undefined;
}

/** Runs all tests without a mutant. */
async function rehearse(): Promise<Rehearsal> {
	const tookMs: number[] = [];
	const unfit: number[] = [];
	for (const [index, test] of collected.entries()) {
		switches.currentTestId = String(index);
		const from = cpuMs();
		try {
			await test.run();
		} catch {
			unfit.push(index);
		}
		tookMs.push(cpuMs() - from);
	}
	switches.currentTestId = undefined;
	const { perTest = {}, static: atImport = {} } = structuredClone(switches.mutantCoverage) ?? {};
	const reach = collected.map((_, index) => perTest[index] ?? {});
	return { tookMs, reach, atImport: Object.keys(atImport), unfit };
}

/** By number of the test: how many mutants it noticed first. */
const kills = new Map<number, number>();

function fit({ unfit }: Rehearsal): number[] {
	return [...collected.keys()].filter((test) => !unfit.includes(test));
}

/** Tests in the order in which they are likely to notice something soon. */
function ordered(tests: readonly number[], { tookMs }: Rehearsal): number[] {
	const worth = (test: number) => (1 + (kills.get(test) ?? 0)) / (1 + (tookMs[test] ?? 0));
	return tests.toSorted((a, b) => worth(b) - worth(a));
}

async function judge(id: string, rehearsal: Rehearsal): Promise<Verdict> {
	const { tookMs, reach } = rehearsal;
	const all = fit(rehearsal);
	const tests = preset === undefined ? all.filter((test) => reach[test]?.[id]) : all;
	switches.activeMutant = id;
	for (const test of ordered(tests, rehearsal)) {
		switches.hitCount = 0;
		switches.hitLimit = OFTEN * (1_000 + (reach[test]?.[id] ?? 0));
		allowCpu(HANGS.times * (tookMs[test] ?? 0) + HANGS.more);
		try {
			await collected[test]?.run();
		} catch {
			kills.set(test, (kills.get(test) ?? 0) + 1);
			const noticed = switches.hitCount > switches.hitLimit ? "endless" : "failed";
			return { id, noticed, killer: collected[test]?.name ?? "", reached: tests.length };
		}
	}
	switches.activeMutant = undefined;
	allowCpu();
	return { id, noticed: null, reached: tests.length };
}

/** Whether all tests still pass without a mutant: what one did may linger. */
async function passAfterwards(rehearsal: Rehearsal): Promise<Verdict> {
	allowCpu();
	switches.activeMutant = undefined;
	switches.hitLimit = undefined;
	const tests = fit(rehearsal);
	for (const test of tests) {
		try {
			await collected[test]?.run();
		} catch {
			const killer = collected[test]?.name ?? "";
			return { id: "", noticed: "failed", killer, reached: tests.length };
		}
	}
	return { id: "", noticed: null, reached: tests.length };
}

function send(message: unknown): void {
	process.send?.(message);
}

const failure = await load();
if (failure !== undefined && preset !== undefined) {
	send({ id: preset, noticed: "failed", killer: `import: ${String(failure)}`, reached: 1 });
} else {
	if (!existsSync(rehearsed)) writeFileSync(rehearsed, JSON.stringify(await rehearse()));
	const rehearsal: Rehearsal = JSON.parse(readFileSync(rehearsed, "utf8"));
	process.on("message", async (id: string) => {
		send(await (id === "" ? passAfterwards(rehearsal) : judge(id, rehearsal)));
	});
	send({ unfit: rehearsal.unfit.map((test) => collected[test]?.name), tests: collected.length });
}
