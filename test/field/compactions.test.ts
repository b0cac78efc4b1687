// Compactions beside folds: what the newest one keeps counts and nothing else, no message falls between a
// summary and what is kept, and moving about in the tree never brings the wrong folds along.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { encode, foldContext, propose, type View } from "../../fold.ts";
import { OwnChecks } from "../../src/pi/compaction-cause.ts";
import { rewrite } from "../../src/pi/compaction-preparation.ts";
import { measurePressure } from "../../src/pi/compaction-pressure.ts";
import { Watch } from "../../src/pi/compaction-watch.ts";
import { Dmail } from "../../src/pi/dmail.ts";
import { foldNow } from "../../src/pi/folding.ts";
import { heldIn, replayLog } from "../../src/pi/log.ts";
import { castNet } from "../../src/pi/net.ts";
import { measure } from "../../src/profile/measure.ts";
import { type Generation, projection, readBranch } from "../../src/session/branch.ts";
import { blocksOf, type PiMessage, type SessionEntry } from "../../src/session/entry.ts";
import { piHost } from "../../src/session/message.ts";
import { readSource } from "../../src/session/source.ts";
import { SessionTree } from "../../src/session/tree.ts";
import { logOf } from "../pi/random-chat.ts";
import { Chat, sent } from "../support/chat.ts";
import { typeCommands } from "../support/fake-commands.ts";
import { fakePi } from "../support/fake-pi.ts";
import { compactionSettings, PREPARE } from "../support/host-compaction.ts";
import { scratch } from "../support/scratch.ts";

const GENERATIONS = ["0.73", "1.6"] as const;

function viewOf(entries: readonly SessionEntry[], generation: Generation = "1.6"): View<PiMessage> {
	return foldContext(readBranch(entries, generation), piHost);
}

/** All that messages say, as one text. */
function saidIn(messages: readonly PiMessage[]): string {
	return JSON.stringify(messages);
}

/** A turn: a request, a step with a call, an answer; each says its name and nothing else does. */
function turn(chat: Chat, n: number): Chat {
	const pad = "x".repeat(600);
	chat
		.user(`<u${n}>`)
		.reply([`c${n}`])
		.result(`c${n}`, `<r${n}> ${pad}`)
		.reply();
	const answer = chat.entries.at(-1);
	if (answer?.type === "message")
		Object.assign(answer.message, { content: [{ type: "text", text: `<a${n}> ${pad}` }] });
	return chat;
}

const namesOf = (text: string) => new Set(text.match(/<[ura]\d+>/g));

for (const generation of GENERATIONS)
	for (const folded of [false, true])
		test(`C01: ${generation}: ${folded ? "with a fold, " : ""}nothing that a compaction kept is missing from what the next one sums up`, () => {
			const chat = new Chat();
			for (let n = 1; n <= 3; n++) turn(chat, n);
			for (let n = 4; n <= 9; n += 2) {
				turn(turn(chat, n), n + 1);
				// its range: the request, the steps and the answer of the turn before the newest
				const from = chat.entries.length - 7;
				if (folded) chat.fold(`e${from}`, `e${from + 3}`, { summary: `<r${n}> <a${n}>` });
				const before = namesOf(saidIn(viewOf(chat.entries, generation).messages));
				const preparation = PREPARE[generation](chat.entries, compactionSettings(900));
				assert.ok(preparation);
				rewrite(preparation, { log: logOf(chat, generation), lands: [], window: null });
				const { messagesToSummarize, turnPrefixMessages, firstKeptEntryId } = preparation;
				assert.ok(messagesToSummarize.length + turnPrefixMessages.length > 0);
				chat.compaction(firstKeptEntryId);
				const kept = viewOf(chat.entries, generation).messages;
				const after = namesOf(saidIn([...messagesToSummarize, ...turnPrefixMessages, ...kept]));
				assert.deepEqual(
					[...before].filter((name) => !after.has(name)),
					[],
				);
			}
		});

test("C02: only the newest compaction's summary is in view, also where it keeps from before the older one", () => {
	const chat = turn(turn(new Chat(), 1), 2).compaction("e4");
	turn(chat, 3).compaction("e5");
	for (const generation of GENERATIONS) {
		const { messages, sources } = foldContext(
			readBranch(turn(chat, 4).entries, generation),
			piHost,
			{ marks: { folds: true, markers: false } },
		);
		assert.deepEqual(
			messages.map(({ role }) => role).filter((role) => role === "compactionSummary"),
			["compactionSummary"],
		);
		assert.deepEqual(sources[0], { from: "entry", at: 13 });
		assert.deepEqual([...namesOf(saidIn(messages))].slice(0, 2), ["<r2>", "<a2>"]);
		assert.deepEqual(
			messages,
			projection(chat.entries, generation).map(({ message }) => message),
		);
	}
});

