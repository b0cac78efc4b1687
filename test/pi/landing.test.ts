// Landings read from a session: which request went out with which folds, predicted beside measured, and what
// the tokens that it read from the cache teach about older entries.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { encode, type Fold, type FoldRecord, type LandRecord, weigh } from "../../fold.ts";
import { landingsOf, learnedCache, measure, type PiLanding } from "../../src/pi/landing.ts";
import { readLog, replayLog } from "../../src/pi/log.ts";
import { type Market, marketOf } from "../../src/pi/price-market.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { piHost } from "../../src/session/message.ts";
import { estimateText } from "../../src/session/size.ts";
import { fakePi, PRICED } from "../support/fake-pi.ts";
import {
	call,
	compaction,
	type Draft,
	record,
	reply,
	result,
	session,
	user,
} from "../support/session-entries.ts";

/** Tokens of a request as the provider counted them: read from the cache, written to it. */
type Counted = readonly [cacheRead: number, cacheWrite: number];

/** A reply with this usage; `model` where it is another one's. */
function asked(id: string, [cacheRead, cacheWrite]: Counted, model = "m"): Draft {
	const usage = { input: 0, output: 10, cacheRead, cacheWrite };
	return (at) => {
		const entry = reply("", call(id, "bash", {}))(at);
		if (entry.type !== "message" || entry.message.role !== "assistant") return assert.fail();
		return { ...entry, message: { ...entry.message, usage, model } };
	};
}

const answered = (id: string) => result(id, "word ".repeat(400));

function fold(
	id: string,
	[from, to]: readonly [number, number],
	more: Partial<FoldRecord> = {},
): Draft {
	const { customType, data } = encode({
		...{ kind: "fold", v: 1, id, fromEntryId: `e${from}`, toEntryId: `e${to}` },
		...{ summary: "s".repeat(400), digest: "0", by: "model", ...more },
	});
	return record(customType, data);
}

function land(ids: readonly string[], predicted?: LandRecord["predicted"]): Draft {
	const { customType, data } = encode({ kind: "land", ids, predicted });
	return record(customType, data);
}

const turned = (kind: "open" | "shut" | "drop", id: string) => {
	const { customType, data } = encode({ kind, id });
	return record(customType, data);
};
const drop = (id: string) => turned("drop", id);

const CLAUDE = { ...PRICED, provider: "p", id: "claude" };
const MARKET: Market = { ...marketOf(CLAUDE, {}), model: "p/m" };

function readAll(entries: readonly SessionEntry[]) {
	const log = readLog(fakePi(entries).ctx);
	const replayer = replayLog(log);
	const chipOf = (one: Fold) =>
		weigh(replayer, replayer.view(), { record: one.record, range: one }, piHost).chip;
	const around = { sent: log.stored, chipOf, marketFor: () => MARKET };
	return { log, around, landings: landingsOf(log, replayer) };
}

function told(drafts: readonly Draft[]): string[] {
	return readAll(session(...drafts)).landings.map((landing: PiLanding) => {
		const ids = landing.folds.map((one) => one.record.id).join("+");
		return `${ids} ${landing.before?.at ?? "-"}→${landing.after?.at ?? "-"} +${landing.requestsSince}`;
	});
}

/** e0 user · e1 e2 step 1 · e3 e4 step 2 · e5 e6 step 3 */
const STEPS: readonly Draft[] = [
	user("begin"),
	...[asked("a", [0, 10_000]), answered("a")],
	...[asked("b", [10_000, 1_000]), answered("b")],
	...[asked("c", [11_000, 1_000]), answered("c")],
];

