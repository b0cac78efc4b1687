// What pi's summariser is given and where it cuts, on what both hosts themselves prepare.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encode, foldContext, propose } from "../../fold.ts";
import { type Preparation, rewrite } from "../../src/pi/compaction-preparation.ts";
import { heldIn, replayLog } from "../../src/pi/log.ts";
import { chooseNet } from "../../src/pi/net-choice.ts";
import type { Generation } from "../../src/session/branch.ts";
import type { PiMessage } from "../../src/session/entry.ts";
import { piHost } from "../../src/session/message.ts";
import { recordedBranch, testRecorded } from "../session/recorded.ts";
import { Chat } from "../support/chat.ts";
import { compactionSettings, PREPARE } from "../support/host-compaction.ts";
import { logOf, randomChats } from "./random-chat.ts";

const GENERATIONS = ["0.73", "1.6"] as const;

interface Asked {
	readonly generation: Generation;
	readonly keep: number;
	readonly window?: number;
}

/** Prepares as the host does and rewrites that; `undefined` where the host has nothing to compact. */
function prepared(chat: Chat, { generation, keep, window }: Asked): Preparation | undefined {
	const preparation = PREPARE[generation](chat.entries, compactionSettings(keep));
	const log = logOf(chat, generation);
	if (preparation) rewrite(preparation, { log, lands: heldIn(log), window: window ?? null });
	return preparation;
}

function textOf(messages: readonly PiMessage[]): string[] {
	return messages.map((message) => {
		if (!("content" in message)) return message.role;
		if (typeof message.content === "string") return `${message.role}: ${message.content}`;
		const parts = (message.content ?? []).map((block) => {
			if (block.type === "text") return block.text;
			return block.type === "toolCall" ? block.name : block.type;
		});
		return `${message.role}: ${parts.join(" ")}`;
	});
}

const WHY = `I fold. ${"y".repeat(400)}`;

/** U1 · steps 1–3 · fold(1–3) by step 4 · U2 · steps 5–7, each with 500 tokens of output. */
function folded(): Chat {
	const out = (at: number) => `output ${at} ${"x".repeat(2_000)}`;
	const chat = new Chat().user("first");
	for (const at of [1, 2, 3]) chat.reply([`a${at}`]).result(`a${at}`, out(at));
	chat.reply(["f"]);
	const last = chat.entries.at(-1);
	if (last?.type === "message" && last.message.role === "assistant")
		Object.assign(last.message, {
			content: [
				{ type: "text", text: WHY },
				{ type: "toolCall", id: "f", name: "send_dmail", arguments: { fromStep: 1, summary: "s" } },
			],
		});
	chat.fold("e1", "e7", { callId: "f", summary: "all three are read", notes: ["Files read: a"] });
	chat.result("f", "Folded steps 1–3 as fold f008");
	const result = chat.entries.at(-1);
	if (result?.type === "message") Object.assign(result.message, { toolName: "send_dmail" });
	chat.user("second");
	for (const at of [5, 6, 7]) chat.reply([`b${at}`]).result(`b${at}`, out(at));
	return chat;
}

