// Where a return to a fold leads: the last of its steps, on a branch of its own, with nothing of them folded.
// Decides only; the command moves.

import type { Entry, Fold } from "../../fold.ts";
import { Replayer } from "../../fold.ts";
import type { PiMessage } from "../session/entry.ts";
import { piHost } from "../session/message.ts";
import type { Log } from "./log.ts";

/** Where to go, and what to open there. */
export interface Way {
	/** the entry at which the new branch begins */
	readonly entryId: string;
	/** folds inside that would hide some of the steps there */
	readonly inner: readonly string[];
	/** steps of the fold that a compaction inside it took out of view, whatever is opened */
	readonly isPartly: boolean;
}

/**
 * The way back to a fold; `undefined` where nothing of it can be stood on. Never a message of the user, nor
 * of an extension: pi would take its text back into the editor and stand before it.
 */
export function wayTo(fold: Fold, { branch }: Log): Way | undefined {
	const at = lastStanding(branch, fold);
	const entryId = branch[at]?.id;
	if (entryId === undefined) return undefined;
	const there = new Replayer(piHost);
	for (const entry of branch.slice(0, at + 1)) there.push(entry);
	const inner = there.folds.filter(
		({ from, to, state }) =>
			fold.from <= from && to <= fold.to && (state === "landed" || state === "absorbed"),
	);
	return {
		entryId,
		inner: inner.map(({ record }) => record.id),
		isPartly: there.steps.era.start > fold.from,
	};
}

function lastStanding(branch: readonly Entry<PiMessage>[], { from, to }: Fold): number {
	for (let at = to - 1; at >= from; at--) {
		const kind = branch[at]?.kind;
		if (kind === "assistant" || kind === "result" || kind === "attempt" || kind === "bash")
			return at;
	}
	return -1;
}
