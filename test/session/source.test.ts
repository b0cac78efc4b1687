// The readable source of a fold: what it says, for whom, and when it refuses.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { FoldRecord } from "../../fold.ts";
import { digestOf, type Hash } from "../../src/session/digest.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { parseSession } from "../../src/session/parse.ts";
import { readSource, type SourceWish, verifySource } from "../../src/session/source.ts";
import { SessionTree } from "../../src/session/tree.ts";
import {
	attempt,
	bash,
	call,
	compaction,
	custom,
	edit,
	image,
	record,
	reply,
	result,
	session,
	user,
} from "../support/session-entries.ts";

const hash: Hash = (text) => createHash("sha256").update(text).digest("hex");
const digest = (entries: readonly SessionEntry[]) => digestOf(entries, hash);

function foldOf(
	entries: readonly SessionEntry[],
	from: number,
	to: number,
	more: Partial<FoldRecord> = {},
): FoldRecord {
	return {
		kind: "fold",
		v: 1,
		id: "a1b2",
		fromEntryId: `e${from}`,
		toEntryId: `e${to}`,
		summary: "s",
		by: "model",
		digest: digest(entries.slice(from, to)),
		...more,
	};
}

const BRANCH = session(
	user("Find the bug."),
	reply(
		"I look at it.\nFirst the source.",
		call("t1", "read", { path: "a.ts", offset: 3 }),
		call("t2", "edit", {
			path: "a.ts",
			edits: [{ oldText: "x\ny", newText: 'say("z")' }],
			tags: [],
		}),
	),
	result("t1", [{ type: "text", text: "line 1\nline 2\n" }, image]),
	result("t2", "No match", { isError: true }),
	attempt("error", ""),
	bash("ls", "a.ts", 0),
	bash("cat secret", "hush", 0, true),
	custom("plan", "Step by step."),
	reply("Found it."),
	user("Thanks."),
);

function read(wish: Partial<SourceWish> & Pick<SourceWish, "record">) {
	return readSource({ branch: BRANCH, reader: "person", hash, ...wish });
}

function textOf(wish: Partial<SourceWish> & Pick<SourceWish, "record">): string {
	const source = read(wish);
	assert.ok(source.ok, source.ok ? "" : source.reason);
	return source.text;
}

function refused(wish: Partial<SourceWish> & Pick<SourceWish, "record">) {
	const source = read(wish);
	assert.ok(!source.ok);
	return source;
}

test("a person reads what is stored, role by role", () => {
	assert.equal(
		textOf({ record: foldOf(BRANCH, 1, 9) }),
		`=== assistant, step 1 · e1
I look at it.
First the source.
call of read (t1)
path: a.ts
offset: 3
call of edit (t2)
path: a.ts
edits[0].oldText:
x
y
edits[0].newText: say("z")
tags: []

=== result of t (t1) · e2
line 1
line 2

[image 1: image/png, 2 bytes]

=== result of t (t2), an error · e3
No match

=== assistant, not a step (error) · e4

=== command of the user, exit 0 · e5
$ ls
a.ts

=== command of the user (!!), exit 0 · e6
$ cat secret
hush

=== message of extension plan · e7
Step by step.

=== assistant, step 2 · e8
Found it.`,
	);
});

test("a model reads nothing of what was run with !!", () => {
	const text = textOf({ record: foldOf(BRANCH, 1, 9), reader: "model" });
	assert.ok(text.includes("$ ls") && !text.includes("secret") && !text.includes("hush"));
});

test("a model reads what context edits left, a person what they replaced", () => {
	const branch = session(
		reply("Look.", call("t", "bash", { command: "env" })),
		result("t", "TOKEN=1234"),
		user("my phone is 555"),
		reply("Done."),
		edit("e1", "TOKEN=?"),
		edit("e1", "TOKEN=(redacted)"),
		edit("e2", null),
	);
	const fold = foldOf(branch, 0, 4);
	const model = textOf({ record: fold, branch, reader: "model" });
	assert.ok(model.includes("TOKEN=(redacted)"));
	assert.ok(!/1234|555|TOKEN=\?/.test(model));
	const person = textOf({ record: fold, branch });
	assert.ok(person.includes("TOKEN=1234") && person.includes("555"));
	assert.ok(!person.includes("redacted"));
});

