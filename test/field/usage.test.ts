// Usage and cost: each token counted once, in its own column, at its own model's price, and never made up.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { billTokens, pricesFromUsage, ratesAt } from "../../src/price/rate.ts";
import { readUsage } from "../../src/price/usage.ts";
import { type Listing, listDeeply } from "../../src/profile/listing.ts";
import { listCommand } from "../../src/report/command-list.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { findSessions } from "../../src/session/file-search.ts";
import { cases } from "../support/cases.ts";
import { Chat } from "../support/chat.ts";
import { typeCommands } from "../support/fake-commands.ts";
import { askIn } from "../support/run-command.ts";
import { inDirectory } from "../support/scratch.ts";
import { fileOf, profileOf, rowsOf, textOf } from "./profiled.ts";

/** Dollars per million tokens. */
interface List {
	readonly input: number;
	readonly output: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
}

type Tokens = List;

const A: List = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const B: List = { input: 20, output: 80, cacheRead: 2, cacheWrite: 25 };

/** A usage as pi stores it, at these prices. */
function priced(tokens: Tokens, list: List = A): object {
	const part = (name: keyof List) => (tokens[name] * list[name]) / 1e6;
	const cost = {
		input: part("input"),
		output: part("output"),
		cacheRead: part("cacheRead"),
		cacheWrite: part("cacheWrite"),
	};
	const total = Object.values(cost).reduce((a, b) => a + b, 0);
	return { ...tokens, cost: { ...cost, total } };
}

const USED: Tokens = { input: 5, output: 40, cacheRead: 4_735, cacheWrite: 100 };

/** A reply of a model that used so much. */
function answered(chat: Chat, usage: object, more: object = {}): Chat {
	return chat.reply().amend({ usage, ...more });
}

/** Writes files and lists them. */
function listed(files: readonly string[]): Listing {
	return inDirectory((directory) => {
		for (const [at, text] of files.entries()) writeFileSync(join(directory, `${at}.jsonl`), text);
		return listDeeply(findSessions(directory));
	});
}

test("U02: a reply counts once, whether one, two or three files have it", () => {
	for (const ids of [{ responseId: "r1" }, {}]) {
		const { entries } = answered(new Chat().user(), priced(USED), ids);
		const copy = (n: number) => fileOf(entries, { id: `s${n}`, timestamp: `2026-01-0${n}` });
		const once = listed([copy(1)]);
		assert.equal(once.totals.prompt, 4_840);
		for (const count of [2, 3]) {
			const files = Array.from({ length: count }, (_, at) => copy(at + 1));
			const { sessions, totals } = listed(files);
			assert.deepEqual({ ...totals, sessions: 1 }, once.totals);
			assert.deepEqual(sessions.map(({ shared }) => shared).toSorted(), [0, 1, 1].slice(0, count));
		}
	}
});

test("U03: usage of compactions, summaries, tools and warmings stands on a line of its own", () => {
	const chat = answered(new Chat().user(), priced(USED)).step("a");
	const usage = priced({ input: 30_000, output: 1_200, cacheRead: 0, cacheWrite: 0 });
	chat.amend({ usage });
	const all = [
		{ type: "compaction", summary: "s", firstKeptEntryId: "e1", tokensBefore: 9, usage },
		{ type: "branch_summary", summary: "s", fromId: "e1", usage },
		{ type: "usage", kind: "warm", provider: "p", model: "m", usage },
	];
	for (const [at, fields] of all.entries())
		chat.entries.push({
			id: `x${at}`,
			parentId: at ? `x${at - 1}` : "e3",
			timestamp: "",
			...fields,
		} as SessionEntry);
	const { spend, totals } = profileOf(chat.entries);
	const one = 0.09 + 0.018;
	assert.equal(spend.other.entries, 4);
	assert.ok(Math.abs(spend.other.costUsd - 4 * one) < 1e-12);
	assert.equal(spend.input, USED.input);
	assert.equal(totals.costUsd, spend.costUsd);
	assert.match(textOf(profileOf(chat.entries)), /beside them \$0\.43 in 4 entries/);
});

