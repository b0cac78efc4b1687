// The re-read tax: which words count, and what counts as a use of them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Intake } from "../../src/profile/intake.ts";
import { Lexicon, type Tax } from "../../src/profile/tax.ts";
import { tapeOf } from "../../src/profile/what-if-tape.ts";
import type { SessionEntry } from "../../src/session/entry.ts";

/**
 * The tax of a conversation, a line a message: `u …`, `a …` (a reply), `r …` (a result), `c name path` (a
 * reply with a call and no words). The fold covers the lines from `from` up to `to`, seen from `seen` on.
 */
function taxOf(
	text: string,
	from: number,
	to: number,
	more: { seen?: number; summary?: string } = {},
): Tax {
	const intake = new Intake();
	const lexicon = new Lexicon();
	const lines = text.trim().split(/\s*\n\s*/);
	for (const [i, line] of lines.entries()) {
		const entry = entryOf(line, i);
		lexicon.push(entry);
		intake.entry(entry, i + 2);
	}
	const tape = tapeOf(
		intake,
		lines.map(() => 1),
	);
	const { seen = to, summary } = more;
	return lexicon.taxOf(tape, [{ from, to, seen, summary }]);
}

function entryOf(line: string, i: number): SessionEntry {
	const said = line.slice(2);
	const [name = "", path = ""] = said.split(" ");
	const call = { type: "toolCall", id: `${i}`, name, arguments: { path } };
	const message = {
		u: { role: "user", content: said },
		a: { role: "assistant", content: [{ type: "text", text: said }], stopReason: "stop" },
		r: { role: "toolResult", content: said, toolCallId: `${i - 1}`, toolName: "read" },
		c: { role: "assistant", content: [call], stopReason: "toolUse" },
	}[line.charAt(0)];
	const parentId = i === 0 ? null : `e${i - 1}`;
	return { type: "message", id: `e${i}`, parentId, timestamp: "", message } as SessionEntry;
}

describe("a term counts", () => {
	const rows: [string, string, number, number][] = [
		["a path that a later reply uses again", "a see src/a.ts\n u go on\n a now src/a.ts", 1, 1],
		["an identifier", "a call readUsage\n u go on\n a readUsage again", 1, 1],
		["a constant and a number", "a MAX_SIZE is 4096\n u go on\n a 4096 it is", 2, 1],
		["an error line", "r\tError: no such thing\n u go on\n a Error: no such thing", 1, 1],
		["plain words never do", "a some words here\n u go on\n a some words here", 0, 0],
		["small numbers neither", "a 42 of them\n u go on\n a 42 of them", 0, 0],
		["not what stood before the range too", "u see src/a.ts\n a src/a.ts", 0, 0],
		["not what a result shows anew", "a see src/a.ts\n r src/a.ts\n a src/a.ts", 1, 0],
		["not what the user says again first", "a see src/a.ts\n u src/a.ts\n a src/a.ts", 1, 0],
		["once, however often it is used", "a src/a.ts\n a src/a.ts\n a src/a.ts", 1, 1],
		["without its full stop", "a see src/a.ts.\n u go on\n a now src/a.ts", 1, 1],
	];
	for (const [name, text, terms, reused] of rows)
		test(name, () => {
			const from = name.includes("before the range") ? 1 : 0;
			const tax = taxOf(text.replace("\t", " "), from, from + 1);
			assert.deepEqual({ terms: tax.terms, reused: tax.reused }, { terms, reused });
		});
});

test("what stood behind the range before the chip was sent was not only in it", () => {
	const text = "a src/a.ts\n a src/a.ts\n u go on\n a src/a.ts";
	assert.equal(taxOf(text, 0, 1, { seen: 2 }).terms, 0);
	assert.equal(taxOf(text, 0, 1, { seen: 1 }).terms, 1);
});

test("a call that is made again alike is a repeat, with other arguments it is none", () => {
	const text = "c read a.ts\n r text\n u go on\n c read a.ts\n r text\n c read b.ts\n r text";
	assert.equal(taxOf(text, 0, 2).repeats, 1);
	assert.equal(taxOf(text, 5, 7).repeats, 0);
});

test("of a recorded fold it says how many of the used terms its summary names", () => {
	const text = "a src/a.ts and src/b.ts\n u go on\n a src/a.ts and src/b.ts";
	const { reused, survived } = taxOf(text, 0, 1, { summary: "changed src/a.ts" });
	assert.deepEqual({ reused, survived }, { reused: 2, survived: 1 });
	assert.equal(taxOf(text, 0, 1).survived, null);
});
