// Which steps the net may fold: the runs of finished steps between what must stay as it is. Pure.

import type { Fold, Range, Replayer, View } from "../../fold.ts";
import type { PiMessage } from "../session/entry.ts";
import { piHost } from "../session/message.ts";

/** A step, or the steps of a fold in view, which are folded together or not at all. Positions half-open. */
export interface Unit extends Range {
	/** 1-based, both in */
	readonly fromStep: number;
	readonly toStep: number;
	/** whether a range may begin or end with it: no call is parted from its answer there */
	readonly canBegin: boolean;
	readonly canEnd: boolean;
	/** the fold in view that it is */
	readonly fold?: Fold | undefined;
}

/**
 * The runs of steps that may be folded, in order; each begins with a unit that can begin a range.
 *
 * What stays as it is: pins, open folds, a fold that reaches back before the era, and the newest messages.
 *
 * @param spare how many tokens of the newest messages are left alone
 */
export function stretchesOf(
	replayer: Replayer<PiMessage>,
	view: View<PiMessage>,
	spare: number,
): Unit[][] {
	const limit = spareFrom(view, spare, replayer.steps.era.compaction);
	const kept = keptRanges(replayer);
	const runs: Unit[][] = [[]];
	for (const unit of unitsOf(replayer)) {
		const run = runs.at(-1) ?? [];
		if (unit.to > limit || kept.some((range) => overlaps(range, unit))) {
			if (run.length > 0) runs.push([]);
		} else if (run.length > 0 || unit.canBegin) run.push(unit);
	}
	return runs.filter((run) => run.some((unit) => unit.canEnd));
}

/**
 * The position from which on messages of the view have so many tokens together; 0 where all of them have
 * fewer. A compaction leads the view, but its own position is behind what it keeps: it bounds nothing.
 */
function spareFrom(view: View<PiMessage>, spare: number, compaction: number): number {
	let tokens = 0;
	for (let index = view.messages.length - 1; index >= 0; index--) {
		const message = view.messages[index];
		const source = view.sources[index];
		if (message) tokens += piHost.tokens(message);
		if (tokens < spare) continue;
		if (source?.from === "entry" && source.at !== compaction) return source.at;
		if (source?.from === "chip") return source.fold.from;
	}
	return 0;
}

function keptRanges(replayer: Replayer<PiMessage>): Range[] {
	const { era } = replayer.steps;
	const isKept = (fold: Fold) =>
		fold.state === "open" || (fold.state === "landed" && fold.from < era.start);
	return [...replayer.pins, ...replayer.folds.filter(isKept)];
}

function unitsOf(replayer: Replayer<PiMessage>): Unit[] {
	const { steps, visible } = replayer;
	const units: Unit[] = [];
	let next = 0;
	for (let step = steps.stepAt(steps.era.start); step <= steps.count; ) {
		const at = steps.positionOfStep(step) ?? 0;
		while ((visible[next]?.to ?? Number.POSITIVE_INFINITY) <= at) next++;
		const fold = visible[next];
		const unit = fold && fold.from <= at ? foldUnit(replayer, fold) : stepUnit(replayer, step, at);
		units.push(unit);
		step = Math.max(step, unit.toStep) + 1;
	}
	return units;
}

function stepUnit(replayer: Replayer<PiMessage>, step: number, at: number): Unit {
	const to = replayer.steps.endOf(at, at);
	return {
		from: at,
		to,
		fromStep: step,
		toStep: step,
		canBegin: isClean(replayer, at),
		canEnd: isClean(replayer, to),
	};
}

/** Folds of others may begin with a message of the user: then a range of steps cannot begin there. */
function foldUnit(replayer: Replayer<PiMessage>, fold: Fold): Unit {
	const { steps } = replayer;
	const { first, last } = steps.span(fold);
	const beginsWithStep = steps.positionOfStep(first) === fold.from;
	return {
		from: fold.from,
		to: fold.to,
		fromStep: first,
		toStep: last,
		canBegin: beginsWithStep && isClean(replayer, fold.from),
		canEnd: isClean(replayer, fold.to),
		fold,
	};
}

/** Whether no answer after a position belongs to a call before it. */
function isClean({ steps }: Replayer<PiMessage>, at: number): boolean {
	return steps.resultWithoutCall(at, steps.entries.length) < 0;
}

function overlaps(some: Range, other: Range): boolean {
	return some.from < other.to && other.from < some.to;
}
