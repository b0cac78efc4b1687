import assert from "node:assert/strict";
import { test } from "node:test";
import { badgeText, formatCount } from "../../src/pi/badge.ts";

test("the badge says on, what is saved, off, or that something failed", () => {
	assert.equal(badgeText({ enabled: true, saved: 0, failed: false }), "D-MAIL ON");
	assert.equal(badgeText({ enabled: true, saved: 62_400, failed: false }), "D-MAIL ON −62k");
	assert.equal(badgeText({ enabled: false, saved: 0, failed: false }), "⚠ D-MAIL OFF");
	assert.equal(badgeText({ enabled: true, saved: 0, failed: true }), "⚠ D-MAIL ERROR");
});

test("the badge is never wider than 20 columns", () => {
	for (let saved = 1; saved < 1e12; saved *= 3)
		assert.ok(badgeText({ enabled: true, saved, failed: false }).length <= 20);
});

test("counts are read at a glance", () => {
	const shown = [0, 999, 1_000, 9_949, 9_960, 62_400, 999_499, 1_300_000].map(formatCount);
	assert.deepEqual(shown, ["0", "999", "1.0k", "9.9k", "10k", "62k", "999k", "1.3M"]);
});
