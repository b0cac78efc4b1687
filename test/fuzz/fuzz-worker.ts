// One process of the long search: tries a batch of cases whenever it is told one, and tells what came of it.

import process from "node:process";
import fc from "fast-check";
import { SEARCHED } from "./properties.ts";

/** Cases to try: all that a seed and a path give. */
export interface Batch {
	readonly name: string;
	readonly seed: number;
	readonly cases: number;
	readonly path?: string | undefined;
}

/** What came of a batch. */
export interface Outcome {
	readonly cases: number;
	/** absent: nothing failed */
	readonly failure?: { readonly path: string; readonly report: string } | undefined;
}

process.on("message", ({ name, seed, cases, path }: Batch) => {
	const searched = SEARCHED[name];
	if (!searched) throw new RangeError(`no property ${name}`);
	const run = fc.check(searched.property, {
		seed,
		numRuns: cases,
		...(path === undefined ? {} : { path, endOnFailure: true }),
	});
	const causes = [];
	for (let cause = run.errorInstance; cause instanceof Error; cause = cause.cause as Error)
		causes.push(cause.stack);
	const report = [fc.defaultReportMessage(run), ...causes].join("\n\n");
	const failure = run.failed ? { path: run.counterexamplePath ?? "", report } : undefined;
	process.send?.({ cases: run.numRuns, failure } satisfies Outcome);
});
