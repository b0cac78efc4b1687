// The size of what would be sent without us, asked for again and again while the branch goes on.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Entry, Replayer } from "../../fold.ts";
import { branch, textHost } from "../support/notation.ts";
import { projection } from "./branch.ts";

const edit = (targetId: string, message?: string): Entry<string> => ({
	id: `edit of ${targetId}`,
	kind: "edit",
	targetId,
	message,
});

const compaction = (firstKeptEntryId: string): Entry<string> => ({
	id: `S${firstKeptEntryId}`,
	kind: "compaction",
	message: "S:what was said",
	head: "P:rules",
	firstKeptEntryId,
});

/** Sizes as they are told after each of some groups of entries, checked against what the host shows then. */
function check(...groups: Entry<string>[][]): void {
	const replayer = new Replayer(textHost);
	const entries: Entry<string>[] = [];
	for (const group of groups) {
		for (const entry of group) replayer.push(entry);
		entries.push(...group);
		const shown = projection(entries).map(({ message }) => message);
		assert.equal(replayer.rawSize(), shown.join("").length, shown.join(" "));
	}
}

const LINE = branch("P U1 A1 R1 A2 R2 fold(1)");

test("it has no chip, no pointer and no marker in it", () => check(LINE, branch("U2:hello")));

test("an edit changes it by as much as it changes the message", () =>
	check(
		LINE,
		[edit("R1", "R1:longer")],
		[edit("R1")],
		[edit("U1", "U1:hello"), edit("none", "x")],
	));

test("an edit of what came in since the size was told counts once", () =>
	check(LINE, [...branch("U2:hello"), edit("U2", "U2:bye")]));

test("an edit of what was compacted away changes nothing, until an era shows it again", () =>
	check(LINE, [compaction("A2")], [edit("R1", "R1:longer")], [compaction("A1")]));

test("an edit between a compaction and the next time the size is told counts once", () => {
	check(LINE, [compaction("A2"), edit("R2", "R2:longer")]);
	check(LINE, [compaction("A2"), edit("R1", "R1:longer")]);
});

test("an edit of a system message that the compaction leaves out changes nothing", () =>
	check(LINE, [compaction("P")], [edit("P", "P:longer")]));
