import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { priceFold } from "../../src/price/cost.ts";
import { type LandingUsage, learnRefresh, measureLanding } from "../../src/price/landing.ts";
import { DEFAULT_RATES, ratesAt } from "../../src/price/rate.ts";

/** A prompt as "input read written". */
function parts(row: string) {
	const [input = 0, cacheRead = 0, cacheWrite = 0] = row.split(" ").map(Number);
	return { input, cacheRead, cacheWrite };
}

/** Before: 50,000 tokens. The fold takes 20,000 and leaves a chip of 1,000; 500 tokens came meanwhile. */
const LANDING: LandingUsage = {
	before: parts("0 48000 2000"),
	after: parts("0 25000 6500"),
	grown: 500,
	S: 1000,
	s: 800,
	cold: false,
	requestsSince: 0,
};

function near(actual: number | null, expected: number): void {
	assert.ok(Math.abs((actual ?? Number.NaN) - expected) < 1e-6, `${actual} is not ${expected}`);
}

describe("what a landing did", () => {
	const measured = measureLanding(LANDING, DEFAULT_RATES);
	test("the prompt that is missing is saved by each request", () => {
		assert.equal(measured.perRequestTokens, 19_000);
		assert.equal(measured.removedTokens, 20_000);
	});
	test("the first request cost more than it would have, and the summary was output", () => {
		// 2500 + 8125 − (5000 + 625) + 4000 = 9000, at 1900 a request
		near(measured.requestsToPay, 9000 / 1900);
		assert.equal(measured.onceUsd, null);
	});
	test("money where prices are known", () => {
		const rates = ratesAt({ input: 4, output: 20, cacheRead: 0.4, cacheWrite: 5 }, 1);
		near(measureLanding(LANDING, rates).onceUsd, 9000 * 4e-6);
	});
	test("it has paid when enough requests have followed", () => {
		const paid = (requestsSince: number) =>
			measureLanding({ ...LANDING, requestsSince }, DEFAULT_RATES).paid;
		assert.deepEqual([paid(4), paid(5)], [false, true]);
	});
	test("on a cold cache it has paid at once", () => {
		const cold = { ...LANDING, after: parts("0 0 31500"), cold: true };
		const { requestsToPay, paid } = measureLanding(cold, DEFAULT_RATES);
		assert.deepEqual([requestsToPay, paid], [0, true]);
	});
	test("a prompt that did not shrink never pays", () => {
		const { requestsToPay, paid } = measureLanding(
			{ ...LANDING, after: parts("0 25000 25500"), requestsSince: 99 },
			DEFAULT_RATES,
		);
		assert.deepEqual([requestsToPay, paid], [null, false]);
	});
});

test("where the cache does as expected, what is measured is what was predicted", () => {
	const size = fc.integer({ min: 1, max: 90_000 });
	const fold = fc.record({ P: size, F: size, T: size, S: size, s: size, fresh: size });
	fc.assert(
		fc.property(fold, fc.boolean(), ({ fresh, ...sizes }, cold) => {
			const { P, F, T, S, s } = sizes;
			const H = cold ? 0 : P;
			const all = { ...sizes, T: T + fresh };
			const predicted = priceFold(all, DEFAULT_RATES, { H, fresh, cold });
			const after = { input: 0, cacheRead: H, cacheWrite: P - H + S + T + fresh };
			const before = { input: 0, cacheRead: P + F + T, cacheWrite: 0 };
			const landing = { before, after, grown: fresh, S, s, cold, requestsSince: 0 };
			const measured = measureLanding(landing, DEFAULT_RATES);
			assert.equal(measured.removedTokens, predicted.removedTokens);
			assert.equal(measured.perRequestTokens, predicted.perRequestTokens);
			if (measured.requestsToPay === null) assert.equal(predicted.requestsToPay, null);
			else near(predicted.requestsToPay, measured.requestsToPay);
		}),
	);
});

describe("whether a longer hit keeps shorter entries alive", () => {
	const landing = (H: number, cacheRead: number) => ({ H, head: 3000, cacheRead });
	test("the entry before the range hit: as assumed", () =>
		assert.equal(learnRefresh("all", landing(50_000, 49_000)), "all"));
	test("only the floor was read: it does not", () =>
		assert.equal(learnRefresh("all", landing(50_000, 3100)), "hit"));
	test("not even the floor: it does not", () =>
		assert.equal(learnRefresh("all", landing(50_000, 0)), "hit"));
	test("no more than the floor was expected: nothing is learned", () =>
		assert.equal(learnRefresh("all", landing(3000, 0)), "all"));
	test("what was learned stays", () =>
		assert.equal(learnRefresh("hit", landing(50_000, 50_000)), "hit"));
});
