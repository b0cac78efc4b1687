// Numbers of a request that went out before something changed what is sent: they say nothing of what came after.

import assert from "node:assert/strict";
import { test } from "node:test";
import { badgeText } from "../../src/pi/badge.ts";
import { measurePressure } from "../../src/pi/compaction-pressure.ts";
import { landingsOf } from "../../src/pi/landing.ts";
import { replayLog } from "../../src/pi/log.ts";
import { savedBy } from "../../src/pi/saving.ts";
import { Intake } from "../../src/profile/intake.ts";
import { tapeOf } from "../../src/profile/what-if-tape.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { logOf } from "../pi/random-chat.ts";
import { Chat } from "../support/chat.ts";
import { typeCommands } from "../support/fake-commands.ts";
import { profileOf, rowsOf } from "./profiled.ts";

const OUTPUT = "x".repeat(40_000);

/**
 * Gives the newest reply a usage, and the time when it was asked for: so many entries before its own. What the
 * request before it had comes from the cache, where it is that one and more.
 */
function measured(chat: Chat, prompt: number, askedBefore = 0): Chat {
	const entry = chat.entries.at(-1);
	if (entry?.type !== "message") throw new Error("the newest entry is no reply");
	const before = chat.entries.map(promptOf).findLast((one) => one > 0) ?? 0;
	const cacheRead = before <= prompt ? before : 500;
	const sizes = { input: 0, output: 10, cacheRead, cacheWrite: prompt - cacheRead };
	const usage = { ...sizes, totalTokens: prompt + 10 };
	const timestamp = entry.message.timestamp - 1_000 * askedBefore;
	const message = { ...entry.message, usage, timestamp };
	chat.entries[chat.entries.length - 1] = { ...entry, message } as SessionEntry;
	return chat;
}

function promptOf(entry: SessionEntry): number {
	const message = entry.type === "message" ? entry.message : undefined;
	const usage = message?.role === "assistant" ? message.usage : undefined;
	return usage ? usage.cacheRead + usage.cacheWrite : 0;
}

/** Six steps of 10,000 tokens each, the prompt of every reply measured as a provider would. */
function worked(): Chat {
	const chat = new Chat().user();
	for (let n = 0; n < 6; n++)
		measured(chat.reply([`c${n}`]), 1_000 + 10_000 * n).result(`c${n}`, OUTPUT);
	return chat;
}

/** The user folds the first five steps while a seventh reply is on its way, or right before it is asked for. */
function foldedInFlight(isLate: boolean): Chat {
	const chat = worked().fold("e1", "e11", { by: "user" });
	measured(chat.reply(["d"]), isLate ? 61_000 : 11_500, isLate ? 1.5 : 0).result("d", OUTPUT);
	return measured(chat.reply(), 21_500);
}

test("U17: the profiler takes a fold to be sent with the first request that knew it", () => {
	for (const [isLate, first] of [
		[true, 8],
		[false, 7],
	] as const) {
		const profile = profileOf(foldedInFlight(isLate).entries);
		const [fold] = profile.folds;
		assert.equal(fold?.firstRequest, first);
		const rows = rowsOf(profile);
		assert.deepEqual(
			rows.map(({ folds }) => folds),
			isLate ? [0, 0, 0, 0, 0, 0, 0, 1] : [0, 0, 0, 0, 0, 0, 1, 1],
		);
		assert.ok(rows.every(({ unfolded }) => !unfolded));
		const [before, after] = rows.slice(first - 2).map((row) => row.rawTokens - row.foldedTokens);
		assert.ok((before ?? 1) <= 0 && (after ?? 0) > 45_000, `${before}, ${after}`);
		const removed = fold?.measured?.perRequestTokens ?? 0;
		assert.ok(removed > 45_000 && removed < 55_000, `${removed}`);
		const causes = rows.map(({ miss }) => miss.map(({ cause }) => cause).join());
		assert.equal(causes.indexOf("fold"), first - 1, causes.join());
	}
});

test("U17: so does what the extension tells of a landing", () => {
	for (const isLate of [true, false]) {
		const log = logOf(foldedInFlight(isLate));
		const [landing] = landingsOf(log, replayLog(log));
		assert.equal(log.stored[landing?.after?.at ?? -1]?.id, isLate ? "e16" : "e14");
		assert.equal(log.stored[landing?.before?.at ?? -1]?.id, isLate ? "e14" : "e11");
	}
});