/** Two branches from entry e3: what a summary was made of on one is attached to the other. */
function misattached(): SessionEntry[] {
	const chat = turn(turn(new Chat(), 1), 2);
	const other = { id: "b0", parentId: "e3", timestamp: "", type: "message" } as const;
	const message: PiMessage = { role: "user", content: "<u9>", timestamp: 9 };
	chat.entries.push({ ...other, message });
	chat.compaction("e5");
	return turn(chat, 3).entries;
}

for (const id of ["C02", "C04"])
	test(`${id}: a compaction that keeps from another branch shows its summary alone, and the profiler warns`, () => {
		const entries = misattached();
		const tree = new SessionTree<SessionEntry>();
		for (const [at, entry] of entries.entries()) tree.add(entry, at + 2);
		const branch = tree.branch();
		for (const generation of GENERATIONS) {
			const { messages } = viewOf(branch, generation);
			assert.equal(messages[0]?.role, "compactionSummary");
			assert.deepEqual([...namesOf(saidIn(messages))], ["<u3>", "<r3>", "<a3>"]);
		}
		const directory = scratch();
		const header = { type: "session", version: 3, id: "s", timestamp: "", cwd: "/" };
		const lines = [header, ...entries].map((one) => `${JSON.stringify(one)}\n`);
		writeFileSync(join(directory, "s.jsonl"), lines.join(""));
		const { profile } = measure(join(directory, "s.jsonl"));
		assert.deepEqual(
			profile?.session.problems.map(({ line }) => line),
			[11],
		);
		assert.match(profile?.session.problems[0]?.reason ?? "", /only its summary is shown/);
	});

test("C04: a fold is refused where its branch was left while the summary was written", async () => {
	const chat = turn(turn(new Chat(), 1), 2);
	const run = typeCommands(chat.entries, { answers: ["step 1", "step 2", "I write"] });
	const { ctx, entries } = run.fake;
	const written = () => {
		// somewhere else in the tree: steps 1 and 2 are other ones there
		const other = turn(turn(new Chat(), 7), 8).entries;
		const moved = other.map((entry, at) => ({
			...entry,
			id: `o${at}`,
			parentId: at ? `o${at - 1}` : null,
		}));
		entries.splice(0, entries.length, ...moved);
		return Promise.resolve("what steps 1 and 2 did");
	};
	Object.assign(ctx.ui, { editor: written });
	assert.match(await run.run("/dmail fold"), /refused: .*nothing was folded/);
	assert.ok(!entries.some((entry) => entry.type === "custom"));
});

test("C04: a call whose own reply is on another branch folds nothing on this one", () => {
	const { pi, ctx, entries } = fakePi(turn(turn(new Chat(), 1), 2).entries);
	const wish = { fromStep: 1, callId: "elsewhere", live: true };
	const asked = { wish, summary: "both turns", by: "model", timing: "now" } as const;
	const made = foldNow(pi, ctx, asked);
	assert.ok(!made.ok);
	assert.match(made.reason, /^nothing was folded: the branch/);
	assert.ok(!entries.some((entry) => entry.type === "custom"));
	assert.ok(foldNow(pi, ctx, { ...asked, wish: { ...wish, callId: "c2" } }).ok);
});

test("C05: stepping back to any older leaf gives the folds as they were there, past compactions too", () => {
	const chat = turn(turn(new Chat(), 1), 2).fold("e1", "e4");
	turn(chat, 3).compaction("e5");
	turn(chat, 4).fold("e5", "e8");
	turn(chat, 5).compaction("e15");
	const whole = turn(chat, 6).entries;
	const tree = new SessionTree<SessionEntry>();
	const views: View<PiMessage>[] = [];
	for (const [at, entry] of whole.entries()) {
		tree.add(entry, at + 2);
		views.push(viewOf(tree.branch()));
	}
	assert.ok(views.some(({ sources }) => sources.some(({ from }) => from === "chip")));
	for (const [at, view] of views.entries())
		assert.deepEqual(viewOf(tree.branch(`e${at}`)).messages, view.messages, `at e${at}`);
});

test("C07: where there is nothing to fold it is refused, and sizes are those of what is there", async () => {
	const empty = typeCommands(new Chat().user("hello").entries);
	assert.match(await empty.run("/dmail fold 1 -- x"), /refused: .*nothing can be folded/);
	assert.match(await empty.run("/dmail net"), /refused: /);
	const short = typeCommands(turn(new Chat(), 1).entries);
	const refused = await short.run(`/dmail fold 1 1 -- ${"long ".repeat(400)}`);
	const [, chip, replaced] = /~(\d+) tokens.*, instead of ~(\d+);/.exec(refused) ?? [];
	const { branch } = logOf(turn(new Chat(), 1));
	const own = [1, 2].reduce((sum, at) => sum + (branch[at]?.tokens ?? 0), 0);
	assert.ok(Math.abs(Number(replaced) - own) < 10, refused);
	assert.ok(Number(chip) > 500, refused);
});

