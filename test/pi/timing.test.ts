// When folds land: what is recorded, what lands with it or before a request, read from a session alone.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Settings } from "../../src/pi/settings.ts";
import { outlook } from "../../src/pi/timing.ts";
import { landingLines } from "../../src/pi/timing-text.ts";
import { type FakeOptions, type FakePi, fakePi, PRICED } from "../support/fake-pi.ts";
import {
	COLD,
	due,
	fake,
	fold,
	grow,
	recordOf,
	sceneOf,
	shifted,
	step,
	WARM,
} from "./held-session.ts";

describe("a fold that is made", () => {
	test("mid-history it is held: the record says so, and no byte moves", () => {
		const pi = fake(WARM);
		const before = sceneOf(pi).view.messages;
		const made = fold(pi, 1, 1);
		assert.equal(made.timing.lands, false);
		assert.equal(recordOf(pi).held, true);
		assert.deepEqual(sceneOf(pi).view.messages, before);
		assert.equal(due(pi), undefined);
	});

	test("ending at now it lands", () => {
		const pi = fake(WARM);
		assert.equal(fold(pi, 1, undefined).timing.lands, true);
		assert.equal(recordOf(pi).held, undefined);
	});

	const rows: [string, number, FakeOptions, Settings["timing"]][] = [
		["when the cache is cold", COLD, {}, "auto"],
		["when the model has changed", WARM, { model: { ...PRICED, id: "other" } }, "auto"],
		[
			"where the provider has no cache",
			WARM,
			{ model: { ...PRICED, cost: { ...PRICED.cost, cacheRead: 0 } } },
			"auto",
		],
		["at 80 % of the window", WARM, { model: { ...PRICED, contextWindow: 55_000 } }, "auto"],
		["with timing `now`", WARM, {}, "now"],
	];
	for (const [name, age, options, timing] of rows)
		test(`it lands ${name}, and takes along what is held`, () => {
			const pi = fake(WARM);
			const first = fold(pi, 2, 2);
			assert.equal(first.timing.lands, false);
			const later = fakePi(shifted(pi.entries, age - WARM), options);
			const second = fold(later, 1, 1, timing);
			assert.ok(second.timing.lands);
			assert.deepEqual(recordOf(later).lands, [first.id]);
			const { folds } = sceneOf(later).replayer;
			assert.deepEqual(
				folds.map(({ state }) => state),
				["landed", "landed"],
			);
		});

	test("what pays together lands together: one large fold at the end takes both along", () => {
		const pi = fake(WARM);
		const ids = [fold(pi, 1, 1).id, fold(pi, 2, 2).id];
		const large = fold(pi, 3, undefined);
		assert.ok(large.timing.lands);
		assert.deepEqual([large.timing.why, large.timing.others], ["deeper cut", ids]);
		assert.deepEqual(recordOf(pi).lands, ids);
	});

	test("around one that is held it is decided without it, and absorbs it", () => {
		const pi = fake(WARM);
		fold(pi, 2, 2);
		assert.equal(fold(pi, 1, 3).timing.lands, true);
		assert.equal(recordOf(pi).lands, undefined);
		assert.deepEqual(
			sceneOf(pi).replayer.folds.map(({ state }) => state),
			["absorbed", "landed"],
		);
	});

	test("the words say that it waits, and for what", () => {
		const pi = fake(WARM);
		const { id, timing } = fold(pi, 1, 1);
		const said = landingLines(id, { fromStep: 1, toStep: 1 }, timing).join("\n");
		assert.match(
			said,
			new RegExp(`^Recorded step 1 as fold ${id}, and held it: landing now costs \\$0\\.\\d+ once`),
		);
		assert.match(
			said,
			/It lands by itself when that costs little: on a cold cache, .* else in about \d+ requests\./,
		);
		assert.match(said, / Until then this step is sent as it is; do not fold it again\.$/);
	});

	test("the words say which folds stand for its steps while it waits", () => {
		const pi = fake(WARM);
		const [a, b] = [fold(pi, 1, 1, "now").id, fold(pi, 2, 2, "now").id];
		const until = (last: number) => {
			const copy = fakePi(pi.entries);
			const made = fold(copy, 1, last);
			assert.equal(made.timing.lands, false);
			return / Until then (.*);/.exec(landingLines(made.id, made, made.timing).join("\n"))?.[1];
		};
		assert.equal(until(2), `folds ${a}, ${b} stand for these steps`);
		const partly = fakePi(fake(WARM).entries);
		const inner = fold(partly, 2, 2, "now").id;
		const made = fold(partly, 1, 2);
		assert.match(
			landingLines(made.id, made, made.timing).join("\n"),
			new RegExp(
				`Until then fold ${inner} stands for some of these steps, and the others are sent as they are; do not fold them again`,
			),
		);
	});
});

