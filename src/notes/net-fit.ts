// Makes the lines of a net fit: tells the oldest steps shorter, and where that is not enough several of
// them on one line. Keeps their order and never drops a step.

import { estimateText } from "../session/size.ts";
import { type Level, lineOf, lineOfMany, type Told } from "./net-line.ts";

/** How much room there is for all lines together. */
export interface Room {
	/** UTF-16 units */
	readonly characters: number;
	readonly tokens: number;
}

/** One line and the steps that it stands for. */
interface Line {
	readonly steps: readonly Told[];
	readonly level: Level;
	readonly text: string;
}

/** What is shortened as far as it goes before anything newer is: a share of the lines, the oldest. */
const SHARES = [0.5, 0.75, 0.9, 1];
/** A group of lines is told as one where it has at most this many steps, at first, then four times that. */
const GROUP = 4;

/** The lines of runs of steps, each run by itself; they begin in full and only get shorter. */
export class Lines {
	private readonly runs: Line[][];
	private readonly cwd: string | undefined;
	private characters = 0;
	private tokens = 0;

	constructor(runs: readonly (readonly Told[])[], cwd?: string) {
		this.cwd = cwd;
		this.runs = runs.map((run) =>
			run.map((told): Line => ({ steps: [told], level: 0, text: lineOf(told, 0, cwd) })),
		);
		for (const line of this.runs.flat()) this.count(line, 1);
	}

	/** The text of each run. */
	get texts(): string[] {
		return this.runs.map((run) => run.map(({ text }) => text).join("\n"));
	}

	/**
	 * Shortens until there is room: line by line, the older half before the rest, and there every line by
	 * one level before any by two; then, where all lines are at their shortest, neighbours as one.
	 *
	 * @returns whether it succeeded
	 */
	fitInto(room: Room): boolean {
		for (const share of SHARES)
			for (const level of [1, 2, 3] as const) if (this.shorten(level, share, room)) return true;
		const longest = Math.max(0, ...this.runs.map((run) => run.length));
		for (let group = GROUP; group < longest * GROUP; group *= GROUP)
			if (this.merge(group, room)) return true;
		return this.fits(room);
	}

	private fits(room: Room): boolean {
		return this.characters <= room.characters && this.tokens <= room.tokens;
	}

	private shorten(level: Level, share: number, room: Room): boolean {
		let left = Math.ceil(this.runs.reduce((sum, run) => sum + run.length, 0) * share);
		for (const run of this.runs)
			for (const [at, { steps, level: now }] of run.entries()) {
				if (this.fits(room)) return true;
				const [told] = steps;
				if (left-- <= 0 || now >= level || !told) continue;
				this.replace(run, at, 1, { steps, level, text: lineOf(told, level, this.cwd) });
			}
		return this.fits(room);
	}

	private merge(group: number, room: Room): boolean {
		for (const run of this.runs)
			for (let at = 0; at < run.length; at++) {
				if (this.fits(room)) return true;
				const lines = run.slice(at, at + countUpTo(group, run, at));
				const steps = lines.flatMap((line) => line.steps);
				if (lines.length > 1)
					this.replace(run, at, lines.length, { steps, level: 3, text: lineOfMany(steps) });
			}
		return this.fits(room);
	}

	private replace(run: Line[], at: number, instead: number, line: Line): void {
		for (const gone of run.splice(at, instead, line)) this.count(gone, -1);
		this.count(line, 1);
	}

	/** A line counts with its end; its tokens are rounded up, so the sum is never too small. */
	private count({ text }: Line, sign: 1 | -1): void {
		this.characters += sign * (text.length + 1);
		this.tokens += sign * estimateText(`${text}\n`);
	}
}

/** How many lines from `at` on have together at most so many steps. */
function countUpTo(group: number, run: readonly Line[], at: number): number {
	let steps = 0;
	let count = 0;
	for (const line of run.slice(at, at + group)) {
		steps += line.steps.length;
		if (steps > group) break;
		count++;
	}
	return count;
}
