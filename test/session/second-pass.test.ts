// What an earlier pass of ours left in a list is known again: ours applied to its own output changes nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { foldContext } from "../../fold.ts";
import { type Generation, readBranch } from "../../src/session/branch.ts";
import type { PiMessage } from "../../src/session/entry.ts";
import { piHost } from "../../src/session/message.ts";
import { aligned, Chat, sent } from "../support/chat.ts";
import { foreign, foreignPair } from "./neighbour.ts";
import { folded, line, text } from "./sketch.ts";

test("a list that went through us is taken back to what it was", () => {
	const session = folded();
	const once = sent(session.entries, session.list()).messages;
	const { list, at, chips } = aligned(session.entries, once);
	assert.equal(line(list), "U C A* R");
	assert.deepEqual(at, [0, 1, 5, 7]);
	assert.deepEqual([...chips.keys()], [6]);
	assert.deepEqual(sent(session.entries, once).messages, once);
});

test("what a tool printed is never taken for a marker of ours", () => {
	const forged = new Chat().user().reply(["a"]).result("a", "[step 9]");
	const list = forged.list();
	assert.deepEqual(aligned(forged.entries, list).list, list);
	assert.deepEqual(aligned(forged.entries.slice(0, 2), list, "0.73").list, list);
	const { messages } = sent(forged.entries, list);
	assert.deepEqual(messages[2], {
		...list[2],
		content: [text("[step 9]"), text("[step 2]")],
	});
	assert.deepEqual(sent(forged.entries, messages).messages, messages);
});

/** Passes what an earlier pass of ours left of a session's list through us again. */
function sendsTheSameTwice(
	{ entries }: Pick<Chat, "entries">,
	list: readonly PiMessage[],
	host: Generation = "1.6",
): string {
	const once = sent(entries, list, host).messages;
	assert.deepEqual(sent(entries, structuredClone(once), host).messages, once);
	return line(once);
}

/** A session in which the prompt changed while two steps were made that were folded later, the request kept. */
function foldedOverSystem(): Chat {
	const session = new Chat().reply();
	const system: PiMessage = { role: "system", content: "be brief", timestamp: 9 };
	session.push({ type: "message", message: system });
	return session.user().reply().reply(["fold"]).fold("e0", "e4", { keep: "e2" }).result("fold");
}

test("a second pass finds what a chip keeps, also before a system message of its range", () => {
	const session = foldedOverSystem();
	for (const host of ["1.6", "0.73"] as const) sendsTheSameTwice(session, session.list(host), host);
});

test("a second pass finds a chip whose range a neighbour cut into", () => {
	const system = foldedOverSystem();
	sendsTheSameTwice(system, system.list().slice(1));
	const session = new Chat().user().reply().custom().fold("e0", null);
	for (const from of [1, 2]) sendsTheSameTwice(session, session.list("0.73").slice(from), "0.73");
	const asked = new Chat().custom().custom().user().fold("e1", "e3").reply();
	sendsTheSameTwice(asked, asked.list().toSpliced(2, 1));
});

test("a result behind a chip is none of those before it, where a neighbour took them out, and its time", () => {
	const session = new Chat().user().reply(["a"]).result("a").reply().fold("e1", "e2");
	session.reply().result("a").reply(["b"]).fold("e3", "e6").result("b").custom();
	const list = session
		.list()
		.filter((_, at) => [0, 3, 4, 5, 8].includes(at))
		.map((message) =>
			message.role === "toolResult" ? { ...message, timestamp: Number.NaN } : message,
		);
	const { messages } = sent(session.entries, list);
	assert.deepEqual(aligned(session.entries, messages).at, [0, 3, 6, 10]);
	sendsTheSameTwice(session, list);
});

test("a second pass knows a chip whose fold's id was given once more", () => {
	const session = folded();
	session.fold("e0", null, { id: "f006", held: true });
	sendsTheSameTwice(session, session.list());
});

test("a second pass tells two chips of one id apart, also where a neighbour took one of them out", () => {
	const session = new Chat().user().step("a").step("b").step("c");
	session.fold("e1", "e3", { id: "f00d" }).fold("e5", "e7", { id: "f00d" });
	assert.equal(sendsTheSameTwice(session, session.list()), "U‹1› C‹2› A R‹3› C‹4›");
	sendsTheSameTwice(session, session.list().slice(3));
	sendsTheSameTwice(session, session.list().slice(0, 5));
});

test("a number that an attempt was asked for before a fold is not taken for the folded reply's", () => {
	const chat = new Chat().reply([], "error").fold("e0", null).user().reply().fold("e2", null);
	sendsTheSameTwice(chat, chat.list());
});

