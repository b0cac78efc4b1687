// CSV by RFC 4180, with a guard against formulas.

import assert from "node:assert/strict";
import { test } from "node:test";
import { csvRecord } from "../../src/report/csv.ts";

test("a record ends with CRLF, quotes what needs it, and leaves unknown empty", () => {
	assert.equal(csvRecord([1, null, "a", true]), "1,,a,true\r\n");
	assert.equal(csvRecord(["a,b", 'say "hi"', "x"]), '"a,b","say ""hi""",x\r\n');
});

test("a text that a spreadsheet would run is a text again", () => {
	for (const start of ["=", "+", "-", "@", "|", "%", "＝", "＋", "－", "＠"])
		assert.equal(csvRecord([`${start}cmd`]), `'${start}cmd\r\n`);
	assert.equal(csvRecord([" =1+1"]), "' =1+1\r\n");
	assert.equal(csvRecord(["\t=1+1"]), "' =1+1\r\n");
	assert.equal(csvRecord([-5]), "-5\r\n");
});

test("line breaks and escapes in a text do not break the record", () => {
	assert.equal(csvRecord(["a\r\nb", "\u001b[2J"]), "a  b,␛[2J\r\n");
});
