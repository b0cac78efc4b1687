// What a ratio of the benchmark is: something measured against something else in the same run, so that a
// slow machine breaks no bound. Knows nothing of what is measured.

import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

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

/**
 * Clocks in ms: of the wall, for other processes; of this thread alone, whatever runs beside it. Neither the
 * compiler nor the collector is in the latter where they have threads of their own.
 *
 * Linux brings what it tells of a thread up to date once in a tick only, which is up to 4 ms. Asked for the
 * whole process it does so at once, and the thread's own figure is then right to some microseconds.
 */
const CLOCKS = {
	wall: () => performance.now(),
	thread: () => {
		process.cpuUsage();
		const { user, system } = process.threadCpuUsage();
		return (user + system) / 1_000;
	},
} as const;

/** Two things to compare, in so many rounds. */
export interface Race {
	readonly rounds: number;
	ours(): unknown;
	theirs(): unknown;
}

/**
 * Runs two other processes in turn and returns medians in ms of the wall. Each runs once beforehand: the first
 * start compiles, and reads its files from disk.
 */
export async function timeProcesses(race: Race): Promise<Measured> {
	await race.ours();
	await race.theirs();
	return measure(race, CLOCKS.wall, () => undefined);
}

/** Runs a process once beforehand and then in each round, and compares the median with a bound in ms. */
export async function timeAgainst(
	bound: number,
	{ rounds, ours }: Pick<Race, "rounds" | "ours">,
): Promise<Measured> {
	await ours();
	const taken: number[] = [];
	for (let round = 0; round < rounds; round++) {
		const started = CLOCKS.wall();
		await ours();
		taken.push(CLOCKS.wall() - started);
	}
	const value = median(taken);
	return { value, against: bound, times: value / bound, unit: "ms" };
}

/** How long both run before they are timed, in ms of this thread: until they are compiled. */
const WARM_MS = 400;

/**
 * Runs two things of this process in turn and returns medians in ms of this thread. Each begins without garbage of
 * the one before: else the collector works it off in whichever it happens to.
 */
export async function timeInTurn(race: Race): Promise<Measured> {
	for (const run of [race.ours, race.theirs])
		for (const start = CLOCKS.thread(); CLOCKS.thread() - start < WARM_MS; ) await run();
	return measure(race, CLOCKS.thread, collect);
}

/** A thing so many times over: in a short one the collector would run in this round and not in that. */
export function repeated(run: () => unknown, times: number): () => void {
	return () => {
		for (let time = 0; time < times; time++) run();
	};
}

/**
 * The ratio is the median of the rounds' ratios, not the ratio of the medians: the two of a round meet the same
 * machine, two rounds may not. Who begins changes from round to round.
 */
async function measure(
	{ rounds, ours, theirs }: Race,
	clock: () => number,
	prepare: () => void,
): Promise<Measured> {
	const taken: { ours: number; theirs: number }[] = [];
	for (let round = 0; round < rounds; round++) {
		const time = async (run: () => unknown) => {
			prepare();
			const started = clock();
			await run();
			return clock() - started;
		};
		const early = round % 2 === 0 ? await time(ours) : Number.NaN;
		const other = await time(theirs);
		taken.push({ ours: round % 2 === 0 ? early : await time(ours), theirs: other });
	}
	return {
		value: median(taken.map((round) => round.ours)),
		against: median(taken.map((round) => round.theirs)),
		times: median(taken.map((round) => round.ours / round.theirs)),
		unit: "ms",
	};
}

setFlagsFromString("--expose-gc");
const gc: (options: { readonly type: "minor" }) => void = runInNewContext("gc");

/** Takes young garbage away. Not all: with the shapes of objects that are gone compiled code would go, too. */
function collect(): void {
	gc({ type: "minor" });
}

/** The middle one; of an even number the upper of the two. */
function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
