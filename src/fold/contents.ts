// What a fold's range holds beside its summary: the user's words, and the request that stays.

import { type ChipSource, chipText } from "./chip.ts";
import { type Host, isFoldable, isMessage } from "./entry.ts";
import type { Fold } from "./folds.ts";
import type { Steps } from "./steps.ts";

/** The message that there is for a position: in the list in hand, or on the branch. */
export type LookUp<M> = (at: number) => M | undefined;

/**
 * The positions of a fold that stay as messages of their own, right after its chip: the request being worked
 * on and the customs that directly follow it. Empty where the request is no longer there to stay.
 */
export function keptOf<M>(fold: Fold, steps: Steps<M>, lookUp: LookUp<M>): number[] {
	const keep = fold.record.keep === undefined ? undefined : steps.positionOf(fold.record.keep);
	if (keep === undefined || keep < fold.from || keep >= fold.to) return [];
	if (steps.kindAt(keep) !== "user" || !isThere(keep, steps, lookUp)) return [];
	const kept = [keep];
	for (let at = keep + 1; at < fold.to; at++) {
		const kind = steps.kindAt(at);
		if (kind === "custom") kept.push(at);
		else if (isMessage(kind)) break;
	}
	return kept.filter((at) => isThere(at, steps, lookUp));
}

/** The text of a fold's chip. */
export function textOfChip<M>(
	fold: Fold,
	steps: Steps<M>,
	host: Host<M>,
	lookUp: LookUp<M>,
): string {
	return chipText(fold.record, contentsOf(fold, steps, host, lookUp));
}

/**
 * What a fold's chip is made of beside its record. What the user said is quoted from the message that there is,
 * else as the branch with its edits has it; what lies before the era is the compaction's to tell.
 *
 * 8. User's words: every user message of a range stays as a message of its own or is quoted in the chip.
 */
export function contentsOf<M>(
	fold: Fold,
	steps: Steps<M>,
	host: Host<M>,
	lookUp: LookUp<M>,
): ChipSource {
	const [keep] = keptOf(fold, steps, lookUp);
	let tokens = 0;
	const words: string[] = [];
	for (let at = fold.from; at < fold.to; at++) {
		const entry = steps.entries[at];
		if (entry === undefined || !isFoldable(entry.kind)) continue;
		tokens += entry.tokens ?? 0;
		if (at < steps.era.start || at === keep) continue;
		if (entry.kind !== "user" && entry.kind !== "bash") continue;
		const message = lookUp(at) ?? entry.message;
		const said = message === undefined ? undefined : host.words(message);
		if (said !== undefined) words.push(said);
	}
	const keptAfterStep = keep === undefined ? undefined : steps.stepAt(keep) - 1;
	return { tokens, words, keptAfterStep, steps: steps.span(fold) };
}

function isThere<M>(at: number, steps: Steps<M>, lookUp: LookUp<M>): boolean {
	return at >= steps.era.start && lookUp(at) !== undefined;
}
