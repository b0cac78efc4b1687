// Sessions as large as they get: nothing runs out of stack, and the view is what it is for small ones. How
// long it takes is the bench's to say.

import assert from "node:assert/strict";
import { test } from "node:test";
import { foldContext, Replayer, SUMMARY_LIMIT } from "../../fold.ts";
import { projection, readBranch, walk } from "../../src/session/branch.ts";
import { piHost } from "../../src/session/message.ts";
import { Chat, sent } from "../support/chat.ts";

/** A session of so many steps. */
function steps(count: number): Chat {
	const chat = new Chat().user();
	for (let step = 0; step < count; step++) chat.step(`c${step}`);
	return chat;
}

test("5,000 folds within 100,000 entries", () => {
	const chat = new Chat().user();
	for (let fold = 0; fold < 5_000; fold++) {
		const from = chat.next;
		for (let step = 0; step < 9; step++) chat.step(`c${fold}.${step}`);
		chat.fold(from, null).custom();
	}
	assert.ok(chat.entries.length >= 100_000);
	const byId = new Map(chat.entries.map((entry) => [entry.id, entry]));
	assert.equal(walk((id) => byId.get(id), chat.entries.at(-1)?.id).length, chat.entries.length);
	const branch = readBranch(chat.entries, "1.6");
	const { sources } = foldContext(branch, piHost, { asking: true });
	assert.equal(sources.filter(({ from }) => from === "chip").length, 5_000);
});

test("folds of 5,000 steps, each around the one before it", () => {
	const chat = new Chat().user();
	for (let fold = 0; fold < 5_000; fold++) chat.step(`c${fold}`).fold("e1", null);
	const replayer = new Replayer(piHost);
	for (const entry of readBranch(chat.entries, "1.6")) replayer.push(entry);
	assert.equal(replayer.visible.length, 1);
	assert.equal(replayer.folds.filter(({ state }) => state === "absorbed").length, 4_999);
});

test("500 calls in one reply, folded and not", () => {
	const ids = Array.from({ length: 500 }, (_, at) => `call:${at}`);
	const chat = new Chat()
		.user()
		.step(...ids)
		.user();
	assert.equal(sent(chat.entries, chat.list()).messages.length, 503);
	chat.fold("e1", "e502");
	const { messages, sources } = sent(chat.entries, chat.list());
	assert.deepEqual(
		sources.map(({ from }) => from),
		["entry", "chip", "entry"],
	);
	assert.equal(messages.length, 3);
});

test("a result of 5 MB is sent as it is, and folded like any other", () => {
	const output = "line of output\n".repeat(350_000);
	const chat = new Chat().user().reply(["a"]).result("a", output).user();
	const [, , result] = sent(chat.entries, chat.list()).messages;
	assert.ok(JSON.stringify(result).length > 5_000_000);
	chat.fold("e1", "e3");
	assert.ok(JSON.stringify(sent(chat.entries, chat.list()).messages).length < 5_000);
});

test("a record with a summary of 200 KB is skipped with its limit, and the branch is sent", () => {
	const chat = steps(3).fold("e1", null, { summary: "s".repeat(200_000) });
	const replayer = new Replayer(piHost);
	for (const entry of readBranch(chat.entries, "1.6")) replayer.push(entry);
	const [told] = replayer.unreadable;
	assert.equal(told?.reason, `summary: 200000 characters, the limit is ${SUMMARY_LIMIT}`);
	assert.equal(replayer.view().sources.length, projection(chat.entries, "1.6").length);
});
