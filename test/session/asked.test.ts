// What of a branch a request could know, by the times of its entries.

import assert from "node:assert/strict";
import { test } from "node:test";
import { askedAt, knownWhenAsked } from "../../src/session/asked.ts";
import { custom, record, reply, session, user } from "../support/session-entries.ts";

const late = { timestamp: "2030-01-01T00:00:00.000Z" };

test("a record that was stored after a reply was asked for could not be known to it", () => {
	const [request, first, second, answer] = session(
		user("a"),
		record("x", 1),
		record("x", 2),
		reply("b"),
	);
	assert.ok(request && first && second && answer);
	assert.equal(knownWhenAsked([request, first, second, answer], 3), 3);
	assert.equal(knownWhenAsked([request, first, { ...second, ...late }, answer], 3), 2);
	assert.equal(knownWhenAsked([{ ...first, ...late }, { ...second, ...late }, answer], 2), 0);
});

test("where a message before it is later than the request the clock is not trusted", () => {
	const [said, own, answer] = session(custom("x", "a"), record("x", 1), reply("b"));
	assert.ok(said && own && answer);
	assert.equal(knownWhenAsked([{ ...said, ...late }, { ...own, ...late }, answer], 2), 2);
});

test("only a reply that says when was asked for at a time", () => {
	const [request, answer] = session(user("a"), reply("b"));
	assert.ok(answer?.type === "message");
	assert.equal(askedAt(answer), answer.message.timestamp);
	assert.equal(askedAt(request), Number.NaN);
	assert.equal(askedAt(undefined), Number.NaN);
	const { timestamp: _, ...untimed } = answer.message;
	assert.equal(askedAt({ ...answer, message: untimed as typeof answer.message }), Number.NaN);
});
