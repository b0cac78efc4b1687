// Calls and results where others broke them apart: what a fold takes along, what the view passes on, and what
// the profiler counts.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encode, foldContext, propose, Replayer } from "../../fold.ts";
import { factsOf } from "../../src/notes/facts.ts";
import { Dmail } from "../../src/pi/dmail.ts";
import { answerSend } from "../../src/pi/send-answer.ts";
import { readBranch } from "../../src/session/branch.ts";
import type { Block, PiMessage, SessionEntry } from "../../src/session/entry.ts";
import { piHost } from "../../src/session/message.ts";
import { parseSession } from "../../src/session/parse.ts";
import { SessionTree } from "../../src/session/tree.ts";
import { callOf } from "../fold/branch.ts";
import { anyBranch } from "../support/arbitrary.ts";
import { cases } from "../support/cases.ts";
import { Chat, sent } from "../support/chat.ts";
import { fakePi } from "../support/fake-pi.ts";
import { textHost } from "../support/notation.ts";
import { call, reply, result, session, user } from "../support/session-entries.ts";
import { pairFaults, type WireMessage } from "../support/wire.ts";
import { fileOf, profileOf, textOf } from "./profiled.ts";

/** A list as a provider sees it: attempts are not sent, and everything but replies and results is a user's. */
function wireOf(list: readonly PiMessage[]): WireMessage[] {
	return list.flatMap((message): WireMessage[] => {
		if (message.role === "assistant")
			return message.stopReason === "error" || message.stopReason === "aborted"
				? []
				: [{ role: "assistant", content: (message.content ?? []) as WireMessage["content"] }];
		if (message.role !== "toolResult") return [{ role: "user", content: [] }];
		return [{ role: "toolResult", content: [], toolCallId: message.toolCallId }];
	});
}

function faultsOf(list: readonly PiMessage[]): string[] {
	return pairFaults(wireOf(list)).map(({ kind, callId }) => `${kind} ${callId}`);
}

function replayerOf(entries: readonly SessionEntry[]): Replayer<PiMessage> {
	const replayer = new Replayer(piHost);
	for (const entry of readBranch(entries, "1.6")) replayer.push(entry);
	return replayer;
}

/** Every fold that may be made of a session at rest, each as the session with it. */
function foldings(chat: Chat): Chat[] {
	const replayer = replayerOf(chat.entries);
	const { count } = replayer.steps;
	const all: Chat[] = [];
	for (let fromStep = 1; fromStep <= count; fromStep++)
		for (let toStep = fromStep; toStep <= count; toStep++) {
			const made = propose(replayer, { fromStep, toStep, live: false });
			if (made.ok) all.push(new Chat(chat.entries).fold(made.fromEntryId, made.toEntryId));
		}
	return all;
}

/** Throws unless every folded view of a session is as valid as the list that pi would send without folds. */
function neverWorse(chat: Chat): number {
	const own = new Set(faultsOf(chat.list()));
	const folded = foldings(chat);
	for (const one of [chat, ...folded])
		for (const fault of faultsOf(sent(one.entries, one.list()).messages as PiMessage[]))
			assert.ok(own.has(fault), `${fault}, which pi's own list does not have`);
	return folded.length;
}

test("P01: whatever two compactions leave behind, no view has a result or a call alone that pi's list has not", () => {
	let folds = 0;
	const before = new Chat().user().step("x").reply(["z"]);
	const between = new Chat(before.entries).compaction("e1").result("z").user().step("y");
	for (const { id } of between.entries) {
		const chat = new Chat(between.entries).compaction(id).user().step("v").step("w");
		folds += neverWorse(chat);
		assert.deepEqual(
			foldContext(readBranch(chat.entries, "1.6"), piHost, {
				marks: { folds: false, markers: false },
			}).messages,
			chat.list(),
		);
	}
	assert.ok(folds > between.entries.length);
});

