import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
	encode,
	foldContext,
	type Range,
	type Replayer,
	SUMMARY_LIMIT,
	type View,
} from "../../fold.ts";
import { readFolds } from "../../src/pi/keep-read.ts";
import { heldIn, type Log, replayLog, sha256 } from "../../src/pi/log.ts";
import { chooseNet, type Net, type NetWish } from "../../src/pi/net-choice.ts";
import type { PiMessage, SessionEntry } from "../../src/session/entry.ts";
import { piHost } from "../../src/session/message.ts";
import { readSource } from "../../src/session/source.ts";
import { recordedBranch, testRecorded } from "../session/recorded.ts";
import { cases } from "../support/cases.ts";
import { Chat } from "../support/chat.ts";
import { logOf, randomChats } from "./random-chat.ts";

function size(messages: readonly PiMessage[]): number {
	return messages.reduce((sum, message) => sum + piHost.tokens(message), 0);
}

function viewOf({ branch }: Log): View<PiMessage> {
	return foldContext(branch, piHost, { asking: true });
}

/** The branch as it is once some record was appended. */
function withRecord(log: Log, record: Parameters<typeof encode>[0]): Log {
	const chat = new Chat(log.stored).record(encode(record));
	return logOf(chat, log.generation);
}

/** The held folds landed, as they do before a net is chosen. */
function landed(log: Log): Log {
	const ids = heldIn(log);
	return ids.length > 0 ? withRecord(log, { kind: "land", ids }) : log;
}

function wish(log: Log, more: Partial<NetWish> = {}): NetWish {
	const next = size(viewOf(landed(log)).messages);
	const lands = heldIn(log);
	return { lands, next, scale: 1, aim: 0, most: Infinity, spare: 500, live: true, ...more };
}

function cast(log: Log, more: Partial<NetWish> = {}): Net {
	const net = chooseNet(log, wish(log, more));
	if (!net.ok) throw new Error(net.reason);
	return net;
}

/** A session of steps with 500 tokens of output each; a user's message before every fifth. */
function steps(count: number): Chat {
	const chat = new Chat();
	for (let step = 1; step <= count; step++) {
		if (step % 5 === 1) chat.user(`request ${step}`);
		chat.reply([`c${step}`]).result(`c${step}`, `output ${step} ${"x".repeat(2_000)}`);
	}
	return chat;
}

test("the net folds as many of the oldest steps as the aim needs, and no more", () => {
	const log = logOf(steps(20));
	const all = cast(log);
	assert.deepEqual([all.fromStep, all.toStep], [1, 19], "the newest 500 tokens are left alone");
	const half = cast(log, { aim: 5_500 });
	assert.ok(half.next <= 5_500 && half.next > 4_900, `${half.next}`);
	assert.equal(half.fromStep, 1);
	assert.ok(half.toStep < 12, `${half.toStep}`);
	const record = half.record;
	assert.deepEqual([record.by, record.held, record.lands], ["auto", undefined, undefined]);
});

test("it frees what it promises to the token", () => {
	const log = logOf(steps(20));
	const net = cast(log, { aim: 5_500 });
	const before = size(viewOf(log).messages);
	assert.equal(size(viewOf(withRecord(log, net.record)).messages), before - net.freed);
	assert.equal(net.next, before - net.freed);
});

test("where it cannot free enough there is none, and the reason says how much would be left", () => {
	const log = logOf(steps(20));
	const net = chooseNet(log, wish(log, { most: 600 }));
	assert.ok(!net.ok);
	assert.match(net.reason, /^folding would leave ~\d+ tokens, more than 600$/);
});

test("where there is nothing to fold the reason says what is left alone, and how much there is", () => {
	const reasonFor = (log: Log, spare: number) => {
		const net = chooseNet(log, wish(log, { spare }));
		return net.ok ? assert.fail() : net.reason;
	};
	assert.equal(
		reasonFor(logOf(steps(3)), 20_000),
		"no finished step that may be folded lies before the newest ~20k tokens, which are left alone; the conversation has ~1.5k in all",
	);
	assert.match(
		reasonFor(logOf(new Chat().user("hi").step("a").step("b")), 10),
		/^before the newest ~10 tokens, which are left alone, step 1 takes ~\d+, and a record of them would take no fewer$/,
	);
});

test("where the newest messages reach back to a compaction, all that it kept is left alone", () => {
	const chat = steps(6);
	chat.compaction(chat.entries[3]?.id ?? "").step("after");
	const log = logOf(chat);
	const { messages } = viewOf(log);
	const kept = size(messages.slice(1));
	assert.equal(messages[0]?.role, "compactionSummary");
	for (const spare of [kept, kept + 1, kept + 1_000])
		assert.deepEqual(chooseNet(log, wish(log, { spare })).ok, false, `${spare - kept} more`);
	assert.equal(cast(log, { spare: kept - 600 }).toStep, 2);
});

