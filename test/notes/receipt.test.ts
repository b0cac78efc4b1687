// The receipt of a fold: its counts, and the files that a summary forgot.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { factsOf } from "../../src/notes/facts.ts";
import { receiptOf, tellReceipt, unnamedIn } from "../../src/notes/receipt.ts";
import { readSession } from "../../src/session/file.ts";
import { recordedPath, testRecorded } from "../session/recorded.ts";
import {
	attempt,
	bash,
	call,
	custom,
	record,
	reply,
	result,
	session,
	user,
} from "../support/session-entries.ts";

test("what was folded is counted by what it was", () => {
	const entries = session(
		reply("Look.", call("1", "edit", { path: "src/a.ts" }), call("2", "write", { path: "b.md" })),
		result("1", "ok"),
		result("2", "ok"),
		user("Now b."),
		attempt("error", ""),
		bash("ls", "a", 0),
		bash("secret", "b", 0, true),
		custom("note", "x"),
		record("dmail.fold", {}),
		reply("Done."),
	);
	const receipt = receiptOf(entries, factsOf(entries), "I changed a.ts.", ["lock.json"]);
	assert.deepEqual(receipt, {
		steps: 2,
		entries: 8,
		results: 2,
		userMessages: 2,
		unnamed: ["b.md", "lock.json"],
	});
	assert.equal(
		tellReceipt(receipt),
		"Folded: 2 steps, 8 entries, 2 tool results, 2 messages of the user.\n" +
			"Changed, but not in your summary: b.md, lock.json.",
	);
});

test("nothing is said of files when the summary names them all", () => {
	const receipt = { steps: 1, entries: 1, results: 0, userMessages: 0, unnamed: [] };
	assert.equal(
		tellReceipt(receipt),
		"Folded: 1 step, 1 entry, 0 tool results, 0 messages of the user.",
	);
});

const CASES: readonly (readonly [summary: string, changed: string, unnamed: string])[] = [
	["Edited src/fold.ts.", "src/fold.ts", ""],
	["Edited `fold.ts`, tests pass", "src/fold.ts", ""],
	["Edited /repo/src/fold.ts:12", "src/fold.ts", ""],
	["Edited src\\fold.ts", "src/fold.ts", ""],
	["Edited src/fold.tsx", "src/fold.ts", "src/fold.ts"],
	["Edited unfold.ts", "src/fold.ts", "src/fold.ts"],
	["Edited fold.test.ts", "src/test.ts", "src/test.ts"],
	["Edited fold.ts", "src/fold.ts test/fold.ts", "src/fold.ts test/fold.ts"],
	["Edited test/fold.ts", "src/fold.ts test/fold.ts", "src/fold.ts"],
	["Edited fold.ts", "fold.ts test/fold.ts", "test/fold.ts"],
	["New directory out/", "out/", ""],
	["Wrote out/x", "out/", ""],
	["", "a b", "a b"],
];

test("a file is named by its path or by an end of it that is its own", () => {
	for (const [summary, changed, unnamed] of CASES)
		assert.equal(unnamedIn(summary, changed.split(" ")).join(" "), unnamed, summary);
});

test("a summary that lists every path forgets none", () => {
	const path = fc
		.array(fc.stringMatching(/^[a-z.]{1,6}$/), { minLength: 1, maxLength: 4 })
		.map((parts) => parts.join("/"));
	fc.assert(
		fc.property(fc.array(path, { maxLength: 12 }), (paths) => {
			assert.deepEqual(unnamedIn(paths.map((one) => `- ${one}`).join("\n"), paths), []);
			assert.deepEqual(unnamedIn("", paths), [...new Set(paths)]);
		}),
	);
});

testRecorded("a receipt for a recorded session", (file) => {
	const { entries } = readSession(recordedPath(file));
	const receipt = receiptOf(entries, factsOf(entries), "");
	assert.ok(receipt.entries >= receipt.steps + receipt.results + receipt.userMessages);
	assert.equal(receipt.unnamed.length, factsOf(entries).changed.length);
});