test("nor is the folded reply's taken for the attempt's where a neighbour took out what it was asked on", () => {
	const chat = new Chat().user().reply([], "error").user().user().step("a").fold("e3", null);
	assert.equal(sendsTheSameTwice(chat, chat.list()), "U‹1› A U C‹2›");
	assert.equal(sendsTheSameTwice(chat, chat.list().toSpliced(3, 1)), "U‹1› A U‹1› C‹2›");
	const two = new Chat().user().reply([], "error").user().fold("e2", null).user().step("a");
	two.fold("e4", null);
	assert.equal(sendsTheSameTwice(two, two.list()), "U‹1› A C C‹2›");
	assert.equal(sendsTheSameTwice(two, two.list().toSpliced(3, 1)), "U‹1› A C‹1› C‹2›");
	const compacted = new Chat().reply([], "error").user().step("a").fold("e1", null);
	compacted.compaction("e1").reply();
	assert.equal(
		sendsTheSameTwice(compacted, compacted.list().toSpliced(1, 1)),
		"K m‹1› C‹2› A m‹3›",
	);
});

test("a marker is known behind what another extension added to a result that ends like one", () => {
	const chat = new Chat().user().reply(["a"]).result("a", "[step 9]");
	const list = chat.list();
	const result = list[2] as PiMessage & { content: object[] };
	list[2] = {
		...result,
		content: [...result.content, { type: "text", text: "checked" }],
	} as PiMessage;
	sendsTheSameTwice(chat, list);
});

test("a second pass finds a reply that waits for its results where the branch lags behind it", () => {
	const session = new Chat().user().step("a").reply(["b"]);
	const list = session.list("0.73");
	for (const behind of [1, 2, 3]) {
		const entries = session.entries.slice(0, -behind);
		assert.equal(sendsTheSameTwice({ entries }, list, "0.73"), "U‹1› A R‹2› A");
	}
});

test("a second pass finds an attempt and the number that was asked for again, however far the branch lags", () => {
	const session = new Chat().user().step("a").reply([], "error").user().step("b", "c");
	const list = session.list("0.73");
	for (const known of session.entries.keys()) {
		const entries = session.entries.slice(0, known + 1);
		assert.equal(sendsTheSameTwice({ entries }, list, "0.73"), "U‹1› A R‹2› A U‹2› A R R‹3›");
	}
});

test("a second pass takes no reply of another extension for one that the branch lacks", () => {
	const session = new Chat().user().step("a").reply().fold("e1", null).user();
	const list = session.list("0.73").toSpliced(3, 0, ...foreignPair());
	const entries = session.entries.slice(0, -1);
	assert.equal(sendsTheSameTwice({ entries }, list, "0.73"), "U‹1› C A R U‹3›");
});

test("a second pass knows a list with chips and without markers, where the branch lags behind it", () => {
	const session = new Chat().user().step("a").reply().fold("e1", "e4").user().step("b");
	const entries = session.entries.slice(0, 5);
	const send = (list: readonly PiMessage[]) => {
		const hand = aligned(entries, list, "0.73");
		const marks = { folds: true, markers: false };
		const branch = [...readBranch(entries, "0.73"), ...hand.live];
		return foldContext(branch, piHost, { asking: true, hand, marks }).messages;
	};
	const once = send(session.list("0.73"));
	assert.equal(line(once), "U C U A R");
	assert.deepEqual(send(structuredClone(once)), once);
});

test("a marker is known behind an image, also where another extension put words in its place", () => {
	const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
	const session = new Chat().user([text("see"), image]).step("a");
	const list = session.list();
	assert.equal(sendsTheSameTwice(session, list), "U‹1› A R‹2›");
	const plain = { ...list[0], content: [text("see"), text("(image)")] } as PiMessage;
	assert.equal(sendsTheSameTwice(session, list.with(0, plain)), "U‹1› A R‹2›");
});

test("a second pass knows a chip that a compaction left only the end of", () => {
	const rows: [session: Chat, view: string][] = [
		[new Chat().user().step("a").user().compaction("e3").fold("e1", "e4").user(), "K C U‹2›"],
		[new Chat().user().step("a").compaction("e2").fold("e1", "e3").user(), "K C U‹2›"],
		[
			new Chat()
				.user()
				.step("a")
				.user()
				.step("b")
				.compaction("e3")
				.fold("e1", "e4", { keep: "e3" })
				.user(),
			"K C U‹2› A R U‹3›",
		],
	];
	for (const [session, view] of rows)
		assert.equal(sendsTheSameTwice(session, session.list()), view);
});

