// Builds stretches of a session for tests: short words for the entries that pi would store.

import type { Block, SessionEntry, ToolCallBlock } from "../../src/session/entry.ts";

const START = Date.UTC(2026, 0, 5, 9, 0, 0);

/** What a test says about an entry; the rest is filled in by `session`. */
export type Draft = (at: number) => SessionEntry;

/** A chain of entries `e0`, `e1` … one second apart. */
export function session(...drafts: readonly Draft[]): SessionEntry[] {
	return drafts.map((draft, at) => draft(at));
}

/** Milliseconds since 1970 at which the entry at this position was stored. */
export function timeAt(at: number): number {
	return START + at * 1_000;
}

export function user(text: string | readonly Block[]): Draft {
	return message((timestamp) => ({ role: "user", content: text, timestamp }));
}

/** A reply that counts; its calls follow its text. */
export function reply(text: string, ...calls: readonly ToolCallBlock[]): Draft {
	return attempt(calls.length > 0 ? "toolUse" : "stop", text, ...calls);
}

export function attempt(
	stopReason: string,
	text: string,
	...calls: readonly ToolCallBlock[]
): Draft {
	const said: readonly Block[] = text === "" ? [] : [{ type: "text", text }];
	return message((timestamp) => ({
		role: "assistant",
		content: [...said, ...calls],
		provider: "p",
		model: "m",
		stopReason,
		timestamp,
	}));
}

export function call(
	id: string,
	name: string,
	args: Readonly<Record<string, unknown>>,
): ToolCallBlock {
	return { type: "toolCall", id, name, arguments: args };
}

/** An output that is worth folding. */
export const LONG = "A line of output that is long enough to weigh something.\n".repeat(200);

/** A request and steps 1 to n, each a call with a long result. */
export function longSteps(count: number): Draft[] {
	const drafts: Draft[] = [user("begin")];
	for (let step = 1; step <= count; step++)
		drafts.push(
			reply(`Step number ${step}.`, call(`c${step}`, "bash", { command: "ls" })),
			result(`c${step}`, LONG),
		);
	return drafts;
}

interface Outcome {
	readonly isError?: boolean;
	readonly details?: unknown;
	readonly nestedCalls?: unknown;
}

export function result(
	callId: string,
	content: string | readonly Block[],
	outcome: Outcome = {},
): Draft {
	return message((timestamp) => ({
		role: "toolResult",
		toolCallId: callId,
		toolName: "t",
		content: typeof content === "string" ? [{ type: "text", text: content }] : content,
		isError: false,
		timestamp,
		...outcome,
	}));
}

export function bash(command: string, output: string, exitCode: number, hidden = false): Draft {
	return message((timestamp) => ({
		role: "bashExecution",
		command,
		output,
		exitCode,
		cancelled: false,
		truncated: false,
		timestamp,
		...(hidden ? { excludeFromContext: true } : {}),
	}));
}

export function custom(customType: string, content: string | readonly Block[]): Draft {
	return (at) => ({ type: "custom_message", customType, content, display: true, ...base(at) });
}

export function record(customType: string, data: unknown): Draft {
	return (at) => ({ type: "custom", customType, data, ...base(at) });
}

export function edit(targetId: string, content: string | null): Draft {
	const replacement = content === null ? null : { content };
	return (at) => ({ type: "context_edit", targetId, replacement, ...base(at) });
}

export function compaction(firstKeptEntryId: string, summary: string): Draft {
	return (at) => ({
		type: "compaction",
		summary,
		firstKeptEntryId,
		tokensBefore: 1,
		...base(at),
	});
}

export const image: Block = { type: "image", data: "aGk=", mimeType: "image/png" };

function base(at: number) {
	return {
		id: `e${at}`,
		parentId: at === 0 ? null : `e${at - 1}`,
		timestamp: new Date(timeAt(at)).toISOString(),
	};
}

type Message = Extract<SessionEntry, { type: "message" }>["message"];

function message(make: (timestamp: number) => Message): Draft {
	return (at) => ({ type: "message", message: make(timeAt(at)), ...base(at) });
}
