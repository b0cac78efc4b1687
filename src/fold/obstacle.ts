// What stands against folding a range: the laws on calls and on older folds, and the user's pins.

import type { Fold } from "./folds.ts";
import { overlaps, type Range } from "./forest.ts";
import type { Replayer } from "./replay.ts";
import type { Steps } from "./steps.ts";

/** Steps, 1-based; both are in. */
export interface Span {
	readonly first: number;
	readonly last: number;
}

/** Why a range may not be folded, and the steps that it would have to keep clear of or take in whole. */
export type Obstacle =
	| { readonly rule: "parted" | "in-progress" | "pinned"; readonly steps: Span }
	| { readonly rule: "inside"; readonly steps: Span; readonly fold: Fold };

/** The range of some steps, widened over late results of their calls. */
export function rangeOf<M>(steps: Steps<M>, { first, last }: Span): Range {
	const from = steps.positionOfStep(first) ?? 0;
	return { from, to: steps.endOf(from, steps.positionOfStep(last) ?? from) };
}

/**
 * The first thing that stands against a range; `undefined`: it may be folded.
 *
 * @param completed the last step that is not in progress
 */
export function obstacleTo<M>(
	replayer: Replayer<M>,
	range: Range,
	completed: number,
): Obstacle | undefined {
	const { steps } = replayer;
	return (
		partedCall(steps, range) ??
		stepInProgress(steps, range, completed) ??
		olderFold(replayer, range) ??
		pinned(replayer, range)
	);
}

function partedCall<M>(steps: Steps<M>, range: Range): Obstacle | undefined {
	const stray = steps.resultWithoutCall(range.from, range.to);
	if (stray < 0) return undefined;
	const first = steps.stepAt(steps.answeredBy(stray));
	return { rule: "parted", steps: { first, last: steps.stepAt(stray) - 1 } };
}

/** A late result can lead into the step in progress; on 0.73 the session may lag behind its tail. */
function stepInProgress<M>(steps: Steps<M>, range: Range, completed: number): Obstacle | undefined {
	const { first, last } = steps.span(range);
	const stored = steps.idAt(range.to - 1) !== "";
	return last > completed || !stored ? { rule: "in-progress", steps: { first, last } } : undefined;
}

function olderFold<M>(replayer: Replayer<M>, range: Range): Obstacle | undefined {
	const fold = replayer.clash(range);
	return fold && { rule: "inside", steps: spanOf(replayer.steps, fold), fold };
}

function pinned<M>(replayer: Replayer<M>, range: Range): Obstacle | undefined {
	const pin = replayer.pins.find((one) => overlaps(one, range));
	return pin && { rule: "pinned", steps: spanOf(replayer.steps, pin) };
}

/** The steps of a range; of one that holds none, the step that follows it. */
export function spanOf<M>(steps: Steps<M>, range: Range): Span {
	const { first, last } = steps.span(range);
	return { first, last: Math.max(first, last) };
}
