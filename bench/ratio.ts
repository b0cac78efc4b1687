// What a ratio of the benchmark is: something measured against something else in the same run, so that a
// slow machine breaks no bound. Knows nothing of what is measured.

/** Two sizes of one unit, and how many times the second the first is. */
export interface Measured {
	readonly value: number;
	readonly against: number;
	readonly times: number;
	readonly unit: "ms" | "bytes" | "tokens";
}

/** A promise: `value` is at most `atMost` times what it is measured against. */
export interface Ratio {
	readonly name: string;
	readonly against: string;
	readonly atMost: number;
	measure(): Promise<Measured>;
}

/** A clock in ms: of the wall, for other processes; of this process alone, whatever else runs beside it. */
export const CLOCKS = {
	wall: () => performance.now(),
	process: () => {
		const { user, system } = process.cpuUsage();
		return (user + system) / 1_000;
	},
} as const;

/** Two things to compare, by a clock, in so many rounds. */
export interface Race {
	readonly clock: () => number;
	readonly rounds: number;
	ours(): unknown;
	theirs(): unknown;
}

/**
 * Runs two things in turn and returns medians in ms. The ratio is the median of the rounds' ratios, not
 * the ratio of the medians: the two of a round meet the same machine, two rounds may not.
 */
export async function timeInTurn({ clock, rounds, ours, theirs }: Race): Promise<Measured> {
	const taken: { ours: number; theirs: number }[] = [];
	for (let round = 0; round < rounds; round++)
		taken.push({ ours: await time(clock, ours), theirs: await time(clock, theirs) });
	return {
		value: median(taken.map((round) => round.ours)),
		against: median(taken.map((round) => round.theirs)),
		times: median(taken.map((round) => round.ours / round.theirs)),
		unit: "ms",
	};
}

async function time(clock: () => number, run: () => unknown): Promise<number> {
	const started = clock();
	await run();
	return clock() - started;
}

/** The middle one; of an even number the upper of the two. */
function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
