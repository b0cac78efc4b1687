// What a profile says of small sessions whose every number is known.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { measure } from "../../src/profile/measure.ts";
import type { Profile, RequestRow } from "../../src/profile/profile.ts";
import { scratch } from "../support/scratch.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");

function profileOf(name: string): Profile {
	const { profile, refusal } = measure(join(FIXTURES, name));
	assert.ok(profile, refusal);
	return profile;
}

function rowsOf({ requests }: Profile): RequestRow[] {
	return Array.from({ length: requests.length }, (_, i) => requests.at(i));
}

test("totals are of the active branch, spend is of the whole file, other usage stands beside it", () => {
	const { totals, spend, session } = profileOf("profile/branches.jsonl");
	assert.equal(session.branches, 2);
	assert.equal(totals.requests, 9);
	assert.equal(spend.requests, 11);
	assert.ok(spend.costUsd > totals.costUsd);
	assert.equal(spend.other.entries, 4);
	const other = 0.0033 + 0.00213 + 0.000924 + 0.01215;
	assert.ok(Math.abs(spend.other.costUsd - other) < 1e-9);
});

test("a request without usage has nulls, and an attempt has no step", () => {
	const profile = profileOf("profile/branches.jsonl");
	const attempt = rowsOf(profile).find((row) => row.stop === "error");
	assert.equal(attempt?.step, null);
	assert.equal(attempt?.prompt, null);
	assert.equal(attempt?.costUsd, null);
	assert.equal(attempt?.cacheHit, null);
	assert.equal(profile.totals.unmeasured, 1);
	assert.equal(profile.totals.steps, 8);
});

test("each cause of a miss is told from the others", () => {
	const causes = (name: string) =>
		rowsOf(profileOf(name)).flatMap((row) => row.miss.map(({ cause }) => `${row.index} ${cause}`));
	assert.deepEqual(causes("profile/folds.jsonl"), [
		"1 first",
		"6 fold",
		"11 idle",
		"14 fold",
		"15 model",
	]);
	assert.deepEqual(causes("profile/branches.jsonl"), ["1 first", "6 provider", "7 compaction"]);
});

test("a fold that landed with a cold cache is not blamed for the miss", () => {
	const profile = profileOf("profile/folds.jsonl");
	const [, late] = profile.folds;
	assert.equal(late?.firstRequest, 11);
	assert.equal(rowsOf(profile)[10]?.miss[0]?.cause, "idle");
	assert.ok((late?.measured?.onceUsd ?? 0) < 0);
	assert.equal(late?.measured?.paid, true);
});

test("what was measured of a fold is what left the prompt, within the rounding of the estimate", () => {
	const { folds, calibration } = profileOf("profile/folds.jsonl");
	for (const { measured, removedTokens, summaryTokens } of folds) {
		if (!measured) continue;
		const removed = calibration.k * (removedTokens ?? 0);
		assert.ok(Math.abs((measured.removedTokens ?? 0) - removed) < 40);
		assert.ok(
			Math.abs((measured.perRequestTokens ?? 0) - removed + calibration.k * (summaryTokens ?? 0)) <
				40,
		);
	}
});

test("folds have the state that stands now, and those that cannot be read are counted", () => {
	const { folds, totals } = profileOf("profile/folds.jsonl");
	assert.deepEqual(
		folds.map(({ state }) => state),
		["landed", "absorbed", "landed", "skipped", "skipped", "dropped"],
	);
	assert.deepEqual(totals.folds, { recorded: 6, applied: 2, skipped: 2 });
});

test("a calibrated saving is what the prompt lacks", () => {
	const { totals, calibration } = profileOf("profile/folds.jsonl");
	assert.equal(calibration.k.toFixed(2), "1.10");
	const expected = calibration.k * (totals.rawTokens - totals.foldedTokens);
	assert.ok(Math.abs(totals.savedTokens - expected) <= totals.requests);
	assert.ok((totals.savedUsd.low ?? 0) < (totals.savedUsd.high ?? 0));
});

test("impossible numbers count as 0 and are told with their line", () => {
	const { session, spend } = profileOf("profile/odd.jsonl");
	assert.deepEqual(
		session.problems.map(({ line }) => line),
		[3, 5, 5, 8],
	);
	assert.equal(spend.cacheWrite, 0);
	assert.equal(spend.input, 644 + 0 + 400);
});

test("other shapes of usage are mapped, and an image is worth the same whatever its base64", () => {
	const [first] = rowsOf(profileOf("profile/odd.jsonl"));
	assert.equal(first?.prompt, 900);
	assert.equal(first?.cacheRead, 256);
	assert.ok((first?.rawTokens ?? 0) > 1_200 && (first?.rawTokens ?? 0) < 1_300);
});

test("a stream of pi's JSON mode is refused, and a file that is not there", () => {
	assert.match(
		measure(join(FIXTURES, "sessions/json-mode.jsonl")).refusal ?? "",
		/JSON mode|stream/i,
	);
	assert.match(measure(join(FIXTURES, "nowhere.jsonl")).refusal ?? "", /no such file/);
});

/** The fixture with folds, with the usage of one request as if its folds had not been there. */
function withoutFoldsAt(index: number): string {
	const { profile } = measure(join(FIXTURES, "profile/folds.jsonl"));
	assert.ok(profile);
	const { entryId, rawTokens } = profile.requests.at(index - 1);
	const { k, overhead } = profile.calibration;
	const lines = readFileSync(join(FIXTURES, "profile/folds.jsonl"), "utf8").split("\n");
	const changed = lines.map((line) => {
		if (!line.includes(`"id":"${entryId}"`)) return line;
		const entry = JSON.parse(line);
		entry.message.usage.cacheWrite = 0;
		entry.message.usage.cacheRead = Math.round(overhead + k * rawTokens);
		return JSON.stringify(entry);
	});
	const file = join(scratch(), "session.jsonl");
	writeFileSync(file, changed.join("\n"));
	return file;
}

test("a request whose prompt fits the raw size was sent unfolded, and saved nothing", () => {
	const file = withoutFoldsAt(9);
	const { profile } = measure(file);
	assert.ok(profile);
	const rows = rowsOf(profile);
	assert.deepEqual(
		rows.filter((row) => row.unfolded).map((row) => row.index),
		[9],
	);
	assert.equal(rows[8]?.savedTokens, 0);
	assert.ok((rows[7]?.savedTokens ?? 0) > 1_000);
});
