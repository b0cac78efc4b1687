// Text of a session on a terminal: what it says, and nothing it could do.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import stringWidth from "string-width";
import { printable } from "../../src/report/printable.ts";
import { clip, pad, widthOf } from "../../src/report/width.ts";

test("controls, escapes and overrides are neutralised", () => {
	assert.equal(printable("\u001b[31mred\u001b]0;title\u0007"), "␛[31mred␛]0;title␇");
	assert.equal(printable("a\nb\tc\r\nd"), "a b c  d");
	assert.equal(printable("\u009b31m\u0000\u007f"), "\ufffd31m␀␡");
	assert.equal(printable("a\u202egnp.exe\u200b\ufeff"), "agnp.exe");
	assert.equal(printable("half \ud83d pair"), "half \ufffd pair");
	assert.equal(printable("漢字 🫠 ok"), "漢字 🫠 ok");
});

test("nothing printable says holds a control", () => {
	fc.assert(
		fc.property(fc.string({ unit: "binary" }), (text) => {
			const said = printable(text);
			assert.doesNotMatch(said, /[\p{Cc}\p{Surrogate}\u2028-\u202e\u2066-\u2069]/u);
			assert.equal(printable(said), said);
		}),
	);
});

test("a clipped text is never wider than asked, and whole where it fits", () => {
	fc.assert(
		fc.property(fc.string({ unit: "grapheme" }), fc.nat(40), (raw, columns) => {
			const text = printable(raw);
			const cut = clip(text, columns);
			assert.ok(stringWidth(cut) <= columns);
			if (stringWidth(text) <= columns) assert.equal(cut, text);
		}),
	);
	assert.equal(clip("漢字漢字", 5), "漢字…");
	assert.equal(clip("漢字漢字", 4), "漢…");
});

test("padding fills up to the display width", () => {
	assert.equal(pad("漢字", 6, "right"), "  漢字");
	assert.equal(pad("🫠", 4, "left"), "🫠  ");
	assert.equal(widthOf(pad("日本", 10, "left")), 10);
});
