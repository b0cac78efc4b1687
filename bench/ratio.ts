// What a ratio of the benchmark is: something measured against something else in the same run, so that a
// slow machine breaks no bound. Knows nothing of what is measured.

/** Two sizes of one unit. */
export interface Measured {
	readonly value: number;
	readonly against: number;
	readonly unit: "ms" | "bytes";
}

/** A promise: `value` is at most `atMost` times what it is measured against. */
export interface Ratio {
	readonly name: string;
	readonly against: string;
	readonly atMost: number;
	measure(): Promise<Measured>;
}

/** Runs two things in turn, so that both meet the same machine, and returns the medians in ms. */
export async function timeInTurn(
	rounds: number,
	ours: () => unknown,
	theirs: () => unknown,
): Promise<{ ours: number; theirs: number }> {
	const taken: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] };
	for (let round = 0; round < rounds; round++) {
		taken.ours.push(await time(ours));
		taken.theirs.push(await time(theirs));
	}
	return { ours: median(taken.ours), theirs: median(taken.theirs) };
}

async function time(run: () => unknown): Promise<number> {
	const started = performance.now();
	await run();
	return performance.now() - started;
}

/** The middle one; of an even number the upper of the two. */
export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
