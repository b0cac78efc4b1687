// The text of entries that few sessions have: rare roles, missing fields, and edits of what extensions say.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEntry } from "../../src/session/entry.ts";
import { lastEdits, type Reader, writeSource } from "../../src/session/source-text.ts";
import {
	call,
	custom,
	type Draft,
	edit,
	reply,
	session,
	timeAt,
	user,
} from "../support/session-entries.ts";

/** A message as a file may hold it, whatever is missing. */
function stored(message: object): Draft {
	return (at) => ({ ...(user("")(at) as object), message }) as SessionEntry;
}

function read(reader: Reader, ...drafts: readonly Draft[]): string {
	const entries = session(...drafts);
	return writeSource({ entries, reader, firstStep: 1, edits: lastEdits(entries) }).text;
}

test("an edit of what an extension says is read in its place, or nothing is", () => {
	const drafts = [
		custom("plan", "first plan"),
		stored({ role: "custom", customType: "hook", content: "first hook" }),
		edit("e0", "second plan"),
		edit("e1", "second hook"),
	];
	assert.equal(
		read("model", ...drafts),
		"=== message of extension plan · e0\nsecond plan\n\n=== message of extension hook · e1\nsecond hook",
	);
	assert.equal(
		read("person", ...drafts),
		"=== message of extension plan · e0\nfirst plan\n\n=== message of extension hook · e1\nfirst hook",
	);
	assert.equal(read("model", ...drafts, edit("e0", null), edit("e1", null)), "");
});

test("an edit takes nothing from an entry that pi does not edit", () => {
	const summary: Draft = (at) => ({
		type: "branch_summary",
		id: `e${at}`,
		parentId: null,
		timestamp: new Date(timeAt(at)).toISOString(),
		fromId: "x",
		summary: "tried b",
	});
	const bash = stored({ role: "bashExecution", command: "ls", output: "a.ts", exitCode: 0 });
	assert.equal(
		read("model", summary, bash, edit("e0", null), edit("e1", null)),
		"=== summary of another branch · e0\ntried b\n\n=== command of the user, exit 0 · e1\n$ ls\na.ts",
	);
});

test("summaries stored as messages are read as summaries", () => {
	assert.equal(
		read(
			"model",
			stored({ role: "branchSummary", summary: "went left", fromId: null }),
			stored({ role: "compactionSummary", summary: "all so far", tokensBefore: 1 }),
		),
		"=== summary · e0\nwent left\n\n=== summary · e1\nall so far",
	);
});

test("a result without a tool's name has that of its call, or none", () => {
	const answer = { role: "toolResult", content: "done", isError: false };
	assert.equal(
		read(
			"model",
			reply("", call("t1", "read", {})),
			stored({ ...answer, toolCallId: "t1" }),
			stored({ ...answer, toolCallId: "t2" }),
			stored(answer),
		),
		"=== assistant, step 1 · e0\ncall of read (t1)\n\n=== result of read (t1) · e1\ndone\n\n=== result of a tool (t2) · e2\ndone\n\n=== result of a tool · e3\ndone",
	);
});

test("a command tells how it ended, where that is known", () => {
	const bash = { role: "bashExecution", command: "make", output: "" };
	assert.equal(
		read(
			"model",
			stored({ ...bash, cancelled: true, exitCode: null }),
			stored({ ...bash, cancelled: false, exitCode: null }),
			stored({ ...bash, cancelled: false, exitCode: 2 }),
		),
		"=== command of the user, cancelled · e0\n$ make\n\n=== command of the user · e1\n$ make\n\n=== command of the user, exit 2 · e2\n$ make",
	);
});

test("a person reads the sections of a system message, a model nothing of it", () => {
	const system = stored({
		role: "system",
		content: "Be brief.",
		sections: { tools: "read, edit", skills: null },
	});
	const plain = stored({ role: "system", content: "Be kind." });
	assert.equal(
		read("person", system, plain),
		"=== system · e0\nBe brief.\ntools:\nread, edit\nskills: removed\n\n=== system · e1\nBe kind.",
	);
	assert.equal(read("model", system, plain), "");
});

test("what is missing or strange is named, and nothing is made up", () => {
	assert.equal(
		read(
			"person",
			stored({ role: "assistant", content: [{ type: "thinking", thinking: "hm" }, { type: "x" }] }),
			stored({
				role: "assistant",
				content: [{ type: "thinking", thinking: "" }],
				errorMessage: "no",
			}),
			stored({ role: "oracle", content: "yes" }),
			stored({ content: "who" }),
			stored({ role: "user", content: [{ type: "image" }] }),
		),
		[
			"=== assistant, not a step (unfinished) · e0\nthinking:\nhm\n(end of thinking)\n[a block of type x]",
			"=== assistant, not a step (unfinished) · e1\nerror: no",
			"=== oracle · e2\nyes",
			"=== message without a role · e3\nwho",
			"=== user · e4\n[image 1: unknown kind, 0 bytes]",
		].join("\n\n"),
	);
});

test("arguments that are no object are read as they are", () => {
	const odd = (args: unknown) => ({ type: "toolCall", name: "run", arguments: args });
	assert.equal(
		read(
			"model",
			stored({
				role: "assistant",
				stopReason: "toolUse",
				content: [odd("ls"), odd(["a", null]), odd(undefined)],
			}),
		),
		"=== assistant, step 1 · e0\ncall of run\narguments: ls\ncall of run\narguments[0]: a\narguments[1]: null\ncall of run",
	);
});

test("a line that cannot be read is told to a person; an entry of a later pi has no text", () => {
	const lost: Draft = (at) => ({ type: "unknown", id: `e${at}`, parentId: null, timestamp: "" });
	const later: Draft = (at) => ({ ...(lost(at) as object), was: "leaf" }) as SessionEntry;
	assert.equal(read("person", lost, later), "=== a line of the file that cannot be read · e0");
	assert.equal(read("model", lost, later), "");
});
