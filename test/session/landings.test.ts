// Which request first went out with which folds, and what lies between the two requests around a landing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Effect, encode, type FoldRecord, Replayer, weigh } from "../../fold.ts";
import { readBranch } from "../../src/session/branch.ts";
import type { PiMessage, SessionEntry } from "../../src/session/entry.ts";
import { type Landing, predictedOf, readLandings } from "../../src/session/landings.ts";
import { piHost } from "../../src/session/message.ts";
import { Chat } from "../support/chat.ts";

/** The landings of a session in which every reply was measured at 1,000 tokens. */
function landingsOf({ entries }: Chat): Landing<{ model: string; prompt: number }>[] {
	const branch = readBranch(entries, "1.6");
	const replayer = new Replayer(piHost);
	for (const entry of branch) replayer.push(entry);
	return readLandings({
		branch,
		folds: replayer.folds,
		positionOf: (id) => replayer.steps.positionOf(id),
		replyAt: () => ({ model: "m", prompt: 1_000 }),
		knew: (reply, record) => record < reply,
		levelAt: () => undefined,
	});
}

const EFFECT: Effect = {
	removedTokens: 100,
	onceUsd: 0.5,
	perRequestTokens: 90,
	requestsToPay: 4,
	paid: null,
};

test("a landing stands between the last request without and the first one with it", () => {
	const session = new Chat().user().step("a").step("b").fold("e1", "e3", { predicted: EFFECT });
	const [landing, ...others] = landingsOf(session.reply().user().reply());
	assert.ok(landing);
	assert.deepEqual(others, []);
	assert.deepEqual([landing.before?.at, landing.after?.at], [3, 6]);
	assert.equal(landing.requestsSince, 1);
	assert.deepEqual(predictedOf(landing), EFFECT);
});

test("no request is compared with one before a context edit", () => {
	const session = new Chat().user().step("a").step("b").fold("e1", "e3");
	session.push({ type: "context_edit", targetId: "e4", replacement: null });
	const [landing] = landingsOf(session.reply());
	assert.ok(landing);
	assert.deepEqual([landing.before, landing.after?.at], [undefined, 7]);
});

test("a compaction that keeps nothing ends what every fold before it saves", () => {
	const session = new Chat().user().step("a").step("b").fold("e1", "e3").reply().user().reply();
	assert.equal(landingsOf(session)[0]?.requestsSince, 1);
	session.push({ type: "compaction", summary: "so far", tokensBefore: 9 });
	assert.equal(landingsOf(session.user().reply())[0]?.requestsSince, 1);
});

/** A session whose folds `aaaa` and `bbbb` are held. */
function holding(): Chat {
	const session = new Chat().user().step("a").step("b").step("c");
	for (const [id, from, to] of [
		["aaaa", "e1", "e3"],
		["bbbb", "e3", "e5"],
	] as const)
		session.fold(from, to, { id, held: true });
	return session.user().reply();
}

test("what was opened and shut while it was held counts as shut once it has landed, what is open as open", () => {
	const toggle = (session: Chat, kind: "open" | "shut", id: string) =>
		session.record(encode({ kind, id }));
	const since = (id: string, ...kinds: ("open" | "shut")[]) => {
		const session = holding();
		for (const kind of kinds) toggle(session, kind, id);
		session
			.record(encode({ kind: "land", ids: ["aaaa", "bbbb"] }))
			.user()
			.reply();
		return landingsOf(session.user().reply().user().reply())[0]?.requestsSince;
	};
	assert.equal(since("aaaa"), 2);
	assert.equal(since("aaaa", "open", "shut"), 2);
	assert.equal(since("aaaa", "shut"), 2);
	assert.equal(since("bbbb", "open"), 0);
	assert.equal(since("bbbb", "open", "open"), 0);
	assert.equal(since("ffff", "open"), 2, "no fold has this id");
});

test("what records expected of one landing is added up, and unknown where one does not know", () => {
	const predicted = (...effects: (Effect | null)[]) =>
		predictedOf({ parts: effects.map((effect) => ({ folds: [], predicted: effect })) });
	assert.equal(predicted(), null);
	assert.equal(predicted(null, null), null);
	assert.deepEqual(predicted(null, EFFECT, null), EFFECT);
	assert.deepEqual(predicted(EFFECT, { ...EFFECT, requestsToPay: 7 }), {
		removedTokens: 200,
		onceUsd: 1,
		perRequestTokens: 180,
		requestsToPay: 7,
		paid: null,
	});
	const unpriced = { ...EFFECT, onceUsd: null, requestsToPay: null };
	assert.deepEqual(predicted(EFFECT, unpriced, EFFECT), {
		removedTokens: 300,
		onceUsd: null,
		perRequestTokens: 270,
		requestsToPay: null,
		paid: null,
	});
});

/** What the next request takes. */
function replayed(entries: readonly SessionEntry[]): Replayer<PiMessage> {
	const replayer = new Replayer(piHost);
	for (const entry of readBranch(entries, "1.6")) replayer.push(entry);
	return replayer;
}

test("where usage is what is sent, a small refold is measured as it was weighed", () => {
	const summary = "The first step is done, and nothing came of it.";
	const call = {
		type: "toolCall",
		id: "f",
		name: "send_dmail",
		arguments: { fromStep: 1, summary },
	};
	for (const refolds of [false, true]) {
		const session = new Chat().user().step("a").step("b");
		if (refolds) session.fold("e1", "e5");
		session.reply(["f"]).amend({ content: [call] });
		const at = session.entries.length - 1;
		const prompts = new Map([[at, replayed(session.entries.slice(0, at)).size(true)]]);
		const to = session.entries[at]?.id ?? null;
		const record: FoldRecord = {
			...{ kind: "fold", v: 1, id: "abcd", fromEntryId: "e1", toEntryId: to, summary },
			...{ digest: "0", by: "model", callId: "f" },
		};
		const before = replayed(session.entries);
		const range = { from: 1, to: at };
		const weight = weigh(before, before.view({ asking: true }), { record, range }, piHost);
		session.fold("e1", to, record).result("f", "folded");
		prompts.set(session.entries.length, replayed(session.entries).size(true));
		const branch = readBranch(session.reply().entries, "1.6");
		const landings = readLandings({
			branch,
			folds: replayed(session.entries).folds,
			positionOf: (id) => branch.findIndex((entry) => entry.id === id),
			replyAt: (position) => {
				const prompt = prompts.get(position);
				return prompt === undefined ? undefined : { model: "m", prompt };
			},
			knew: (reply, record) => record < reply,
			levelAt: () => undefined,
		});
		const landing = landings.at(-1);
		assert.ok(landing?.before && landing.after);
		const measured = landing.before.reply.prompt + landing.grown - landing.after.reply.prompt;
		assert.ok(
			Math.abs(measured - (weight.replaced - weight.chip)) <= 2,
			`${measured} against ${weight.replaced - weight.chip}`,
		);
	}
});
