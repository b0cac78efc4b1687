// Which cache entries can still be there: what pauses, other models, compactions and landings leave of them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { standingOf, stands } from "../../src/pi/price-entries.ts";
import { marketOf, warmStretch } from "../../src/pi/price-market.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { PRICED } from "../support/fake-pi.ts";

const MARKET = marketOf({ ...PRICED, provider: "anthropic", id: "claude" }, {});
const MINUTE = 60_000;

/** A branch: "a" a reply a minute after what came before, "A" six minutes after, "o" another model's, "c" a compaction, "." else. */
function branch(row: string): SessionEntry[] {
	let atMs = 0;
	return [...row].map((sign, at): SessionEntry => {
		atMs += sign === "A" ? 6 * MINUTE : sign === "." ? 0 : MINUTE;
		const base = { id: `e${at}`, parentId: null, timestamp: new Date(atMs).toISOString() };
		if (sign === ".") return { ...base, type: "session_info" };
		if (sign === "c") return { ...base, type: "compaction" } as SessionEntry;
		const model = sign === "o" ? "other" : "claude";
		const message = { role: "assistant", provider: "anthropic", model, stopReason: "stop" };
		return { ...base, type: "message", message: { ...message, timestamp: atMs } } as SessionEntry;
	});
}

describe("a warm stretch", () => {
	const rows: [string, string, number, number][] = [
		["all of a warm session", ".a.a.a", 3, 1],
		["since a pause that was too long, with the request that ended it", "a.a.A.a", 2, 4],
		["since another model answered", "a.a.o.a", 1, 6],
		["since a compaction", "a.a.c.a.a", 2, 6],
		["nothing without a request", "...", 0, 3],
	];
	for (const [name, row, requests, from] of rows)
		test(name, () => assert.deepEqual(warmStretch(branch(row), MARKET), { requests, from }));
});

describe("an entry stands", () => {
	const stand = (row: string, reply: number, landings: Parameters<typeof standingOf>[1] = []) =>
		stands(standingOf(branch(row), landings, MARKET), reply);
	test("in a warm session", () => assert.ok(stand("a.a.a", 0)));
	test("not where the cache got cold since", () => {
		assert.ok(!stand("a.a.A.a", 2));
		assert.ok(stand("a.a.A.a", 4));
	});
	test("not where a landing began before it; its request wrote one, and so did all after it", () => {
		const landings = [{ folds: [{ from: 6 }, { from: 2 }], after: { at: 8 } }];
		assert.deepEqual(
			[0, 2, 4, 6, 8, 10].filter((reply) => stand("a.a.a.a.a.a", reply, landings)),
			[0, 2, 8, 10],
		);
	});
	test("not behind a landing that no request has carried yet", () =>
		assert.ok(!stand("a.a.a", 4, [{ folds: [{ from: 2 }] }])));
});