/** 33 compactions of an extension, each followed by a result and two attempts that came to nothing. */
function hookCompactions(callId: (at: number) => string): SessionEntry[] {
	const chat = new Chat().user();
	for (let n = 0; n < 33; n++) {
		chat.reply([`c${n}`]).compaction("none");
		Object.assign(chat.entries.at(-1) ?? {}, { fromHook: true, details: { type: "x" } });
		chat.result(callId(n));
		for (let tries = 0; tries < 2; tries++) {
			chat.reply([], "error");
			const entry = chat.entries.at(-1);
			if (entry?.type === "message")
				Object.assign(entry.message, { content: [], errorMessage: "400: no such call" });
		}
	}
	return chat.entries;
}

test("P02: results that a compaction cut off from their calls are counted, and the view goes on", () => {
	const lost = hookCompactions((n) => `gone${n}`);
	const { totals } = profileOf(lost);
	assert.deepEqual(
		[totals.compactions, totals.orphanResults, totals.unansweredCalls],
		[33, 33, 33],
	);
	assert.match(textOf(profileOf(lost)), /33 orphan results/);
	assert.equal(totals.steps, 33);
	const answered = profileOf(hookCompactions((n) => `c${n}`)).totals;
	assert.deepEqual([answered.orphanResults, answered.unansweredCalls], [0, 0]);
	for (const entries of [lost, hookCompactions((n) => `c${n}`)]) neverWorse(new Chat(entries));
});

test("P04: a result whose call is on another branch answers nothing here", () => {
	const chat = new Chat().user().reply(["ctx"]);
	const summary = {
		type: "branch_summary",
		id: "b",
		parentId: "e0",
		fromId: "e1",
		summary: "left",
	};
	const moved = [...chat.entries, { ...summary, timestamp: "" } as SessionEntry];
	const late = new Chat(moved).result("ctx").user().step("next").step("after").entries;
	const tree = new SessionTree<SessionEntry>();
	for (const [at, entry] of late.entries())
		tree.add(at === 3 ? { ...entry, parentId: "b" } : entry, at);
	const branch = new Chat(tree.branch());
	assert.deepEqual(branch.entries.map(({ id }) => id).slice(0, 3), ["e0", "b", "e3"]);
	assert.ok(neverWorse(branch) > 0);
	const { totals } = profileOf(tree.nodes);
	assert.deepEqual([totals.orphanResults, totals.unansweredCalls, totals.toolCalls], [1, 0, 2]);
});

test("P04: a fold appends its record at the leaf and moves nothing", () => {
	const big = "word ".repeat(4_000);
	const drafts = [user("go"), reply("", call("a", "bash", {})), result("a", big)];
	const fake = fakePi(session(...drafts, reply("", call("f", "send_dmail", {}))));
	const before = [...fake.entries];
	const place = { pi: fake.pi, dmail: new Dmail(fake.pi), ctx: fake.ctx };
	// the fake has nothing that could move the leaf: to try it would throw
	answerSend(place, { callId: "f", fromStep: 1, summary: "done" }, undefined);
	assert.deepEqual(fake.entries.slice(0, -1), before);
	const added = fake.entries.at(-1);
	assert.equal(added?.type, "custom");
	assert.equal(added?.parentId, before.at(-1)?.id);
});

test("P05: a call and its results go together, however far apart and wherever a fold ends", () => {
	const late = new Chat().user().step("a").reply(["b", "c"]).result("b").user().result("c");
	late.step("d").step("e", "f");
	const replayer = replayerOf(late.entries);
	const entries = readBranch(late.entries, "1.6");
	let tried = 0;
	for (const folded of foldings(late)) {
		const fold = replayerOf(folded.entries).visible[0];
		assert.ok(fold);
		const isIn = (at: number) => fold.from <= at && at < fold.to;
		for (const [at, { kind }] of entries.entries())
			if (kind === "result") assert.equal(isIn(at), isIn(replayer.steps.answeredBy(at)));
		tried++;
	}
	assert.ok(tried > 6);
	assert.ok(neverWorse(late) === tried);
	// ends that somebody else wrote, wherever they stand
	const own = faultsOf(late.list());
	for (const from of late.entries.keys())
		for (const to of late.entries.keys()) {
			const torn = new Chat(late.entries).fold(`e${from}`, `e${to}`);
			const { messages } = sent(torn.entries, torn.list());
			for (const fault of faultsOf(messages as PiMessage[]))
				assert.ok(own.includes(fault), `e${from} to e${to}: ${fault}`);
		}
});

