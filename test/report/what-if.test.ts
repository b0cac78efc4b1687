// `profile what-if`: what it answers, and what it refuses.

import assert from "node:assert/strict";
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Ajv } from "ajv";
import { ALL_POLICIES } from "../../src/profile/policy.ts";
import { whatIfCommand } from "../../src/report/command-what-if.ts";
import type { Io } from "../../src/report/io.ts";
import { scratch } from "../support/scratch.ts";

const ROOT = join(import.meta.dirname, "../..");
const PROFILE = join(ROOT, "test/fixtures/profile");
const DAMAGED = join(ROOT, "test/fixtures/sessions");

async function ask(args: readonly string[], io: Partial<Io> = {}) {
	const said = { out: "", err: "" };
	const code = await whatIfCommand(args, {
		out: (text) => {
			said.out += text;
		},
		err: (text) => {
			said.err += text;
		},
		paper: { kind: "pipe", columns: 80, colour: false },
		watched: false,
		interactive: false,
		name: "profile",
		env: { PI_CODING_AGENT_SESSION_DIR: PROFILE },
		cwd: ROOT,
		...io,
	});
	return { code, ...said };
}

const schema = JSON.parse(readFileSync(join(ROOT, "docs/what-if.schema.json"), "utf8"));
const validate = new Ajv({ allowUnionTypes: true }).compile(schema);

test("a table of all policies, the sessions, and every assumption below", async () => {
	const { code, out, err } = await ask([PROFILE]);
	assert.deepEqual({ code, err }, { code: 0, err: "" });
	const lines = out.split("\n");
	assert.match(lines[0] ?? "", /^policy +bill +saves +of oracle/);
	assert.deepEqual(
		lines.slice(1, 1 + ALL_POLICIES.length).map((line) => line.split(" ")[0]?.split(":")[0]),
		[...ALL_POLICIES],
	);
	for (const part of [/^By session$/m, /^Assumed$/m, /8% of what it replaces/, /not simulated/])
		assert.match(out, part);
});

test("what a policy would have saved is an estimate, but nothing and all are told as they are", async () => {
	const { out } = await ask([PROFILE]);
	assert.match(out, /^none +~\$0\.\d+ +0% +0% +0% /m);
	assert.match(out, /^recorded +~\$0\.\d+ +~\d+% +~\d+% /m);
	assert.match(out, /^compact +~\$0\.\d+ +~−\d+% +~−\d+% +~−\d+% /m);
	assert.match(out, /^oracle +~\$0\.\d+ +~\d+% +100% /m);
	assert.match(out, / recorded +~\d+% +10$/m);
});

test("a terminal of 60 columns is not overrun", async () => {
	const { out } = await ask([PROFILE], { paper: { kind: "terminal", columns: 60, colour: false } });
	for (const line of out.split("\n")) assert.ok(line.length <= 60, line);
});

test("the JSON keeps to its schema, for damaged sessions too", async () => {
	const { code, out, err } = await ask([PROFILE, DAMAGED, "--json"]);
	assert.ok(validate(JSON.parse(out)), JSON.stringify(validate.errors?.slice(0, 3)));
	assert.ok(JSON.parse(out).sessions.length > 20);
	// those that are no sessions are named, and take nothing from the others
	assert.equal(code, 1);
	assert.match(err, /json-mode\.jsonl: this is what pi prints/);
});

test("what of a directory cannot be played is named on standard error, and the rest is played", async () => {
	const directory = scratch();
	cpSync(join(PROFILE, "folds.jsonl"), join(directory, "folds.jsonl"));
	cpSync(join(DAMAGED, "json-mode.jsonl"), join(directory, "json-mode.jsonl"));
	writeFileSync(join(directory, "empty.jsonl"), "");
	symlinkSync("ring", join(directory, "ring"));
	const { code, out, err } = await ask([directory, "--json", "--policy", "none"]);
	assert.equal(code, 1);
	assert.equal(JSON.parse(out).totals.sessions, 1);
	const told = [/ring: its links lead in a circle/, /empty\.jsonl: .*empty/, /mode\.jsonl: .*JSON/];
	for (const line of told) assert.match(err, line);
	rmSync(join(directory, "folds.jsonl"));
	const none = await ask([directory]);
	assert.deepEqual([none.code, none.out], [1, ""]);
	for (const line of [...told, /no sessions in or of/]) assert.match(none.err, line);
});

test("recorded folds are played as they were, and their summaries asked", async () => {
	const file = join(PROFILE, "folds.jsonl");
	const { out } = await ask([file, "--json", "--policy", "none,recorded"]);
	const [none, recorded] = JSON.parse(out).sessions[0].rows;
	assert.equal(none.folds, 0);
	assert.ok(recorded.folds > 0);
	assert.notEqual(recorded.tax.survived, null);
	assert.ok(recorded.peak < none.peak);
});

test("options change what is assumed, and say so", async () => {
	const file = join(PROFILE, "folds.jsonl");
	const args = ["--keep", "3", "--foldable", "50%", "--summary-ratio", "0.1", "--window", "100000"];
	const { out } = await ask([file, ...args, "--rates", "gemini", "--refresh", "hit"]);
	for (const part of [/last 3 finished/, /others 50%/, /takes 10%/, /gemini-3/, /--refresh all/])
		assert.match(out, part);
});

describe("it refuses", () => {
	const rows: [string, string[], RegExp][] = [
		["no session", [], /name sessions/],
		["an unknown policy", [PROFILE, "--policy", "auto,x"], /no policy "x"/],
		["unknown rates", [PROFILE, "--rates", "x"], /no rates "x"; there are own, anthropic-5m/],
		["a share that is none", [PROFILE, "--foldable", "x"], /--foldable takes a share/],
		["a step that is none", [PROFILE, "--keep", "0"], /--keep takes a whole number from 1/],
		["an unknown refresh", [PROFILE, "--refresh", "x"], /--refresh is all or hit/],
		["an unknown option", [PROFILE, "--x"], /--x/],
		["a directory without sessions", [join(ROOT, "docs")], /no sessions in or of/],
	];
	for (const [name, args, reason] of rows)
		test(name, async () => {
			const { code, out, err } = await ask(args);
			assert.deepEqual({ code, out }, { code: 2, out: "" });
			assert.match(err, reason);
		});
});
