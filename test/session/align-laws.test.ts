// The laws of aligning, each tried by itself on random sessions and neighbours.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propose, Replayer } from "../../fold.ts";
import { type Generation, readBranch } from "../../src/session/branch.ts";
import { piHost } from "../../src/session/message.ts";
import { cases } from "../support/cases.ts";
import { Chat } from "../support/chat.ts";
import { ALIGN_LAWS, anyPass, Pass } from "./align-laws.ts";
import { line } from "./sketch.ts";

/** One thing that happens in a session. Call ids repeat after a while, as with some models. */
const event = fc.oneof(
	{ weight: 3, arbitrary: fc.constant("user") },
	{ weight: 8, arbitrary: fc.constant("step") },
	{ weight: 2, arbitrary: fc.constant("batch") },
	{ weight: 2, arbitrary: fc.constant("answer") },
	{ weight: 1, arbitrary: fc.constant("failed") },
	{ weight: 1, arbitrary: fc.constant("bash") },
	{ weight: 2, arbitrary: fc.constant("custom") },
	{ weight: 3, arbitrary: fc.constant("fold") },
	{ weight: 1, arbitrary: fc.constant("compaction") },
);
const session = fc
	.array(fc.tuple(event, fc.nat(), fc.nat()), { minLength: 1, maxLength: 40 })
	.map((events) => {
		const chat = new Chat().user();
		for (const [name, one, other] of events) happen(chat, name, [one, other]);
		return chat;
	});

function happen(chat: Chat, name: string, [one, other]: [number, number]): void {
	const id = `functions.bash:${chat.entries.length % 7}`;
	if (name === "user") chat.user();
	else if (name === "step") chat.step(id);
	else if (name === "batch") chat.step(id, `functions.read:${chat.entries.length % 5}`);
	else if (name === "answer") chat.reply();
	else if (name === "failed") chat.reply([], "error");
	else if (name === "bash") chat.bash();
	else if (name === "custom") chat.custom("plan", `plan ${chat.entries.length % 3}`);
	else if (name === "fold") foldSome(chat, one, other);
	else if (chat.entries.length > 4) chat.compaction(`e${one % chat.entries.length}`);
}

/** A fold that `propose` says yes to, if the steps drawn give one. */
function foldSome(chat: Chat, one: number, other: number): void {
	const replayer = new Replayer(piHost);
	for (const entry of readBranch(chat.entries, "1.6")) replayer.push(entry);
	const { count } = replayer.steps;
	if (count === 0) return;
	const fromStep = 1 + (one % count);
	const toStep = fromStep + (other % (count - fromStep + 1));
	const proposal = propose(replayer, { fromStep, toStep, live: one % 2 === 0 });
	if (!proposal.ok) return;
	const { ok: _ok, range: _range, fromEntryId, toEntryId, ...more } = proposal;
	chat.fold(fromEntryId, toEntryId, more);
}

for (const { sentence, check } of ALIGN_LAWS)
	test(sentence, () =>
		fc.assert(
			fc.property(session, anyPass, (chat, drawn) => check(new Pass(chat.entries, drawn))),
			cases(),
		),
	);

test("a list is not held to be valid by the calls of a failed reply, which no host sends", () => {
	const chat = new Chat().reply(["a", "b"], "error").fold("e0", null).step("a");
	chat.push({ type: "context_edit", targetId: "e2", replacement: null });
	keepsEveryLaw(chat);
});

test("a result whose reply an edit left out goes with the call before it that a provider takes it for", () => {
	const open = new Chat().reply(["a", "b"]).fold("e0", null).step("a");
	open.push({ type: "context_edit", targetId: "e2", replacement: null });
	assert.equal(keepsEveryLaw(open), "m‹1› C‹2› m‹3›");
	const cut = new Chat().reply(["a"]).step("a").fold("e0", "e1");
	cut.push({ type: "context_edit", targetId: "e1", replacement: null });
	assert.equal(keepsEveryLaw(cut), "m‹1› C‹2› m‹3›");
	const nameless = new Chat().reply([""]).reply().result("").fold("e0", "e2");
	nameless.push({ type: "context_edit", targetId: "e1", replacement: null });
	keepsEveryLaw(nameless);
	const late = new Chat().reply(["a"]).user().step("a", "b").fold("e2", null);
	late.push({ type: "context_edit", targetId: "e3", replacement: null }).result("a");
	assert.equal(keepsEveryLaw(late), "m‹1› A U‹2› C‹3›");
});

test("a result that an edit left out answers nothing: a note waits for another", () => {
	const chat = new Chat().step("a").reply();
	for (const targetId of ["e1", "e2"])
		chat.push({ type: "context_edit", targetId, replacement: null });
	assert.equal(keepsEveryLaw(chat.result("a")), "m‹1› A R‹3›");
});

test("no note stands between a call and its result where an edit left out all that was asked for in between", () => {
	const chat = new Chat().reply(["a"]).reply().reply([], "error");
	for (const targetId of ["e1", "e2"])
		chat.push({ type: "context_edit", targetId, replacement: null });
	assert.equal(keepsEveryLaw(chat.result("a")), "m‹1› A R‹3›");
});

/** Tries every law on a session that no other extension touches; what the newer host sends of it. */
function keepsEveryLaw({ entries }: Chat): string {
	const pass = (host: Generation) => new Pass(entries, { host, acts: [], lag: 0 });
	const newer = pass("1.6");
	for (const one of [newer, pass("0.73")]) for (const { check } of ALIGN_LAWS) check(one);
	return line(newer.sent);
}