test("images are named in the text and given with their place", () => {
	const source = read({ record: foldOf(BRANCH, 1, 9) });
	assert.ok(source.ok);
	const [placed] = source.images;
	assert.deepEqual(placed?.image, image);
	assert.ok(source.text.slice(placed?.offset).startsWith("[image 1: "));
});

test("steps keep the numbers that they have on the branch", () => {
	assert.match(textOf({ record: foldOf(BRANCH, 8, 9) }), /^=== assistant, step 2 · e8\n/);
});

test("a fold without an end reaches up to its own record", () => {
	const body = session(user("a"), reply("b"), reply("c"));
	const fold = foldOf(body, 1, 3, { toEntryId: null });
	const { kind: _, ...data } = fold;
	const branch = [
		...body,
		...session(user(""), user(""), user(""), record("dmail.fold", data), user("d")).slice(3),
	];
	assert.match(textOf({ record: fold, branch }), /· e2\nc$/);
	assert.match(textOf({ record: { ...fold, id: "ffff" }, branch, force: true }), /· e4\nd$/);
});

test("a compacted range and the compaction in it are read all the same", () => {
	const branch = session(
		user("a"),
		reply("b"),
		compaction("e1", "So far: b."),
		reply("c"),
		user("d"),
	);
	const fold = foldOf(branch, 1, 4);
	assert.match(
		textOf({ record: fold, branch }),
		/=== compaction · e2\nSo far: b\.\n\n=== assistant, step 2/,
	);
	const older = [
		...branch,
		...session(
			user(""),
			user(""),
			user(""),
			user(""),
			user(""),
			compaction("e4", "All."),
			user("e"),
		).slice(5),
	];
	assert.equal(textOf({ record: fold, branch: older }), textOf({ record: fold, branch }));
});

test("a source is verified, or said to be unverified where nothing can prove it", () => {
	const fold = foldOf(BRANCH, 1, 9);
	const { digest: _, ...plain } = fold;
	const verified = (wish: Partial<SourceWish> & Pick<SourceWish, "record">) => {
		const source = read(wish);
		return source.ok && source.verified;
	};
	assert.equal(verified({ record: fold }), true);
	assert.equal(verified({ record: { ...plain, v: 0 } }), null);
	assert.equal(verified({ record: fold, hash: undefined }), null);
	assert.equal(verifySource({ record: fold, branch: BRANCH, hash }), true);
	assert.equal(
		verifySource({ record: foldOf(BRANCH, 1, 8, { toEntryId: "e9" }), branch: BRANCH, hash }),
		false,
	);
	assert.equal(
		verifySource({ record: { ...fold, fromEntryId: "x" }, branch: BRANCH, hash }),
		false,
	);
	assert.equal(verifySource({ record: { ...plain, v: 0 }, branch: BRANCH, hash }), null);
});

/** The branch as it is after somebody tampered with it. */
function changed(at: number, text: string): SessionEntry[] {
	return BRANCH.map((entry, position) =>
		position === at
			? (session(...Array(at).fill(user("")), user(text))[at] as SessionEntry)
			: entry,
	);
}

test("nothing is shown when an entry was changed, and the range is named", () => {
	const branch = changed(3, "Match");
	const refusal = refused({ record: foldOf(BRANCH, 1, 9), branch });
	assert.equal(
		refusal.reason,
		"not the original: one of its 8 messages, from entry e1 to e8, is not what was folded",
	);
});

test("of one message the entry is named, and of more what other folds leave", () => {
	const branch = changed(5, "Match");
	assert.equal(refused({ record: foldOf(BRANCH, 5, 6), branch }).entryId, "e5");
	const witnesses = [foldOf(BRANCH, 1, 5, { id: "aaaa" }), foldOf(BRANCH, 5, 7, { id: "bbbb" })];
	const told = [
		...branch,
		...session(
			...Array(10).fill(user("")),
			...witnesses.map(({ kind: _, ...data }) => record("dmail.fold", data)),
		).slice(10),
	];
	assert.equal(
		refused({ record: foldOf(BRANCH, 1, 9), branch: told }).reason,
		"not the original: one of its 2 messages, from entry e5 to e6, is not what was folded",
	);
});

