// What the folds of a session do: what they keep out of a request, and which of them cannot.

import {
	BEFORE_ERA,
	type Fold,
	type Hand,
	isMessage,
	type Replayer,
	type View,
} from "../../fold.ts";
import type { PiMessage } from "../session/entry.ts";
import { piHost } from "../session/message.ts";
import type { Log } from "./log.ts";

/** What a view was made of. */
export interface Made {
	readonly log: Pick<Log, "branch">;
	readonly replayer: Replayer<PiMessage>;
	/** the list in hand; absent: the view is of the branch alone */
	readonly hand?: Hand<PiMessage> | undefined;
}

/**
 * Tokens that the chips in a view keep out of it: the size of what would be sent in their place. What a
 * compaction took, what stays beside a chip and what somebody else took out of the list is no saving of ours.
 */
export function savedBy(made: Made, view: View<PiMessage>): number {
	const chips = view.sources.flatMap((source, index) =>
		source.from === "chip" ? [{ fold: source.fold, message: view.messages[index] }] : [],
	);
	if (chips.length === 0) return 0;
	const isSent = sentInstead(made, view);
	let saved = 0;
	for (const { fold, message } of chips) {
		for (let at = fold.from; at < fold.to; at++) if (isSent(at, fold)) saved += sizeAt(made, at);
		if (message) saved -= piHost.tokens(message);
	}
	return Math.max(0, saved);
}

/** Whether the message of a position under a chip would be sent if the chip were not there. */
function sentInstead(
	{ replayer, hand }: Made,
	view: View<PiMessage>,
): (at: number, fold: Fold) => boolean {
	const { entries, era } = replayer.steps;
	const shown = new Set(view.sources.map((source) => (source.from === "entry" ? source.at : -1)));
	const inHand = hand && new Set(hand.at);
	return (at, fold) => {
		const entry = entries[at];
		if (at < era.start || !entry?.message || !isMessage(entry.kind) || shown.has(at)) return false;
		// a list that has passed us already has the chip, and nothing of what is under it
		return inHand === undefined || inHand.has(at) || hand?.chips?.has(fold.at) === true;
	};
}

/** Size of a message as it is sent: a later edit may have made it smaller than it is stored. */
function sizeAt({ log, replayer }: Made, at: number): number {
	const message = replayer.steps.entries[at]?.message;
	const stored = log.branch[at];
	if (!message) return 0;
	return message === stored?.message ? (stored.tokens ?? 0) : piHost.tokens(message);
}

/**
 * What is wrong where no reply and no result of a fold is in the list in hand, while there are some that the
 * branch does not know: then they are the folded ones in another guise, and nothing became smaller. The
 * sentence is the same for all such folds, so that it is said once.
 */
export function strangenessOf({ replayer, hand }: Made): string | undefined {
	const isWork = ({ role }: PiMessage) => role === "assistant" || role === "toolResult";
	if (!hand?.list.some((message, index) => (hand.at[index] ?? -1) < 0 && isWork(message)))
		return undefined;
	const inHand = new Set(hand.at);
	const { entries, era } = replayer.steps;
	const isStrange = (fold: Fold) => {
		const works: number[] = [];
		for (let at = Math.max(fold.from, era.start); at < fold.to; at++) {
			const message = entries[at]?.message;
			if (message && isWork(message)) works.push(at);
		}
		const isChip = hand.chips?.has(fold.at) === true;
		return !isChip && works.length > 0 && !works.some((at) => inHand.has(at));
	};
	return replayer.visible.some(isStrange) ? STRANGE : undefined;
}

/** What is wrong where replies in hand are not the session's. */
export const STRANGE =
	"folds are recorded and not applied: pi hands in replies that the session does not have in their place, as where another extension gives them other ids or words; they go out as they are, and folding more will not help";

/** Records that are not applied though nothing took them back, one sentence each. */
export function problemsOf(replayer: Replayer<PiMessage>): string[] {
	const skipped = replayer.folds.flatMap(({ record, state, reason }) =>
		state === "skipped" && reason !== BEFORE_ERA
			? [`fold ${record.id} is not applied: ${reason}; its steps go out as they are stored`]
			: [],
	);
	const unreadable = replayer.unreadable.map(
		({ of, reason }) => `a record (dmail.${of}) cannot be read: ${reason}; it is left out`,
	);
	return [...skipped, ...unreadable];
}
