// The bytes that are sent: they move at a fold and nowhere else, ours over ours changes nothing, nothing that
// came in is written to, and a fold reads the same in every process and every version.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import fc from "fast-check";
import { decode, encode, foldContext } from "../../fold.ts";
import { foldNow } from "../../src/pi/folding.ts";
import { replayLog } from "../../src/pi/log.ts";
import { projection, readBranch } from "../../src/session/branch.ts";
import { blocksOf, type PiMessage, type SessionEntry } from "../../src/session/entry.ts";
import { piHost } from "../../src/session/message.ts";
import { logOf, randomChats } from "../pi/random-chat.ts";
import { cases } from "../support/cases.ts";
import { Chat, sent } from "../support/chat.ts";
import { fakePi } from "../support/fake-pi.ts";
import { freeze } from "../support/freeze.ts";
import { chipsAmong, hookOver, textOf, unpairedIn } from "../support/hook.ts";
import { call, custom, image, reply, result, session, user } from "../support/session-entries.ts";

const GENERATIONS = ["0.73", "1.6"] as const;

/** How many leading messages two lists have in common, to the byte. */
function samePrefix(some: readonly PiMessage[], others: readonly PiMessage[]): number {
	const differs = some.findIndex((one, at) => JSON.stringify(one) !== JSON.stringify(others[at]));
	return differs < 0 ? some.length : differs;
}

/** Steps with results of 400 characters, and after some of them what `happens`. */
function run(steps: number, happens: (chat: Chat, step: number) => void): PiMessage[][] {
	const chat = new Chat().user();
	const views: PiMessage[][] = [];
	for (let step = 1; step <= steps; step++) {
		views.push([...sent(chat.entries, chat.list()).messages]);
		chat.step(`c${step}`);
		happens(chat, step);
	}
	return views;
}

test("G11: with every turn the request only grows, but for a fold, and that changes it from its first step on", () => {
	const plain = run(40, () => undefined);
	for (const [at, view] of plain.slice(1).entries())
		assert.equal(samePrefix(plain[at] ?? [], view), plain[at]?.length);
	const folded = run(40, (chat, step) => {
		// steps 6–10, 16–20 …: each stretch of five is 10 entries and a record
		if (step % 10 === 0) chat.fold(`e${chat.entries.length - 10}`, null, { fromStep: step - 4 });
	});
	const moved = folded.slice(1).flatMap((view, at) => {
		const same = samePrefix(folded[at] ?? [], view);
		return same < (folded[at]?.length ?? 0) ? [at + 1] : [];
	});
	assert.deepEqual(moved, [10, 20, 30]);
	// all before the first step of the stretch is as it was: a message and its marker, and five steps
	assert.equal(samePrefix(folded[9] ?? [], folded[10] ?? []), 11);
});

test("G11: what a fold takes away is gone from the very list that is sent", async () => {
	const chat = new Chat().user().step("a").step("b").step("c");
	const { send, list } = hookOver(chat.entries);
	const raw = await send();
	assert.equal(raw.length, list().length);
	const after = hookOver(chat.fold("e1", "e5").entries);
	const given = after.list();
	const view = await after.send(given);
	assert.equal(view.length, given.length - 3);
	const said = view.map(textOf).join("\n");
	for (const gone of ["output 2", "output 4"]) assert.doesNotMatch(said, new RegExp(gone));
	assert.match(said, /output 6/);
});

test("G12: what ours adds to a request stays in the next one, beside a neighbour's passing message at the tail", async () => {
	const passing: PiMessage = { role: "user", content: "now is the time", timestamp: 1 };
	const chat = new Chat().user();
	let before: readonly PiMessage[] = [];
	for (let step = 1; step <= 12; step++) {
		const hook = hookOver(chat.entries);
		const own = await hook.send();
		const beside = await hook.send([...hook.list(), passing]);
		assert.equal(samePrefix(before, own), before.length);
		assert.deepEqual(beside.at(-1), passing, "the passing message is as it came");
		assert.deepEqual(beside.slice(0, -1), own, "and moves none of ours");
		before = own;
		chat.step(`c${step}`);
		if (step === 6) chat.custom("note", "a note that stays");
	}
});

test("G14: ours over its own output changes nothing, whatever was cut short, marked or named in it", () => {
	fc.assert(
		fc.property(randomChats(30), fc.constantFrom(...GENERATIONS), (chat, generation) => {
			const first = sent(chat.entries, chat.list(generation), generation).messages;
			let again = first;
			for (let pass = 0; pass < 2; pass++)
				again = sent(chat.entries, structuredClone([...again]), generation).messages;
			assert.deepEqual(again, first);
		}),
		cases(0.3),
	);
	const long = new Chat().user("once").step("a").user("word ".repeat(2_000)).step("b");
	const { entries } = long.fold("e1", null).user("and now?");
	const [once] = chipsAmong(sent(entries, long.list()).messages);
	assert.match(textOf(once), /characters left out/);
	const [twice] = chipsAmong(sent(entries, [...sent(entries, long.list()).messages]).messages);
	assert.deepEqual(twice, once);
});

