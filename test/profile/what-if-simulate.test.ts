// Playing tapes: laws that hold for every conversation, and small ones whose bill is reckoned by hand.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { PRESETS } from "../../src/price/preset.ts";
import { type Policy, readPolicy } from "../../src/profile/policy.ts";
import { play } from "../../src/profile/simulate.ts";
import { surprisesOf } from "../../src/profile/simulate-till.ts";
import { limitsOf } from "../../src/profile/what-if-era.ts";
import type { Tape } from "../../src/profile/what-if-tape.ts";
import { byPreset, DEFAULTS, OWN, type Terms } from "../../src/profile/what-if-terms.ts";
import { type Turn, tapeFrom } from "./chat.ts";

const TERMS: Terms = { ...DEFAULTS, ...OWN, limits: (tape) => limitsOf(tape, undefined) };
const FOLDING = ["suffix", "suffix:4000", "batch:2", "cold", "cold:4000", "auto", "auto:4000"];
const NAMES = ["none", "recorded", ...FOLDING];

function policy(name: string): Policy {
	const found = readPolicy(name);
	assert.ok(typeof found !== "string", `${found}`);
	return found;
}

function played(tape: Tape, name: string, terms = TERMS) {
	return play(tape, policy(name), terms, surprisesOf(tape, terms));
}

function billOf(tape: Tape, name: string, terms = TERMS): number {
	return played(tape, name, terms).bills.reduce((sum, bill) => sum + bill, 0);
}

const turn: fc.Arbitrary<Turn> = fc.record({
	said: fc.integer({ min: 5, max: 800 }),
	got: fc.oneof(fc.integer({ min: 5, max: 2000 }), fc.integer({ min: 5, max: 15_000 })),
	waits: fc.oneof(
		{ weight: 9, arbitrary: fc.integer({ min: 1, max: 200 }) },
		{ weight: 1, arbitrary: fc.integer({ min: 301, max: 9999 }) },
	),
	asked: fc.option(fc.integer({ min: 1, max: 500 }), { nil: undefined, freq: 4 }),
});
const conversation = fc.array(turn, { minLength: 1, maxLength: 60 });

describe("laws", () => {
	test("a perfect recording has no surprises, and none costs what was recorded", () =>
		fc.assert(
			fc.property(conversation, (turns) => {
				const tape = tapeFrom(turns);
				const { misses, hits } = surprisesOf(tape, TERMS);
				assert.deepEqual({ misses, hits }, { misses: 0, hits: 0 });
				const recorded = tape.requests.reduce((sum, { usage }) => sum + (usage?.costUsd ?? 0), 0);
				const usd = played(tape, "none").usd.reduce((sum, amount) => sum + amount, 0);
				assert.ok(Math.abs(usd / recorded - 1) < 0.02, `${usd} against ${recorded}`);
			}),
			{ numRuns: 60 },
		));

	test("before its first fold every policy bills as none does", () =>
		fc.assert(
			fc.property(conversation, fc.constantFrom(...NAMES), (turns, name) => {
				const tape = tapeFrom(turns);
				const { bills, folds } = played(tape, name);
				const none = played(tape, "none").bills;
				const made = folds[0]?.made ?? Number.POSITIVE_INFINITY;
				for (const [i, request] of tape.requests.entries())
					if (request.to < made) assert.equal(bills[i], none[i]);
			}),
			{ numRuns: 60 },
		));

	test("nothing is cheaper than the oracle, but by half a step that a range took too much", () => {
		let folded = 0;
		fc.assert(
			fc.property(conversation, fc.constantFrom(...FOLDING), (turns, name) => {
				const tape = tapeFrom(turns);
				const one = played(tape, name);
				folded += one.folds.length;
				const oracle = billOf(tape, "oracle");
				const step = Math.max(0, ...turns.map(({ said, got }) => said + got));
				// that much stays away for the rest, at the price of a read, and once at that of a write
				const slack = step * (0.1 * turns.length + 1.25 * turns.filter(isCold).length);
				const bill = one.bills.reduce((sum, bill) => sum + bill, 0);
				assert.ok(bill >= oracle - slack, `${name}: ${bill} against ${oracle}`);
			}),
			{ numRuns: 150 },
		);
		assert.ok(folded > 50, `only ${folded} folds: the test shows nothing`);
	});

	test("ranges are whole steps, disjoint, smaller as chips, and spare the newest steps", () =>
		fc.assert(
			fc.property(conversation, fc.constantFrom(...NAMES), (turns, name) => {
				const tape = tapeFrom(turns);
				let before = 0;
				for (const { from, to, made } of played(tape, name).folds.toSorted(byPlace)) {
					assert.ok(from >= before && to > from);
					assert.ok(tape.steps.some((step) => step.from === from));
					const later = tape.steps.filter((step) => step.from >= to && step.to <= made);
					assert.ok(later.length >= DEFAULTS.keep);
					before = to;
				}
			}),
			{ numRuns: 60 },
		));

	test("without a cache all that ends in a landing lands at once", () =>
		fc.assert(
			fc.property(conversation, (turns) => {
				const tape = tapeFrom(turns);
				const terms: Terms = { ...TERMS, rules: () => ({ kind: "none" }) };
				const { folds, landings } = played(tape, "cold", terms);
				assert.equal(landings, folds.length);
			}),
			{ numRuns: 30 },
		));
});

