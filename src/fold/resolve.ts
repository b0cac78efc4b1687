// Where a record's range lies on its branch, and what could never be replayed, whatever comes later. All of it
// is settled when the record comes in: it depends on the entries before the record only.

import { isMessage } from "./entry.ts";
import type { Range } from "./forest.ts";
import type { FoldRecord, PinRecord } from "./record.ts";
import type { Steps } from "./steps.ts";

/** The range that a record at a position names, or why it names none. */
export function resolve<M>(
	steps: Steps<M>,
	{ fromEntryId, toEntryId }: Pick<PinRecord, "fromEntryId" | "toEntryId">,
	at: number,
): Range | string {
	const from = steps.positionOf(fromEntryId);
	if (from === undefined) return `its first entry ${fromEntryId} is not on this branch`;
	const to = toEntryId === null ? at : steps.positionOf(toEntryId);
	if (to === undefined) return `its end ${toEntryId} is not on this branch`;
	return from < to ? { from, to } : "its range is empty";
}

/** Why the range of a record at a position could never be folded; `undefined`: it could. */
export function flawOf<M>(
	steps: Steps<M>,
	record: FoldRecord,
	range: Range,
	at: number,
): string | undefined {
	if (!holdsMessage(steps, range)) return "its range is empty";
	if (range.to <= steps.era.start) return "its range was compacted away before";
	if (steps.resultWithoutCall(range.from, range.to) !== -1)
		return "it parts a result from its call";
	// our own fold up to its own record is made while nothing runs: no answer is on its way then
	const isIdle = record.toEntryId === null && record.v === 1;
	// a range behind the newest reply holds answers to it, and parts them, or the reply waits for none
	const reply = steps.newest;
	return !isIdle && reply < range.to && isBeingAnswered(steps, reply, at)
		? "its last step is still being answered"
		: undefined;
}

/**
 * The reply whose call asked for a fold; -1 if none did. Call ids repeat: the one meant is in the nearest reply
 * before the record, or nowhere. A call before the range cannot have asked for it, and a pointer there would
 * change bytes before the range.
 */
export function callerOf<M>(steps: Steps<M>, callId: string | undefined, from: number): number {
	if (!callId) return -1;
	const caller = steps.callBefore(callId, steps.entries.length);
	return caller === steps.newest && caller >= from ? caller : -1;
}

function holdsMessage<M>(steps: Steps<M>, range: Range): boolean {
	for (let at = range.from; at < range.to; at++) if (isMessage(steps.kindAt(at))) return true;
	return false;
}

/** Whether results of the newest reply may still come: nothing but results of it has come since. */
function isBeingAnswered<M>(steps: Steps<M>, reply: number, at: number): boolean {
	if (steps.openCalls(reply) === 0) return false;
	for (let i = reply + 1; i < at; i++) {
		if (isMessage(steps.kindAt(i)) && steps.answeredBy(i) !== reply) return false;
	}
	return true;
}
