// What of a branch a request could know. A command may store a record while a reply is still on its way: then
// the record stands before the reply, and yet the request for it went out without.

import type { SessionEntry } from "./entry.ts";

/**
 * How many entries of a branch had been stored when the reply at a position was asked for. Of the entries that
 * are no messages and stand right before the reply, later ones do not count. All count where a message before it
 * is later than the request: then its clock cannot be trusted.
 */
export function knownWhenAsked(branch: readonly SessionEntry[], at: number): number {
	const askedMs = askedAt(branch[at]);
	let known = at;
	let before = at - 1;
	for (let entry = branch[before]; entry; entry = branch[--before]) {
		const isLate = Date.parse(entry.timestamp) > askedMs;
		if (isMessage(entry)) return isLate ? at : known;
		if (isLate) known = before;
	}
	return known;
}

/** When a reply was asked for, in ms since 1970; NaN where the entry is none, or does not say. */
export function askedAt(entry: SessionEntry | undefined): number {
	if (entry?.type !== "message" || entry.message?.role !== "assistant") return Number.NaN;
	return entry.message.timestamp ?? Number.NaN;
}

/** Whether an entry is one of the conversation: pi stores it before the next request or after it, never beside. */
export function isMessage({ type }: SessionEntry): boolean {
	return type === "message" || type === "custom_message" || type === "branch_summary";
}
