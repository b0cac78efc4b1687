// Tries mutants one after another in one process: the sources hold all of them behind switches, so a mutant is
// a number to set, and the tests that never reach it need not run. Answers its parent by message.

import "./hooks.ts";
import process from "node:process";
import fc from "fast-check";
import { type CollectedTest, collected } from "./collected-tests.ts";

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

/** What became of a mutant: the test that failed, or null if none did. */
export interface Verdict {
	readonly id: string;
	readonly killer: string | null;
	/** how many tests reach it */
	readonly reached: number;
}

/** A mutant is taken for an endless loop when it is met so many times as often as it should be. */
const OFTEN = 100;

const switches: Switches = {};
Object.assign(globalThis, { __stryker__: switches });

// The first counterexample is enough, there is no need for the smallest.
fc.configureGlobal({ endOnFailure: true });

/** A mutant that is there while modules load cannot be switched on afterwards. */
const preset = process.env["MUTANT"];
switches.activeMutant = preset;
let killedAtImport: string | null = null;
for (const file of process.argv.slice(2)) {
	try {
		await import(file);
	} catch (error) {
		if (preset === undefined) throw error;
		killedAtImport = `import: ${String(error)}`;
	}
}

/** The tests by how long they take, and what each reaches. */
async function rehearse(): Promise<CollectedTest[]> {
	const took = new Map<CollectedTest, number>();
	for (const test of collected) {
		switches.currentTestId = test.name;
		const from = performance.now();
		await test.run();
		took.set(test, performance.now() - from);
	}
	switches.currentTestId = undefined;
	return collected.toSorted((a, b) => (took.get(a) ?? 0) - (took.get(b) ?? 0));
}

async function judge(id: string, tests: readonly CollectedTest[]): Promise<Verdict> {
	switches.activeMutant = id;
	for (const test of tests) {
		switches.hitCount = 0;
		switches.hitLimit = OFTEN * (1_000 + (reach[test.name]?.[id] ?? 0));
		try {
			await test.run();
		} catch {
			return { id, killer: test.name, reached: tests.length };
		}
	}
	switches.activeMutant = undefined;
	return { id, killer: null, reached: tests.length };
}

function send(message: unknown): void {
	process.send?.(message);
}

let reach: Record<string, Record<string, number>> = {};

if (preset !== undefined) {
	send(
		killedAtImport === null
			? await judge(preset, collected)
			: { id: preset, killer: killedAtImport, reached: collected.length },
	);
} else {
	const from = performance.now();
	const ordered = await rehearse();
	const tookMs = performance.now() - from;
	const coverage = structuredClone(switches.mutantCoverage);
	reach = coverage?.perTest ?? {};
	process.on("message", async (id: string) => {
		send(
			await judge(
				id,
				ordered.filter(({ name }) => reach[name]?.[id]),
			),
		);
	});
	send({ tests: ordered.length, tookMs, atImport: Object.keys(coverage?.static ?? {}) });
}
