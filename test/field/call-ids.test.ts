// Providers whose call ids repeat: an id is never a name for a call, only a way to find the nearest one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { encode, Replayer } from "../../fold.ts";
import { actionsOf } from "../../src/notes/action.ts";
import { Dmail } from "../../src/pi/dmail.ts";
import { answerSend } from "../../src/pi/send-answer.ts";
import { readBranch } from "../../src/session/branch.ts";
import { blocksOf, type PiMessage, type SessionEntry } from "../../src/session/entry.ts";
import { piHost } from "../../src/session/message.ts";
import { Chat, sent } from "../support/chat.ts";
import { type FakePi, fakePi } from "../support/fake-pi.ts";
import { call, reply, result, session, user } from "../support/session-entries.ts";
import { profileOf } from "./profiled.ts";

function replayerOf(entries: readonly SessionEntry[]): Replayer<PiMessage> {
	const replayer = new Replayer(piHost);
	for (const entry of readBranch(entries, "1.6")) replayer.push(entry);
	return replayer;
}

function resultsIn(list: readonly PiMessage[]): string[] {
	return list.flatMap((message) => {
		const [first] = message.role === "toolResult" ? blocksOf(message.content) : [];
		return first?.type === "text" ? [first.text] : [];
	});
}

test("I01: of calls with the same id each keeps its own result, folded or not", () => {
	const chat = new Chat().user();
	for (const output of ["R1", "R2", "R3"]) chat.reply(["read:0"]).result("read:0", output).user();
	const { steps } = replayerOf(chat.entries);
	assert.deepEqual(
		[2, 5, 8].map((at) => steps.answeredBy(at)),
		[1, 4, 7],
	);
	for (const [from, to, left] of [
		["e1", "e4", ["R2", "R3"]],
		["e4", "e7", ["R1", "R3"]],
		["e1", "e7", ["R3"]],
	] as const) {
		const { entries } = new Chat(chat.entries).fold(from, to);
		const { messages } = sent(entries, new Chat(entries).list());
		assert.deepEqual(resultsIn(messages as PiMessage[]), left);
	}
});

/** Asks for a fold in a reply of its own, as a model does whose ids start anew with each reply. */
function askFor(fake: FakePi, fromStep: number, summary: string): void {
	const args = { fromStep, summary };
	push(fake, ...session(reply("", call("run:0", "send_dmail", args))));
	const place = { pi: fake.pi, dmail: new Dmail(fake.pi), ctx: fake.ctx };
	const { content } = answerSend(place, { callId: "run:0", ...args }, undefined);
	push(fake, ...session(result("run:0", content.map((block) => JSON.stringify(block)).join(""))));
}

function push({ entries }: FakePi, ...more: readonly SessionEntry[]): void {
	for (const one of more)
		entries.push({ ...one, id: `g${entries.length}`, parentId: entries.at(-1)?.id ?? null });
}

/** A step of work, large enough to be folded alone. */
const work = () =>
	session(reply("", call("run:0", "bash", {})), result("run:0", "word ".repeat(4_000)));

function summariesIn(messages: readonly PiMessage[]): unknown[] {
	return messages.flatMap((message) =>
		message.role === "assistant"
			? blocksOf(message.content).flatMap((block) =>
					block.type === "toolCall" && block.name === "send_dmail"
						? [block.arguments["summary"]]
						: [],
				)
			: [],
	);
}

test("I01: a summary becomes a pointer in the call that made its fold, not in another with its id", () => {
	const fake = fakePi(session(user("go")));
	push(fake, ...work());
	askFor(fake, 1, "first");
	push(fake, ...work());
	askFor(fake, 3, "second");
	const { folds } = replayerOf(fake.entries);
	const [one, two] = folds.map(({ record }) => record.id);
	const { messages } = sent(fake.entries, new Chat(fake.entries).list());
	assert.deepEqual(summariesIn(messages as PiMessage[]), [
		`(in the chip of fold ${one})`,
		`(in the chip of fold ${two})`,
	]);
	const dropped = new Chat(fake.entries).record(encode({ kind: "drop", id: one ?? "" }));
	const after = sent(dropped.entries, dropped.list()).messages;
	assert.deepEqual(summariesIn(after as PiMessage[]), ["first", `(in the chip of fold ${two})`]);
});

/** 150 replies that make 191 calls; their ids are ten. */
function cycling(): Chat {
	const chat = new Chat().user();
	let made = 0;
	const nextId = () => `tool:${made++ % 10}`;
	for (let round = 0; round < 150; round++) {
		const ids = round < 41 ? [nextId(), nextId()] : [nextId()];
		chat.step(...ids);
	}
	return chat;
}

test("I03: ten ids for 191 calls: every call keeps one result, and folding loses none", () => {
	const chat = cycling();
	const { totals } = profileOf(chat.entries);
	assert.deepEqual([totals.steps, totals.toolCalls], [150, 191]);
	assert.deepEqual([totals.unansweredCalls, totals.orphanResults], [0, 0]);
	assert.ok(actionsOf(chat.entries).every(({ ending }) => ending.how === "ok"));
	const all = resultsIn(chat.list());
	assert.equal(all.length, 191);
	const folded = new Chat(chat.entries).fold("e40", "e80").fold("e100", "e200").fold("e80", "e220");
	const opened = new Chat(folded.entries);
	for (const { record, from, to } of replayerOf(folded.entries).folds) {
		const inside = resultsIn(
			chat.entries.slice(from, to).flatMap((one) => (one.type === "message" ? [one.message] : [])),
		);
		assert.ok(inside.length > 0);
		opened.record(encode({ kind: "open", id: record.id }));
	}
	const view = (one: Chat) => resultsIn(sent(one.entries, one.list()).messages as PiMessage[]);
	assert.ok(view(folded).length < 191);
	assert.deepEqual(view(opened), all);
});

test("I04: an id that the session has seen before is as good as a new one", () => {
	const before = fakePi(session(user("go")));
	push(before, ...work());
	askFor(before, 1, "first");
	// resumed: a new process over what is stored
	const resumed = fakePi(before.entries);
	push(resumed, ...work());
	askFor(resumed, 3, "second");
	push(resumed, ...work());
	askFor(resumed, 5, "third");
	const { folds } = replayerOf(resumed.entries);
	assert.deepEqual(
		folds.map(({ record, state, caller }) => [record.summary, record.callId, state, caller >= 0]),
		["first", "second", "third"].map((summary) => [summary, "run:0", "landed", true]),
	);
	assert.equal(new Set(folds.map(({ record }) => record.id)).size, 3);
});
