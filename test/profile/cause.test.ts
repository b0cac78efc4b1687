// Why a request of a small session missed, where what lies before it leaves more than one thing to suspect.

import assert from "node:assert/strict";
import { test } from "node:test";
import { profileOf, rowsOf } from "../field/profiled.ts";

const START = Date.UTC(2026, 0, 5, 9);
const PROMPT = 10_000;

/** What an entry says, and how many seconds after the one before it was stored: one, unless said. */
interface Said {
	readonly after?: number;
	readonly fields: object;
}

function message(said: object, after = 1): Said {
	return { after, fields: { type: "message", message: said } };
}

const user = (after?: number) => message({ role: "user", content: "go on" }, after);
const result = message({ role: "toolResult", toolCallId: "c", toolName: "bash", content: [] });
const level = (thinkingLevel: string): Said => ({
	fields: { type: "thinking_level_change", thinkingLevel },
});
const system = (said: object) => message({ role: "system", content: "", ...said });

function reply(stopReason: string, cacheRead: number, said: object = {}): Said {
	const usage = { input: 0, cacheRead, cacheWrite: PROMPT - cacheRead, output: 10 };
	const call = { type: "toolCall", id: "c", name: "bash", arguments: {} };
	const content = stopReason === "toolUse" ? [call] : [{ type: "text", text: "Done." }];
	const made = { provider: "anthropic", model: "m", stopReason, usage };
	return message({ role: "assistant", content, ...made, ...said });
}

/** Why the last request missed. */
function causeOf(...entries: readonly Said[]): string | undefined {
	let atMs = START;
	const records = entries.map(({ after = 1, fields }, i) => {
		atMs += after * 1_000;
		const place = { id: `e${i}`, parentId: i > 0 ? `e${i - 1}` : null };
		return { ...fields, ...place, timestamp: new Date(atMs).toISOString() };
	});
	return rowsOf(profileOf(records))
		.at(-1)
		?.miss.map(({ cause }) => cause)
		.join();
}

test("within a run the prefix is known, and a word for the running agent does not end the run", () => {
	const run = [user(), reply("toolUse", 0), result];
	assert.equal(causeOf(...run, reply("toolUse", 0)), "provider");
	assert.equal(causeOf(...run, user(0), reply("toolUse", 0)), "provider");
});

test("a word that comes well after the last result begins a run of its own, whose prompt is not known", () => {
	const run = [user(), reply("toolUse", 0), result];
	assert.equal(causeOf(...run, user(40), reply("stop", 0)), "unexplained");
	// nor is it by the request after a reply that was never measured
	const lost = reply("toolUse", 0, { usage: undefined });
	assert.equal(causeOf(...run, user(40), lost, result, reply("stop", 0)), "unexplained");
	const stored = [system({ sections: { preamble: "You are" } }), ...run];
	assert.equal(causeOf(...stored, user(40), reply("stop", 0)), "provider");
});

test("the first change of the thinking level that is stored is one, and two may be none", () => {
	const run = [user(), reply("toolUse", 0), result];
	assert.equal(causeOf(...run, level("high"), reply("stop", 0)), "thinking");
	assert.equal(causeOf(...run, level("high"), level("off"), reply("stop", 0)), "unexplained");
	const known = [level("off"), ...run];
	assert.equal(causeOf(...known, level("high"), level("off"), reply("stop", 0)), "provider");
});

test("a reply that says its own thinking level is taken at its word", () => {
	const at = (thinkingLevel: string) => reply("toolUse", 0, { thinkingLevel });
	assert.equal(causeOf(user(), at("low"), result, at("high")), "thinking");
	assert.equal(causeOf(user(), at("low"), result, at("low")), "provider");
	// changed while the reply was on its way
	assert.equal(causeOf(user(), at("low"), result, level("high"), at("low")), "provider");
});

test("a system message that changes nothing is no change of the system prompt", () => {
	const read = { name: "read", description: "Reads.", parameters: {} };
	const first = [system({ sections: { preamble: "You are" }, toolsAdded: [read] })];
	const run = [...first, user(), reply("toolUse", 0), result];
	const causeAfter = (said: object) => causeOf(...run, system(said), reply("stop", 0));
	assert.equal(causeAfter({ sections: {} }), "provider");
	assert.equal(causeAfter({ sections: { preamble: "You are", gone: null } }), "provider");
	assert.equal(causeAfter({ toolsAdded: [read], toolsRemoved: [{ name: "read" }] }), "provider");
	assert.equal(causeAfter({ sections: { preamble: "You were" } }), "system");
	assert.equal(causeAfter({ sections: { preamble: null } }), "system");
	assert.equal(causeAfter({ toolsRemoved: [{ name: "read" }] }), "system");
	assert.equal(causeAfter({ toolsAdded: [{ ...read, description: "Reads a file." }] }), "system");
	// text is added to what stands there
	assert.equal(causeAfter({ content: "You are" }), "system");
});
