// The folds that a branch tells of, also by records that are damaged.

import assert from "node:assert/strict";
import { test } from "node:test";
import { findFold, listFolds } from "../../src/session/source-list.ts";
import { record, session, user } from "../support/session-entries.ts";

const STORED = {
	v: 1,
	id: "a1b2",
	fromEntryId: "e1",
	toEntryId: "e3",
	fromStep: 1,
	toStep: 2,
	summary: "did it",
	digest: "d",
	by: "model",
};

test("of a damaged record what can be read is kept, and what is wrong is told", () => {
	const rows: [data: unknown, left: object, damage: string][] = [
		[null, { id: "e0", fromEntryId: "", toEntryId: null, summary: "" }, "no data"],
		["text", { id: "e0", fromEntryId: "", toEntryId: null, summary: "" }, "no data"],
		[
			{ ...STORED, id: "", summary: 7 },
			{ id: "e0", fromEntryId: "e1", toEntryId: "e3", summary: "", fromStep: 1 },
			"id: not a text",
		],
		[
			{ ...STORED, toEntryId: 3, fromStep: 0.5 },
			{ id: "a1b2", fromEntryId: "e1", toEntryId: null, summary: "did it", fromStep: undefined },
			"toEntryId: not a text",
		],
	];
	for (const [data, left, damage] of rows) {
		const [fold] = listFolds(session(record("dmail.fold", data)));
		assert.ok(fold);
		assert.equal(fold.damage, damage);
		assert.deepEqual({ ...fold.record, ...left }, fold.record);
	}
});

test("only folds are listed, each with its place, and found by id whatever its case", () => {
	const folds = listFolds(
		session(
			user("a"),
			record("dmail.fold", STORED),
			record("other", STORED),
			record("dmail.pin", { v: 1, fromEntryId: "e1", toEntryId: "e3" }),
			record("dmail.drop", null),
			record("dmail.fold", { ...STORED, summary: "again" }),
		),
	);
	assert.deepEqual(
		folds.map(({ at, damage }) => [at, damage]),
		[
			[1, undefined],
			[5, undefined],
		],
	);
	assert.equal(findFold(folds, " A1B2")?.at, 5, "the newest of two");
	assert.equal(findFold(folds, "a1b"), undefined);
});