describe("before a request", () => {
	/** A session with two held folds, so old, with this model. */
	function waiting(ageMs: number, options: FakeOptions = {}): { pi: FakePi; ids: string[] } {
		const made = fake(WARM);
		const ids = [fold(made, 2, 2).id, fold(made, 1, 1).id];
		return { pi: fakePi(shifted(made.entries, ageMs - WARM), options), ids: ids.toReversed() };
	}

	test("nothing lands while the cache is warm", () =>
		assert.equal(due(waiting(WARM).pi), undefined));

	test("all land together when it is cold, the first one first, and what it saves is foreseen", () => {
		const { pi, ids } = waiting(COLD);
		const record = due(pi);
		assert.deepEqual(record?.ids, ids);
		assert.ok((record?.predicted?.onceUsd ?? 0) < 0);
		assert.equal(record?.predicted?.requestsToPay, 0);
	});

	test("a request that warmed the cache keeps it warm", () => {
		const { pi } = waiting(COLD);
		const usage = { input: 0, output: 0, cacheRead: 1, cacheWrite: 0 };
		pi.entries.push({
			...{ type: "usage", kind: "cache_warming", provider: "p", model: "m", usage },
			...{
				id: "warm",
				parentId: pi.entries.at(-1)?.id ?? null,
				timestamp: new Date().toISOString(),
			},
		});
		assert.equal(due(pi), undefined);
	});

	test("they land in another model's first request, at 80 % of the window, and with `now`", () => {
		assert.equal(due(waiting(WARM, { model: { ...PRICED, id: "other" } }).pi)?.ids.length, 2);
		assert.equal(
			due(waiting(WARM, { model: { ...PRICED, contextWindow: 55_000 } }).pi)?.ids.length,
			2,
		);
		assert.equal(due(waiting(WARM).pi, "now")?.ids.length, 2);
	});

	test("they land where that keeps the request below a dearer tier, and not where it does not", () => {
		const tiered = (inputTokensAbove: number) => ({
			...PRICED,
			cost: { ...PRICED.cost, tiers: [{ ...PRICED.cost, inputTokensAbove, input: 6 }] },
		});
		const { prompt } = promptOf(waiting(WARM).pi);
		assert.equal(due(waiting(WARM, { model: tiered(prompt - 2_000) }).pi)?.ids.length, 2);
		assert.equal(due(waiting(WARM, { model: tiered(prompt - 20_000) }).pi), undefined);
		assert.equal(due(waiting(WARM, { model: tiered(prompt + 2_000) }).pi), undefined);
	});

	test("they land when the rent is due, as the outlook said", () => {
		const { pi } = waiting(WARM);
		const { requestsLeft } = outlook(sceneOf(pi), "auto");
		assert.ok(requestsLeft !== null && requestsLeft > 20, `${requestsLeft}`);
		let requests = 0;
		for (; !due(pi) && requests <= requestsLeft; requests++) grow(pi, ...step(`r${requests}`, 1));
		assert.ok(requests <= requestsLeft, `${requests} of ${requestsLeft}`);
		assert.ok(requests > 3);
	});

	test("it is the same after everything is read anew", () => {
		const { pi } = waiting(COLD);
		assert.deepEqual(due(pi)?.ids, due(fakePi(structuredClone(pi.entries)))?.ids);
	});

	function promptOf(pi: FakePi): { prompt: number } {
		const { pricing } = sceneOf(pi);
		return { prompt: pricing.head + pricing.layout.total };
	}
});
