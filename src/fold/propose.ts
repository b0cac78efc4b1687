// Decides whether steps may be folded, and freezes their range.

import type { Range } from "./forest.ts";
import { obstacleTo, rangeOf, spanOf } from "./obstacle.ts";
import { type Refusal, refuseRange, refuseSteps } from "./refusal.ts";
import type { Replayer } from "./replay.ts";
import type { Steps } from "./steps.ts";

/** What somebody would like to fold. */
export interface Wish {
	/** 1-based */
	readonly fromStep: number;
	/** 1-based, folded too; without it the last completed step */
	readonly toStep?: number | undefined;
	/** the call that asks: the step that it belongs to is in progress */
	readonly callId?: string | undefined;
	/** whether a run is live */
	readonly live: boolean;
}

/** A range that may be folded, as its record will name it. */
export interface Proposal {
	readonly ok: true;
	readonly range: Range;
	readonly fromEntryId: string;
	readonly toEntryId: string | null;
	readonly fromStep: number;
	/** the last step inside */
	readonly toStep: number;
	/** the request that stays a message of its own */
	readonly keep?: string | undefined;
}

/**
 * Whether these steps may be folded now.
 *
 * 15. It says yes exactly when replaying the range keeps laws 4 to 8 and it covers no pin. A range inside a
 *     landed fold is refused as well: its chip would not be seen.
 */
export function propose<M>(replayer: Replayer<M>, wish: Wish): Proposal | Refusal {
	const { steps } = replayer;
	const can = { first: steps.stepAt(steps.era.start), last: lastCompleted(steps, wish) };
	const asked = { first: wish.fromStep, last: wish.toStep ?? can.last };
	const refused = refuseSteps(replayer, asked, can);
	if (refused) return refused;
	const range = rangeOf(steps, asked);
	const obstacle = obstacleTo(replayer, range, can.last);
	return obstacle ? refuseRange(replayer, obstacle, asked, can) : proposal(steps, range, wish.live);
}

/** The step in progress is never folded: the one that asks, or one whose calls are still open. */
export function lastCompleted<M>(steps: Steps<M>, wish: Pick<Wish, "callId" | "live">): number {
	const { newest } = steps;
	const caller =
		wish.callId === undefined ? -1 : steps.callBefore(wish.callId, steps.entries.length);
	if (caller >= 0) return steps.stepAt(caller) - 1;
	const running = wish.live && steps.openCalls(newest) > 0 && steps.user < newest;
	return running ? steps.stepAt(newest) - 1 : steps.count;
}

function proposal<M>(steps: Steps<M>, range: Range, live: boolean): Proposal {
	const { first, last } = spanOf(steps, range);
	return {
		ok: true,
		range,
		fromEntryId: steps.idAt(range.from),
		// what is not stored yet has no id; the record will stand before it all the same
		toEntryId: steps.idAt(range.to) || null,
		fromStep: first,
		toStep: last,
		keep: requestIn(steps, range, live),
	};
}

/** The newest request of the user, if it lies in the range and is still being worked on. */
export function requestIn<M>(steps: Steps<M>, range: Range, live: boolean): string | undefined {
	const { user } = steps;
	if (user < range.from || user >= range.to) return undefined;
	const answered = steps.stepAt(user) <= steps.count;
	const isLast = steps.stepAt(range.to) > steps.count;
	return live || !answered || !isLast ? steps.idAt(user) : undefined;
}
