// When held folds land that were made before folding was switched off and on again.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { heldFolds } from "../../src/pi/moment.ts";
import { outlook } from "../../src/pi/timing.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { type FakeOptions, type FakePi, fakePi, PRICED } from "../support/fake-pi.ts";
import { type Draft, record, reply, user } from "../support/session-entries.ts";
import { COLD, due, fake, fold, grow, sceneOf, shifted, step, WARM } from "./held-session.ts";

describe("switched off and on again", () => {
	const mode = (enabled: boolean) =>
		record("dmail.mode", { v: 1, enabled, nudge: true, by: "user" });

	/** One fold held, its last request so old; then off, these requests, and on. */
	function switched(ageMs: number, raw: readonly Draft[], options: FakeOptions = {}): FakePi {
		const made = fakePi(fake(WARM).entries, options);
		fold(made, 1, 1);
		const pi = fakePi(shifted(made.entries, ageMs - WARM), options);
		grow(pi, mode(false), ...raw, mode(true));
		return pi;
	}

	function byClaude(entry: SessionEntry): SessionEntry {
		if (entry.type !== "message" || entry.message.role !== "assistant") return entry;
		return { ...entry, message: { ...entry.message, model: "claude" } };
	}

	test("it lands with the first request where the folded prompt was last sent too long ago", () => {
		const pi = switched(COLD, step("raw", 100));
		assert.equal(due(pi)?.ids.length, 1);
		assert.equal(due(pi)?.predicted?.requestsToPay, 0);
	});

	test("in time it waits: the cache still has what was sent folded before", () => {
		const pi = switched(WARM, [...step("raw", 100), ...step("more", 100)]);
		assert.equal(due(pi), undefined);
		const { placed } = heldFolds(sceneOf(pi))[0] ?? assert.fail();
		assert.ok(placed.fresh > 200 && placed.fresh < 300, `${placed.fresh}`);
	});

	test("without a request in between nothing has changed", () => {
		assert.equal(due(switched(WARM, [])), undefined);
		assert.equal(due(switched(COLD, []))?.ids.length, 1);
	});

	test("it lands where so much came meanwhile that no entry is in reach", () => {
		const landsAfter = (turns: number) => {
			const talk = Array.from({ length: turns }, (_, turn) => [user(`and ${turn}`), reply("yes")]);
			const entries = switched(WARM, talk.flat()).entries.map(byClaude);
			return due(fakePi(entries, { model: { ...PRICED, id: "claude" } })) !== undefined;
		};
		assert.deepEqual([landsAfter(2), landsAfter(12)], [false, true]);
	});

	test("no rent is due for what was asked meanwhile", () => {
		const before = outlook(sceneOf(switched(WARM, [])), "auto").requestsLeft;
		const raw = Array.from({ length: 30 }, (_, i) => step(`raw${i}`, 1)).flat();
		const pi = switched(WARM, raw);
		assert.equal(due(pi), undefined);
		assert.ok(Math.abs((outlook(sceneOf(pi), "auto").requestsLeft ?? 0) - (before ?? 0)) <= 1);
	});
});
