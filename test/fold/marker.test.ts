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