test("G15: no stored entry and no message in hand is written to, details shared between branches included", () => {
	fc.assert(
		fc.property(randomChats(30), fc.constantFrom(...GENERATIONS), (chat, generation) => {
			const shared = { lines: ["x"], deep: { list: [1] } };
			for (const entry of chat.entries)
				if (entry.type === "message" && entry.message.role === "toolResult")
					Object.assign(entry.message, { details: shared });
			const list = freeze(projection(chat.entries, generation).map(({ message }) => message));
			const text = JSON.stringify(freeze(chat.entries));
			// a write to what is frozen throws in a module
			const view = sent(chat.entries, list, generation);
			sent(chat.entries, freeze([...view.messages]), generation);
			assert.equal(JSON.stringify(chat.entries), text);
		}),
		cases(0.3),
	);
});

test("G15: folding by a call writes to nothing that was there before", () => {
	const chat = new Chat().user().step("a", "b").step("c").step("d");
	const { pi, ctx, entries } = fakePi(freeze(chat.entries));
	const wish = { fromStep: 1, toStep: 2, live: false };
	assert.ok(foldNow(pi, ctx, { wish, summary: "two steps", by: "user", timing: "now" }).ok);
	assert.equal(entries.length, chat.entries.length + 1);
});

/** A record as a file has it, with everything in it that a chip is made of. */
const STORED = `{"v":1,"id":"ab12","fromEntryId":"e1","toEntryId":"e5","fromStep":1,"toStep":2,
	"summary":"both are read","digest":"00","by":"model","notes":["Files read: a.ts"]}`;

function withStored(data: object): SessionEntry[] {
	const chat = new Chat().user().step("a").step("b");
	return chat.record({ customType: "dmail.fold", data } as never).user("go on").entries;
}

test("G17: a fold's bytes come from its record and its range alone: not from a clock, a process or a setting", () => {
	const first = sent(
		withStored(JSON.parse(STORED)),
		new Chat(withStored(JSON.parse(STORED))).list(),
	);
	const clock = mock.method(Date, "now", () => Date.UTC(2031, 5, 6));
	const random = mock.method(Math, "random", () => assert.fail("chance"));
	try {
		const data = JSON.parse(STORED);
		const record = decode("dmail.fold", data, "x");
		assert.ok(record && record.kind === "fold");
		const entries = withStored(encode(record).data as object);
		assert.deepEqual(sent(entries, new Chat(entries).list()).messages, first.messages);
		// what a later version adds beside the fields of this one changes no byte either
		const more = withStored({ ...data, colour: "blue", predicted: { paid: true } });
		assert.deepEqual(sent(more, new Chat(more).list()).messages, first.messages);
	} finally {
		random.mock.restore();
		clock.mock.restore();
	}
	assert.equal(chipsAmong(first.messages).length, 1);
});

test("G17: a record of a version that this one does not know is skipped and counted, never guessed at", () => {
	for (const v of [2, 99, "1", null]) {
		const entries = withStored({ ...JSON.parse(STORED), v });
		const replayer = replayLog(logOf(new Chat(entries)));
		assert.equal(replayer.visible.length, 0, `v ${v}`);
		assert.equal(replayer.unreadable.length, 1, `v ${v}`);
		const { messages } = sent(entries, new Chat(entries).list());
		assert.equal(chipsAmong(messages).length, 0);
		assert.deepEqual(unpairedIn(messages), []);
	}
});

test("G18: an image in a result folds with it and its call, and comes back with them", () => {
	const text = { type: "text", text: "the screen" } as const;
	const entries = session(
		user("what is on it?"),
		reply("", call("a", "shot", {}), call("b", "bash", { command: "ls" })),
		result("a", [text, image, image]),
		result("b", "ok"),
		custom("shot", [image]),
		reply("A window."),
		user("and now?"),
	);
	const at = (data: object, more: object[] = []) => {
		const chat = new Chat(entries).record({ customType: "dmail.fold", data } as never);
		for (const state of more) chat.record(encode(state as never));
		return foldContext(readBranch(chat.entries, "1.6"), piHost, { asking: true }).messages;
	};
	const images = (messages: readonly PiMessage[]) =>
		messages.flatMap((message) =>
			blocksOf("content" in message ? message.content : []).filter(({ type }) => type === "image"),
		).length;
	const fold = {
		v: 1,
		id: "ab12",
		fromEntryId: "e1",
		toEntryId: "e6",
		summary: "s",
		digest: "0",
		by: "user",
	};
	const folded = at(fold);
	assert.deepEqual([images(folded), unpairedIn(folded).length], [0, 0]);
	assert.deepEqual(
		folded.map(({ role }) => role),
		["user", "custom", "user"],
	);
	const open = at(fold, [{ kind: "open", id: "ab12" }]);
	assert.deepEqual([images(open), unpairedIn(open).length], [3, 0]);
	const { fake } = hookOver(entries);
	const made = foldNow(fake.pi, fake.ctx, {
		wish: { fromStep: 1, live: false },
		summary: "a window",
		by: "user",
		timing: "now",
	});
	assert.ok(made.ok && made.notes.join("\n").includes("Images seen: 3"));
});
