// Finding lines in a source.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Query, searchSource, tellFound } from "../../src/session/source-search.ts";

const TEXT = "alpha\nbeta (1)\ngamma\ndelta\nBETA\nepsilon";

function told(query: Query, text = TEXT, width?: number): string {
	const found = searchSource(text, query);
	assert.ok(found.ok);
	return tellFound(found, query, { width });
}

test("a plain text is looked for as it stands", () => {
	assert.equal(told({ text: "beta (1)" }), "2: beta (1)");
	assert.equal(told({ text: "b.ta" }), "");
});

test("a regular expression is one, and a bad one is refused with its fault", () => {
	assert.equal(told({ text: "^.elta$", regex: true }), "4: delta");
	const refused = searchSource(TEXT, { text: "(", regex: true });
	assert.ok(!refused.ok && refused.reason.startsWith("not a regular expression: "));
	assert.deepEqual(searchSource(TEXT, { text: "" }), {
		ok: false,
		reason: "nothing to look for; say a text",
	});
});

test("case counts unless it is said not to", () => {
	assert.equal(told({ text: "beta" }), "2: beta (1)");
	assert.equal(told({ text: "beta", ignoreCase: true }), "2: beta (1)\n--\n5: BETA");
});

test("lines around a match are shown once, and gaps are told", () => {
	assert.equal(
		told({ text: "beta", ignoreCase: true, context: 1 }),
		"1- alpha\n2: beta (1)\n3- gamma\n4- delta\n5: BETA\n6- epsilon",
	);
	assert.equal(told({ text: "l", context: 0 }), "1: alpha\n--\n4: delta\n--\n6: epsilon");
});

test("over the limit matches are counted, not shown", () => {
	const found = searchSource(TEXT, { text: "a", limit: 2 });
	assert.ok(found.ok);
	assert.equal(found.hits, 4);
	assert.deepEqual(
		found.lines.map(({ line }) => line),
		[1, 2],
	);
});

test("a long line is shown around its match, whole characters only", () => {
	const line = `${"😀".repeat(50)}needle${"é".repeat(50)}`;
	assert.equal(told({ text: "needle" }, line, 12), "1: …😀😀😀needleééé…");
	assert.equal(told({ text: "😀" }, line, 4), "1: 😀😀😀😀…");
	assert.equal(told({ text: "é" }, `${"a".repeat(9)}é`, 4), "1: …aaaé");
	assert.equal(
		told({ text: "😀" }, "😀😀😀", 4),
		"1: 😀😀😀",
		"as many characters as there is room for",
	);
});

test("every found line is the source's own at its offset, and every match is found", () => {
	const anyLine = fc.string({ unit: fc.constantFrom("a", "b", "(", "é", "😀"), maxLength: 6 });
	fc.assert(
		fc.property(
			fc.array(anyLine, { maxLength: 12 }),
			anyLine,
			fc.nat(3),
			(lines, needle, context) => {
				fc.pre(needle !== "");
				const text = lines.join("\n");
				const found = searchSource(text, { text: needle, context });
				assert.ok(found.ok);
				for (const line of found.lines) {
					assert.equal(text.slice(line.offset, line.offset + line.text.length), line.text);
					assert.equal(lines[line.line - 1], line.text);
					assert.equal(line.hit, line.text.includes(needle));
				}
				assert.equal(found.hits, lines.filter((line) => line.includes(needle)).length);
			},
		),
	);
});
