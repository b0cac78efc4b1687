// Folds by range: added one by one, never across each other.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { insert, locate, type Range, type Tree } from "../../src/fold/forest.ts";
import { cases } from "../support/cases.ts";

const anyRange = fc
	.tuple(fc.nat({ max: 20 }), fc.integer({ min: 1, max: 8 }))
	.map(([from, length]) => ({ from, to: from + length }));

/** Ranges as they were added: those that went in, and those that would have cut through another. */
function planted(ranges: readonly Range[]) {
	const forest: Tree<Range>[] = [];
	const kept: Range[] = [];
	for (const range of ranges) if (!insert(forest, range)) kept.push(range);
	return { forest, kept };
}

function cuts(a: Range, b: Range): boolean {
	return a.from < b.to && b.from < a.to && !holds(a, b) && !holds(b, a);
}

function holds(outer: Range, inner: Range): boolean {
	return outer.from <= inner.from && inner.to <= outer.to;
}

test("a range is added exactly when it cuts through none that is there", () => {
	fc.assert(
		fc.property(fc.array(anyRange), anyRange, (ranges, range) => {
			const { forest, kept } = planted(ranges);
			const cut = insert(forest, range);
			assert.equal(cut === undefined, !kept.some((other) => cuts(range, other)));
			if (cut) assert.ok(cuts(range, cut));
		}),
		cases(),
	);
});

test("a level is in order and disjoint, and what lies in a range is below it", () => {
	const check = (level: readonly Tree<Range>[], outer?: Range) => {
		for (const [i, { value, children }] of level.entries()) {
			if (outer) assert.ok(holds(outer, value));
			const next = level[i + 1];
			if (next) assert.ok(value.to <= next.value.from);
			check(children, value);
		}
	};
	fc.assert(
		fc.property(fc.array(anyRange), (ranges) => {
			const { forest, kept } = planted(ranges);
			check(forest);
			const count = (level: readonly Tree<Range>[]): number =>
				level.reduce((sum, { children }) => sum + 1 + count(children), 0);
			assert.equal(count(forest), kept.length);
		}),
		cases(),
	);
});

test("what stands around a range is found outermost first, an equal one not among it", () => {
	fc.assert(
		fc.property(fc.array(anyRange), anyRange, (ranges, range) => {
			const { forest, kept } = planted(ranges);
			const { around } = locate(forest, range);
			const expected = kept.filter((other) => holds(other, range) && !holds(range, other));
			assert.equal(around.length, expected.length);
			for (const [i, inner] of around.entries())
				for (const outer of around.slice(0, i)) assert.ok(holds(outer, inner));
		}),
		cases(),
	);
});

test("the newer of two equal ranges goes around the older", () => {
	const older = { from: 1, to: 3 };
	const newer = { from: 1, to: 3 };
	const { forest } = planted([older, newer]);
	assert.equal(forest[0]?.value, newer);
	assert.equal(forest[0]?.children[0]?.value, older);
});