test("U17: a fold that landed while the last reply was on its way is not in that reply's measure", () => {
	const late = worked().fold("e1", "e11", { by: "user" });
	measured(late.reply(), 61_000, 1.5);
	const { landed, next } = measurePressure(logOf(late), []);
	assert.ok(landed > 45_000 && landed < 55_000, `${landed}`);
	assert.ok(next < 16_000, `${next}`);
	const before = worked().fold("e1", "e11", { by: "user" });
	measured(before.reply(), 11_500);
	assert.equal(measurePressure(logOf(before), []).landed, 0);
});

test("U17: a prompt that was asked for before a compaction says nothing of the context after it", () => {
	const chat = worked().compaction("e11");
	measured(chat.reply(), 61_000, 1.5).user();
	const { counted, next } = measurePressure(logOf(chat), []);
	assert.ok(next < 16_000 && counted < 16_000, `${counted}, ${next}`);
	const rows = rowsOf(profileOf(measured(chat.reply(), 12_000).entries));
	assert.ok((rows.at(-2)?.rawTokens ?? 0) > 55_000);
	assert.ok((rows.at(-1)?.rawTokens ?? 0) < 15_000);
	assert.deepEqual(
		rows.slice(-2).map(({ miss }) => miss.map(({ cause }) => cause).includes("compaction")),
		[false, true],
	);
});

test("U17: what-if plays a compaction from the first request that knew it", () => {
	for (const isLate of [true, false]) {
		const chat = worked().compaction("e11");
		measured(chat.reply(), isLate ? 61_000 : 12_000, isLate ? 1.5 : 0).user();
		const { entries } = measured(chat.reply(), 12_500);
		const intake = new Intake();
		for (const [i, entry] of entries.entries()) intake.entry(entry, i + 2);
		const tape = tapeOf(
			intake,
			entries.map(() => 1),
		);
		const newest = tape.requests.slice(-2);
		assert.deepEqual(
			newest.map(({ compacted }) => compacted),
			isLate ? [false, true] : [true, false],
		);
		assert.deepEqual(
			newest.map(({ from }) => from > 0),
			[!isLate, true],
		);
		assert.deepEqual(
			newest.map(({ prompt }) => Math.round(prompt)),
			[isLate ? 61_000 : 12_000, 12_500],
		);
	}
});

test("U17: a landing is compared across a compaction only where its reply was asked for before that", () => {
	for (const isLate of [true, false]) {
		const chat = worked().fold("e1", "e11", { by: "user" }).compaction("e9");
		measured(chat.reply(), 11_500, isLate ? 1.5 : 0).user();
		measured(chat.reply(), 12_000);
		const log = logOf(chat);
		const [landing] = landingsOf(log, replayLog(log));
		assert.equal(landing?.before?.at, isLate ? 11 : undefined);
		assert.equal(landing?.after?.at, 15);
		assert.equal(profileOf(chat.entries).folds[0]?.measured === null, !isLate);
	}
});

test("U17: where the clock cannot be trusted the order of the file counts", () => {
	const entries = foldedInFlight(true).entries.map((entry) =>
		entry.type === "message" ? { ...entry, message: { ...entry.message, timestamp: 1 } } : entry,
	);
	assert.equal(profileOf(entries as SessionEntry[]).folds[0]?.firstRequest, 7);
});

test("U18: after a compaction nothing is shown that was measured or saved before it", async () => {
	const chat = worked().fold("e1", "e11", { by: "user" });
	measured(chat.reply(), 11_500);
	const saved = () => {
		const log = logOf(chat);
		const replayer = replayLog(log);
		return savedBy({ log, replayer }, replayer.view());
	};
	assert.match(badgeText({ enabled: true, saved: saved(), failed: false }), /^D-MAIL ON −50k$/);
	chat.compaction(chat.next);
	assert.equal(badgeText({ enabled: true, saved: saved(), failed: false }), "D-MAIL ON");
	const status = await typeCommands(chat.user().entries).run("/dmail status");
	assert.match(status, /next request: ~\d\d tokens /);
	assert.doesNotMatch(status, /11\.5k|12k|50k/);
});
