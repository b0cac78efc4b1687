// How policies are written, and which ranges they propose.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
	ALL_POLICIES,
	Gathering,
	nameOf,
	type Portion,
	readPolicy,
} from "../../src/profile/policy.ts";
import { compactedAt, compactions, limitsOf, uncompacted } from "../../src/profile/what-if-era.ts";
import { DEFAULTS } from "../../src/profile/what-if-terms.ts";
import { type Turn, tapeFrom } from "./chat.ts";

describe("a policy is read as it is written", () => {
	for (const name of [...ALL_POLICIES, "suffix:8000", "cold:1000", "auto:5000", "batch:7"])
		test(name, () => {
			const policy = readPolicy(name);
			assert.ok(typeof policy !== "string");
			assert.equal(nameOf(policy), name === "batch" ? "batch:3" : name);
		});
	const refused: [string, RegExp][] = [
		["fold", /no policy "fold"; there are none, recorded/],
		["", /no policy ""/],
		["suffix:0", /whole and above 0/],
		["suffix:x", /whole and above 0/],
		["suffix:1:2", /whole and above 0/],
		["none:3", /none takes no number/],
	];
	for (const [name, reason] of refused)
		test(`not ${JSON.stringify(name)}`, () => assert.match(`${readPolicy(name)}`, reason));
});

function alike(count: number, turn: Partial<Turn> = {}): Turn[] {
	return Array.from({ length: count }, () => ({ said: 100, got: 1900, waits: 10, ...turn }));
}

/** Ranges as steps from 1, "first-last" */
function proposed(turns: readonly Turn[], tokens: number, portion: Portion = DEFAULTS): string[] {
	const tape = tapeFrom(turns);
	const gathering = new Gathering(tape, portion, tokens);
	return tape.requests.flatMap((request) => {
		const range = gathering.due(request);
		if (!range) return [];
		const first = tape.steps.findIndex(({ from }) => from === range.from);
		const last = tape.steps.findIndex(({ to }) => to === range.to);
		return [`${first + 1}-${last + 1}`];
	});
}

describe("ranges", () => {
	test("the newest 60% of five steps go when five have gathered; two stay behind them", () =>
		assert.deepEqual(proposed(alike(14), 10_000), ["3-5", "8-10"]));
	test("all of them, where all may go", () =>
		assert.deepEqual(proposed(alike(13), 10_000, { ...DEFAULTS, foldable: 1 }), ["1-5", "6-10"]));
	test("what one range is short of, the next one makes up for", () =>
		assert.deepEqual(proposed(alike(13), 8_000), ["3-4", "6-8"]));
	test("after a compaction it begins anew", () => {
		const turns = [...alike(4), { ...alike(1)[0], compacted: true } as Turn, ...alike(9)];
		assert.deepEqual(proposed(turns, 10_000), ["6-8"]);
	});
});

describe("eras", () => {
	const turns = [...alike(30), { ...alike(1)[0], compacted: true } as Turn, ...alike(10)];
	test("a recording is compacted where it says so", () => {
		const tape = tapeFrom(turns);
		assert.equal(compactions(tape).length, 1);
		assert.equal(compactedAt(tape, { threshold: 20_000, window: 40_000 }), tape);
	});
	test("uncompacted it only grows, and knows where pi pressed", () => {
		const { requests, pressed } = uncompacted(tapeFrom(turns));
		assert.deepEqual([...(pressed ?? [])], [30]);
		for (const [i, { prompt }] of requests.entries())
			assert.ok(prompt > (requests[i - 1]?.prompt ?? 0) - 1, `${i}`);
	});
	test("one without compactions gets them where pi would have made them", () => {
		const tape = compactedAt(tapeFrom(alike(60)), { threshold: 60_000, window: 76_384 });
		assert.ok(compactions(tape).length >= 1);
		for (const { prompt } of tape.requests) assert.ok(prompt < 60_000);
	});
	test("a window that nobody named is the smallest common one that all prompts fit in", () => {
		assert.equal(limitsOf(tapeFrom(alike(10)), undefined).window, 200_000);
		assert.equal(limitsOf(tapeFrom(alike(110)), undefined).window, 400_000);
		assert.equal(limitsOf(tapeFrom(alike(10)), 50_000).threshold, 33_616);
	});
});
