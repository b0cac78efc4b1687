// Says a summary once: which calls of `send_dmail` read as pointers, and to what.

import { pointToChip, pointToCompaction, pointToOuter } from "./chip.ts";
import { BEFORE_ERA, type Fold } from "./folds.ts";

/** A call whose summary reads as something else. */
export interface Pointer {
	readonly callId: string;
	readonly text: string;
}

/**
 * The pointers of a reply.
 *
 * 11. Once: while a fold's chip is visible, the summary of the call that made it reads as a pointer to the chip;
 *     if it is absorbed, to the outer fold; if it lies before the era, to the compaction; in every other state
 *     as the model wrote it.
 *
 * @param folds those that its calls made
 */
export function pointersOf(folds: readonly Fold[]): Pointer[] {
	const pointers: Pointer[] = [];
	for (const fold of folds) {
		const { callId } = fold.record;
		const text = pointerOf(fold);
		if (callId !== undefined && text !== undefined) pointers.push({ callId, text });
	}
	return pointers;
}

/** What the summary of a fold's call reads as; `undefined`: as the model wrote it. */
export function pointerOf(fold: Fold): string | undefined {
	const { id } = fold.record;
	switch (fold.state) {
		case "landed":
			return pointToChip(id);
		case "absorbed":
			return pointerInto(fold, fold.absorbedBy);
		case "skipped":
			return fold.reason === BEFORE_ERA ? pointToCompaction(id) : undefined;
		default:
			return undefined;
	}
}

/**
 * What the summary of a fold's call reads as where the fold lies inside another. A held record that came in
 * under a chip changes no byte, so its call stays as the model wrote it.
 */
export function pointerInto(
	fold: Fold,
	outer: Pick<Fold, "at" | "record"> | undefined,
): string | undefined {
	if (!outer || (!fold.landed && outer.at < fold.at)) return undefined;
	return pointToOuter(fold.record.id, outer.record.id);
}
