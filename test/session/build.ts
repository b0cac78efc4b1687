// Small entries for tests, as pi would store them.

import type { Content, PiMessage, SessionEntry } from "../../src/session/entry.ts";

export const STORED_AT = "2026-01-01T00:00:00.000Z";

/** One entry of any type: the id, its parent, and what its type has. */
export function entry<T extends SessionEntry["type"]>(
	type: T,
	id: string,
	parentId: string | null,
	fields: object = {},
): SessionEntry {
	return { type, id, parentId, timestamp: STORED_AT, ...fields } as SessionEntry;
}

export function message(id: string, parentId: string | null, said: PiMessage): SessionEntry {
	return entry("message", id, parentId, { message: said });
}

export function user(content: Content = "do it"): PiMessage {
	return { role: "user", content, timestamp: 1 };
}

/** A reply that makes the given calls, each of a tool `bash`. */
export function assistant(
	callIds: readonly string[] = [],
	stopReason = callIds.length > 0 ? "toolUse" : "stop",
): PiMessage {
	return {
		role: "assistant",
		content: callIds.map((id) => ({ type: "toolCall", id, name: "bash", arguments: {} })),
		api: "anthropic-messages",
		provider: "anthropic",
		model: "claude",
		stopReason,
		timestamp: 2,
	};
}

export function result(toolCallId: string, content: Content = "done"): PiMessage {
	return {
		role: "toolResult",
		toolCallId,
		toolName: "bash",
		content,
		isError: false,
		timestamp: 3,
	};
}

/** Each entry the child of the one before it. */
export function chain(messages: readonly PiMessage[]): SessionEntry[] {
	return messages.map((said, at) => message(`e${at}`, at === 0 ? null : `e${at - 1}`, said));
}
