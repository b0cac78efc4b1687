// Weighs a fold before it is recorded: what its range takes in the view, and what its chip would.

import { type ChipSource, chipText } from "./chip.ts";
import { contentsOf, keptOf } from "./contents.ts";
import { type Host, isCarrier, isFoldable, isReply } from "./entry.ts";
import type { Fold } from "./folds.ts";
import type { Range } from "./forest.ts";
import { formatStep } from "./marker.ts";
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
	const draft = drafted(steps, { record, range }, host);
	const kept = new Set(draft.kept);
	const isGone = (source: Source) =>
		(source.from === "chip" && isInside(source.fold.from, range)) ||
		(source.from === "entry" && !kept.has(source.at) && isReplaced(source.at, range, steps));
	const gone = view.messages.filter((_, i) => {
		const source = view.sources[i];
		return source && isGone(source);
	});
	let userMessages = 0;
	for (let at = range.from; at < range.to; at++)
		if (steps.kindAt(at) === "user" && !kept.has(at)) userMessages++;
	const chip = tokensOf(draft, steps, host);
	const frame = tokensOf({ ...draft, contents: { ...draft.contents, words: [] } }, steps, host);
	return {
		replaced: gone.reduce((sum, message) => sum + host.tokens(message), 0),
		chip,
		quoted: chip - frame,
		userMessages,
	};
}

/** Weighs only the chip of a fold, in tokens, with the marker that it carries: it asks for no view. */
export function weighChip<M>(
	{ steps }: Replayer<M>,
	{ record, range }: Draft,
	host: Host<M>,
): number {
	return tokensOf(drafted(steps, { record, range }, host), steps, host);
}

/** A fold that is not recorded yet, and what its chip would be made of. */
interface Drafted {
	readonly fold: Fold;
	/** the positions that stay as messages of their own */
	readonly kept: readonly number[];
	readonly contents: ChipSource;
}

function drafted<M>(steps: Steps<M>, { record, range }: Draft, host: Host<M>): Drafted {
	const fold: Fold = { ...range, record, ...NEW, at: steps.entries.length };
	const lookUp = (at: number) => steps.messageAt(at);
	const contents = contentsOf(fold, steps, host, lookUp);
	return { fold, kept: keptOf(fold, steps, lookUp), contents };
}

function tokensOf<M>({ fold, kept, contents }: Drafted, steps: Steps<M>, host: Host<M>): number {
	const { record, to, at } = fold;
	const chip = host.chip(chipText(record, contents), { id: record.id, at });
	const isMarked = kept.length === 0 && asksBehind(steps, to);
	return host.tokens(isMarked ? host.mark(chip, formatStep(steps.stepAt(to))) : chip);
}

/** Whether a reply is asked for behind a range before another message could carry its marker. */
function asksBehind<M>(steps: Steps<M>, to: number): boolean {
	for (let at = to; at < steps.entries.length; at++) {
		if (isReply(steps.kindAt(at))) return true;
		if (isCarrier(steps.kindAt(at))) return false;
	}
	return true;
}

const NEW = { caller: -1, landed: true, state: "landed" } as const;

/** Whether a fold of the range hides a position: inside it, or the late answer to a call inside. */
function isReplaced<M>(at: number, range: Range, steps: Steps<M>): boolean {
	if (!isFoldable(steps.kindAt(at))) return false;
	if (isInside(at, range) || isInside(steps.answeredBy(at), range)) return true;
	if (!steps.hasGaps) return false;
	return isInside(
		steps.takenBy(at, (other) => steps.messageAt(other) !== undefined),
		range,
	);
}

function isInside(at: number, range: Range): boolean {
	return range.from <= at && at < range.to;
}
