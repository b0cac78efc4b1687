// The cut that the user pins: it wins while it holds, is void when it does not, and is answered or taken back
// by what comes after it on the branch.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openCut, pinnedCut, sendCut, withdrawCut } from "../../src/pi/cut.ts";
import { stepsIn } from "../../src/pi/cut-queue.ts";
import { Dmail } from "../../src/pi/dmail.ts";
import { foldNow, previewFold } from "../../src/pi/folding.ts";
import { readLog, replayLog } from "../../src/pi/log.ts";
import { type FakeOptions, type FakePi, fakePi } from "../support/fake-pi.ts";
import {
	call,
	compaction,
	type Draft,
	longSteps,
	record,
	reply,
	session,
	user,
} from "../support/session-entries.ts";

/** Steps 1 to 4 with results; step 5 is the one that folds. */
const steps = () => longSteps(4);

function cut(fromStep: number, toStep?: number): Draft {
	return (at) => ({
		type: "custom_message",
		customType: "dmail.cut",
		content: "The user pinned a cut.",
		display: true,
		details: { v: 1, fromStep, ...(toStep === undefined ? {} : { toStep }) },
		id: `e${at}`,
		parentId: `e${at - 1}`,
		timestamp: "2026-01-05T09:00:00.000Z",
	});
}

/** A message that takes a cut back names no steps. */
const takenBack: Draft = (at) => ({ ...cut(1)(at), details: { v: 1 } });

const FOLDING = reply("", call("f", "send_dmail", { fromStep: 1, summary: "x" }));

function fold(fake: FakePi, fromStep: number, toStep?: number) {
	const wish = { fromStep, toStep, callId: "f", live: true };
	return foldNow(fake.pi, fake.ctx, { wish, summary: "what was done", by: "model", timing: "now" });
}

function newest({ entries }: FakePi): Record<string, unknown> {
	const entry = entries.at(-1);
	return entry?.type === "custom" ? (entry.data as Record<string, unknown>) : assert.fail();
}

function isOpen({ ctx }: FakePi): boolean {
	const log = readLog(ctx);
	return openCut(log, replayLog(log)) !== undefined;
}

test("an open cut wins over the range that the model names, and the record says whose it is", () => {
	const fake = fakePi(session(...steps(), cut(2, 3), FOLDING));
	const made = fold(fake, 1, 4);
	assert.ok(made.ok);
	assert.deepEqual([made.fromStep, made.toStep], [2, 3]);
	assert.deepEqual(made.cut, { kind: "followed", entryId: "e9" });
	const { by, cutEntryId, callId, fromStep, toStep } = newest(fake);
	assert.deepEqual({ by, cutEntryId, callId }, { by: "user", cutEntryId: "e9", callId: "f" });
	assert.deepEqual([fromStep, toStep], [2, 3]);
	assert.equal(isOpen(fake), false, "it is answered");
});

test("a cut without an end takes the end that the model names, or now", () => {
	const named = fakePi(session(...steps(), cut(2), FOLDING));
	const made = fold(named, 1, 3);
	assert.ok(made.ok);
	assert.deepEqual([made.fromStep, made.toStep], [2, 3]);
	for (const end of [undefined, 1]) {
		const open = fold(fakePi(session(...steps(), cut(2), FOLDING)), 1, end);
		assert.ok(open.ok);
		assert.deepEqual([open.fromStep, open.toStep], [2, 4]);
	}
});

test("a preview shows the cut's range and answers nothing", () => {
	const fake = fakePi(session(...steps(), cut(2, 3), FOLDING));
	const wish = { fromStep: 1, callId: "f", live: true };
	const shown = previewFold(fake.pi, fake.ctx, { wish, by: "model", timing: "now" });
	assert.ok(shown.ok);
	assert.deepEqual([shown.fromStep, shown.toStep], [2, 3]);
	assert.equal(isOpen(fake), true);
});

