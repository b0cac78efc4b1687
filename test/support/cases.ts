// How often a property is tried, and from which seed: `DMAIL_RUNS` and `DMAIL_SEED` say so for all of them.
// Without a word the seed is the same in each run: a change is judged by the same cases as the state before it,
// and `npm run fuzz` goes on searching.

const RUNS = Number(process.env["DMAIL_RUNS"] ?? 300);
const SEED = Number(process.env["DMAIL_SEED"] ?? 1);

/** fast-check's parameters for a property that takes `share` times the usual number of cases. */
export function cases(share = 1): { numRuns: number; seed: number } {
	return { numRuns: Math.ceil(share * RUNS), ...seed() };
}

/** The seed that was asked for, or the usual one. */
export function seed(): { seed: number } {
	return { seed: SEED };
}