test("P07: a batch of which nothing was stored is unanswered, not failed", () => {
	const chat = new Chat().user().reply(["a", "b", "c"]).user("stop").step("d");
	const { totals } = profileOf(chat.entries);
	assert.deepEqual([totals.toolCalls, totals.unansweredCalls, totals.orphanResults], [4, 3, 0]);
	const facts = factsOf(chat.entries);
	assert.deepEqual(facts.unanswered, [{ name: "bash", count: 3 }]);
	assert.deepEqual([facts.failed, facts.failures], [[], []]);
	neverWorse(chat);
});

test("P08: a message between a call and its result stays there, and none of ours is put there", () => {
	const chat = new Chat()
		.user()
		.reply(["a", "b"])
		.custom()
		.result("a")
		.custom()
		.result("b")
		.custom();
	chat.step("c");
	const order = (list: readonly PiMessage[]) => list.map((message) => message.role);
	assert.deepEqual(
		order(sent(chat.entries, chat.list()).messages as PiMessage[]),
		order(chat.list()),
	);
	assert.ok(neverWorse(chat) > 0);
	fc.assert(
		fc.property(anyBranch, (branch) => {
			const { messages, sources } = foldContext(branch, textHost, { asking: true });
			const notes = sources.flatMap((source, at) => (source.from === "note" ? [at] : []));
			for (const note of notes) {
				const before = sources.slice(0, note).findLast(isReply);
				const after = sources.slice(note + 1);
				const next = after.findIndex(isReply);
				for (const source of next < 0 ? after : after.slice(0, next))
					if (source.from === "entry" && before?.from === "entry")
						assert.notEqual(callOf(branch, source.at), before.at, `${messages[note]}`);
			}

			function isReply(source: (typeof sources)[number]): boolean {
				if (source.from !== "entry") return source.from === "chip";
				const kind = branch[source.at]?.kind;
				return kind === "assistant" || kind === "attempt";
			}
		}),
		cases(),
	);
});

test("P10: parallel calls stay in one reply, and their results in order, through fold, open and reload", () => {
	const chat = new Chat().user().step("a", "b").step("c", "d").user();
	const { entries } = parseSession(fileOf(chat.fold("e1", "e4").entries));
	const opened = new Chat(entries).record(encode({ kind: "open", id: "f008" }));
	const bare = (list: readonly PiMessage[]) =>
		list.flatMap((one) => (one.role === "assistant" || one.role === "toolResult" ? [one] : []));
	const ids = (list: readonly PiMessage[]) =>
		bare(list).map((one) =>
			one.role === "toolResult"
				? one.toolCallId
				: (one.content as Block[]).flatMap((block) =>
						block.type === "toolCall" ? [block.id] : [],
					),
		);
	const shown = (one: Chat) => ids(sent(one.entries, one.list()).messages as PiMessage[]);
	assert.deepEqual(shown(new Chat(entries)), [["c", "d"], "c", "d"]);
	assert.deepEqual(shown(opened), [["a", "b"], "a", "b", ["c", "d"], "c", "d"]);
});

/** A reply of a provider that gave its calls no ids, and what came back. */
function nameless(chat: Chat, ...calls: readonly string[]): Chat {
	return chat.step(...calls.map(() => ""));
}

test("P11: calls without an id are kept with what came back right after them, and with nothing else", () => {
	const chat = new Chat().user().step("a");
	nameless(chat, "x");
	chat.step("b");
	nameless(chat, "x", "y").user().step("c");
	const replayer = replayerOf(chat.entries);
	const made = propose(replayer, { fromStep: 2, toStep: 2, live: false });
	assert.ok(made.ok);
	assert.deepEqual([made.fromEntryId, made.toEntryId], ["e3", "e5"]);
	assert.ok(neverWorse(chat) > 0);
});