test("the newest cut wins", () => {
	const fake = fakePi(session(...steps(), cut(2, 3), cut(1, 2), FOLDING));
	const made = fold(fake, 4);
	assert.ok(made.ok);
	assert.deepEqual([made.fromStep, made.toStep], [1, 2]);
	assert.deepEqual(made.cut, { kind: "followed", entryId: "e10" });
});

const OUTER = { v: 1, id: "ab12", digest: "00", fromStep: 1, toStep: 3, summary: "s" };

test("a cut that no longer holds is void: the model's range is used, and it is told why, once", () => {
	const inner = record("dmail.fold", { ...OUTER, by: "auto", fromEntryId: "e1", toEntryId: "e7" });
	const fake = fakePi(session(...steps(), cut(2, 2), inner, FOLDING));
	const made = fold(fake, 4);
	assert.ok(made.ok, JSON.stringify(made));
	assert.deepEqual([made.fromStep, made.toStep], [4, 4]);
	assert.equal(made.cut?.kind, "void");
	const reason = made.cut?.kind === "void" ? made.cut.reason : "";
	assert.match(reason, /step 2 lies inside fold ab12 \(steps 1–3\); fold steps 1–3 together/);
	assert.equal(newest(fake)["by"], "model");
	assert.equal(newest(fake)["cutEntryId"], undefined);
	assert.equal(isOpen(fake), false, "told once: the fold that came of it closes the cut");
});

