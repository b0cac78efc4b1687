// What a request is said to have missed after folding was turned on or off.

import assert from "node:assert/strict";
import { test } from "node:test";
import { profileOf, rowsOf } from "../field/profiled.ts";

const AT_MS = Date.UTC(2026, 0, 5, 9);
const PROMPT = 10_000;

type Fields = Readonly<Record<string, unknown>>;

const user: Fields = { type: "message", message: { role: "user", content: "go on" } };
const system: Fields = { type: "message", message: { role: "system", content: "You fold." } };

function answer(cacheRead: number, provider = "anthropic"): Fields {
	const usage = { input: 0, cacheRead, cacheWrite: PROMPT - cacheRead, output: 10 };
	const content = [{ type: "text", text: "Done." }];
	const message = { role: "assistant", content, provider, model: "m", stopReason: "stop", usage };
	return { type: "message", message };
}

function turned(enabled: boolean, nudge = true): Fields {
	const data = { v: 1, enabled, nudge, by: "user" };
	return { type: "custom", customType: "dmail.mode", data };
}

/** Why the last of some entries, a second each after the one before, missed. */
function causeOf(entries: readonly Fields[]): string | undefined {
	const records = entries.map((fields, i) => ({
		...fields,
		id: `e${i}`,
		parentId: i > 0 ? `e${i - 1}` : null,
		timestamp: new Date(AT_MS + i * 1_000).toISOString(),
		...("message" in fields
			? { message: { timestamp: AT_MS + i * 1_000, ...(fields["message"] as object) } }
			: {}),
	}));
	return rowsOf(profileOf(records))
		.at(-1)
		?.miss.map(({ cause }) => cause)
		.join();
}

test("the switch takes the policy and the tools along: where no system prompt is stored, the record says so", () => {
	const first = [user, answer(0)];
	assert.equal(causeOf([...first, turned(false), user, answer(0)]), "system");
	// what stands before the policy may be served
	assert.equal(causeOf([...first, turned(false), user, answer(PROMPT / 2)]), "system");
	const off = [...first, turned(false), user, answer(0)];
	assert.equal(causeOf([...off, turned(true), user, answer(0)]), "system");
	assert.equal(causeOf([...off, user, answer(0)]), "unexplained");
});

test("a switch that is back where it was, or was one of nudges alone, leaves the system prompt as it is", () => {
	const first = [user, answer(0)];
	assert.equal(causeOf([...first, turned(false), turned(true), user, answer(0)]), "unexplained");
	assert.equal(causeOf([...first, turned(true, false), user, answer(0)]), "fold");
});

test("a stored system prompt tells itself whether it changed", () => {
	const first = [system, user, answer(0)];
	assert.equal(causeOf([...first, turned(false), system, user, answer(0)]), "system");
	assert.equal(causeOf([...first, turned(false), user, answer(0)]), "fold");
});

test("another model is cold whatever was switched", () => {
	assert.equal(causeOf([user, answer(0), turned(false), user, answer(0, "other")]), "model");
});
