// When a cache counts as cold: its own life, from when it was last used.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEntry } from "../../src/session/entry.ts";
import { profileOf, rowsOf } from "../field/profiled.ts";

const START = Date.UTC(2026, 0, 5, 9);

/** Two requests of a model in one run, the second one not served, so many seconds after the first. */
function asked(model: { provider: string; model: string }, took: number, later: number) {
	const entries: Record<string, unknown>[] = [];
	const push = (storedMs: number, message: Record<string, unknown>) =>
		entries.push({
			...{ type: "message", id: `e${entries.length}`, parentId: entries.at(-1)?.["id"] ?? null },
			timestamp: new Date(storedMs).toISOString(),
			message: { timestamp: storedMs, ...message },
		});
	const reply = (askedMs: number, storedMs: number, call: string) => {
		const usage = { input: 0, cacheRead: 0, cacheWrite: 10_000, output: 10 };
		const content = [{ type: "toolCall", id: call, name: "bash", arguments: {} }];
		const said = { role: "assistant", content, ...model, stopReason: "toolUse", usage };
		push(storedMs, { ...said, timestamp: askedMs });
	};
	push(START, { role: "user", content: "go on" });
	reply(START, START + took * 1_000, "a");
	push(START + took * 1_000, {
		role: "toolResult",
		toolCallId: "a",
		toolName: "bash",
		content: [],
	});
	reply(START + later * 1_000, START + later * 1_000 + 1, "b");
	return entries as unknown as SessionEntry[];
}

const CLAUDE = { provider: "anthropic", model: "claude" };
const DEEPSEEK = { provider: "deepseek", model: "deepseek-v4-pro" };

const causeOf = (entries: readonly SessionEntry[]) =>
	rowsOf(profileOf(entries))
		.at(-1)
		?.miss.map(({ cause }) => cause)
		.join();

test("a cache is cold when nobody used it for longer than it lives", () => {
	assert.equal(causeOf(asked(CLAUDE, 1, 310)), "idle");
	assert.notEqual(causeOf(asked(CLAUDE, 1, 290)), "idle");
});

test("what a request used lives from when its reply was complete", () => {
	assert.notEqual(causeOf(asked(CLAUDE, 60, 350)), "idle");
	assert.equal(causeOf(asked(CLAUDE, 60, 370)), "idle");
});

test("a provider whose cache lives for hours is not idle after ten minutes", () => {
	assert.notEqual(causeOf(asked(DEEPSEEK, 1, 600)), "idle");
	assert.equal(causeOf(asked(DEEPSEEK, 1, 3 * 3_600)), "idle");
});