test("U03: tokens that cost nothing are unpriced, replies without tokens unmeasured", () => {
	const chat = answered(
		new Chat().user(),
		priced({ ...USED, input: 50_000 }, { ...A, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }),
	);
	const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
	answered(chat, priced(none)).amend({ stopReason: "aborted", content: [] });
	answered(chat, priced(USED));
	const profile = profileOf(chat.entries);
	const { requests, steps, unpriced, unmeasured } = profile.totals;
	assert.deepEqual([requests, steps, unpriced, unmeasured], [3, 2, 1, 1]);
	assert.match(textOf(profile), /cost ≥\$\S+ \(1 without a price, 1 without usage\)/);
});

test("U03: writes that live for an hour are told apart, and charged as such", () => {
	const { usage } = readUsage({ ...priced(USED), cacheWrite1h: 60 });
	assert.equal(usage?.cacheWrite1h, 60);
	assert.ok(usage);
	const rates = ratesAt(A, 5_000);
	assert.equal(
		billTokens(usage, rates) - billTokens({ ...usage, cacheWrite1h: 0 }, rates),
		60 * (2 - 1.25),
	);
});

/** Two branches from one request, a reply on each. */
function branches(): SessionEntry[] {
	const first = answered(new Chat().user(), priced(USED)).entries;
	const second = new Chat([...first]).reply();
	second.amend({ usage: priced({ ...USED, output: 1_000 }) });
	return second.entries.with(2, { ...(second.entries[2] as SessionEntry), parentId: "e0" });
}

test("U05: what was spent is of all branches, what is sent is of one, and both are shown", () => {
	const profile = profileOf(branches());
	const { totals, spend, session } = profile;
	assert.equal(session.branches, 2);
	assert.deepEqual([totals.requests, spend.requests], [1, 2]);
	assert.deepEqual([totals.output, spend.output], [1_000, 1_040]);
	assert.ok(spend.costUsd > totals.costUsd);
	assert.match(textOf(profile), /Active branch: 1 request\b[\s\S]*Whole file: 2 requests\b/);
});

test("U06: history that two files share counts once, and what came from the cache has its own column", () => {
	const shared = answered(new Chat().user(), priced({ ...USED, cacheRead: 200_000 }));
	const more = answered(new Chat(shared.entries).user(), priced({ ...USED, cacheRead: 200_000 }));
	const { totals } = listed([fileOf(shared.entries), fileOf(more.entries, { id: "t" })]);
	assert.deepEqual([totals.requests, totals.prompt], [2, 2 * 200_105]);
	const [row] = rowsOf(profileOf(more.entries));
	assert.deepEqual([row?.input, row?.cacheRead, row?.cacheWrite], [5, 200_000, 100]);
});

test("U08: of rows for the same reply the one with the most output counts, whole, and of equal ones the last", () => {
	const reply = (tokens: Tokens, list: List, model: string) =>
		answered(new Chat().user(), priced(tokens, list), { responseId: "m1", model });
	const small = reply({ input: 900, output: 1, cacheRead: 0, cacheWrite: 0 }, A, "a").entries;
	const large = reply({ input: 5, output: 260, cacheRead: 700, cacheWrite: 0 }, B, "b").entries;
	const equal = reply({ input: 6, output: 260, cacheRead: 700, cacheWrite: 0 }, B, "b").entries;
	const file = (entries: readonly SessionEntry[], n: number) =>
		fileOf(entries, { id: `s${n}`, timestamp: `2026-01-0${n}` });
	for (const [rows, prompt] of [
		[[small, large], 705],
		[[large, small], 705],
		[[large, small, equal], 706],
		[[equal, large], 705],
	] as const) {
		const { totals, sessions } = listed(rows.map((entries, at) => file(entries, at + 1)));
		assert.deepEqual([totals.requests, totals.output, totals.prompt], [1, 260, prompt]);
		const cost = ((prompt - 700) * B.input + 260 * B.output + 700 * B.cacheRead) / 1e6;
		assert.ok(Math.abs((totals.costUsd ?? 0) - cost) < 1e-12);
		assert.ok(sessions.every(({ costUsd }) => costUsd === 0 || costUsd === totals.costUsd));
	}
});