test("where neither the cut nor the model's own range holds, the refusal says both", () => {
	const inner = record("dmail.fold", { ...OUTER, by: "auto", fromEntryId: "e1", toEntryId: "e7" });
	const fake = fakePi(session(...steps(), cut(2, 2), inner, FOLDING));
	const refused = fold(fake, 3, 3);
	assert.ok(!refused.ok);
	assert.match(
		refused.reason,
		/step 3 lies inside fold ab12.*\(the cut that the user pinned does not hold either: step 2 lies/,
	);
});

test("a fold of the user's own and a drop of it take a cut back; a fold by the net, a drop or change of another do not", () => {
	const after = (...drafts: Draft[]) => isOpen(fakePi(session(...steps(), cut(2, 3), ...drafts)));
	const made = { ...OUTER, fromEntryId: "e1", toEntryId: "e3" };
	assert.equal(after(), true);
	assert.equal(after(record("dmail.fold", { ...made, by: "user" })), false);
	assert.equal(after(record("dmail.fold", { ...made, by: "model" })), false);
	assert.equal(after(record("dmail.drop", { v: 1, id: "e9" })), false);
	assert.equal(after(takenBack), false);
	assert.equal(after(record("dmail.drop", { v: 1, id: "ffff" })), true, "a fold's, by its name");
	assert.equal(after(record("dmail.fold", { ...made, by: "auto" })), true);
	assert.equal(after(record("dmail.shut", { v: 1, id: "ffff" })), true);
	assert.equal(after(user("and now?"), reply("yes")), true);
});

test("a cut of an earlier era is forgotten", () => {
	const entries = session(...steps(), cut(2, 3), user("go on"), compaction("e10", "before"));
	assert.equal(isOpen(fakePi(entries)), false);
});

test("details that are not ours make no cut", () => {
	for (const details of [undefined, null, 3, {}, { fromStep: "2" }])
		assert.equal(stepsIn(details), undefined);
	assert.deepEqual(stepsIn({ v: 1, fromStep: 2, toStep: "x" }), { fromStep: 2 });
});

function party(fake: FakePi, host: "0.73" | "1.6" = "1.6") {
	if (host === "0.73")
		delete (fake.ctx.sessionManager as { buildSessionProjection?: unknown }).buildSessionProjection;
	const dmail = new Dmail(fake.pi);
	dmail.policy = "THE POLICY";
	return { pi: fake.pi, ctx: fake.ctx, dmail };
}

/** What a cut is sent with on a host; 0.73 has no projection of its own. */
function sent(host: "0.73" | "1.6", options: FakeOptions) {
	const fake = fakePi(session(...steps()), options);
	const how = sendCut(party(fake, host), { fromStep: 2, toStep: 3 });
	const [{ message, options: with_ } = assert.fail()] = fake.sent;
	return { how, triggerTurn: with_?.["triggerTurn"], message };
}

test("the model is asked at once where it knows the policy, else with what comes next", () => {
	const knows = { systemPrompt: "You help. THE POLICY" };
	assert.deepEqual(pick(sent("1.6", {})), ["now", true]);
	assert.deepEqual(pick(sent("0.73", knows)), ["now", true]);
	assert.deepEqual(pick(sent("0.73", {})), ["with the next prompt", false]);
	assert.deepEqual(pick(sent("1.6", { hasUI: false })), ["with the next prompt", false]);
	assert.deepEqual(pick(sent("0.73", { idle: false })), ["in this run", true]);
	assert.deepEqual(pick(sent("1.6", { idle: false })), ["in this run", true]);
	const { message } = sent("1.6", {});
	assert.equal(message.customType, "dmail.cut");
	assert.deepEqual(message.details, { v: 1, fromStep: 2, toStep: 3 });
	assert.match(textIn(message), /fold steps 2–3 now\. Call send_dmail with fromStep 2, toStep 3/);
	assert.doesNotMatch(textIn(message), /\[step/);
});

function pick({ how, triggerTurn }: ReturnType<typeof sent>) {
	return [how, triggerTurn];
}

function textIn({ content }: { readonly content: unknown }): string {
	return (content as { text: string }[]).map(({ text }) => text).join("");
}

/** pi stores a message that it held: the object that it was sent, as it is by then. */
function deliver({ entries, sent }: FakePi, index: number): void {
	const message = sent[index]?.message ?? assert.fail();
	const parent = entries.at(-1)?.id ?? assert.fail();
	entries.push({
		...cut(1)(entries.length + 1),
		...structuredClone(message),
		parentId: parent,
	} as Stored);
}

type Stored = FakePi["entries"][number];

test("a cut that a run has not taken in yet can be taken back: the model never reads of it", () => {
	const fake = fakePi(session(...steps()), { idle: false });
	const parties = party(fake);
	sendCut(parties, { fromStep: 2, toStep: 3 });
	assert.deepEqual(pinnedCut(parties), { fromStep: 2, toStep: 3 });
	withdrawCut(parties, { fromStep: 2, toStep: 3 }, "taken back");
	assert.equal(pinnedCut(parties), undefined);
	assert.equal(fake.sent.length, 1, "the message that waits was reworded");
	deliver(fake, 0);
	assert.equal(isOpen(fake), false);
	assert.match(
		textIn(fake.sent[0]?.message ?? assert.fail()),
		/took the pinned cut of steps 2–3 back/,
	);
	assert.deepEqual(fake.sent[0]?.message.details, { v: 1 });
});

test("a cut pinned in the place of one that waits is the only one that the model reads of", () => {
	const fake = fakePi(session(...steps()), { idle: false });
	const parties = party(fake);
	sendCut(parties, { fromStep: 2, toStep: 3 });
	sendCut(parties, { fromStep: 4 });
	assert.equal(fake.sent.length, 1);
	deliver(fake, 0);
	assert.deepEqual(pinnedCut(parties)?.fromStep, 4);
	assert.match(textIn(fake.sent[0]?.message ?? assert.fail()), /pinned a cut: fold step 4 onward/);
	withdrawCut(parties, { fromStep: 4 }, "taken back");
	assert.equal(fake.sent.length, 2, "what was stored is not reworded");
	assert.equal(isOpen(fake), false, "at once, though the model reads of it later");
});

test("a cut that the model has read of is taken back by a message, without a run for it", () => {
	const fake = fakePi(session(...steps(), cut(2, 3), user("and now?"), reply("yes")));
	withdrawCut(party(fake), { fromStep: 2, toStep: 3 }, "folded");
	const [{ message, options } = assert.fail()] = fake.sent;
	assert.equal(options?.["triggerTurn"], false);
	assert.match(
		textIn(message),
		/made a fold without you\. That settles the pinned cut of steps 2–3/,
	);
	assert.equal(isOpen(fake), false);
});
