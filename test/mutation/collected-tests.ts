// Stands in for node:test in the process that tries mutants: keeps what the files would run, so that it can be
// run again and again. Runs nothing by itself.

/** A test as its file gave it. */
export interface CollectedTest {
	readonly name: string;
	run(): Promise<void>;
}

/** What a test may ask of its context here. */
const CONTEXT = { skip() {}, diagnostic() {} };

/** All tests, in the order of their files. */
export const collected: CollectedTest[] = [];

const groups: string[] = [];

/** As `test` of node:test, with a name and a function. */
export function test(name: string, run: (context: typeof CONTEXT) => unknown): void {
	collected.push({
		name: [...groups, name].join(" › "),
		async run() {
			await run(CONTEXT);
		},
	});
}

/** As `describe` of node:test; its function is called at once. */
export function describe(name: string, group: () => void): void {
	groups.push(name);
	group();
	groups.pop();
}