test("U09: without usage sizes are estimates and say so; no share and no percentage is made of nothing", async () => {
	const zeros = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
	const chat = new Chat();
	for (let n = 0; n < 15; n++) answered(chat.user("word ".repeat(800)), priced(zeros));
	const profile = profileOf(chat.entries);
	const { totals, calibration } = profile;
	assert.deepEqual([totals.unmeasured, totals.cacheHit, calibration.error], [15, null, null]);
	const last = rowsOf(profile).at(-1);
	assert.deepEqual([last?.prompt, last?.cacheHit, last?.costUsd], [null, null, null]);
	assert.ok((last?.rawTokens ?? 0) > 14_000);
	const text = textOf(profile);
	assert.match(text, /not calibrated/);
	assert.match(text, /~1[45]\.\dk/);
	const status = await typeCommands(chat.entries).run("/dmail status");
	assert.match(status, /next request: ~15k tokens/);
	for (const told of [text, status]) assert.doesNotMatch(told, /NaN|Infinity|\b0(?:\.0)?%/);
});

test("U11: input is what did not come from the cache; far more may have come from there", () => {
	const tokens = { input: 5, output: 10, cacheRead: 4_735, cacheWrite: 0 };
	const profile = profileOf(answered(new Chat().user(), priced(tokens)).entries);
	const [row] = rowsOf(profile);
	assert.equal(row?.prompt, 4_740);
	assert.equal(row?.cacheHit, 4_735 / 4_740);
	assert.deepEqual(profile.session.problems, []);
	const cost = (5 * 3 + 10 * 15 + 4_735 * 0.3) / 1e6;
	assert.ok(Math.abs(profile.totals.costUsd - cost) < 1e-12);
});

test("U12: a number that cannot be is 0 and named, and no sum goes below 0 or to infinity", () => {
	const odd = fc.constantFrom(
		"-120",
		"1e400",
		"-1e400",
		'"5"',
		"1e300",
		"null",
		"true",
		"[1]",
		"7",
	);
	const usage = fc.record({ input: odd, output: odd, cacheRead: odd, cacheWrite: odd, total: odd });
	fc.assert(
		fc.property(usage, ({ total, ...tokens }) => {
			const fields = Object.entries(tokens).map(([name, value]) => `"${name}":${value}`);
			const text = fileOf(answered(new Chat().user(), { odd: 1 }).user().reply().entries).replace(
				'{"odd":1}',
				`{${fields.join(",")},"cost":{"total":${total}}}`,
			);
			const { session, totals, spend } = profileOf(text);
			for (const sum of [totals, spend] as const)
				for (const name of ["input", "output", "cacheRead", "cacheWrite", "costUsd"] as const)
					assert.ok(
						sum[name] >= 0 && sum[name] <= Number.MAX_SAFE_INTEGER,
						`${name}: ${sum[name]}`,
					);
			for (const [name, value] of Object.entries(tokens)) {
				const isFine = value === "7" || value === "null";
				const told = session.problems.some(
					({ line, reason }) => line === 3 && reason.startsWith(`usage: ${name}: `),
				);
				assert.equal(told, !isFine, `${name}: ${value}`);
			}
		}),
		cases(0.2),
	);
});