test("of the stretches between pins and open folds the one that frees most is taken", () => {
	const chat = steps(20);
	const log = logOf(chat);
	const at = (step: number) => log.stored[replayLog(log).steps.positionOfStep(step) ?? 0]?.id ?? "";
	chat.record(encode({ kind: "pin", fromEntryId: at(4), toEntryId: at(5) }));
	chat.fold(at(13), at(15));
	const id = chat.entries.at(-1)?.type === "custom" ? heldOrAny(logOf(chat)) : "";
	chat.record(encode({ kind: "open", id }));
	const net = cast(logOf(chat));
	assert.deepEqual([net.fromStep, net.toStep], [5, 12]);
});

function heldOrAny(log: Log): string {
	return replayLog(log).folds.at(-1)?.record.id ?? "";
}

test("the live request inside it is kept; an answered one is quoted", () => {
	const log = logOf(steps(20));
	const net = cast(log);
	const view = viewOf(withRecord(log, net.record));
	assert.equal(net.record.keep, log.stored.findLast((entry) => isUser(entry))?.id);
	const texts = view.messages.map((message) => JSON.stringify(message));
	assert.ok(texts.some((text) => text.startsWith('{"role":"user"') && text.includes("request 16")));
	const chip = texts.find((text) => text.includes("<dmail")) ?? "";
	for (const step of [6, 11]) assert.match(chip, new RegExp(`request ${step}\\b`));
	assert.doesNotMatch(chip, /request 16\b/);
});

function isUser(entry: SessionEntry): boolean {
	return entry.type === "message" && entry.message.role === "user";
}

test("summaries of the model stay word for word, and one too many ends the stretch before it", () => {
	const chat = steps(30);
	const log = logOf(chat);
	const at = (step: number) => log.stored[replayLog(log).steps.positionOfStep(step) ?? 0]?.id ?? "";
	const long = (mark: string) => `${mark} ${"word ".repeat(1_900)}`;
	for (const [from, to] of [
		[2, 5],
		[8, 11],
		[14, 17],
	] as const)
		chat.fold(at(from), at(to), { summary: long(`S${from}`) });
	const net = cast(logOf(chat));
	assert.ok(net.record.summary.includes(long("S2")));
	assert.ok(net.record.summary.includes(long("S8")));
	assert.ok(net.record.summary.length <= SUMMARY_LIMIT);
	assert.equal(net.toStep, 13);
});

test("held folds land with it, in its one record", () => {
	const chat = steps(20);
	const log = logOf(chat);
	const at = (step: number) => log.stored[replayLog(log).steps.positionOfStep(step) ?? 0]?.id ?? "";
	chat.fold(at(2), at(4), { held: true, summary: "two and three" });
	const id = heldOrAny(logOf(chat));
	const net = cast(logOf(chat));
	assert.deepEqual(net.record.lands, [id]);
	assert.ok(net.record.summary.includes("two and three"));
	const { folds } = replayLog(withRecord(logOf(chat), net.record));
	assert.deepEqual(
		folds.map(({ state }) => state),
		["absorbed", "landed"],
	);
});

test("a second and a third net over the first stay one fold, and every byte stays readable", () => {
	const chat = steps(20);
	for (let round = 0; round < 3; round++) {
		const net = cast(logOf(chat));
		chat.record(encode(net.record));
		for (let step = 0; step < 10; step++) chat.step(`r${round}-${step}`);
	}
	const log = logOf(chat);
	const replayer = replayLog(log);
	assert.deepEqual(
		replayer.folds.map(({ state }) => state),
		["absorbed", "absorbed", "landed"],
	);
	assert.equal(replayer.visible.length, 1);
	for (const { record } of replayer.folds) {
		const source = readSource({ record, branch: log.stored, reader: "person", hash: sha256 });
		assert.ok(source.ok && source.verified === true, record.id);
		assert.ok(source.text.includes("output 3 "));
		const reading = readFolds(log, replayer, { fold: record.id, query: "output 3" });
		assert.ok(reading.ok && reading.text.includes("output 3 "), "read_dmail finds it");
	}
	const [outer] = replayer.visible;
	const chip = viewOf(log).messages.find((message) => message.role === "custom");
	assert.match(JSON.stringify(chip), /Not your words.*/);
	assert.ok(JSON.stringify(chip).includes(`read_dmail({\\"fold\\":\\"${outer?.record.id}\\"})`));
});

