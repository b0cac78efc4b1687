// Stands in for node:test in the process that tries mutants: keeps what the files would run, so that it can be
// run again and again. Runs nothing by itself.

import process from "node:process";

/** A test as its file gave it. */
export interface CollectedTest {
	readonly name: string;
	run(): Promise<void>;
}

/** What a test may ask of its context here. */
interface Context {
	skip(): void;
	diagnostic(): void;
	after(cleanUp: () => unknown): void;
}

/** The mocks of node:test itself. */
export const { mock } = process.getBuiltinModule("node:test");

/** All tests, in the order of their files. */
export const collected: CollectedTest[] = [];

const groups: string[] = [];

/** What the test that runs now leaves to be cleaned up; absent: none runs. */
let left: (() => unknown)[] | undefined;

/** As `after` of node:test: once the test is over, or the process where none runs. */
export function after(cleanUp: () => unknown): void {
	if (left) left.push(cleanUp);
	else process.once("exit", cleanUp);
}

/** As `test` of node:test, with a name and a function. */
export function test(name: string, run: (context: Context) => unknown): void {
	collected.push({
		name: [...groups, name].join(" › "),
		async run() {
			const cleanUps: (() => unknown)[] = [];
			left = cleanUps;
			try {
				await run({ skip() {}, diagnostic() {}, after });
			} finally {
				left = undefined;
				for (const cleanUp of cleanUps.toReversed()) await cleanUp();
			}
		},
	});
}

/** As `describe` of node:test; its function is called at once. */
export function describe(name: string, group: () => void): void {
	groups.push(name);
	group();
	groups.pop();
}
