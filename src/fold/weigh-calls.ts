// Weighs what a landing changes behind its range: the calls of `send_dmail` whose summaries read as pointers then.

import { pointToChip } from "./chip.ts";
import type { Host } from "./entry.ts";
import type { Fold } from "./folds.ts";
import { pointerInto, pointerOf } from "./pointers.ts";
import type { Replayer, View } from "./replay.ts";
import { callerOf } from "./resolve.ts";
import type { Draft } from "./weigh.ts";

/** A reply behind a fold's range, one of whose calls reads otherwise once the fold has landed. */
export interface CallShift {
	/** its position on the branch */
	readonly at: number;
	/** whether it has the call that made the fold itself */
	readonly isOwn: boolean;
	/** by how many tokens it gets smaller; below 0: larger */
	readonly tokens: number;
}

/**
 * Weighs the calls that a landing changes: that of the fold itself, and those of folds inside its range. Only
 * what is in the view counts; a call inside the range goes with it.
 *
 * @param view the view as it is sent now
 * @param fold one that is held, or a draft of one that the newest reply asks for
 */
export function weighCalls<M>(
	replayer: Replayer<M>,
	view: View<M>,
	fold: Draft | Fold,
	host: Host<M>,
): CallShift[] {
	const { steps, folds } = replayer;
	const { record } = fold;
	const own = asFold(
		fold,
		steps.entries.length,
		callerOf(steps, record.callId, rangeOf(fold).from),
	);
	const inner = new Set(folds.filter((other) => isInside(other, own)));
	const callers = new Set([own, ...inner].map(({ caller }) => caller).filter((at) => at >= own.to));
	if (callers.size === 0) return [];
	const pointer = (made: Fold) => {
		if (made.at === own.at) return pointToChip(record.id);
		return inner.has(made) ? pointerInto(made, own) : pointerOf(made);
	};
	const shifts: CallShift[] = [];
	for (const [index, source] of view.sources.entries()) {
		const sent = view.messages[index];
		if (source.from !== "entry" || sent === undefined || !callers.has(source.at)) continue;
		const { at } = source;
		const made = folds.filter(({ caller }) => caller === at);
		const isOwn = own.caller === at;
		if (isOwn && own !== fold) made.push(own);
		let landed: M = steps.messageAt(at) ?? sent;
		for (const one of made) {
			const text = pointer(one);
			const { callId } = one.record;
			if (callId !== undefined && text !== undefined) landed = host.point(landed, callId, text);
		}
		shifts.push({ at, isOwn, tokens: host.tokens(sent) - host.tokens(landed) });
	}
	return shifts;
}

function rangeOf(fold: Draft | Fold) {
	return "range" in fold ? fold.range : fold;
}

/** A draft as the fold that it would be. */
function asFold(fold: Draft | Fold, at: number, caller: number): Fold {
	if (!("range" in fold)) return fold;
	return { ...fold.range, record: fold.record, at, caller, landed: true, state: "landed" };
}

/** Whether a fold would be absorbed by another as that lands. */
function isInside({ from, to, state, at }: Fold, outer: Fold): boolean {
	if (state === "dropped" || state === "skipped" || at === outer.at) return false;
	return outer.from <= from && to <= outer.to;
}
