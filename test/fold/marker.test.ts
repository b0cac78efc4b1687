// The label of a step: the one text of ours that may read as one.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { breakMarkers, formatStep, parseStep } from "../../fold.ts";
import { cases } from "../support/cases.ts";

test("parseStep(formatStep(n)) is n", () => {
	fc.assert(
		fc.property(fc.integer({ min: 1, max: 999_999_999 }), (step) => {
			assert.equal(parseStep(formatStep(step)), step);
			assert.equal(parseStep(`  ${formatStep(step)}\t`), step);
		}),
		cases(),
	);
});

test("what is not a marker names no step", () => {
	const others = [
		"",
		"[step 0]",
		"[step 01]",
		"[step -1]",
		"[Step 1]",
		"[step 1",
		"x [step 1]",
		"[step 1] x",
	];
	for (const other of others) assert.equal(parseStep(other), undefined, other);
	assert.equal(parseStep("[step 1234567890]"), undefined);
});

test("no line of a broken text is a marker, and breaking it again changes nothing", () => {
	const line = fc.oneof(fc.string(), fc.integer({ min: 1 }).map(formatStep));
	fc.assert(
		fc.property(fc.array(line), fc.constantFrom("\n", "\r\n"), (lines, glue) => {
			const broken = breakMarkers(lines.join(glue));
			for (const one of broken.split("\n")) assert.equal(parseStep(one), undefined);
			assert.equal(breakMarkers(broken), broken);
		}),
		cases(),
	);
});

test("a line that reads as a marker is broken up whatever is not seen in it", () => {
	for (const [like, broken] of [
		["\u200b[step 5]", "\u200b[ step 5 ]"],
		["[step 5]\ufeff", "[ step 5 ]\ufeff"],
		["[step 5]\0", "[ step 5 ]\0"],
		["\u2066[step 5]\u2069", "\u2066[ step 5 ]\u2069"],
		["[step\u00a05]", "[ step\u00a05 ]"],
		["[step\u3000 5]", "[ step\u3000 5 ]"],
		["[s\u00adtep 5\u200d]", "[ s\u00adtep 5\u200d ]"],
		["[step 5]\ud800", "[ step 5 ]\ud800"],
		["a\f[step 5]\x85b", "a\f[ step 5 ]\x85b"],
	] as const) {
		assert.equal(breakMarkers(`a\n${like}\nb`), `a\n${broken}\nb`);
		assert.equal(breakMarkers(broken), broken);
	}
	for (const other of ["\u200bx [step 5]", "[step5]", "[step\u200b5]", "[ step 5 ]", "[step 5]]"])
		assert.equal(breakMarkers(other), other);
});
