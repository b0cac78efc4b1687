// Too much folding, and folding that is refused again: both are answered in words, and always in the same ones.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Dmail } from "../../src/pi/dmail.ts";
import { foldNow } from "../../src/pi/folding.ts";
import { readLog } from "../../src/pi/log.ts";
import { sameRefusal } from "../../src/pi/refused-before.ts";
import { answerSend } from "../../src/pi/send-answer.ts";
import { thriftLine } from "../../src/pi/thrift.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { type FakePi, fakePi } from "../support/fake-pi.ts";
import {
	call,
	type Draft,
	record,
	reply,
	result,
	session,
	user,
} from "../support/session-entries.ts";

const step = (id: string, words: number): Draft[] => [
	reply("", call(id, "bash", { command: id })),
	result(id, "word ".repeat(words)),
];
const folding = (id: string): Draft => reply("", call(id, "send_dmail", {}));

function fold(pi: FakePi, callId: string, fromStep: number) {
	const wish = { fromStep, callId, live: true };
	const made = foldNow(pi.pi, pi.ctx, { wish, summary: "done", by: "model", timing: "now" });
	assert.ok(made.ok, made.ok ? "" : made.reason);
	return made;
}

/** The same session, its last reply a second old: all of it is in the cache. */
function warm(entries: readonly SessionEntry[]): SessionEntry[] {
	return entries.map((entry) =>
		entry.type === "message"
			? { ...entry, message: { ...entry.message, timestamp: Date.now() - 1_000 } }
			: entry,
	);
}

/** The session goes on. */
function grow(pi: FakePi, ...drafts: readonly Draft[]): void {
	for (const entry of session(...drafts))
		pi.entries.push({
			...entry,
			id: `g${pi.entries.length}`,
			parentId: pi.entries.at(-1)?.id ?? null,
		});
}

test("a large fold that stands alone is told nothing", () => {
	const pi = fakePi(session(user("begin"), ...step("a", 4_000), folding("f")));
	assert.equal(fold(pi, "f", 1).thrift, undefined);
});

test("a small one is made, and told what it costs and what a larger one would do", () => {
	const drafts = [user("begin ".repeat(800)), ...step("a", 400), ...step("b", 4), folding("f")];
	const { thrift } = fold(fakePi(warm(session(...drafts))), "f", 1);
	assert.ok(thrift);
	assert.match(
		thriftLine(thrift),
		/^This fold is small: it frees ~\d+ tokens a request, costs \$0\.\d+ once, writing the summary \(\$0\.\d+\) included, and pays after \d+ requests?\. Fewer, larger folds pay better: with ~10k tokens more in it, this one pays /,
	);
	const [n, larger] = [thrift.quote.requestsToPay, thrift.larger.requestsToPay];
	assert.ok(n !== null && larger !== null && larger <= n);
});

test("the model reads it in the answer to its call, and the fold stands", () => {
	const drafts = [user("begin ".repeat(800)), ...step("a", 400), folding("f")];
	const fake = fakePi(warm(session(...drafts)));
	const place = { pi: fake.pi, dmail: new Dmail(fake.pi), ctx: fake.ctx };
	const params = { callId: "f", fromStep: 1, summary: "done" };
	const { content } = answerSend(place, params, undefined);
	assert.match(
		JSON.stringify(content),
		/This fold is small: it frees ~\d+ tokens a request, costs /,
	);
	assert.equal(fake.entries.at(-1)?.type, "custom");
});

test("one that comes within two steps of the last one is told so, a later one is not", () => {
	const soon = (steps: number) => {
		const pi = fakePi(session(user("begin"), ...step("a", 4_000), folding("f")));
		fold(pi, "f", 1);
		grow(pi, result("f", "ok"));
		for (let n = 1; n < steps; n++) grow(pi, ...step(`s${n}`, 4_000));
		grow(pi, folding("h"));
		return fold(pi, "h", 2).thrift;
	};
	assert.equal(soon(2)?.soon, 2);
	assert.match(
		thriftLine(soon(2) ?? assert.fail()),
		/^The last fold was made 2 steps ago: this one frees ~/,
	);
	assert.equal(soon(3), undefined);
});

const refused = (id: string, args: Record<string, unknown>, said: string): Draft[] => [
	reply("", call(id, "send_dmail", args)),
	result(id, said, { isError: true, ...{ toolName: "send_dmail" } }),
];

function again(drafts: readonly Draft[], args: Record<string, unknown>, reason: string): string {
	const pi = fakePi(session(user("begin"), ...drafts, reply("", call("now", "send_dmail", args))));
	return sameRefusal(readLog(pi.ctx), "now", reason);
}

test("a call that is refused as before is answered as before, to the byte", () => {
	const before = refused("x", { fromStep: 9 }, "there is no step 9; steps 1–2 can be folded");
	const now = "there is no step 9; steps 1–5 can be folded";
	assert.equal(again(before, { fromStep: 9 }, now), "there is no step 9; steps 1–2 can be folded");
	assert.equal(
		again([...before, ...step("a", 4)], { fromStep: 9 }, now),
		"there is no step 9; steps 1–2 can be folded",
	);
});

test("another call, another reason, or one since which something was folded, is answered anew", () => {
	const before = refused("x", { fromStep: 9 }, "there is no step 9; steps 1–2 can be folded");
	const now = "there is no step 9; steps 1–5 can be folded";
	assert.equal(again(before, { fromStep: 8 }, now), now);
	assert.equal(
		again(before, { fromStep: 9 }, "step 9 is the step in progress; none"),
		"step 9 is the step in progress; none",
	);
	const since = record("dmail.unpin", { v: 1, fromEntryId: "e0", toEntryId: null });
	assert.equal(again([...before, since], { fromStep: 9 }, now), now);
	assert.equal(again([], { fromStep: 9 }, now), now);
});