/** 20 turns of two models in turn, and a fold after the eighth. */
function twoModels(list: List = B): SessionEntry[] {
	const chat = new Chat().user();
	let cacheRead = 3_000;
	for (let n = 0; n < 20; n++) {
		const [model, prices] = n % 3 === 0 ? ["b", list] : ["a", A];
		chat.reply([`c${n}`]).amend({
			model,
			usage: priced({ input: 10, output: 50, cacheRead, cacheWrite: 400 }, prices as List),
		});
		chat.result(`c${n}`, "x".repeat(1_600));
		if (n === 7) {
			chat.fold("e1", "e13");
			cacheRead -= 2_000;
		}
		cacheRead += 400;
	}
	return chat.entries;
}

test("U14: each reply is priced as its own model, also where tokens were saved", () => {
	const profile = profileOf([
		{ type: "model_change", id: "m", parentId: null, timestamp: "", provider: "p", modelId: "z" },
		...twoModels().map((entry) => (entry.parentId === null ? { ...entry, parentId: "m" } : entry)),
	]);
	const rows = rowsOf(profile);
	const costOf = ({ model, input, output, cacheRead, cacheWrite }: (typeof rows)[number]) => {
		const list = model === "b" ? B : A;
		const parts = [
			(input ?? 0) * list.input,
			(output ?? 0) * list.output,
			(cacheRead ?? 0) * list.cacheRead,
			(cacheWrite ?? 0) * list.cacheWrite,
		];
		return parts.reduce((a, b) => a + b, 0) / 1e6;
	};
	for (const row of rows) assert.ok(Math.abs((row.costUsd ?? 0) - costOf(row)) < 1e-12);
	assert.ok(Math.abs(profile.totals.costUsd - rows.map(costOf).reduce((a, b) => a + b, 0)) < 1e-9);
	const low = rows.reduce((sum, { savedTokens, model }) => {
		const { cacheRead, cacheWrite } = model === "b" ? B : A;
		return sum + Math.min(savedTokens * cacheRead, savedTokens * cacheWrite) / 1e6;
	}, 0);
	assert.ok(low > 0 && Math.abs((profile.totals.savedUsd.low ?? 0) - low) < 1e-9);
});

test("U15: where no price of the cache is known, nothing is free: it is charged as input", () => {
	for (const usages of [[priced(USED, { ...A, cacheRead: 0, cacheWrite: 0 })], [priced(USED)]]) {
		const prices = pricesFromUsage(usages.flatMap((one) => readUsage(one).usage ?? []));
		const { r, w } = ratesAt(prices, 5_000);
		assert.ok(r > 0 && w > 0, `${r}, ${w}`);
	}
	const { r, w } = ratesAt({ ...A, cacheRead: 0, cacheWrite: 0 }, 5_000);
	assert.deepEqual([r, w], [1, 1]);
});

test("U15: the least that was saved is nothing where reading the cache was recorded without a price", () => {
	const { savedUsd, savedTokens } = profileOf(twoModels({ ...B, cacheRead: 0 })).totals;
	const { savedUsd: known } = profileOf(twoModels()).totals;
	assert.ok(savedTokens > 0);
	assert.ok((savedUsd.low ?? 0) < (known.low ?? 0));
	const none = twoModels({ ...A, cacheRead: 0 }).map((entry) => {
		if (entry.type !== "message" || entry.message.role !== "assistant") return entry;
		const { usage } = entry.message;
		const cost = { ...usage?.cost, cacheRead: 0, total: 1e-3 };
		return { ...entry, message: { ...entry.message, usage: { ...usage, cost } } };
	});
	const { low, high } = profileOf(none).totals.savedUsd;
	assert.ok(low !== null && low <= 0, `${low}`);
	assert.ok((high ?? 0) > 0);
});

test("U06: a listing for people has the sums once, too", async () => {
	const { entries } = answered(new Chat().user(), priced(USED));
	await inDirectory(async (directory) => {
		for (const name of ["a", "b"])
			writeFileSync(join(directory, `${name}.jsonl`), fileOf(entries, { id: name }));
		const { out } = await askIn(directory, listCommand, ["--list", "--all", "--deep"]);
		assert.match(out, /2 sessions: 1 requests?, prompt 4\.8k, output 40/);
	});
});
