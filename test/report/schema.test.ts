// What `--json` prints, against the schemas in docs/.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Ajv } from "ajv";
import { listDeeply, listSessions } from "../../src/profile/listing.ts";
import { measure } from "../../src/profile/measure.ts";
import { verifyFolds } from "../../src/profile/verify.ts";
import { readCommand } from "../../src/report/command-read.ts";
import type { Io } from "../../src/report/io.ts";
import { writeJson } from "../../src/report/json.ts";
import { findSessions } from "../../src/session/file-search.ts";
import { NO_SESSIONS, recordedSessions } from "../support/sessions.ts";

const ROOT = join(import.meta.dirname, "../..");
const FIXTURES = join(ROOT, "test/fixtures/profile");

/** Checks values against one schema; throws with what is wrong. */
function checker(name: string): (value: unknown) => void {
	const schema = JSON.parse(readFileSync(join(ROOT, "docs", `${name}.schema.json`), "utf8"));
	// formats are a package of their own and say little
	const validate = new Ajv({ validateFormats: false, allowUnionTypes: true }).compile(schema);
	return (value) => assert.ok(validate(value), JSON.stringify(validate.errors?.slice(0, 3)));
}

function profileAsJson(file: string): unknown {
	const { profile, refusal } = measure(file);
	assert.ok(profile, refusal);
	return JSON.parse([...writeJson(profile)].join(""));
}

test("the JSON of a session keeps to its schema", () => {
	const check = checker("profile");
	for (const name of readdirSync(FIXTURES)) check(profileAsJson(join(FIXTURES, name)));
});

test("so does that of every damaged file that is a session", () => {
	const check = checker("profile");
	const directory = join(ROOT, "test/fixtures/sessions");
	let read = 0;
	for (const name of readdirSync(directory)) {
		if (measure(join(directory, name)).refusal !== undefined) continue;
		check(profileAsJson(join(directory, name)));
		read++;
	}
	assert.ok(read > 20);
});

test("so does that of every recorded session", (t) => {
	const directory = recordedSessions();
	if (!directory) return t.skip(NO_SESSIONS);
	const check = checker("profile");
	for (const { file } of findSessions(directory)) check(profileAsJson(file));
});

test("the JSON of folds keeps to its schema, and their digests are checked", () => {
	const file = join(FIXTURES, "folds.jsonl");
	const folds = verifyFolds(file, measure(file).profile?.folds ?? []);
	checker("folds")({ folds });
	assert.deepEqual(
		folds.map(({ verified }) => verified),
		[true, true, true, false, null, true],
	);
});

test("the JSON of a fold's source keeps to its schema, whole or in part, the original or not", async () => {
	const check = checker("read");
	const file = join(FIXTURES, "folds.jsonl");
	let printed = "";
	const io: Io = {
		out(text) {
			printed += text;
		},
		err: () => undefined,
		paper: { kind: "pipe", columns: 80, colour: false },
		watched: false,
		interactive: false,
		name: "profile",
		env: {},
		cwd: ROOT,
	};
	const verified: unknown[] = [];
	for (const { id, state } of measure(file).profile?.folds ?? [])
		for (const part of [[], ["--offset", "3"], ["--limit", "40"]]) {
			printed = "";
			if ((await readCommand([file, id, "--json", "--force", ...part], io)) !== 0) {
				assert.equal(state, "skipped");
				continue;
			}
			const read = JSON.parse(printed);
			check(read);
			if (part.length === 0) verified.push(read.verified);
			assert.throws(() => check({ ...read, text: 1, entries: 1 }));
		}
	assert.deepEqual(verified, [true, true, true, true]);
});

test("the JSON of a listing keeps to its schema, deep or not", () => {
	const check = checker("listing");
	const found = findSessions(join(ROOT, "test/fixtures"));
	check(listSessions(found));
	const { sessions, totals } = listDeeply(found);
	check({ sessions, totals });
	assert.throws(() => check({ sessions: [{}], totals: {} }));
});