for (const generation of GENERATIONS) {
	test(`${generation}: a fold is read by its summary and notes, without what is ours`, () => {
		const asked = { generation, keep: 1_500 };
		const preparation = prepared(folded(), asked) ?? assert.fail();
		assert.equal(preparation.firstKeptEntryId, "e10", "the latest turn start that keeps enough");
		assert.deepEqual(textOf(preparation.messagesToSummarize), [
			"user: first",
			"assistant: all three are read\nFiles read: a",
			`assistant: ${WHY}`,
		]);
		assert.deepEqual([preparation.isSplitTurn, preparation.turnPrefixMessages], [false, []]);
	});

	test(`${generation}: a cut that would fall into a fold moves to its edge, and the turn is parted there`, () => {
		const preparation = prepared(folded(), { generation, keep: 1_600 }) ?? assert.fail();
		assert.equal(preparation.firstKeptEntryId, "e7", "right after the fold");
		assert.ok(preparation.isSplitTurn);
		assert.deepEqual(preparation.messagesToSummarize, []);
		assert.deepEqual(textOf(preparation.turnPrefixMessages), [
			"user: first",
			"assistant: all three are read\nFiles read: a",
		]);
	});

	test(`${generation}: a seam that would keep more than half the window gives way to a step's start`, () => {
		const chat = folded();
		const preparation = prepared(chat, { generation, keep: 600, window: 2_400 }) ?? assert.fail();
		assert.equal(preparation.firstKeptEntryId, "e13", "step 6: no seam keeps less than 1,200");
		assert.ok(preparation.isSplitTurn);
		assert.equal(textOf(preparation.turnPrefixMessages)[0], "user: second");
	});

	test(`${generation}: a seam that would keep more than twice what pi keeps gives way, whatever the window`, () => {
		for (const window of [undefined, 200_000]) {
			const asked = { generation, keep: 600, ...(window === undefined ? {} : { window }) };
			const preparation = prepared(folded(), asked) ?? assert.fail();
			assert.equal(preparation.firstKeptEntryId, "e13", "step 6: all seams keep 1,500 or more");
			assert.ok(preparation.isSplitTurn);
		}
	});

	test(`${generation}: where less is in view than pi keeps, a cut inside a fold moves to its end`, () => {
		const chat = folded().fold("e7", "e15", { summary: "two others too", keep: "e10" });
		const preparation = prepared(chat, { generation, keep: 1_000 }) ?? assert.fail();
		assert.equal(preparation.firstKeptEntryId, "e15");
		const { messagesToSummarize, turnPrefixMessages, fileOps } = preparation;
		const texts = textOf([...messagesToSummarize, ...turnPrefixMessages]).join("\n");
		assert.match(texts, /all three are read/);
		assert.match(texts, /two others too/);
		assert.deepEqual([...fileOps.read], []);
	});

	test(`${generation}: behind a fold of all there is nothing is kept, and its record is where the cut is`, () => {
		const chat = new Chat()
			.user("first")
			.step("a")
			.step("b")
			.compaction("e1")
			.step("c")
			.user("next");
		chat.step("d").fold("e1", null, { summary: "four are done" });
		const preparation = prepared(chat, { generation, keep: 200 }) ?? assert.fail();
		assert.deepEqual(textOf(preparation.messagesToSummarize), [
			"user: next",
			"assistant: four are done",
		]);
		assert.deepEqual([preparation.isSplitTurn, preparation.turnPrefixMessages], [false, []]);
		assert.equal(preparation.previousSummary, "so far");
		const { firstKeptEntryId } = preparation;
		assert.equal(firstKeptEntryId, chat.entries.at(-1)?.id);
		checkAfter(chat, generation, firstKeptEntryId);
		chat.compaction(firstKeptEntryId).user("third");
		const { messages, next } = viewOf(chat, generation);
		assert.deepEqual(
			messages.map(({ role }) => role),
			["compactionSummary", "user"],
		);
		assert.equal(next, 5, "steps are numbered as before");
		const [fold] = replayLog(logOf(chat, generation)).folds;
		assert.deepEqual([fold?.state, fold?.reason], ["skipped", "before the era"]);
	});

	test(`${generation}: a request that the last fold keeps is summed up only where nothing else can be`, () => {
		const chat = new Chat().user("first").step("a").user("the request").step("b");
		const keep = { summary: "two are done", keep: "e3" };
		const whole = new Chat(chat.entries).fold("e1", null, keep);
		const cutInside = { generation, keep: 100 };
		const preparation = prepared(whole, cutInside) ?? assert.fail();
		assert.equal(preparation.firstKeptEntryId, "e1", "at the fold's start");
		assert.deepEqual(textOf(preparation.turnPrefixMessages), ["user: first"]);
		const again = chat.compaction("e1").fold("e1", null, keep);
		const last = prepared(again, cutInside) ?? assert.fail();
		assert.equal(last.firstKeptEntryId, again.entries.at(-1)?.id);
		assert.deepEqual(textOf(last.messagesToSummarize), [
			"assistant: two are done",
			"user: the request",
		]);
	});

	test(`${generation}: where there is no place at all pi must not go on, and nothing is changed`, () => {
		const chat = new Chat().user("first").step("a").compaction("e1").step("b");
		chat.fold("e1", null).result("nobody asked");
		const preparation = PREPARE[generation](chat.entries, compactionSettings(100)) ?? assert.fail();
		const before = JSON.stringify(preparation);
		assert.equal(
			rewrite(preparation, { log: logOf(chat, generation), lands: [], window: null }),
			false,
		);
		assert.equal(JSON.stringify(preparation), before);
	});

	test(`${generation}: without a fold in view only what is ours is left out`, () => {
		const chat = new Chat().user("first");
		chat.step("a").custom("dmail.cut", "Fold step 1 now.").custom("plan", "a plan");
		chat.step("b").step("c").step("d").user("second").step("e");
		const own = PREPARE[generation](chat.entries, compactionSettings(200)) ?? assert.fail();
		const ours = prepared(chat, { generation, keep: 200 }) ?? assert.fail();
		assert.equal(ours.firstKeptEntryId, own.firstKeptEntryId);
		assert.equal(ours.isSplitTurn, own.isSplitTurn);
		const all = (one: Preparation) => [...one.messagesToSummarize, ...one.turnPrefixMessages];
		const isOurs = (text: string) => text.includes("Fold step 1 now.");
		assert.ok(textOf(all(own)).some(isOurs));
		assert.deepEqual(
			textOf(all(ours)),
			textOf(all(own)).filter((text) => !isOurs(text)),
		);
	});

	test(`${generation}: a summary that there was is never forgotten`, () => {
		const chat = new Chat().user("first").step("a").step("b").compaction("e1");
		chat.step("c").step("d").fold("e1", "e5").step("e").step("f").step("g").step("h");
		const preparation = prepared(chat, { generation, keep: 300 }) ?? assert.fail();
		assert.equal(preparation.previousSummary, "so far");
		if (generation === "0.73") assert.ok(preparation.messagesToSummarize.length > 0);
	});

	test(`${generation}: an edited message is read as it is sent`, {
		skip: generation === "0.73",
	}, () => {
		const chat = folded();
		const text = [{ type: "text", text: "redacted" }] as const;
		chat.entries.push({
			type: "context_edit",
			id: "edit",
			parentId: chat.entries.at(-1)?.id ?? null,
			timestamp: new Date().toISOString(),
			targetId: "e0",
			replacement: { content: text },
		});
		const preparation = prepared(chat, { generation, keep: 1_500 }) ?? assert.fail();
		assert.equal(textOf(preparation.messagesToSummarize)[0], "user: redacted");
	});
}