/** All that holds of a net, or of a refusal. */
function check(log: Log, more: Partial<NetWish>): void {
	const stored = JSON.stringify(log.stored);
	const asked = wish(log, more);
	const net = chooseNet(log, asked);
	assert.equal(JSON.stringify(log.stored), stored);
	if (!net.ok) return;
	const before = landed(log);
	const after = withRecord(log, net.record);
	const views = { before: viewOf(before), after: viewOf(after) };
	const freed = size(views.before.messages) - size(views.after.messages);
	assert.ok(Math.abs(asked.scale * freed - net.freed) < 1e-6, "it frees what it promised");
	assert.ok(net.freed > 0 && net.next <= asked.most);
	assert.ok(net.record.summary.length <= SUMMARY_LIMIT);
	const replayer = replayLog(after);
	const fold = replayer.find(net.record.id) ?? assert.fail();
	assert.equal(fold.state, "landed");
	for (const pin of replayer.pins) assert.ok(pin.to <= fold.from || fold.to <= pin.from, "pins");
	const opened = (one: Replayer<PiMessage>) => one.folds.filter(({ state }) => state === "open");
	assert.equal(opened(replayer).length, opened(replayLog(before)).length, "open folds stay open");
	checkBytes(views, fold);
	if (asked.live) checkLive(replayer, fold);
	checkSpare(views, asked.spare);
	checkComplete(after, views.after, replayer);
}

/** Law 4: nothing before its range changes. What a compaction leads the view with is before it, too. */
function checkBytes(views: { before: View<PiMessage>; after: View<PiMessage> }, fold: Range): void {
	for (const [index, source] of views.before.sources.entries()) {
		const message = views.before.messages[index];
		const at = source.from === "entry" ? source.at : source.from === "chip" ? source.fold.from : -1;
		if (at >= fold.from && message?.role !== "compactionSummary") break;
		assert.deepEqual(views.after.messages[index], message);
	}
}

/** A reply whose calls are being answered, by the user's last word on: the net never takes it. */
function checkLive({ steps }: Replayer<PiMessage>, fold: Range): void {
	const { newest, user } = steps;
	if (newest >= 0 && steps.openCalls(newest) > 0 && user < newest)
		assert.ok(fold.to <= newest, "the step in progress");
}

/** The newest messages are where they were; only what their calls point at may read otherwise. */
function checkSpare(
	views: { before: View<PiMessage>; after: View<PiMessage> },
	spare: number,
): void {
	let tokens = 0;
	for (let back = 1; tokens < spare && back <= views.before.messages.length; back++) {
		const message = views.before.messages.at(-back);
		const now = views.after.messages.at(-back);
		tokens += message ? piHost.tokens(message) : 0;
		assert.equal(now?.role, message?.role);
		if (message?.role !== "assistant") assert.deepEqual(now, message);
	}
}

/** Laws 5, 7 and 8: pairs stay together, nothing vanishes, and the user is heard. */
function checkComplete(log: Log, view: View<PiMessage>, replayer: Replayer<PiMessage>): void {
	const shown = new Set(view.sources.flatMap((one) => (one.from === "entry" ? [one.at] : [])));
	const { steps } = replayer;
	const chips = JSON.stringify(view.messages.filter((message) => message.role === "custom"));
	for (let at = steps.era.start; at < log.branch.length; at++) {
		const entry = log.branch[at];
		if (entry?.message === undefined || at === steps.era.compaction) continue;
		if (entry.kind === "compaction") continue;
		const covers = replayer.visible.filter((fold) => fold.from <= at && at < fold.to);
		const call = steps.answeredBy(at);
		const underCall = replayer.visible.some((fold) => fold.from <= call && call < fold.to);
		assert.ok(
			shown.has(at) !== (covers.length === 1 || underCall) || isKept(replayer, at),
			`${at}`,
		);
		if (entry.kind !== "user" || shown.has(at)) continue;
		const words = piHost.words(entry.message) ?? "";
		const begin = JSON.stringify(words.slice(0, 400)).slice(1, -1);
		assert.ok(chips.includes(begin), `the user's words at ${at}`);
	}
	for (const at of shown) {
		const call = steps.answeredBy(at);
		if (call >= steps.era.start) assert.ok(shown.has(call), `result ${at} without its call`);
	}
}

function isKept(replayer: Replayer<PiMessage>, at: number): boolean {
	return replayer.visible.some((fold) => {
		const keep = replayer.steps.positionOf(fold.record.keep ?? "") ?? -1;
		return fold.from <= at && at < fold.to && keep >= 0 && at >= keep;
	});
}

const ASKED = fc.record({
	aim: fc.nat(6_000),
	most: fc.oneof(fc.constant(Infinity), fc.nat(8_000)),
	spare: fc.nat(1_500),
	scale: fc.constantFrom(1, 0.7),
	live: fc.boolean(),
});

const NET_LAWS = fc.property(randomChats(60), ASKED, (chat, asked) => check(logOf(chat), asked));

test("whatever the session: a net keeps the laws and frees what it promised, or there is none", () => {
	fc.assert(NET_LAWS, cases());
});

testRecorded(
	"a net over a recorded session keeps the laws, and reaches its aim or takes all",
	(file) => {
		const { branch } = recordedBranch(file);
		const log = logOf(new Chat(branch));
		const whole = size(viewOf(log).messages);
		const asked = { aim: whole / 2, spare: Math.min(20_000, whole / 4) };
		check(log, asked);
		const net = chooseNet(log, wish(log, asked));
		if (net.ok && net.next > asked.aim)
			assert.equal(net.toStep, cast(log, { ...asked, aim: 0 }).toStep);
	},
);
