// What arguments are refused with, which of them are paths, and what the help says of them.

import assert from "node:assert/strict";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PRESETS } from "../../src/price/preset.ts";
import { foldsCommand } from "../../src/report/command-folds.ts";
import { grepCommand } from "../../src/report/command-grep.ts";
import { listCommand } from "../../src/report/command-list.ts";
import { pasteCommand } from "../../src/report/command-paste.ts";
import { profileSession } from "../../src/report/command-session.ts";
import { whatIfCommand } from "../../src/report/command-what-if.ts";
import type { Command, Io } from "../../src/report/io.ts";
import { run as runShell } from "../../src/report/shell.ts";
import { askIn } from "../support/run-command.ts";
import { scratch } from "../support/scratch.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures/profile");
const root = scratch();
const sessions = join(root, "sessions");
cpSync(FIXTURES, join(sessions, "--home-me--"), { recursive: true });

const ask = (command: Command, args: readonly string[], io: Partial<Io> = {}) =>
	askIn(root, command, args, { env: { PI_CODING_AGENT_SESSION_DIR: sessions }, ...io });

test("wrong arguments exit 2 and print nothing on standard output", async () => {
	const wrong = [
		["--last", "x", "f01d"],
		["--last=-1", "f01d"],
		["--nonsense", "f01d"],
		["--json", "--csv", "f01d"],
		["f01d", "b4a7"],
		[],
	];
	for (const args of wrong) {
		const { code, out, err } = await ask(profileSession, args);
		assert.deepEqual([code, out], [2, ""], args.join(" "));
		assert.match(err, /^profile: .+\nTry: /);
	}
});

test("an option that does not fit is refused in words of the help, with a way out", async () => {
	const whole = "a whole number from 0 on";
	const wrong: readonly [Command, string[], string][] = [
		[listCommand, ["--list", "--view"], "--view does not go with --list"],
		[foldsCommand, ["f01d", "--last", "2"], "--last does not go with folds"],
		[foldsCommand, ["f01d", "-i"], "-i does not go with folds"],
		[profileSession, ["f01d", "--all"], "--all does not go with a report of a session"],
		[profileSession, ["f01d", "--nonsense=\u001b"], "there is no option --nonsense"],
		[profileSession, ["f01d", "--json=1"], '--json takes no value, so not "1"'],
		[profileSession, ["f01d", "--last"], "--last takes a value; write --last=VALUE"],
		[profileSession, ["f01d", "--last", "-1"], `--last takes ${whole}, not "-1"`],
		[
			profileSession,
			["f01d", "--last", "-x"],
			"--last takes a value, and -x looks like an option; if it is meant, write --last=-x",
		],
		[grepCommand, ["f01d", "x", "--context", "-1"], `--context takes ${whole}, not "-1"`],
		[
			whatIfCommand,
			["f01d", "--foldable", "-.5"],
			'--foldable takes a share such as 8%, not "-.5"',
		],
		[
			profileSession,
			["--x/y"],
			"there is no option --x/y; before a path that begins so put -- or ./",
		],
		[
			profileSession,
			["--x.jsonl"],
			"there is no option --x.jsonl; before a path that begins so put -- or ./",
		],
		[profileSession, [""], "a session's name is empty; say a path or an id"],
		[whatIfCommand, [""], "a session's name is empty; say a path or an id"],
	];
	for (const [command, args, told] of wrong) {
		const { code, err } = await ask(command, args);
		assert.deepEqual([code, err.split("\n")[0]], [2, `profile: ${told}`]);
	}
});

test("a path that begins as an option does is a path where one is there", async () => {
	const dashed = "--home-me--/folds.jsonl";
	for (const args of [[dashed], ["folds", dashed], ["--last", "1", "--json", dashed]])
		assert.equal((await ask(runShell, args)).code, 0);
	const here = join(sessions, "--home-me--");
	cpSync(join(FIXTURES, "folds.jsonl"), join(here, "--last"));
	cpSync(join(FIXTURES, "folds.jsonl"), join(here, "-1"));
	assert.equal((await ask(runShell, [dashed, "--last", "-1"], { cwd: here })).code, 2);
	for (const name of ["--last", "-1"]) rmSync(join(here, name));
	const played = await ask(runShell, ["what-if", "--home-me--", "--json"], { cwd: sessions });
	assert.equal(JSON.parse(played.out).totals.sessions, 3);
	const unknown = await ask(runShell, ["--home-you--/folds.jsonl"]);
	assert.match(unknown.err, /there is no option .*; before a path that begins so put -- or \.\/\n/);
});

test("the help fits 80 columns, and names every option, price list and exit code", async () => {
	const { out } = await ask(runShell, ["--help"]);
	for (const line of out.split("\n")) assert.ok(line.length <= 80, line);
	for (const name of ["own", ...Object.keys(PRESETS)]) assert.ok(out.includes(name), name);
	for (const name of ["policy", "rates", "refresh", "keep", "foldable", "summary-ratio", "window"])
		assert.match(out, new RegExp(`^--${name}\\b`, "m"));
	assert.match(out, /0 all done, 1 .* could not be read, 2 wrong arguments/);
});

test("every option that the help names is known to belong to some command", async () => {
	const { out } = await ask(runShell, ["--help"]);
	const options = new Set(out.match(/--[a-z-]+/g));
	options.delete("--help");
	assert.ok(options.size > 10);
	for (const option of options) {
		const { err } = await ask(pasteCommand, ["f01d", "0000", "new", option]);
		assert.equal(err.split("\n")[0], `profile: ${option} does not go with paste`);
	}
});
