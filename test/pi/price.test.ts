// The price of a cut in pi: where its sizes come from, what the cache is taken to hold, how it is said.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propose, requestIn, weigh } from "../../fold.ts";
import { previewFold } from "../../src/pi/folding.ts";
import { readLog, replayLog } from "../../src/pi/log.ts";
import { readChoices } from "../../src/pi/picker-dialog.ts";
import { quoteRows } from "../../src/pi/picker-rows.ts";
import { ASSUMED_SUMMARY, pricingOf, quoteCut } from "../../src/pi/price.ts";
import { layOut, spotOf } from "../../src/pi/price-layout.ts";
import { idleOf, marketOf } from "../../src/pi/price-market.ts";
import { formatUsd, priceLines, pricesText } from "../../src/pi/price-text.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { piHost } from "../../src/session/message.ts";
import { type FakeOptions, fakePi, PRICED } from "../support/fake-pi.ts";
import {
	bash,
	call,
	compaction,
	custom,
	type Draft,
	record,
	reply,
	result,
	session,
	timeAt,
	user,
} from "../support/session-entries.ts";

const words = fc.nat(3_000).map((length) => "word ".repeat(length / 5));

/** A turn: a prompt or not, some replies with results, customs and commands in between. */
const turn = fc
	.record({
		prompt: fc.option(words),
		replies: fc.array(fc.tuple(words, words), { minLength: 1, maxLength: 4 }),
		beside: fc.option(fc.constantFrom("custom", "bash")),
	})
	.map(({ prompt, replies, beside }) => {
		const drafts: Draft[] = prompt === null ? [] : [user(prompt)];
		for (const [index, [said, returned]] of replies.entries()) {
			const id = `c${index}`;
			drafts.push(reply(said, call(id, "bash", { command: "ls" })), result(id, returned));
		}
		if (beside === "custom") drafts.push(custom("note", "a neighbour's words"));
		if (beside === "bash") drafts.push(bash("ls", "a b c", 0));
		return drafts;
	});

const branches = fc
	.array(turn, { minLength: 1, maxLength: 6 })
	.map((turns) => session(user("begin"), ...turns.flat()));

function laidOut(entries: readonly SessionEntry[]) {
	const { ctx } = fakePi(entries);
	const log = readLog(ctx);
	const replayer = replayLog(log);
	const view = replayer.view({ asking: true });
	return { log, replayer, view, layout: layOut(replayer, view) };
}

test("what stands before, in and after a range adds up to the view, and inside is what a fold replaces", () => {
	fc.assert(
		fc.property(branches, fc.nat(30), fc.nat(30), fc.boolean(), (entries, a, b, live) => {
			const { replayer, view, layout } = laidOut(entries);
			const { count } = replayer.steps;
			const first = 1 + (Math.min(a, b) % count);
			const proposal = propose(replayer, {
				fromStep: first,
				toStep: Math.min(count, first + b),
				live,
			});
			fc.pre(proposal.ok);
			const { range, keep } = proposal;
			const keeps = requestIn(replayer.steps, range, live) !== undefined;
			assert.equal(keeps, keep !== undefined);
			const spot = spotOf(layout, range, keeps);
			assert.equal(layout.total, replayer.size(true));
			assert.equal(spot.before + spot.inside + spot.after, layout.total);
			assert.ok(spot.fresh <= spot.after);
			const summary = "0".repeat(4 * ASSUMED_SUMMARY);
			const fold = { kind: "fold", v: 1, id: "0000", summary, ...proposal } as const;
			const weight = weigh(replayer, view, { record: fold, range }, piHost);
			assert.equal(spot.inside, weight.replaced);
		}),
		{ numRuns: 150 },
	);
});

