// Calls of one batch: prepared side by side, decided in the order in which they were made.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Turns } from "../../src/pi/turns.ts";

test("calls decide in their order, whatever each preparation takes and whichever fail", async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(fc.record({ ticks: fc.nat(6), fails: fc.constantFrom("no", "early", "late") }), {
				maxLength: 8,
			}),
			async (calls) => {
				const turns = new Turns();
				const started: number[] = [];
				const decided: number[] = [];
				const outcomes = await Promise.allSettled(
					calls.map(({ ticks, fails }, at) =>
						turns.take(
							async () => {
								started.push(at);
								for (let tick = 0; tick < ticks; tick++) await null;
								if (fails === "early") throw new Error("early");
								return at;
							},
							(prepared) => {
								decided.push(prepared);
								if (fails === "late") throw new Error("late");
								return prepared;
							},
						),
					),
				);
				const all = calls.map((_, at) => at);
				assert.deepEqual(started, all);
				assert.deepEqual(
					decided,
					all.filter((at) => calls[at]?.fails !== "early"),
				);
				assert.deepEqual(
					outcomes.map(({ status }) => status === "fulfilled"),
					calls.map(({ fails }) => fails === "no"),
				);
			},
		),
	);
});
