// Weighs a fold before it is recorded: what its range takes in the view, and what its chip would.

import { keptOf, textOfChip } from "./contents.ts";
import type { Host } from "./entry.ts";
import type { Fold } from "./folds.ts";
import type { Range } from "./forest.ts";
import type { FoldRecord } from "./record.ts";
import type { Replayer, View } from "./replay.ts";
import type { Source } from "./sheet.ts";
import type { Steps } from "./steps.ts";

/** Sizes that decide whether a fold is worth its chip, in tokens, of what is sent. */
export interface Weight {
	/** what the range takes in the view now, without what stays */
	readonly replaced: number;
	readonly chip: number;
	/** how much of the chip is the user's words */
	readonly quoted: number;
	/** messages of the user that the range covers, the kept one not counted */
	readonly userMessages: number;
}

/** A fold about to be recorded: its record, and the range that `propose` gave. */
export interface Draft {
	readonly record: FoldRecord;
	readonly range: Range;
}

/**
 * Weighs a fold that is not recorded yet.
 *
 * @param view the view as it is sent now
 */
export function weigh<M>(
	replayer: Replayer<M>,
	view: View<M>,
	{ record, range }: Draft,
	host: Host<M>,
): Weight {
	const { steps } = replayer;
	const at = steps.entries.length;
	const fold: Fold = { ...range, record, at, caller: -1, landed: true, state: "landed" };
	const lookUp = (at: number) => steps.entries[at]?.message;
	const sizeWith = (words: Host<M>["words"]) =>
		host.tokens(host.chip(textOfChip(fold, steps, { ...host, words }, lookUp), record.id));
	const kept = new Set(keptOf(fold, steps, lookUp));
	const chip = sizeWith(host.words);
	let userMessages = 0;
	for (let i = range.from; i < range.to; i++)
		if (steps.entries[i]?.kind === "user" && !kept.has(i)) userMessages++;
	let replaced = 0;
	for (const [index, source] of view.sources.entries()) {
		const message = view.messages[index];
		const place = placeOf(source);
		if (message === undefined || kept.has(place) || !isReplaced(place, range, steps)) continue;
		replaced += host.tokens(message);
	}
	return { replaced, chip, quoted: chip - sizeWith(() => undefined), userMessages };
}

function placeOf(source: Source): number {
	if (source.from === "entry") return source.at;
	return source.from === "chip" ? source.fold.from : -1;
}

/** Whether a fold of the range hides a position: inside it, or the late answer to a call inside. */
function isReplaced<M>(at: number, range: Range, steps: Steps<M>): boolean {
	if (steps.entries[at]?.kind === "system") return false;
	const call = steps.answeredBy(at);
	return (range.from <= at && at < range.to) || (range.from <= call && call < range.to);
}
