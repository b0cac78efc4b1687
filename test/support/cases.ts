// How often a property is tried, and from which seed: `DMAIL_RUNS` and `DMAIL_SEED` say so for all of them.

const RUNS = Number(process.env["DMAIL_RUNS"] ?? 300);
const SEED = process.env["DMAIL_SEED"];

/** fast-check's parameters for a property that takes `share` times the usual number of cases. */
export function cases(share = 1): { numRuns: number; seed?: number } {
	return { numRuns: Math.ceil(share * RUNS), ...seed() };
}

/** The seed that was asked for; without one each run draws its own. */
export function seed(): { seed?: number } {
	return SEED === undefined ? {} : { seed: Number(SEED) };
}