for (const generation of GENERATIONS)
	test(`C07: ${generation}: with a fold in view a summariser is never handed an empty conversation, however short it is`, () => {
		for (let turns = 1; turns <= 8; turns++)
			for (const keep of [100, 500, 1_500, 20_000]) {
				const chat = new Chat();
				for (let n = 1; n <= turns; n++) turn(chat, n);
				chat.fold("e1", "e4").user("go on");
				const preparation = PREPARE[generation](chat.entries, compactionSettings(keep));
				if (!preparation) continue;
				rewrite(preparation, { log: logOf(chat, generation), lands: [], window: null });
				const { messagesToSummarize: history, turnPrefixMessages: prefix } = preparation;
				assert.ok(history.length + prefix.length > 0, `${turns} turns, ${keep} kept`);
			}
	});

test("C07: a record of ours after a compaction is no reason to compact once more, where there is nothing to sum up", async () => {
	const chat = turn(turn(new Chat(), 1), 2).fold("e1", "e4", { held: true }).compaction("e4");
	const compact = async (one: Chat) => {
		const { pi, ctx, notices } = fakePi(one.entries);
		const preparation = PREPARE["0.73"](one.entries, compactionSettings(20_000));
		if (!preparation) return "refused by pi";
		const watch = new Watch(pi, new Dmail(pi), new OwnChecks());
		return { answer: watch.answer({ preparation, reason: "manual" }, ctx), notices };
	};
	assert.equal(await compact(chat), "refused by pi");
	const landed = await compact(chat.record(encode({ kind: "land", ids: ["f008"] })));
	assert.ok(typeof landed === "object");
	assert.deepEqual(landed.answer, { cancel: true });
	assert.match(landed.notices[0]?.text ?? "", /has compacted already, and nothing came in since/);
	const later = await compact(chat.user("go on"));
	assert.ok(typeof later === "object" && later.answer === undefined, "then it is pi's to decide");
});

test("C08: right after a compaction the size of what it kept decides, not that there was one", () => {
	const chat = new Chat();
	for (let n = 1; n <= 50; n++) chat.user().step(`c${n}`).entries.at(-1);
	for (const entry of chat.entries)
		if (entry.type === "message" && entry.message.role === "toolResult")
			Object.assign(entry.message, { content: [{ type: "text", text: "x".repeat(20_000) }] });
	const log = logOf(chat.compaction("e0"));
	const { ctx } = typeCommands(chat.entries).fake;
	const pressure = measurePressure(log, heldIn(log));
	assert.ok(pressure.next > 250_000, `${pressure.next}`);
	const bounds = { lands: [], pressure, window: 200_000, limit: 183_000, ctx };
	const net = castNet(log, bounds);
	assert.ok(net.ok && net.next < 183_000);
	assert.ok(propose(replayLog(log), { fromStep: 1, live: true }).ok, "the model may fold, too");
});

test("C10: a list that is not the stored branch's is sent as it is, by what is in hand", () => {
	const chat = new Chat().user("first").step("a").step("b").fold("e1", "e3").user("second");
	const list = chat.step("c").list("0.73");
	const summary = { id: "b1", parentId: "e0", timestamp: "", fromId: "e0" };
	const moved: SessionEntry[] = [
		...chat.entries.slice(0, 1),
		{ type: "branch_summary", summary: "what was left", ...summary },
	];
	const { messages, sources } = sent(moved, list, "0.73");
	assert.ok(
		sources.every(({ from }) => from !== "chip"),
		"folds of the branch that was left",
	);
	const first = (message: PiMessage) => blocksOf("content" in message ? message.content : [])[0];
	assert.deepEqual(
		messages.map((message) => [message.role, first(message)]),
		list.map((message) => [message.role, first(message)]),
	);
});

test("C11: what a compaction and a branch summary said is read back in its place, and what is out of view is named", () => {
	const chat = turn(new Chat(), 1);
	const left = { id: chat.next, parentId: "e3", timestamp: "", fromId: "e3" };
	chat.entries.push({ type: "branch_summary", summary: "<what was left>", ...left });
	turn(chat, 2).compaction("e5");
	turn(chat, 3).fold("e1", "e13");
	const { entries } = chat;
	const log = logOf(chat);
	const record = replayLog(log).folds[0]?.record;
	assert.ok(record);
	for (const reader of ["person", "model"] as const) {
		const source = readSource({ record, branch: entries, reader });
		assert.ok(source.ok);
		const places = ["<r1>", "<what was left>", "<r2>", "so far", "<r3>"].map((words) =>
			source.text.indexOf(words),
		);
		assert.deepEqual(
			places,
			[...places].sort((a, b) => a - b),
		);
		assert.ok(places.every((at) => at > 0));
	}
	const late = logOf(turn(chat, 4).compaction("e14"));
	const [fold] = replayLog(late).folds;
	assert.deepEqual([fold?.state, fold?.reason], ["skipped", "before the era"]);
});
