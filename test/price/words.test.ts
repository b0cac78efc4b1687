// What a landing costs and when it has paid, as the extension and the profiler both say it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { landingCell, landingWords, payCell, payWords } from "../../src/price/words.ts";

test("waits are said in whole requests, and beyond a thousand as never", () => {
	const pays = [null, 0, 0.2, 1, 5.01, 1_000, 1_000.1].map(payWords);
	assert.deepEqual(pays, [
		"never pays",
		"pays at once",
		"pays after 1 request",
		"pays after 1 request",
		"pays after 6 requests",
		"pays after 1000 requests",
		"never pays within 1000 requests",
	]);
});

test("a narrow column has the same words without the word for what is counted", () => {
	const pays = [null, 0, 1, 6, 1_000.1].map(payCell);
	assert.deepEqual(pays, [
		"never pays",
		"pays at once",
		"pays after 1",
		"pays after 6",
		"never pays within 1000",
	]);
	assert.equal(landingCell(12, "$0.012", 5.2), "$0.012 once, pays after 6");
	assert.equal(landingCell(12, "$0.012", 4_000), "$0.012 once, never pays within 1000");
});

test("what saves at once is not said to cost less than nothing", () => {
	assert.equal(landingCell(-3, "$0.0011", 0), "saves $0.0011 at once");
	assert.equal(landingWords(-3, "$0.0011", 0), "saves $0.0011 at once");
	assert.equal(landingWords(12, "$0.012", 6), "costs $0.012 once, pays after 6 requests");
});
