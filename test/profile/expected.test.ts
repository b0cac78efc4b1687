// The numbers of recorded sessions against what a slow and obvious reading of each gives.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { measure } from "../../src/profile/measure.ts";
import type { Profile, RequestRow } from "../../src/profile/profile.ts";
import { NO_SESSIONS, recordedSessions } from "../support/sessions.ts";

interface Sums {
	readonly requests: number;
	readonly steps: number;
	readonly input: number;
	readonly output: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
	readonly costUsd: number;
	readonly unpriced: number;
	readonly toolCalls: number;
	readonly unanswered: number;
	readonly orphanResults: number;
	readonly compactions: number;
	readonly userMessages: number;
}

interface Expected {
	readonly file: string;
	readonly version: number;
	readonly entries: number;
	readonly problems: readonly number[];
	readonly branch: Sums;
	readonly all: Sums;
}

const directory = recordedSessions();

test("totals, spend and problems of every recorded session are as expected", (t) => {
	if (!directory) return t.skip(NO_SESSIONS);
	const all: Expected[] = JSON.parse(readFileSync(join(directory, "expected.json"), "utf8"));
	assert.equal(all.length, 21);
	for (const expected of all) {
		const { profile } = measure(join(directory, expected.file));
		assert.ok(profile);
		compare(profile, expected);
	}
});

function compare({ session, totals, spend }: Profile, expected: Expected): void {
	const { file, version, entries, problems, branch, all } = expected;
	const lines = session.problems.map((problem) => problem.line);
	assert.deepEqual(
		{ version: session.version, entries: session.entries, problems: lines },
		{ version, entries, problems },
		file,
	);
	const { unanswered, costUsd, ...counts } = branch;
	for (const [name, count] of Object.entries({ ...counts, unansweredCalls: unanswered }))
		assert.equal(totals[name as keyof typeof totals], count, `${file}: totals.${name}`);
	assert.ok(Math.abs(totals.costUsd - costUsd) < 1e-6, `${file}: totals.costUsd`);
	const { requests, input, output, cacheRead, cacheWrite, unpriced } = all;
	const { costUsd: spent, other, ...summed } = spend;
	assert.deepEqual(summed, { requests, input, cacheRead, cacheWrite, output, unpriced }, file);
	assert.ok(Math.abs(spent - all.costUsd) < 1e-6, `${file}: spend.costUsd`);
	assert.deepEqual(other, { entries: 0, costUsd: 0 }, file);
}

test("the parts of each prompt add up, and no request misses more than it sent fresh", (t) => {
	if (!directory) return t.skip(NO_SESSIONS);
	const all: Expected[] = JSON.parse(readFileSync(join(directory, "expected.json"), "utf8"));
	for (const { file } of all) {
		const profile: Profile | undefined = measure(join(directory, file)).profile;
		assert.ok(profile);
		for (let i = 0; i < profile.requests.length; i++) {
			const row: RequestRow = profile.requests.at(i);
			const { prompt, input, cacheRead, cacheWrite } = row;
			if (prompt === null) continue;
			assert.equal((input ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0), prompt);
			const missed = row.miss.reduce((sum, miss) => sum + miss.tokens, 0);
			assert.ok(missed >= 0 && missed <= prompt - (cacheRead ?? 0), `${file} #${row.index}`);
		}
	}
});

test("the ledger tells a prompt that changed in secret from a cache that was left to go cold", (t) => {
	if (!directory) return t.skip(NO_SESSIONS);
	const share = (file: string, cause: string) => {
		const miss = measure(join(directory, file)).profile?.totals.miss ?? [];
		const all = miss.reduce((sum, one) => sum + one.tokens, 0);
		return (miss.find((one) => one.cause === cause)?.tokens ?? 0) / all;
	};
	assert.ok(share("v1-many-aborts.jsonl", "unexplained") > 0.5);
	assert.ok(share("v1-many-aborts.jsonl", "idle") < 0.1);
	assert.ok(share("opus-six-compactions.jsonl", "idle") > 0.5);
	assert.equal(share("opus-six-compactions.jsonl", "unexplained"), 0);
});
