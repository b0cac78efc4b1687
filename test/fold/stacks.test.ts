// Stacks of positions by key, against plain lists.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Stacks } from "../../src/fold/stacks.ts";
import { cases } from "../support/cases.ts";

const anyDoing = fc.record({
	does: fc.constantFrom("push", "push", "push", "pop", "clear"),
	key: fc.constantFrom("a", "b"),
});

test("a stack is a list of its own for each key", () => {
	fc.assert(
		fc.property(fc.array(anyDoing, { maxLength: 30, size: "max" }), fc.nat(40), (doings, limit) => {
			const stacks = new Stacks();
			const lists: Record<string, number[]> = { a: [], b: [] };
			for (const [position, { does, key }] of doings.entries()) {
				const list = lists[key] ?? [];
				if (does === "push") {
					stacks.push(key, position);
					list.push(position);
				} else if (does === "pop") assert.equal(stacks.pop(key), list.pop());
				else {
					stacks.clear(key);
					list.length = 0;
				}
				for (const [name, positions] of Object.entries(lists)) {
					assert.equal(stacks.top(name), positions.at(-1));
					const before = positions.findLast((one) => one < limit) ?? -1;
					assert.equal(stacks.before(name, limit), before);
				}
			}
		}),
		cases(),
	);
});

test("the newest position before a limit is none at the limit or behind it", () => {
	const stacks = new Stacks();
	stacks.push("one", 4);
	for (const position of [2, 4, 6]) stacks.push("many", position);
	for (const [limit, one, many] of [
		[2, -1, -1],
		[3, -1, 2],
		[4, -1, 2],
		[5, 4, 4],
		[7, 4, 6],
	] as const) {
		assert.equal(stacks.before("one", limit), one);
		assert.equal(stacks.before("many", limit), many);
		assert.equal(stacks.before("none", limit), -1);
	}
});
