// Every field report is answered: by a test that is named by it, or by a line of README.md. The list of reports is
// no part of the repository.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";

const FOLDER = import.meta.dirname;
const REPORTS = resolve(FOLDER, "../../../shared/field-reports.md");

/** Ids that begin the name of a test: `F03: …`, or several as in `C02, C04: …`. */
const NAMED = /\btest\(\s*["'`]([A-Z]\d\d(?:, [A-Z]\d\d)*):/g;

/** Ids of the rows of a table. */
const ROW = /^\| ([A-Z]\d\d) \|/gm;

function idsOf(text: string, pattern: RegExp): string[] {
	return [...text.matchAll(pattern)].flatMap(([, ids = ""]) => ids.split(", "));
}

function idsTested(): string[] {
	const files = readdirSync(FOLDER).filter((name) => name.endsWith(".test.ts"));
	return files.flatMap((name) => idsOf(readFileSync(join(FOLDER, name), "utf8"), NAMED));
}

const worded = idsOf(readFileSync(join(FOLDER, "README.md"), "utf8"), ROW);

test("each field report has a test named by it or a line that says why not", (t) => {
	if (!existsSync(REPORTS)) return t.skip(`no reports in ${REPORTS}`);
	const reports = idsOf(readFileSync(REPORTS, "utf8"), ROW);
	assert.ok(reports.length > 80);
	const answered = new Set([...idsTested(), ...worded]);
	assert.deepEqual(
		reports.filter((id) => !answered.has(id)),
		[],
	);
	assert.deepEqual(
		[...answered].filter((id) => !reports.includes(id)),
		[],
	);
});

test("the lines of the README stand once each", () => {
	assert.deepEqual([...new Set(worded)], worded);
});
