import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
	billTokens,
	billUsd,
	DEFAULT_RATES,
	type Prices,
	pricesFromUsage,
	ratesAt,
	savedUsd,
	tierAt,
	toUsd,
	uncached,
} from "../../src/price/rate.ts";
import { readUsage, type Usage } from "../../src/price/usage.ts";

const SONNET: Prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const TIERED: Prices = {
	input: 2,
	output: 12,
	cacheRead: 0.2,
	cacheWrite: 0,
	tiers: [
		{ inputTokensAbove: 400, input: 8, output: 30, cacheRead: 0.8, cacheWrite: 0 },
		{ inputTokensAbove: 200, input: 4, output: 18, cacheRead: 0.4, cacheWrite: 0 },
	],
};

function near(actual: number | null | undefined, expected: number): void {
	assert.ok(Math.abs((actual ?? Number.NaN) - expected) < 1e-9, `${actual} is not ${expected}`);
}

function usage(fields: object): Usage {
	const read = readUsage(fields).usage;
	assert.ok(read);
	return read;
}

describe("rates relative to a token of input", () => {
	test("from a price list", () => {
		const { w, r, o, inputUsd } = ratesAt(SONNET, 1000);
		near(w, 1.25);
		near(r, 0.1);
		near(o, 5);
		near(inputUsd, 3e-6);
	});
	test("writes that live an hour cost twice the input", () =>
		near(ratesAt(SONNET, 1000, true).w, 2));
	test("a cache price of 0 is charged as input, hour or not", () => {
		const list = { ...SONNET, cacheRead: 0, cacheWrite: 0 };
		for (const hour of [false, true]) {
			near(ratesAt(list, 1, hour).w, 1);
			near(ratesAt(list, 1, hour).r, 1);
		}
	});
	test("a free or unknown model has the default rates and no money", () => {
		const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
		for (const list of [free, null, { ...SONNET, input: Number.NaN }])
			assert.deepEqual(ratesAt(list, 1), DEFAULT_RATES);
		assert.equal(toUsd(1000, DEFAULT_RATES), null);
	});
	test("without a cache reads and writes are input", () =>
		assert.deepEqual(uncached(DEFAULT_RATES), { w: 1, r: 1, o: 5, inputUsd: null }));
});

describe("tiers count for the whole request", () => {
	for (const [prompt, input] of [
		[200, 2],
		[201, 4],
		[400, 4],
		[401, 8],
	] as const)
		test(`${prompt} tokens at ${input} dollars`, () => {
			near(ratesAt(TIERED, prompt).inputUsd, input / 1e6);
			assert.equal(tierAt(TIERED, prompt)?.input ?? 2, input);
		});
});

describe("the bill of a request", () => {
	const used = { input: 10, cacheRead: 1000, cacheWrite: 100, output: 20 };
	test("in tokens of input", () =>
		near(billTokens(used, ratesAt(SONNET, 1)), 10 + 100 + 125 + 100));
	test("in dollars", () => near(billUsd(used, SONNET), 335 * 3e-6));
	test("with writes that live an hour", () =>
		near(billUsd({ ...used, cacheWrite1h: 60 }, SONNET), (335 - 75 + 120) * 3e-6));
	test("in the tier of its prompt", () => near(billUsd(used, TIERED), (110 * 8 + 800 + 600) / 1e6));
	test("none without prices", () => assert.equal(billUsd(used, null), null));
});

describe("prices from what a session recorded", () => {
	const tokens = { input: 10, cacheRead: 1000, cacheWrite: 100, output: 20 };
	const cost = { input: 30e-6, cacheRead: 300e-6, cacheWrite: 375e-6, output: 300e-6 };
	const paid = usage({ ...tokens, cost });

	test("each part by its own tokens", () => {
		const prices = pricesFromUsage([paid]);
		for (const part of ["input", "output", "cacheRead", "cacheWrite"] as const)
			near(prices?.[part], SONNET[part]);
	});
	test("an odd row does not matter", () => {
		const odd = usage({ ...tokens, cost: { ...cost, input: 9 } });
		near(pricesFromUsage([paid, odd, paid])?.input, 3);
	});
	test("a part that never was charged is 0", () => {
		const list = pricesFromUsage([usage({ input: 10, output: 1, cost: { input: 20e-6 } })]);
		assert.deepEqual([list?.cacheRead, list?.cacheWrite], [0, 0]);
		near(list?.output, 10);
	});
	test("writes that live an hour are left out where others show the price", () => {
		const hour = { ...tokens, cacheWrite1h: 100, cost: { ...cost, cacheWrite: 600e-6 } };
		near(pricesFromUsage([usage(hour), usage(hour), paid])?.cacheWrite, 3.75);
		near(pricesFromUsage([usage(hour)])?.cacheWrite, 6);
	});
	test("input that never occurred follows from the cache's price", () => {
		const cached = usage({ cacheWrite: 100, cost: { cacheWrite: 375e-6 } });
		near(pricesFromUsage([cached])?.input, 3);
	});
	test("totals alone are fitted with the default relations", () => {
		const total = usage({ ...tokens, cost: { total: 335 * 3e-6 } });
		near(pricesFromUsage([total])?.cacheWrite, 3.75);
	});
	test("none without a cost", () => assert.equal(pricesFromUsage([usage(tokens)]), null));

	test("a bill by recorded prices is the recorded cost", () => {
		const size = fc.nat({ max: 100_000 });
		const row = fc.record({ input: size, cacheRead: size, cacheWrite: size, output: size });
		fc.assert(
			fc.property(fc.array(row, { minLength: 1, maxLength: 8 }), (rows) => {
				const usages = rows.flatMap((one) => {
					const total = billUsd(one, SONNET) ?? 0;
					const priced = Object.entries(SONNET).map(([part, price]) => [
						part,
						(price * (one[part as keyof typeof one] ?? 0)) / 1e6,
					]);
					const { usage } = readUsage({
						...one,
						cost: { ...Object.fromEntries(priced), total },
					});
					return usage ? [usage] : [];
				});
				const prices = pricesFromUsage(usages);
				fc.pre(prices !== null);
				// a part that occurs has its own price; the relations fill in what does not
				for (const one of usages) near(billUsd(one, prices), one.costUsd ?? 0);
			}),
		);
	});
});

describe("what a request saved", () => {
	const rates = ratesAt(SONNET, 1);
	const saved = (prompt: object) =>
		savedUsd(1000, { input: 0, cacheRead: 0, cacheWrite: 0, ...prompt }, rates);
	test("is priced at the read at least, at the dearest part at most", () => {
		near(saved({ cacheRead: 9, cacheWrite: 1 })?.low, 0.0003);
		near(saved({ cacheRead: 9, cacheWrite: 1 })?.high, 0.00375);
		near(saved({ cacheRead: 9, input: 1 })?.high, 0.003);
		near(saved({ cacheRead: 9 })?.high, 0.0003);
	});
	test("is no money without prices", () =>
		assert.equal(savedUsd(1000, { input: 1, cacheRead: 0, cacheWrite: 0 }, DEFAULT_RATES), null));
});