test("P11: no result without an id is taken for the answer to a call that stands elsewhere", () => {
	const chat = nameless(new Chat().user(), "x").user().result("").step("a");
	assert.equal(replayerOf(chat.entries).steps.answeredBy(4), -1);
	assert.ok(neverWorse(chat) > 0);
});

test("P11: a fold that is asked for without an id is recorded, and not of the step that asks", () => {
	const big = "word ".repeat(4_000);
	const drafts = [user("go"), reply("", call("", "bash", {})), result("", big)];
	const fake = fakePi(session(...drafts, reply("", call("", "send_dmail", {}))));
	const place = { pi: fake.pi, dmail: new Dmail(fake.pi), ctx: fake.ctx };
	const { details } = answerSend(place, { callId: "", fromStep: 1, summary: "done" }, undefined);
	assert.deepEqual([details.fromStep, details.toStep], [1, 1]);
	const [fold] = replayerOf(fake.entries).folds;
	assert.deepEqual([fold?.state, fold?.record.callId], ["landed", undefined]);
});

test("P11: the profiler names a call without an id", () => {
	const chat = nameless(new Chat().user(), "x").step("a");
	const { session, totals } = profileOf(chat.entries);
	assert.deepEqual(
		session.problems.map(({ line }) => line),
		[3],
	);
	assert.match(session.problems[0]?.reason ?? "", /call without an id/);
	assert.equal(totals.toolCalls, 2);
});

test("P13: a made-up result gives way to the real one, and both belong to one call", () => {
	const chat = new Chat().user().reply(["a"]).result("a", "no result provided");
	const made = chat.entries.at(-1);
	if (made?.type === "message") Object.assign(made.message, { isError: true });
	chat.step("b").result("a", "the real one").step("c");
	const { totals } = profileOf(chat.entries);
	assert.deepEqual([totals.toolCalls, totals.unansweredCalls, totals.orphanResults], [3, 0, 0]);
	const facts = factsOf(chat.entries);
	assert.deepEqual([facts.commands, facts.failures, facts.unanswered], [3, [], []]);
	neverWorse(chat);
	const folded = propose(replayerOf(chat.entries), { fromStep: 1, toStep: 1, live: false });
	assert.ok(folded.ok && folded.toStep === 2, "the fold reaches to the real result");
});

test("P14: ids of calls come through fold, file and reload to the byte, in a child's session too", () => {
	const odd = ["call_a|fc_0123", "toolu_日本", "a b\u2028c", "x".repeat(450), "functions.bash:2"];
	const chat = new Chat().user();
	for (const id of odd) chat.step(id);
	chat.fold("e1", "e3", { callId: odd[0] as string });
	const text = fileOf(chat.entries, { parentSession: "/p/parent.jsonl" });
	const read = parseSession(text);
	assert.deepEqual(read.problems, []);
	assert.deepEqual(read.entries, chat.entries);
	const opened = new Chat(read.entries).record(encode({ kind: "open", id: "f00b" }));
	for (const [one, from] of [
		[new Chat(read.entries), 1],
		[opened, 0],
	] as const) {
		const shown = (sent(one.entries, one.list()).messages as PiMessage[]).flatMap((message) =>
			message.role === "toolResult" ? [message.toolCallId] : [],
		);
		assert.deepEqual(shown, odd.slice(from));
	}
	assert.equal(replayerOf(read.entries).folds[0]?.record.callId, odd[0]);
});

test("P16: a result without its call is seen wherever it stands, and no fold makes another", () => {
	for (const at of [0, 1, 2, 3]) {
		const chat = new Chat().user();
		for (let n = 0; n < 4; n++) {
			if (n === at) chat.result(`orphan${n}`);
			chat.step(`ok${n}`);
		}
		assert.deepEqual(faultsOf(chat.list()), [`orphan result orphan${at}`]);
		assert.equal(neverWorse(chat), 10);
		assert.equal(profileOf(chat.entries).totals.orphanResults, 1);
	}
});