describe("which request went out with which folds", () => {
	test("a fold that was never held lands with the next reply", () =>
		assert.deepEqual(told([...STEPS, fold("aaaa", [1, 3]), asked("d", [1, 2])]), ["aaaa 5→8 +0"]));
	test("until that is back it is not known", () =>
		assert.deepEqual(told([...STEPS, fold("aaaa", [1, 3])]), ["aaaa 5→- +0"]));
	test("held ones land with the record that names them, all in one", () =>
		assert.deepEqual(
			told([
				...[...STEPS, fold("aaaa", [1, 3], { held: true }), fold("bbbb", [3, 5], { held: true })],
				...[
					asked("d", [1, 2]),
					answered("d"),
					land(["aaaa", "bbbb"]),
					asked("e", [1, 2]),
					asked("f", [1, 2]),
				],
			]),
			["aaaa+bbbb 9→12 +1"],
		));
	test("or with a fold that takes them along", () =>
		assert.deepEqual(
			told([
				...[
					...STEPS,
					fold("aaaa", [3, 5], { held: true }),
					fold("bbbb", [1, 3], { lands: ["aaaa"] }),
				],
				asked("d", [1, 2]),
			]),
			["aaaa+bbbb 5→9 +0"],
		));
	test("what lands nothing is no landing", () =>
		assert.deepEqual(
			told([...STEPS, land(["none"]), fold("aaaa", [1, 3], { held: true }), asked("d", [1, 2])]),
			[],
		));
	test("one that was taken back before any request is no landing", () =>
		assert.deepEqual(told([...STEPS, fold("aaaa", [1, 3]), drop("aaaa"), asked("d", [1, 2])]), []));
	test("nor is one whose request has not been sent, once all of it was taken back", () => {
		const landed = [...STEPS, fold("aaaa", [1, 3]), fold("bbbb", [3, 5])];
		assert.deepEqual(told([...landed, drop("aaaa")]), ["aaaa+bbbb 5→- +0"]);
		assert.deepEqual(told([...landed, drop("aaaa"), drop("bbbb")]), []);
		assert.deepEqual(told([...landed, drop("aaaa"), turned("open", "bbbb")]), []);
		assert.deepEqual(
			told([...landed, drop("aaaa"), turned("open", "bbbb"), turned("shut", "bbbb")]),
			["aaaa+bbbb 5→- +0"],
		);
	});
	test("requests that were sent with its source again do not count", () =>
		assert.deepEqual(
			told([
				...[...STEPS, fold("aaaa", [1, 3]), asked("d", [1, 2]), asked("e", [1, 2])],
				...[turned("open", "aaaa"), asked("f", [1, 2]), turned("shut", "aaaa"), asked("g", [1, 2])],
				...[drop("aaaa"), asked("h", [1, 2])],
			]),
			["aaaa 5→8 +2"],
		));
	test("nor those after a compaction that its source lies before", () => {
		const drafts = [...STEPS, fold("aaaa", [1, 3]), asked("d", [1, 2]), asked("e", [1, 2])];
		const later = [compaction("e8", "s"), asked("f", [1, 2])];
		assert.deepEqual(told([...drafts, ...later]), ["aaaa 5→8 +1"]);
	});
	test("after a compaction there is nothing to compare with", () =>
		assert.deepEqual(
			told([...STEPS, compaction("e3", "s"), fold("aaaa", [3, 5]), asked("d", [1, 2])]),
			["aaaa -→9 +0"],
		));
});