/** All laws of one rewritten preparation. */
function check(chat: Chat, asked: Asked): void {
	const before = JSON.stringify(chat.entries);
	const log = logOf(chat, asked.generation);
	const lands = heldIn(log);
	const preparation = prepared(chat, asked);
	assert.equal(JSON.stringify(chat.entries), before, "nothing stored changes");
	if (!preparation) return;
	const read = [...preparation.messagesToSummarize, ...preparation.turnPrefixMessages];
	if (read.length === 0) return;
	const replayer = replayLog(log);
	if (lands.length > 0)
		replayer.push({ id: "", kind: "record", record: { kind: "land", ids: lands } });
	if (replayer.visible.length === 0) return;
	const { sources } = replayer.view();
	const kept = replayer.steps.positionOf(preparation.firstKeptEntryId) ?? assert.fail();
	const chips = new Set(
		sources.flatMap((source) => (source.from === "chip" ? [source.fold.record.id] : [])),
	);
	const texts = textOf(read).join("\n");
	assert.doesNotMatch(texts, /<dmail|^\[step \d+\]$|send_dmail|read_dmail/m, "nothing of ours");
	for (const fold of replayer.visible) {
		assert.ok(!(fold.from < kept && kept < fold.to), "the cut parts no fold");
		const times = texts.split(`${fold.record.summary}\n`).length - 1;
		const ends = texts.endsWith(fold.record.summary) ? 1 : 0;
		// of a fold that was made after a compaction but lies before what it kept, nothing is in view
		const isShown = chips.has(fold.record.id);
		const expected = isShown && fold.from < kept ? 1 : 0;
		assert.equal(times + ends, expected, `fold ${fold.record.id} is told once`);
		for (let at = fold.from; at < fold.to; at++)
			assert.doesNotMatch(texts, new RegExp(`\\boutput ${at}\\b`), "no dropped detail");
	}
	checkAfter(chat, asked.generation, preparation.firstKeptEntryId);
}