function byPlace(a: { from: number }, b: { from: number }): number {
	return a.from - b.from;
}

function isCold({ waits }: Turn): boolean {
	return waits > 300;
}

/** Turns that are all alike. */
function alike(count: number, turn: Partial<Turn> = {}): Turn[] {
	return Array.from({ length: count }, () => ({ said: 100, got: 1900, waits: 10, ...turn }));
}

describe("what policies do", () => {
	test("suffix folds whenever enough has gathered", () => {
		const { folds, landings } = played(tapeFrom(alike(50)), "suffix:10000");
		// two steps stay, then every five steps of 2,000 tokens and a call
		assert.equal(landings, folds.length);
		assert.ok(folds.length >= 8 && folds.length <= 10, `${folds.length}`);
	});
	test("batch lands several at once", () => {
		const { folds, landings } = played(tapeFrom(alike(70)), "batch:3");
		assert.equal(landings * 3, folds.length);
	});
	test("cold waits for a pause, and pays for the summary at once", () => {
		const turns = [...alike(20), ...alike(1, { waits: 900 }), ...alike(5)];
		const one = played(tapeFrom(turns), "cold:10000");
		const none = played(tapeFrom(turns), "none");
		assert.equal(one.landings, 1);
		const before = (bills: Float64Array) => bills.slice(0, 20).reduce((sum, bill) => sum + bill, 0);
		assert.ok(before(one.bills) > before(none.bills));
		assert.ok((one.bills[20] ?? 0) < (none.bills[20] ?? 0) / 1.3);
	});
	test("a long warm session is worth folding, a short one is not", () => {
		assert.ok(billOf(tapeFrom(alike(120)), "auto") < 0.8 * billOf(tapeFrom(alike(120)), "none"));
		assert.equal(billOf(tapeFrom(alike(8)), "auto"), billOf(tapeFrom(alike(8)), "none"));
	});
	test("auto is never dearer than holding all or landing all, in a session of one kind", () => {
		const tape = tapeFrom(alike(150));
		assert.ok(billOf(tape, "auto") < billOf(tape, "cold"));
	});
	test("a compaction is kept under every policy; what went with it is gone, but for folds", () => {
		const turns = [...alike(40), { ...alike(1)[0], compacted: true } as Turn, ...alike(10)];
		const tape = tapeFrom(turns);
		const none = played(tape, "none");
		const suffix = played(tape, "suffix");
		assert.ok(none.lost > 70_000 && suffix.lost < 0.6 * none.lost);
		assert.equal(suffix.peak < none.peak, true);
	});
	test("every preset can price every policy", () => {
		const tape = tapeFrom(alike(40));
		for (const preset of Object.values(PRESETS))
			for (const name of [...NAMES, "oracle", "net", "compact"]) {
				const bill = billOf(tape, name, { ...TERMS, ...byPreset(preset) });
				assert.ok(bill > 0 && Number.isFinite(bill), name);
			}
	});
});