test("records of other kinds on the branch are no witnesses", () => {
	const branch = [
		...changed(5, "Match"),
		...session(
			...Array(10).fill(user("")),
			record("dmail.pin", { v: 1, fromEntryId: "e1", toEntryId: "e9" }),
		).slice(10),
	];
	assert.match(refused({ record: foldOf(BRANCH, 1, 9), branch }).reason, /one of its 8 messages/);
});

test("with force it is shown all the same, and what is wrong is said", () => {
	const source = read({ record: foldOf(BRANCH, 1, 9), branch: changed(3, "Match"), force: true });
	assert.ok(source.ok);
	assert.equal(source.verified, false);
	assert.match(source.problem ?? "", /is not what was folded$/);
	assert.ok(source.text.includes("Match"));
});

test("an entry that is missing, unreadable or out of order is named", () => {
	const fold = foldOf(BRANCH, 1, 9, { fromStep: 1, toStep: 2 });
	const without = (at: number) => BRANCH.filter((_, position) => position !== at);
	assert.equal(
		refused({ record: fold, branch: without(1) }).reason,
		"not the original: its first entry e1 is not on the branch",
	);
	assert.equal(refused({ record: fold, branch: without(9) }).entryId, "e9");
	assert.match(
		refused({ record: fold, branch: without(8) }).reason,
		/it was made of steps 1–2 and now has steps 1–1: an entry in it is missing or new$/,
	);
	const later = foldOf(BRANCH, 8, 9, { fromStep: 2, toStep: 2, digest: "other" });
	assert.match(
		refused({ record: later, branch: without(1) }).reason,
		/it was made of steps 2–2 and now has steps 1–1: an entry before it is missing or new$/,
	);
	const unreadable = BRANCH.map(
		(entry, at): SessionEntry =>
			at === 2 ? { type: "unknown", id: "e2", parentId: "e1", timestamp: entry.timestamp } : entry,
	);
	assert.equal(
		refused({ record: fold, branch: unreadable }).reason,
		"not the original: entry e2 cannot be read",
	);
	const swapped = BRANCH.with(2, BRANCH[3] as SessionEntry).with(3, BRANCH[2] as SessionEntry);
	assert.match(refused({ record: fold, branch: swapped }).reason, /entry e2 is older than/);
	const turned = BRANCH.with(1, BRANCH[9] as SessionEntry).with(9, BRANCH[1] as SessionEntry);
	assert.match(refused({ record: fold, branch: turned }).reason, /its end e9 stands before/);
});

test("with force a branch that lost its beginning is read as far as it goes", () => {
	const fold = foldOf(BRANCH, 1, 9);
	const source = read({ record: fold, branch: BRANCH.slice(7), force: true });
	assert.ok(source.ok);
	assert.match(source.text, /^=== message of extension plan · e7/);
	assert.match(source.text, /Found it\.$/);
	assert.equal(refused({ record: { ...fold, fromEntryId: "x" }, force: true }).entryId, "x");
});

test("a branch that was stored, forked and read again has the same source", () => {
	const fold = foldOf(BRANCH, 1, 9);
	const other: SessionEntry = { ...(BRANCH[9] as SessionEntry), id: "f9", parentId: "e5" };
	const header = { type: "session", version: 3, id: "s", timestamp: "", cwd: "/" };
	const stored = [header, ...BRANCH, other].map((entry) => JSON.stringify(entry)).join("\n");
	const { entries } = parseSession(`${stored}\n`);
	const tree = new SessionTree<SessionEntry>();
	entries.forEach((entry, at) => {
		tree.add(entry, at);
	});
	assert.deepEqual(read({ record: fold, branch: tree.branch("e9") }), read({ record: fold }));
	assert.equal(refused({ record: fold, branch: tree.branch("f9") }).entryId, "e9");
});

test("reading changes nothing", () => {
	const before = JSON.stringify(BRANCH);
	textOf({ record: foldOf(BRANCH, 1, 9), reader: "model" });
	assert.equal(JSON.stringify(BRANCH), before);
});
