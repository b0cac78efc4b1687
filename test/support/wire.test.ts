import assert from "node:assert/strict";
import { test } from "node:test";
import {
	assertMarkers,
	assertPaired,
	assertPrefixes,
	countText,
	isPrefix,
	markersOf,
	pairFaults,
	parseWire,
	samePrefix,
	textOf,
	type WireMessage,
	type WireRequest,
} from "./wire.ts";

const user = (...texts: string[]): WireMessage => ({
	role: "user",
	content: texts.map((text) => ({ type: "text", text })),
});
const reply = (...ids: string[]): WireMessage => ({
	role: "assistant",
	content: ids.map((id) => ({ type: "toolCall", id, name: "read", arguments: { path: id } })),
});
const result = (toolCallId: string, ...texts: string[]): WireMessage => ({
	...user(...texts),
	role: "toolResult",
	toolCallId,
	toolName: "read",
	isError: false,
});
const request = (...messages: WireMessage[]): WireRequest => ({
	index: 0,
	kind: "agent",
	model: "s1",
	system: "",
	tools: [],
	toolChars: 2,
	systemAt: [],
	messages,
	cacheRead: 0,
	cacheWrite: 0,
	input: 0,
});

test("a log is read line by line, U+2028 and all", () => {
	const one = request(user("a\u2028b"));
	assert.deepEqual(parseWire(`${JSON.stringify(one)}\n${JSON.stringify(one)}\n`), [one, one]);
});

test("a request is a prefix of the next one when every message stands unchanged", () => {
	const before = request(user("go"), reply("a"));
	assert.equal(isPrefix(before, request(user("go"), reply("a"), result("a", "x"))), true);
	assert.equal(isPrefix(before, request(user("go"))), false);
	const other = request(user("go", "[step 1]"), reply("a"));
	assert.equal(samePrefix(before, other), 0);
	assert.throws(() => assertPrefixes([before, other]), /request 1 changes message 0 .*\[step 1\]/);
	assertPrefixes([before, other], [1]);
});

test("calls and results that pair up are no fault", () => {
	assert.deepEqual(pairFaults([user("go"), reply("a", "b"), result("a"), result("b")]), []);
});

test("a result whose call is gone is an orphan, also where a later reply repeats its id", () => {
	const messages = [user("go"), result("a"), reply("a"), result("a")];
	assert.deepEqual(pairFaults(messages), [{ kind: "orphan result", callId: "a", at: 1 }]);
	assert.throws(() => assertPaired([request(...messages)]), /orphan result/);
});

test("a call that is never answered is a fault, and so is one answered after another reply", () => {
	assert.deepEqual(
		pairFaults([reply("a", "b"), result("a"), reply("c"), result("b"), result("c")]),
		[
			{ kind: "unanswered call", callId: "b", at: 0 },
			{ kind: "orphan result", callId: "b", at: 3 },
		],
	);
});

test("a message between a call and its result is a fault", () => {
	assert.deepEqual(pairFaults([reply("a"), user("hm"), result("a")]), [
		{ kind: "result not next to its call", callId: "a", at: 2 },
	]);
});

test("markers are blocks, with or without a nudge after them", () => {
	const asked = request(
		user("go", "[step 1]"),
		reply("a"),
		result("a", "[step 9] in a file?", "x"),
	);
	assert.deepEqual(markersOf(asked), [
		{ step: 1, at: 0 },
		{ step: 9, at: 2 },
	]);
	assert.deepEqual(markersOf(request(user("see [step 1]"), user("[step 1]2"))), []);
});

test("markers count up, repeat only where a repeat is expected, and end in the last message", () => {
	const good = request(user("go", "[step 1]"), reply("a"), result("a", "[step 2]"));
	assertMarkers(good);
	const again = request(...good.messages, user("hm", "[step 2]"));
	assertMarkers(again, [2]);
	assert.throws(() => assertMarkers(again), /marker 2 after 2/);
	assert.throws(() => assertMarkers(request(...good.messages, user("hm"))), /last message/);
	assert.throws(
		() =>
			assertMarkers(request(reply("a"), { ...reply("b"), ...user("[step 1]"), role: "assistant" })),
		/marker 1/,
	);
});

test("a text is counted wherever it stands, quotes and line ends included", () => {
	const asked = request(user('say "a\nb" twice: "a\nb"'), result("a", "a\nb"));
	assert.equal(countText(asked, "a\nb"), 3);
	assert.equal(countText(asked, '"a\nb"'), 2);
	assert.equal(textOf(reply("x")), 'read({"path":"x"})');
});
