import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { breakEven, expected, priceFold, type Sizes, together } from "../../src/price/cost.ts";
import { billTokens, DEFAULT_RATES, ratesAt, uncached } from "../../src/price/rate.ts";

/** P F T S s */
function sizes(row: string): Sizes {
	const [P = 0, F = 0, T = 0, S = 0, s = 0] = row.split(" ").map(Number);
	return { P, F, T, S, s };
}

function near(actual: number | null, expected: number): void {
	assert.ok(Math.abs((actual ?? Number.NaN) - expected) < 1e-6, `${actual} is not ${expected}`);
}

describe("dC, ds and n* at w 1.25, r 0.1, o 5", () => {
	//          P F T S s, H, own turn?  dC     ds
	const rows: [string, number, boolean, number, number][] = [
		["1000 5000 0 400 0", 1000, false, 500 - 500, 460],
		["1000 5000 0 400 300", 1000, false, 500 + 1500 - 500, 460],
		["1000 5000 2000 400 300", 1000, false, 2300 + 500 + 1500 - 500, 460],
		["9000 5000 2000 400 300", 1000, false, 11_500 + 500 + 1500 - 500, 460],
		["1000 5000 2000 400 300", 1000, true, 3800 + 800, 460],
		["0 5000 0 5000 0", 0, false, 6250 - 500, 0],
	];
	for (const [row, H, ownTurn, dC, ds] of rows)
		test(`${row}, H ${H}${ownTurn ? ", a turn of its own" : ""}`, () => {
			const price = priceFold(sizes(row), DEFAULT_RATES, { H, ownTurn, cold: false });
			near(price.dC, dC);
			near(price.ds, ds);
			assert.equal(price.requestsToPay, breakEven(price.dC, price.ds));
		});

	test("on a cold cache: −w·(F−S) + o·s, whatever P, T and H", () => {
		for (const row of ["1000 5000 0 400 300", "90000 5000 70000 400 300"]) {
			const price = priceFold(sizes(row), DEFAULT_RATES, { H: 0, cold: true });
			near(price.dC, -1.25 * 4600 + 1500);
			near(price.requestsToPay, 0);
			assert.equal(price.cold, true);
		}
	});
	test("without a cache: S + o·s − F", () => {
		const rates = uncached(DEFAULT_RATES);
		near(
			priceFold(sizes("90000 5000 70000 400 300"), rates, { H: 0, cold: false }).dC,
			400 + 1500 - 5000,
		);
	});
});

describe("break-even", () => {
	test("at once", () => assert.equal(breakEven(-3, 5), 0));
	test("after some requests", () => assert.equal(breakEven(30, 20), 1.5));
	test("never", () => {
		assert.equal(breakEven(30, 0), null);
		assert.equal(breakEven(30, -5), null);
	});
});

describe("money", () => {
	const warmth = { H: 1000, cold: false };
	const fold = sizes("1000 5000 2000 400 300");
	test("with prices", () => {
		const rates = ratesAt({ input: 4, output: 20, cacheRead: 0.4, cacheWrite: 5 }, 1);
		const price = priceFold(fold, rates, warmth);
		near(price.onceUsd, 3800 * 4e-6);
		near(price.perRequestUsd, 460 * 4e-6);
	});
	test("none without prices, but tokens all the same", () => {
		const price = priceFold(fold, DEFAULT_RATES, warmth);
		assert.deepEqual([price.onceUsd, price.perRequestUsd], [null, null]);
		assert.deepEqual(expected(price), {
			removedTokens: 5000,
			onceUsd: null,
			perRequestTokens: 4600,
			requestsToPay: 3800 / 460,
			paid: null,
		});
	});
});

describe("together", () => {
	test("one is itself", () =>
		assert.deepEqual(together([sizes("10 50 20 4 3")]), sizes("10 50 20 4 3")));
	test("what lies between counts as after", () =>
		assert.deepEqual(
			together([sizes("100 50 20 4 3"), sizes("10 60 100 5 2")]),
			sizes("10 110 50 9 5"),
		));
});

test("what goes from T as the fold lands is saved like F, whether it was cached or not", () => {
	const fold = { ...sizes("9000 5000 2000 400 0"), c: 700 };
	const bill = (cacheRead: number, cacheWrite: number) =>
		billTokens({ input: 0, cacheRead, cacheWrite, output: 0 }, DEFAULT_RATES);
	for (const fresh of [0, 800, 2000]) {
		const price = priceFold(fold, DEFAULT_RATES, { H: 9000, fresh, cold: false });
		near(price.dC, bill(9000, 400 + 2000 - 700) - bill(16_000 - fresh, fresh));
		near(price.ds, bill(16_000, 0) - bill(9000 + 400 + 2000 - 700, 0));
		assert.deepEqual([price.removedTokens, price.perRequestTokens], [5700, 5300]);
	}
	near(priceFold(fold, DEFAULT_RATES, { H: 0, cold: true }).dC, -1.25 * 5300);
	assert.deepEqual(together([fold, sizes("14000 500 1500 50 0")]).c, 700);
});

test("dC and ds are the difference of the bills, request by request", () => {
	const size = fc.nat({ max: 100_000 });
	const fold = fc.record({ P: size, F: size, T: size, S: size, s: size });
	fc.assert(
		fc.property(
			fold,
			fc.double({ min: 0, max: 1, noNaN: true }),
			fc.boolean(),
			(one, part, cold) => {
				const { P, F, T, S, s } = one;
				const rates = DEFAULT_RATES;
				const H = cold ? 0 : Math.floor(part * P);
				const bill = (cacheRead: number, cacheWrite: number, output = 0) =>
					billTokens({ input: 0, cacheRead, cacheWrite, output }, rates);
				const L = P + F + T;
				const price = priceFold(one, rates, { H, cold });
				const raw = cold ? bill(0, L) : bill(L, 0);
				near(price.dC, bill(H, P + T - H + S, s) - raw);
				near(price.ds, bill(L, 0) - bill(P + T + S, 0));
			},
		),
	);
});
