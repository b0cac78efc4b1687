// Numbers as people read them.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
	estimated,
	estimatedShare,
	formatBytes,
	formatCount,
	formatShare,
	formatTime,
	formatUsd,
	plural,
} from "../../src/report/number.ts";

test("a count has at most three digits and a unit", () => {
	const cases: [number | null, string][] = [
		[0, "0"],
		[7, "7"],
		[999, "999"],
		[1_000, "1.0k"],
		[12_345, "12.3k"],
		[99_949, "99.9k"],
		[99_950, "100k"],
		[999_499, "999k"],
		[999_500, "1.0M"],
		[54_693_675, "54.7M"],
		[1_234_000_000, "1.2G"],
		[-12_345, "−12.3k"],
		[null, "–"],
	];
	for (const [value, text] of cases) assert.equal(formatCount(value), text);
});

test("money keeps its cents, and two digits below one", () => {
	const cases: [number | null, string][] = [
		[0, "$0"],
		[0.42, "$0.42"],
		[0.0042, "$0.0042"],
		[0.0099, "$0.0099"],
		[0.00999, "$0.01"],
		[0.0011, "$0.0011"],
		[0.000999, "$0.0010"],
		[0.00001234, "$0.000012"],
		[0.00000001, "$0.000001"],
		[12.3, "$12.30"],
		[99.499, "$99.50"],
		[1234.5, "$1,235"],
		[-0.5, "−$0.50"],
		[null, "–"],
	];
	for (const [value, text] of cases) assert.equal(formatUsd(value), text);
	assert.equal(formatUsd(3.7, true), "≥$3.70");
});

test("one of a thing is not said to be several", () => {
	const requests = (count: number) => plural(count, "request", "requests");
	assert.deepEqual([0, 1, 1_200].map(requests), ["0 requests", "1 request", "1,200 requests"]);
});

test("a share is 100% only when it is all", () => {
	const shares = [0, 0.004, 0.5, 0.994, 0.9999, 1, -0.004, -0.5, null].map(formatShare);
	assert.deepEqual(shares, ["0%", "0%", "50%", "99%", "99%", "100%", "0%", "−50%", "–"]);
});

test("an estimated share is marked, but all and nothing are no estimates", () => {
	const shares = [0, 0.004, 0.5, 0.9999, 1, -0.5, null].map(estimatedShare);
	assert.deepEqual(shares, ["0%", "~0%", "~50%", "~99%", "100%", "~−50%", "–"]);
});

test("sizes, times and estimates", () => {
	assert.equal(formatBytes(4_275_215), "4.1 MB");
	assert.equal(formatBytes(512), "512 B");
	assert.equal(formatBytes(1_045_621), "1.0 MB");
	assert.equal(formatTime("2026-06-21T16:04:28.297Z"), "2026-06-21 16:04:28");
	assert.equal(estimated("12.3k"), "~12.3k");
	assert.equal(estimated(formatCount(null)), "–");
});
