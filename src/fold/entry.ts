// What the algebra sees of a session: one entry of a branch, and the host's hands on its messages.
// Nothing here knows pi; a test may use strings for messages.

import type { AnyRecord } from "./record.ts";

/**
 * What an entry is to the algebra.
 *
 * - `assistant` is a reply that counts, a step; `attempt` one that does not (failed, aborted, pending)
 * - `user`, `result` and chips may carry a marker; the other kinds never do
 * - `system` is never folded; `summary` is a branch summary; `bash` a command that the user ran
 * - `edit` replaces or omits the message of an earlier entry; `record` is one of ours
 * - `other` has no message and only takes a place on the branch
 */
export type Kind =
	| "user"
	| "assistant"
	| "attempt"
	| "result"
	| "bash"
	| "custom"
	| "summary"
	| "system"
	| "compaction"
	| "edit"
	| "record"
	| "other";

/**
 * A tool call of a reply. An empty id is no id: what answers it is a result without one that comes before the
 * next reply or word of the user, and nothing points at it.
 */
export interface Call {
	readonly id: string;
	readonly name: string;
}

/** One entry of a branch, in branch order (root first). */
export interface Entry<M> {
	/** the session's own id; `""` for a message that the host has and the session does not have yet */
	readonly id: string;
	readonly kind: Kind;
	/** what the host shows for the entry; absent where it shows nothing */
	readonly message?: M | undefined;
	/** `compaction` only: a system message that the host puts before the summary */
	readonly head?: M | undefined;
	/** size of the entry as stored, in tokens; what is shown of it may be smaller */
	readonly tokens?: number | undefined;
	/** `assistant` and `attempt`: the calls, in order */
	readonly calls?: readonly Call[] | undefined;
	/** `result`: the id of the call that it answers */
	readonly callId?: string | undefined;
	/** `result`: the call failed, or was refused */
	readonly failed?: true | undefined;
	/** `compaction`: the first entry that stays in view */
	readonly firstKeptEntryId?: string | undefined;
	/** `edit`: whose message is replaced by `message`, or omitted where that is absent */
	readonly targetId?: string | undefined;
	/** `record`: what it says */
	readonly record?: AnyRecord | undefined;
}

/** A fold as its chip names it. A forged record may have the id of another: its place tells the two apart. */
export interface FoldName {
	readonly id: string;
	/** the position of the record's own entry */
	readonly at: number;
}

/** What the algebra asks of a host's messages. All of it pure; none of it may change its argument. */
export interface Host<M> {
	/** what a message is that the session does not know */
	kind(message: M): Kind;
	/** the id of the call that a tool result answers */
	callId(message: M): string | undefined;
	/** the message that stands for a folded range */
	chip(text: string, fold: FoldName): M;
	/** the small message that carries a marker where no other can */
	note(marker: string): M;
	/** the message with a marker as a block of its own at its end */
	mark(message: M, marker: string): M;
	/** a reply whose call `callId` has `pointer` for its summary; everything else byte for byte */
	point(message: M, callId: string, pointer: string): M;
	/** the user's words in a `user` or `bash` message, ready to be quoted; absent: it has none */
	words(message: M): string | undefined;
	/** estimated size of the message as sent, in tokens */
	tokens(message: M): number;
}

/** Whether the entry stands for a message of the conversation, shown or not. */
export function isMessage(kind: Kind): boolean {
	return kind !== "edit" && kind !== "record" && kind !== "other" && kind !== "compaction";
}

/** Whether a fold takes the entry in: a message of the conversation, but no system message. */
export function isFoldable(kind: Kind): boolean {
	return isMessage(kind) && kind !== "system";
}

/** Whether the entry is a reply of the assistant, counted or not. */
export function isReply(kind: Kind): boolean {
	return kind === "assistant" || kind === "attempt";
}

/** Whether a marker may be put on a message of this kind. */
export function isCarrier(kind: Kind): boolean {
	return kind === "user" || kind === "result";
}
