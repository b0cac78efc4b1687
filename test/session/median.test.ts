import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RunningMedian } from "../../src/session/median.ts";

test("the running median is the middle one of all numbers so far, the upper of two", () => {
	const numbers = fc.array(fc.oneof(fc.integer({ min: -5, max: 5 }), fc.double({ noNaN: true })));
	fc.assert(
		fc.property(numbers, (values) => {
			const median = new RunningMedian();
			assert.equal(median.value, undefined);
			for (const [i, value] of values.entries()) {
				median.add(value);
				const sorted = values.slice(0, i + 1).toSorted((a, b) => a - b);
				assert.equal(median.size, i + 1);
				// a sum with 0 makes -0 and 0 the same
				assert.equal((median.value ?? Number.NaN) + 0, (sorted[(i + 1) >> 1] ?? Number.NaN) + 0);
			}
		}),
	);
});