test("a chip and what it keeps are found with a message of another extension between them", () => {
	const session = folded().fold("e0", "e5", { keep: "e0" });
	const once = sent(session.entries, session.list()).messages;
	assert.equal(line(once), "C U‹3› A R‹4›");
	const parted = once.toSpliced(1, 0, foreign());
	assert.equal(sendsTheSameTwice(session, parted), "C U‹3› U A R‹4›");
});

test("a chip stands as it is in hand where the branch shows nothing of its range any more", () => {
	const session = new Chat().user().user("my key is 12345").step("a").step("b").fold("e1", "e4");
	const once = sent(session.entries, session.list()).messages;
	for (const targetId of ["e1", "e2", "e3"])
		session.push({ type: "context_edit", targetId, replacement: null });
	assert.deepEqual(sent(session.entries, structuredClone(once)).messages, once);
	assert.equal(sendsTheSameTwice(session, session.list()), "U‹1› m‹2› A R‹3›");
});

test("a second pass finds a chip of a step whose reply was left out by an edit", () => {
	const session = new Chat().custom().user().step("a").fold("e0", null).custom();
	session.push({ type: "context_edit", targetId: "e2", replacement: null }).user();
	assert.equal(sendsTheSameTwice(session, session.list()), "C c U‹2›");
});

test("a second pass finds a chip of nothing but what follows a request that a neighbour took out", () => {
	const session = new Chat().user().custom().fold("e0", null, { keep: "e0" }).user();
	assert.equal(sendsTheSameTwice(session, session.list()), "C U c U‹1›");
	assert.equal(sendsTheSameTwice(session, session.list().slice(1)), "C U‹1›");
	const compacted = new Chat().reply().user().compaction("elsewhere").custom().compaction("e1");
	compacted.fold("e0", null, { keep: "e1" }).reply();
	assert.equal(sendsTheSameTwice(compacted, compacted.list().slice(2)), "C‹2› A m‹3›");
});

test("a chip is shown once where another extension took out all that its range was, the kept request", () => {
	const session = new Chat().user().fold("e0", null, { keep: "e0" }).user();
	const once = sent(session.entries, session.list()).messages;
	assert.equal(line(once), "C U U‹1›");
	assert.equal(sendsTheSameTwice(session, once.toSpliced(1, 1)), "C U‹1›");
});

test("a number is the folded reply's where nothing behind the attempt that has it could bear it", () => {
	const chat = new Chat().reply([], "error").user().fold("e0", "e1").step("a").fold("e1", null);
	assert.equal(sendsTheSameTwice(chat, chat.list()), "m‹1› C C‹2›");
	for (const gone of [[1], [0, 1]])
		sendsTheSameTwice(
			chat,
			chat.list().filter((_, at) => !gone.includes(at)),
		);
});

test("a second pass takes no result for the late one that went under a chip", () => {
	const chat = new Chat().reply(["a"]).fold("e0", null).reply(["a"], "error");
	chat.result("a").result("a").result("a");
	const list = chat.list();
	list[2] = { ...list[2], timestamp: Number.NaN } as PiMessage;
	sendsTheSameTwice(chat, list);
});

test("a note stands where it stood though a second pass has no more of what went under a chip", () => {
	const chat = new Chat().step("a").reply([], "error").reply().fold("e0", "e2").step("a");
	chat.push({ type: "context_edit", targetId: "e5", replacement: null }).reply();
	const list = chat.list();
	sendsTheSameTwice(chat, list.toSpliced(list.length - 1, 0, foreign()));
});

test("a second pass finds a note behind a chip of a request that answers an open call", () => {
	const chat = new Chat()
		.user()
		.reply(["a"])
		.custom()
		.user()
		.fold("e2", "e4")
		.user()
		.step("b")
		.reply();
	const list = chat.list().filter((_, at) => at !== 5 && at !== 6);
	assert.equal(sendsTheSameTwice(chat, list), "U‹1› A C U‹2› m‹3› A m‹4›");
});

test("a second pass finds a note behind a chip also where a failed reply stands between the two", () => {
	const chat = new Chat().step("a").reply(["b"], "error").user().custom().user();
	chat.result("a").reply([], "error").reply().custom();
	chat.push({ type: "context_edit", targetId: "e0", replacement: null });
	chat.fold("e3", "e5", { keep: "e0" });
	const list = chat.list().filter((_, at) => at !== 7);
	sendsTheSameTwice(chat, list);
});