describe("what a landing did, by usage", () => {
	const measured = (after: Counted, more: readonly Draft[] = [], model = "m") => {
		const drafts = [...STEPS, fold("aaaa", [1, 5]), asked("d", after, model), ...more];
		const { landings, around } = readAll(session(...drafts));
		const [landing] = landings;
		return landing ? measure(landing, around) : assert.fail();
	};

	test("the prompt that is missing, less what came in between, and what it cost", () => {
		const { log } = readAll(session(...STEPS));
		// the marker that asked for the reply is no entry's
		const came = log.branch.slice(5).reduce((sum, entry) => sum + (entry.tokens ?? 0), 0);
		const grown = came + estimateText("[step 10]");
		const seen = measured([1_000, 9_500]);
		assert.equal(seen?.perRequestTokens, 12_000 + grown - 10_500);
		assert.ok((seen?.removedTokens ?? 0) > (seen?.perRequestTokens ?? 0), "the chip is not gone");
		// read and written, less the old prompt read and the growth written, and the summary's output
		const dC = 0.1 * 1_000 + 1.25 * 9_500 - (0.1 * 12_000 + 1.25 * grown) + 5 * 100;
		assert.ok(Math.abs((seen?.onceUsd ?? 0) - (dC * 3) / 1e6) < 1e-9);
	});

	test("a turn that did nothing but fold is part of what it cost", () => {
		const cost = (...others: readonly Draft[]) => {
			const drafts = [...STEPS, ...others, fold("aaaa", [1, 5], { callId: "f" })];
			const { landings, around } = readAll(
				session(...drafts, result("f", "ok"), asked("d", [1_000, 9_500])),
			);
			const [landing] = landings;
			return landing && measure(landing, around)?.onceUsd;
		};
		const folding =
			(...names: readonly string[]): Draft =>
			(at) => {
				const entry = asked("f", [12_000, 500])(at);
				if (entry.type !== "message" || entry.message.role !== "assistant") return assert.fail();
				const content = names.map((name, i) => call(i === 0 ? "f" : `f${i}`, name, {}));
				return { ...entry, message: { ...entry.message, content } };
			};
		const [alone, beside] = [cost(folding("send_dmail")), cost(folding("send_dmail", "bash"))];
		assert.ok(alone !== null && alone !== undefined && beside !== null && beside !== undefined);
		// the other call makes the reply larger by a token or two
		assert.ok(
			Math.abs(alone - beside - (0.1 * 12_500 * 3) / 1e6) < (1.25 * 4 * 3) / 1e6,
			`${alone - beside}`,
		);
	});

	test("it has paid when so many requests have come since", () => {
		const replies = (count: number) =>
			Array.from({ length: count }, (_, i) => [
				asked(`r${i}`, [10_000, 100]),
				answered(`r${i}`),
			]).flat();
		const first = measured([9_000, 1_500]);
		const pays = Math.ceil(first?.requestsToPay ?? assert.fail());
		assert.ok(pays > 0, `${pays}`);
		assert.equal(first?.paid, false);
		assert.equal(measured([9_000, 1_500], replies(pays - 1))?.paid, false);
		assert.equal(measured([9_000, 1_500], replies(pays))?.paid, true);
	});

	test("with another model nothing can be said", () =>
		assert.equal(measured([0, 10_000], [], "other"), null));
});

describe("what a landing teaches about older entries", () => {
	/** P was 10,000 when step 1 was asked for; the head is taken for 1,000 */
	const learned = (read: number, market: Market = MARKET, drafts: readonly Draft[] = []) => {
		const all = [...STEPS, ...drafts, fold("aaaa", [1, 5]), asked("d", [read, 11_000 - read])];
		const { log, landings } = readAll(session(...all));
		const cache = learnedCache(log, landings, { market, head: 1_000, sent: log.stored });
		return cache.kind === "breakpoints" ? cache.refresh : cache.kind;
	};

	test("the entry before the range was read: a longer hit keeps it alive", () =>
		assert.equal(learned(10_000), "all"));
	test("only the head was read: it does not, from now on", () =>
		assert.equal(learned(1_000), "hit"));
	test("nothing was read at all: that says nothing about it", () =>
		assert.equal(learned(0), "all"));
	test("a provider that matches the longest prefix has nothing to teach", () =>
		assert.equal(learned(1_000, { ...marketOf(PRICED, {}), model: "p/m" }), "prefix"));
	test("nor has another model's landing", () =>
		assert.equal(learned(1_000, { ...MARKET, model: "p/other" }), "all"));
	test("nor one whose entry was out of reach", () => {
		const far = Array.from({ length: 30 }, (_, i) => [
			user(`and ${i}`),
			asked(`f${i}`, [11_000, 1_000]),
		]).flat();
		assert.equal(learned(1_000, MARKET, far), "all");
	});
	test("nor one that came when the cache was cold", () => {
		const entries = session(...STEPS, fold("aaaa", [1, 5]), asked("d", [1_000, 10_000])).map(
			(entry, at) =>
				entry.type === "message" && at > 6
					? {
							...entry,
							message: { ...entry.message, timestamp: entry.message.timestamp + 400_000 },
						}
					: entry,
		);
		const { log, landings } = readAll(entries);
		const learning = { market: MARKET, head: 1_000, sent: log.stored };
		const cache = learnedCache(log, landings, learning);
		assert.equal(cache.kind === "breakpoints" && cache.refresh, "all");
	});
});