test("the picker and /dmail price weigh the same cut alike", () => {
	fc.assert(
		fc.property(branches, fc.nat(30), fc.nat(30), fc.boolean(), (entries, a, b, isIdle) => {
			const { pi, ctx } = fakePi(entries, { idle: isIdle });
			const choices = readChoices(pi, ctx);
			const [end, start] = [a % choices.rows.length, b % choices.rows.length]
				.toSorted((one, other) => one - other)
				.map((at) => choices.rows[at]);
			fc.pre(start !== undefined && end !== undefined);
			const wish = { fromStep: start.first, toStep: end.last, live: !isIdle };
			const priced = previewFold(pi, ctx, { wish, by: "user", timing: "now" });
			fc.pre(priced.ok);
			const { chip, removedTokens, perRequestTokens } = quoteRows(choices, start, end);
			assert.deepEqual(
				{ chip, removedTokens, perRequestTokens },
				{
					chip: priced.weight.chip,
					removedTokens: priced.quote.removedTokens,
					perRequestTokens: priced.quote.perRequestTokens,
				},
			);
		}),
		{ numRuns: 150 },
	);
});

test("the summary of a compaction leads: it stands before every range", () => {
	const entries = session(
		user("long ago"),
		reply("done"),
		user("now"),
		compaction("e2", "what was before ".repeat(100)),
		reply("yes", call("a", "bash", {})),
		result("a", "output ".repeat(100)),
	);
	const { layout } = laidOut(entries);
	assert.equal(layout.lead, Math.ceil((16 * 100) / 4));
	const spot = spotOf(layout, { from: 4, to: 6 }, false);
	assert.ok(spot.before >= layout.lead && spot.after === 0);
});

test("a run of calls and results is one place of the cache's look-back, a text one of its own", () => {
	const entries = session(
		user("begin"),
		reply("first"),
		user("go"),
		reply("", call("a", "bash", {}), call("b", "bash", {})),
		result("a", "one"),
		result("b", "two"),
		reply("", call("c", "bash", {})),
		result("c", "three"),
		reply("the end"),
	);
	const { layout } = laidOut(entries);
	// the chip; go; a, b and their results with c and its result; the end; the marker that follows it
	assert.equal(spotOf(layout, { from: 1, to: 2 }, false).places, 5);
	assert.equal(spotOf(layout, { from: 1, to: 9 }, false).places, 1);
});

test("the cache is idle since the model's newest reply or warming, and cold after another model or a compaction", () => {
	const now = timeAt(100);
	const idle = (...drafts: Draft[]) => idleOf(session(...drafts), "p/m", now);
	assert.equal(idle(user("a")), Number.POSITIVE_INFINITY);
	assert.equal(idle(user("a"), reply("b")), now - timeAt(1));
	assert.equal(idle(user("a"), reply("b"), compaction("e1", "s")), Number.POSITIVE_INFINITY);
	assert.equal(idle(user("a"), compaction("e0", "s"), reply("b")), now - timeAt(2));
	const warmed: Draft = (at) => ({
		type: "usage",
		kind: "cache_warming",
		provider: "p",
		model: "m",
		usage: { input: 0, output: 0, cacheRead: 9, cacheWrite: 0 },
		id: `e${at}`,
		parentId: `e${at - 1}`,
		timestamp: new Date(timeAt(50)).toISOString(),
	});
	assert.equal(idle(user("a"), reply("b"), warmed), now - timeAt(50));
	assert.equal(idleOf(session(user("a"), reply("b")), "p/other", now), Number.POSITIVE_INFINITY);
});

test("a model's market: no prices where it is free or none is chosen, an hour where that is bought", () => {
	assert.equal(marketOf(undefined, {}).prices, null);
	const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
	assert.equal(marketOf({ provider: "p", id: "m", cost: free }, {}).prices, null);
	const claude = { provider: "anthropic", id: "claude", cost: PRICED.cost };
	assert.equal(marketOf(claude, {}).hourWrites, false);
	const hour = marketOf(claude, { PI_CACHE_RETENTION: "long" });
	assert.equal(hour.hourWrites, true);
	assert.match(pricesText(hour, 1_000), /cache write \$6 per million tokens \(anthropic\/claude\)/);
	const uncached = { ...PRICED.cost, cacheRead: 0, cacheWrite: 0 };
	assert.equal(marketOf({ ...claude, cost: uncached }, {}).cache.kind, "none");
	const tiers = [
		{ inputTokensAbove: 200_000, input: 6, output: 22, cacheRead: 0.6, cacheWrite: 7 },
	];
	const tiered = marketOf({ provider: "p", id: "m", cost: { ...PRICED.cost, tiers } }, {});
	assert.match(
		pricesText(tiered, 1_000),
		/^input \$3,.* per million tokens, others above 200k \(p\/m\)/,
	);
	assert.match(pricesText(tiered, 200_001), /^input \$6,.* per million tokens above 200k \(p\/m\)/);
});

