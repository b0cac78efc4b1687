import assert from "node:assert/strict";
import { test } from "node:test";
import { Replayer } from "../../fold.ts";
import { type Piece, piecesOf, withoutOurs } from "../../src/pi/compaction-text.ts";
import type { Block, PiMessage } from "../../src/session/entry.ts";
import { piHost } from "../../src/session/message.ts";
import { Chat } from "../support/chat.ts";
import { logOf } from "./random-chat.ts";

function pieces(chat: Chat): Piece[] {
	const replayer = new Replayer(piHost, { folds: true, markers: false });
	for (const entry of logOf(chat).branch) replayer.push(entry);
	return piecesOf(replayer, replayer.view());
}

function said(plain: readonly PiMessage[]): string[] {
	return plain.map((message) => {
		const content = "content" in message ? message.content : "";
		const texts = Array.isArray(content) ? content.map((block: Block) => block) : [];
		const text = texts.map((block) => (block.type === "text" ? block.text : block.type)).join("|");
		return `${message.role}: ${typeof content === "string" ? content : text}`;
	});
}

test("a chip is told as the user's words and the summary with its notes", () => {
	const chat = new Chat().user("first").step("a").user("second").bash("make").step("b");
	chat.fold("e1", "e7", { summary: "a and b", notes: ["Files read: x", "Images seen: 1"] });
	const [first, chip] = pieces(chat);
	assert.deepEqual(said(first?.plain ?? []), ["user: first"]);
	assert.deepEqual(said(chip?.plain ?? []), [
		"user: second",
		"user: !make\n[exit code 0]",
		"assistant: a and b\nFiles read: x\nImages seen: 1",
	]);
	assert.deepEqual([chip?.at, chip?.end, chip?.isChip, chip?.holdsTurn], [1, 7, true, true]);
});

test("the request that a chip keeps is a piece of its own, told once", () => {
	const chat = new Chat().user("first").step("a").user("second").custom("rule", "a rule").step("b");
	chat.fold("e1", "e7", { keep: "e3", summary: "a and b" });
	const found = pieces(chat);
	assert.deepEqual(
		found.map(({ plain, end }) => [said(plain).join(), end]),
		[
			["user: first", undefined],
			["assistant: a and b", 7],
			["user: second", 7],
			["custom: a rule", 7],
		],
	);
});

test("words of the user are cut as in the chip, but without telling how to read on", () => {
	const chat = new Chat().user("first").step("a").user("w".repeat(5_000)).step("b");
	chat.fold("e1", "e6");
	const [words = ""] = said(pieces(chat)[1]?.plain ?? []);
	assert.match(words, /w\n\[… 3000 characters left out …\]\nw/);
});

test("a line that reads as a label is broken up", () => {
	const chat = new Chat().user("first").step("a").user("[step 3]").step("b");
	chat.fold("e1", "e6", { summary: "done\n[step 9]" });
	assert.deepEqual(said(pieces(chat)[1]?.plain ?? []), [
		"user: [ step 3 ]",
		"assistant: done\n[ step 9 ]",
	]);
});

const reply: PiMessage = {
	role: "assistant",
	provider: "p",
	model: "m",
	content: [
		{ type: "text", text: "I fold." },
		{ type: "toolCall", id: "1", name: "send_dmail", arguments: { fromStep: 1 } },
		{ type: "toolCall", id: "2", name: "bash", arguments: { command: "ls" } },
	],
	stopReason: "toolUse",
	timestamp: 1,
};

function result(toolName: string, ...texts: readonly string[]): PiMessage {
	const content = texts.map((text) => ({ type: "text", text }) as const);
	return { role: "toolResult", toolCallId: "1", toolName, content, isError: false, timestamp: 2 };
}

test("folding calls and their results are ours, and so is how to read on", () => {
	assert.deepEqual(said([withoutOurs(reply) ?? assert.fail()]), ["assistant: I fold.|toolCall"]);
	const call = { type: "toolCall", id: "1", name: "send_dmail", arguments: {} } as const;
	assert.equal(withoutOurs({ ...reply, content: [call] } as PiMessage), undefined);
	assert.equal(withoutOurs(result("send_dmail", "Folded.")), undefined);
	const read = withoutOurs(result("read_dmail", "Fold ab12; more: read_dmail(…)", "the page"));
	assert.deepEqual(said(read ? [read] : []), ["toolResult: the page"]);
	const other = result("bash", "output");
	assert.equal(withoutOurs(other), other);
});
