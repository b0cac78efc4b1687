// Text of others on a terminal: whole escape sequences go, what it says stays.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { firstLine } from "../../src/pi/picker-label.ts";
import { harmless } from "../../src/pi/plain-text.ts";

test("of an escape sequence nothing is left to see", () => {
	for (const [text, said] of [
		["\u001b[31mRED\u001b[0m x", "RED x"],
		["\u001b[38;2;1;2;3mhi\u001b[?25l", "hi"],
		["\u009b31mRED", "RED"],
		["\u001b]0;a title, with ümläut\u0007b", "b"],
		["\u001b]8;;https://example.org/a b\u001b\\link\u001b]8;;\u001b\\", "link"],
		["\u009d0;title\u009cb", "b"],
		["\u001bP1;2qdata\u001b\\z", "z"],
		["\u001b_data\u001b\\\u001b^data\u001b\\z", "z"],
		["\u001b7a\u001bcb\u001b(Bc", "abc"],
	] as const) {
		assert.equal(harmless(text), said);
		assert.equal(firstLine(text), said);
	}
});

test("a sequence without its end takes no line of text with it", () => {
	assert.equal(harmless("\u001b]0;title\nb\u0007c\u001b"), "0;title\nb c ");
});

test("what holds no control and no override stays to the character", () => {
	fc.assert(
		fc.property(fc.string({ unit: "grapheme" }), (text) => {
			if (/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u.test(text)) return;
			assert.equal(harmless(`${text}\n\t[31m`), `${text}\n\t[31m`);
		}),
	);
});

test("nothing that a terminal obeys is left", () => {
	fc.assert(
		fc.property(fc.string({ unit: "binary" }), (text) => {
			assert.doesNotMatch(harmless(text), /[^\P{Cc}\n\t]|[\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
		}),
	);
});