/** After the compaction: no result without its call, and no folded text comes back. */
function checkAfter(chat: Chat, generation: Generation, firstKept: string): void {
	const before = viewOf(chat, generation);
	const after = viewOf(new Chat(chat.entries).compaction(firstKept), generation);
	const [, ...kept] = after.messages;
	assert.ok(size(kept) <= size(before.messages) + 20, "the live size never jumps up");
	const made = callIds(logOf(chat, generation).branch.flatMap(({ message }) => message ?? []));
	const calls = new Set<string>();
	for (const [index, message] of after.messages.entries()) {
		if (after.sources[index]?.from === "chip") continue;
		for (const id of callIds([message])) calls.add(id);
		// damage can leave a result whose call is nowhere
		if (message.role === "toolResult" && made.has(message.toolCallId))
			assert.ok(calls.has(message.toolCallId), "a result stands after its call");
	}
}

function callIds(messages: readonly PiMessage[]): Set<string> {
	const blocks = messages.flatMap((message) =>
		message.role === "assistant" && Array.isArray(message.content) ? message.content : [],
	);
	return new Set(blocks.flatMap((block) => (block.type === "toolCall" ? [block.id] : [])));
}

function viewOf(chat: Chat, generation: Generation) {
	return foldContext(logOf(chat, generation).branch, piHost, { asking: true });
}

function size(messages: readonly PiMessage[]): number {
	return messages.reduce((sum, message) => sum + piHost.tokens(message), 0);
}

/** At its end a session may be folded from some step on, while a run is live or not. */
const LAST_FOLDS = fc.option(fc.record({ one: fc.nat(), live: fc.boolean(), held: fc.boolean() }), {
	freq: 3,
});

for (const generation of GENERATIONS)
	test(`${generation}: whatever the session, the cut parts nothing and the summariser reads what is sent`, () => {
		fc.assert(
			fc.property(
				fc.tuple(randomChats(), LAST_FOLDS),
				fc.nat(3_000),
				fc.option(fc.nat(6_000)),
				([chat, last], keep, window) => {
					if (last) foldToTheEnd(chat, last);
					check(chat, { generation, keep, ...(window === null ? {} : { window }) });
				},
			),
			{ numRuns: 200 },
		);
	});

function foldToTheEnd(
	chat: Chat,
	{ one, live, held }: { one: number; live: boolean; held: boolean },
) {
	const replayer = replayLog(logOf(chat));
	const fromStep = 1 + (one % Math.max(1, replayer.steps.count));
	const proposal = propose(replayer, { fromStep, live });
	if (!proposal.ok) return;
	const { fromEntryId, toEntryId, keep } = proposal;
	chat.fold(fromEntryId, toEntryId, { ...(keep ? { keep } : {}), ...(held ? { held } : {}) });
}

testRecorded("a recorded session that a net has folded is compacted as it is sent", (file) => {
	const chat = new Chat(recordedBranch(file).branch);
	const log = logOf(chat);
	const next = size(viewOf(chat, "1.6").messages);
	const spare = next / 4;
	const bounds = { next, aim: next / 2, most: next, scale: 1, spare };
	const net = chooseNet(log, { ...bounds, lands: [], live: false });
	if (!net.ok) return;
	chat.record(encode(net.record));
	for (const generation of GENERATIONS)
		for (const keep of [spare / 2, spare * 2, next])
			check(chat, { generation, keep, window: next * 2 });
});