/** A quote for folding the first step of a session whose cache is warm, or not. */
function quoteOf(options: FakeOptions, ageMs: number) {
	const now = Date.now();
	const entries = session(
		// shorter beginnings are not kept in a cache
		user("begin ".repeat(1_000)),
		reply("", call("a", "bash", {})),
		result("a", "output ".repeat(4_000)),
		reply("found", call("b", "bash", {})),
		result("b", "and more ".repeat(400)),
	).map((entry) =>
		entry.type === "message" && entry.message.role === "assistant"
			? { ...entry, message: { ...entry.message, timestamp: now - ageMs } }
			: entry,
	);
	const { pi, ctx } = fakePi(entries, options);
	const log = readLog(ctx);
	const replayer = replayLog(log);
	const pricing = pricingOf(pi, ctx, { log, replayer, view: replayer.view({ asking: true }) });
	const cut = { range: { from: 1, to: 3 }, keeps: false, summary: 300, chip: 363, written: true };
	return quoteCut(pricing, cut);
}

test("a price is the formula's, by the model's own prices, and changes when the cache is cold", () => {
	const warm = quoteOf({}, 1_000);
	assert.equal(warm.cold, false);
	const { removedTokens: F, chip: S } = warm;
	// all of T was never sent: only the chip is written, the summary is output, F is not read again
	const dC = 1.25 * S + 5 * 300 - 0.1 * F;
	assert.ok(Math.abs(warm.dC - dC) < 1e-6, `${warm.dC} for ${dC}`);
	assert.ok(Math.abs((warm.onceUsd ?? 0) - (dC * 3) / 1e6) < 1e-12);
	assert.ok(Math.abs(warm.ds - 0.1 * (F - S)) < 1e-6);
	const cold = quoteOf({}, 3_600_000);
	assert.ok(Math.abs(cold.dC - (-1.25 * (F - S) + 5 * 300)) < 1e-6);
	assert.match(
		priceLines(cold)[1] ?? "",
		/^Saves \$0\.\d+ at once, writing the summary \(\$0\.0045\) included \(cache cold now\); pays at once/,
	);
});

test("without a cache every token is input, and the words say so", () => {
	const cost = { input: 2, output: 10, cacheRead: 0, cacheWrite: 0 };
	const quote = quoteOf({ model: { ...PRICED, cost } }, 1_000);
	const { removedTokens: F, chip: S } = quote;
	assert.ok(Math.abs(quote.dC - (S + 5 * 300 - F)) < 1e-6);
	assert.match(priceLines(quote)[1] ?? "", /no cache/);
});

test("amounts are said with two digits that count", () => {
	const usd = [0, 1.254, 0.1, 0.0214, 0.00371, 0.0000042, -0.02].map(formatUsd);
	assert.deepEqual(usd, ["$0.00", "$1.25", "$0.10", "$0.021", "$0.0037", "$0.000004", "−$0.020"]);
});

test("a summary longer than what it replaces is said to save nothing", () => {
	const quote = { ...quoteOf({}, 1_000), perRequestTokens: -20, requestsToPay: null };
	assert.match(priceLines(quote)[0] ?? "", /^Saves nothing: every request grows by ~20 tokens/);
});

test("records of folds change the sizes that a cut is priced by: the view's, not the branch's", () => {
	const long = "output ".repeat(4_000);
	const drafts = [
		user("begin"),
		reply("", call("a", "bash", {})),
		result("a", long),
		reply("", call("b", "bash", {})),
		result("b", long),
		reply("done"),
	];
	const plain = laidOut(session(...drafts));
	const folded = laidOut(
		session(...drafts, record("dmail.fold", { fromEntryId: "e1", toEntryId: "e3", summary: "s" })),
	);
	const inside = ({ layout }: typeof plain) => spotOf(layout, { from: 1, to: 5 }, false).inside;
	assert.ok(inside(folded) < inside(plain) - 6_000);
});
