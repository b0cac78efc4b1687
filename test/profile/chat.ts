// Conversations made of sizes, recorded as a provider with a perfect five-minute cache would report them.

import { Intake } from "../../src/profile/intake.ts";
import { type Tape, tapeOf } from "../../src/profile/what-if-tape.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { estimateTokens } from "../../src/session/size.ts";

/** One request and what came of it. */
export interface Turn {
	/** tokens of the reply, and of the result of its one call */
	readonly said: number;
	readonly got: number;
	/** seconds since the reply before */
	readonly waits: number;
	/** tokens of a message of the user before it; absent: the run goes on */
	readonly asked?: number | undefined;
	/** pi compacted before it, up to the step before the newest one */
	readonly compacted?: boolean | undefined;
}

/** Tokens of system prompt and tools. */
export const HEAD = 3_000;
const PRICES = { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 };
const START = Date.parse("2026-01-01T00:00:00Z");

/** The entries of a conversation. */
export function entriesOf(turns: readonly Turn[]): SessionEntry[] {
	const entries: SessionEntry[] = [];
	/** what is in view, in tokens */
	const view: { id: string; tokens: number }[] = [];
	let atMs = START;
	let cached = 0;
	const push = (id: string, fields: object): void => {
		const parentId = entries.at(-1)?.id ?? null;
		const timestamp = new Date(atMs).toISOString();
		entries.push({ id, parentId, timestamp, ...fields } as SessionEntry);
	};
	const say = (id: string, message: { role: string; content: unknown }): void => {
		push(id, { type: "message", message: { timestamp: atMs, ...message } });
		view.push({ id, tokens: estimateTokens(message) });
	};
	for (const [n, { said, got, waits, asked, compacted }] of turns.entries()) {
		atMs += waits * 1000;
		if (compacted && view.length > 2) {
			const firstKeptEntryId = view.at(-2)?.id;
			push(`c${n}`, { type: "compaction", summary: "s".repeat(4000), firstKeptEntryId });
			view.splice(0, view.length - 2, { id: `c${n}`, tokens: 1000 });
			cached = Math.min(cached, HEAD);
		}
		if (asked !== undefined || n === 0)
			say(`u${n}`, { role: "user", content: "u".repeat(4 * (asked ?? 10)) });
		const prompt = HEAD + view.reduce((sum, { tokens }) => sum + tokens, 0);
		const cacheRead = waits > 300 ? 0 : Math.min(cached, prompt);
		const used = { input: 0, output: said, cacheRead, cacheWrite: prompt - cacheRead };
		const call = {
			type: "toolCall",
			id: `k${n}`,
			name: "bash",
			arguments: { command: `run ${n}` },
		};
		say(`a${n}`, {
			role: "assistant",
			content: [{ type: "text", text: "a".repeat(4 * said) }, call],
			...{ provider: "anthropic", model: "claude", stopReason: "toolUse", usage: withCost(used) },
		});
		const content = [{ type: "text", text: "r".repeat(4 * got) }];
		say(`r${n}`, { role: "toolResult", content, ...{ toolCallId: `k${n}`, toolName: "bash" } });
		cached = prompt;
	}
	return entries;
}

function withCost(used: { input: number; output: number; cacheRead: number; cacheWrite: number }) {
	const usd = (part: keyof typeof used) => (used[part] * PRICES[part]) / 1e6;
	const cost = {
		input: usd("input"),
		output: usd("output"),
		cacheRead: usd("cacheRead"),
		cacheWrite: usd("cacheWrite"),
	};
	return { ...used, cost: { ...cost, total: Object.values(cost).reduce((a, b) => a + b, 0) } };
}

/** The tape of a conversation. */
export function tapeFrom(turns: readonly Turn[]): Tape {
	const intake = new Intake();
	const entries = entriesOf(turns);
	for (const [i, entry] of entries.entries()) intake.entry(entry, i + 2);
	return tapeOf(
		intake,
		entries.map(() => 1),
	);
}
