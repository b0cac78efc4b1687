import assert from "node:assert/strict";
import { test } from "node:test";
import { removeEcho } from "../../src/pi/echo.ts";
import type { AssistantMessage, Block } from "../../src/session/entry.ts";

function reply(...content: Block[]): AssistantMessage {
	return { role: "assistant", content, provider: "p", model: "m", timestamp: 1 };
}

const text = (said: string): Block => ({ type: "text", text: said });
const call: Block = { type: "toolCall", id: "1", name: "read", arguments: {} };

function cleaned(said: string, step = 4): unknown {
	return removeEcho(reply(text(said), call), step).content;
}

test("a first or last line that is only this reply's marker is taken off", () => {
	assert.deepEqual(cleaned("[step 4]\nI read it."), [text("I read it."), call]);
	assert.deepEqual(cleaned("I read it.\n[step 4]"), [text("I read it."), call]);
	assert.deepEqual(cleaned("I read it.\n\n[step 5]\n"), [text("I read it."), call]);
	assert.deepEqual(cleaned("[step 4]"), [call]);
});

test("any other text stays to the byte, and the reply is the same object", () => {
	for (const said of [
		"[step 3]\nAnother step's.",
		"See [step 4] above.",
		"[step 4] is done.",
		"One\n[step 4]\ntwo",
		"```\n[step 4]",
		"plain",
	]) {
		const message = reply(text(said), call);
		assert.equal(removeEcho(message, 4), message, said);
	}
});

test("a reply is never emptied by it", () => {
	const message = reply(text("[step 4]"));
	assert.equal(removeEcho(message, 4), message);
});

test("a block with a signature stays as it is", () => {
	const signed = Object.assign(text("[step 4]\nhello"), { textSignature: "s" });
	const message = reply(signed, call);
	assert.equal(removeEcho(message, 4), message);
});

test("nothing is taken off before a step was asked for", () => {
	const message = reply(text("[step 1]\nhello"));
	assert.equal(removeEcho(message, 0), message);
});
