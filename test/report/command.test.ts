// The commands of the shell: what they answer, on which stream, with which exit code.

import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { foldsCommand } from "../../src/report/command-folds.ts";
import { listCommand } from "../../src/report/command-list.ts";
import { profileSession } from "../../src/report/command-session.ts";
import { whatIfCommand } from "../../src/report/command-what-if.ts";
import type { Command, Io } from "../../src/report/io.ts";
import { startProgress } from "../../src/report/progress.ts";
import { askIn } from "../support/run-command.ts";
import { scratch } from "../support/scratch.ts";

const run = promisify(execFile);

const REPOSITORY = join(import.meta.dirname, "../..");
const FIXTURES = join(REPOSITORY, "test/fixtures/profile");
const root = scratch();
const sessions = join(root, "sessions");
cpSync(FIXTURES, join(sessions, "--home-me--"), { recursive: true });

const ask = (command: Command, args: readonly string[], io: Partial<Io> = {}) =>
	askIn(root, command, args, {
		paper: { kind: "pipe", columns: 80, colour: false },
		env: { PI_CODING_AGENT_SESSION_DIR: sessions },
		...io,
	});

test("a session is named by path, by path under the root, or by part of its id", async () => {
	const names = [
		join(FIXTURES, "folds.jsonl"),
		"sessions/--home-me--/folds.jsonl",
		"--home-me--/folds.jsonl",
		"0198aaaa-0000-7000-8000-00000000f01d",
		"0198AAAA",
		"f01d",
	];
	for (const name of names) {
		const { code, out } = await ask(profileSession, ["--json", "--", name]);
		assert.equal(code, 0, name);
		assert.equal(JSON.parse(out).session.id, "0198aaaa-0000-7000-8000-00000000f01d");
	}
});

test("several matches are refused with the candidates, no match too: exit 2", async () => {
	const several = await ask(profileSession, ["0198"]);
	assert.equal(several.code, 2);
	assert.equal(several.out, "");
	assert.match(several.err, /3 sessions.*\n.*0198.*\n.*0198.*\n.*0198/);
	const none = await ask(profileSession, ["ffff"]);
	assert.equal(none.code, 2);
});

test("a directory is named as one, even where its name is part of an id", async () => {
	mkdirSync(join(root, "f01d"));
	for (const name of ["f01d", "./f01d", sessions, "--home-me--"]) {
		const { code, out, err } = await ask(profileSession, ["--", name]);
		assert.deepEqual([name, code, out], [name, 1, ""]);
		assert.match(err, /it is a directory; name a session in it/);
	}
	rmSync(join(root, "f01d"), { recursive: true });
});

test("what is there and no file is called so, and never waited for", async () => {
	const pipe = join(root, "pipe");
	execFileSync("mkfifo", [pipe]);
	for (const name of ["/dev/null", pipe, "pipe"]) {
		const { code, out, err } = await ask(profileSession, [name]);
		const told = `profile: ${name}: it is not a regular file\n`;
		assert.deepEqual({ code, out, err }, { code: 1, out: "", err: told });
	}
	rmSync(pipe);
});

test("what cannot be looked at is named in a line that says why: exit 1", async () => {
	const ring = join(root, "ring");
	symlinkSync("ring", ring);
	const long = "x".repeat(5_000);
	const wrong: readonly [string, RegExp][] = [
		[ring, /^profile: .*\/ring: its links lead in a circle\n$/],
		["ring", /^profile: .*\/ring: its links lead in a circle\n$/],
		[long, /^profile: .{1,250}…: the name is too long for a file\n$/],
		[`./${long}.jsonl`, /^profile: .{1,250}…: the name is too long for a file\n$/],
	];
	for (const command of [profileSession, whatIfCommand, foldsCommand])
		for (const [name, told] of wrong) {
			const { code, out, err } = await ask(command, [name]);
			assert.deepEqual([code, out], [1, ""]);
			assert.match(err, told);
		}
	const env = { PI_CODING_AGENT_SESSION_DIR: ring };
	for (const name of ["f01d", "a/f01d.jsonl"]) {
		const { code, err } = await ask(profileSession, [name], { env });
		assert.equal(code, 1);
		assert.match(err, /^profile: .*\/ring.*: its links lead in a circle.*\n$/);
	}
	const { code, out, err } = await ask(listCommand, ["--list", "--all"], { env });
	assert.deepEqual([code, out], [1, ""]);
	assert.match(err, /^profile: .*\/ring: its links lead in a circle\n$/);
	rmSync(ring);
});

test("from a directory that is gone every command says so, and the way out", async () => {
	const gone = scratch();
	const doors = ["profile.ts", "bin/pi-dmail.mjs"].map((door) => join(REPOSITORY, door));
	for (const door of doors) {
		const script = `rmdir "$PWD"; exec "${process.execPath}" "${door}" --list`;
		mkdirSync(gone, { recursive: true });
		await assert.rejects(run("/bin/sh", ["-c", script], { cwd: gone }), {
			code: 1,
			stderr: /^[a-z-]+: the working directory is gone.*cd.*\n$/,
		});
	}
});

test("what cannot be read exits 1 and says why", async () => {
	const gone = await ask(profileSession, ["gone.jsonl"]);
	assert.equal(gone.code, 1);
	assert.match(gone.err, /no such file/);
	const stream = join(REPOSITORY, "test/fixtures/sessions/json-mode.jsonl");
	const refused = await ask(profileSession, [stream]);
	assert.deepEqual([refused.code, refused.out], [1, ""]);
});

test("--last trims the request rows in every format, nothing else", async () => {
	const all = JSON.parse((await ask(profileSession, ["--json", "f01d"])).out);
	const last = JSON.parse((await ask(profileSession, ["--json", "--last", "3", "f01d"])).out);
	assert.deepEqual(last, { ...all, requests: all.requests.slice(-3) });
	const csv = (await ask(profileSession, ["--csv", "--last", "3", "f01d"])).out;
	assert.equal(csv.trimEnd().split("\r\n").length, 4);
	const text = (await ask(profileSession, ["--last", "0", "f01d"])).out;
	assert.doesNotMatch(text, /\n +1 +1 +2026/);
	assert.match(text, /Active branch: 17 requests/);
});

test("problems go to standard error in human output, and nothing of a session acts on a terminal", async () => {
	const { out, err } = await ask(profileSession, ["0dd5"]);
	assert.match(err, /odd\.jsonl:8: .*escape/);
	for (const text of [out, err, (await ask(profileSession, ["--json", "0dd5"])).out])
		assert.doesNotMatch(text.replaceAll("\n", ""), /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
});

test("a problem is a line in a pipe; in a terminal its place stays whole and no word of it is cut", async () => {
	const piped = (await ask(profileSession, ["0dd5"])).err;
	assert.equal(piped.trimEnd().split("\n").length, 4);
	for (const columns of [60, 80, 120, 200]) {
		const paper = { kind: "terminal", columns, colour: false } as const;
		const { err } = await ask(profileSession, ["0dd5"], { paper, watched: true });
		for (const line of err.split("\n"))
			assert.ok(line.length <= columns || /^\S+odd\.jsonl:\d+:$/.test(line), line);
		assert.equal(err.replace(/\n {2}/g, " "), piped);
	}
});

test("why folds are skipped is said whole, once for each reason, at any width", async () => {
	for (const columns of [60, 80, 120, 200]) {
		const paper = { kind: "terminal", columns, colour: false } as const;
		const { out } = await ask(foldsCommand, ["f01d"], { paper });
		const text = out.replace(/\n {4}/g, " ");
		assert.match(text, /^ {2}skipped: dead: its first entry ffffffff is not on this branch$/m);
		assert.match(text, /^ {2}skipped: 0000a0f5: unreadable: unknown version 9$/m);
	}
});

test("folds are listed with their proof", async () => {
	const { code, out } = await ask(foldsCommand, ["f01d"]);
	assert.equal(code, 0);
	assert.match(out, /5d8f +1–4 +model +landed .* yes +yes\n/);
	const { folds } = JSON.parse((await ask(foldsCommand, ["f01d", "--json"])).out);
	assert.equal(folds[0].verified, true);
	assert.match((await ask(foldsCommand, ["b4a7"])).out, /No folds/);
});

test("a listing is of the project that the header names, of all, or of those that fit", async () => {
	const here = await ask(listCommand, ["--list", "--json"], { cwd: "/home/me/notes" });
	assert.deepEqual(
		JSON.parse(here.out).sessions.map((row: { cwd: string }) => row.cwd),
		["/home/me/notes"],
	);
	const all = JSON.parse((await ask(listCommand, ["--list", "--all", "--json"])).out);
	assert.equal(all.sessions.length, 3);
	assert.equal(all.totals.requests, null);
	const deep = await ask(listCommand, ["--list", "日記", "--all", "--deep"]);
	assert.match(deep.out, /\n1 session: 4 requests/);
	const none = await ask(listCommand, ["--list"]);
	assert.match(none.err, /--all lists every project/);
});

test("a query that no session fits is named, with how many there are", async () => {
	const unfit = await ask(listCommand, ["--list", "zzzzzzz", "--all"]);
	const told = 'profile: none of the 3 sessions matches "zzzzzzz"\n';
	assert.deepEqual(unfit, { code: 0, out: "", err: told });
	const { err } = await ask(listCommand, ["--list", "zzzzzzz"], { cwd: "/home/me/notes" });
	assert.equal(
		err,
		'profile: the one session of /home/me/notes does not match "zzzzzzz"; --all looks in every project\n',
	);
});

test("a file that is no session is named, and the exit code says so; the others are listed", async () => {
	const other = join(root, "others");
	cpSync(FIXTURES, other, { recursive: true });
	writeFileSync(join(other, "x.jsonl"), '{"type":"agent_start"}\n');
	const env = { PI_CODING_AGENT_SESSION_DIR: other };
	const { code, out, err } = await ask(listCommand, ["--list", "--all", "--deep"], { env });
	assert.equal(code, 1);
	assert.match(err, /x\.jsonl: /);
	assert.match(out, /4 sessions: 32 requests/);
});

test("what could not be read, and what begins as no session does, is named beside the others", async () => {
	const mixed = mixedDirectory();
	const env = { PI_CODING_AGENT_SESSION_DIR: mixed };
	const faults = [
		/\/ring: its links lead in a circle\n/,
		/\/empty\.jsonl: the file is empty\n/,
		/\/binary\.jsonl: none of its 2 lines is a record/,
		/\/json-mode\.jsonl: .*JSON mode/,
	];
	for (const args of [
		["--list", "--all"],
		["--list", "--all", "--json"],
	]) {
		const { code, out, err } = await ask(listCommand, args, { env });
		assert.equal(code, 1);
		assert.equal(err.split("\n").length, faults.length + 1);
		for (const fault of faults) assert.match(err, fault);
		assert.match(out, /^2 sessions$|"sessions": 2,/m);
	}
	rmSync(join(mixed, "ring"));
	assert.equal((await ask(listCommand, ["--list", "--all"], { env })).code, 0);
	assert.equal((await ask(listCommand, ["--list", "--all", "--deep"], { env })).code, 1);
});

/** Two sessions, one without its header, and what is none. */
function mixedDirectory(): string {
	const mixed = scratch();
	const recorded = join(REPOSITORY, "test/fixtures/sessions");
	for (const name of ["no-header.jsonl", "json-mode.jsonl"])
		cpSync(join(recorded, name), join(mixed, name));
	cpSync(join(FIXTURES, "folds.jsonl"), join(mixed, "folds.jsonl"));
	writeFileSync(join(mixed, "empty.jsonl"), "");
	writeFileSync(join(mixed, "binary.jsonl"), Buffer.of(1, 0, 0xff, 10, 7));
	symlinkSync("ring", join(mixed, "ring"));
	return mixed;
}

test("progress is said only where somebody watches, and taken back", async (t) => {
	let said = "";
	const io = { watched: false, err: (text: string) => (said += text) } as unknown as Io;
	startProgress(io).report(5);
	assert.equal(said, "");
	let now = 0;
	t.mock.method(performance, "now", () => now);
	const progress = startProgress({ ...io, watched: true }, 2_048);
	progress.report(512);
	assert.equal(said, "");
	now = 1_500;
	progress.report(1_024);
	assert.match(said, /1\.0 KB of 2\.0 KB, 50%/);
	progress.done();
	assert.ok(said.endsWith("\r\u001b[K"));
});

test("the door: help, exit codes, and a reader that stops early", async () => {
	const door = (...args: string[]) =>
		run(process.execPath, ["profile.ts", ...args], { cwd: REPOSITORY });
	assert.match((await door("--help")).stdout, /--last N/);
	await assert.rejects(door(), { code: 2 });
	await assert.rejects(door("gone.jsonl"), { code: 1 });
	const child = spawn(process.execPath, ["profile.ts", "--json", join(FIXTURES, "folds.jsonl")], {
		cwd: REPOSITORY,
		stdio: ["ignore", "pipe", "pipe"],
	});
	child.stdout.destroy();
	const code = await new Promise((resolve) => child.on("exit", resolve));
	assert.equal(code, 0);
});

test("a copy under node_modules starts through its bin", async () => {
	const modules = join(root, "node_modules");
	const copy = join(modules, "pi-dmail");
	mkdirSync(copy, { recursive: true });
	for (const name of ["bin", "src", "profile.ts", "fold.ts", "package.json"])
		cpSync(join(REPOSITORY, name), join(copy, name), { recursive: true });
	symlinkSync(join(REPOSITORY, "node_modules"), join(copy, "node_modules"));
	const { stdout } = await run(
		process.execPath,
		[join(copy, "bin/pi-dmail.mjs"), "--list", "--all", "--deep", "--json"],
		{ env: { ...process.env, PI_CODING_AGENT_SESSION_DIR: sessions } },
	);
	assert.equal(JSON.parse(stdout).totals.requests, 32);
	mkdirSync(join(modules, ".bin"));
	symlinkSync("../pi-dmail/bin/pi-dmail.mjs", join(modules, ".bin/pi-dmail"));
	// a refusal begins with what was called
	const refused = run(process.execPath, [join(modules, ".bin/pi-dmail"), "gone.jsonl"]);
	await assert.rejects(refused, {
		code: 1,
		stderr: /^pi-dmail: gone\.jsonl: there is no such file/,
	});
});

test("the bin says in a line which Node it needs", async () => {
	const starting = (version: string) => {
		const old = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })`;
		const fake = `data:text/javascript,${encodeURIComponent(old)}`;
		return run(process.execPath, ["--import", fake, "bin/pi-dmail.mjs", "--help"], {
			cwd: REPOSITORY,
		});
	};
	for (const version of ["20.19.5", "22.17.1"])
		await assert.rejects(starting(version), {
			code: 1,
			stdout: "",
			stderr: `pi-dmail needs Node 22.18 or newer; this is ${version}\n`,
		});
	assert.match((await starting("22.18.0")).stdout, /--last N/);
});

test("the view is refused where nobody could press a key, before anything is read", async () => {
	const { code, out, err } = await ask(profileSession, ["f01d", "--view"]);
	assert.deepEqual([code, out], [2, ""]);
	assert.match(err, /--view needs a terminal/);
	const dumb = { interactive: true, env: { TERM: "dumb" } };
	const refused = await ask(profileSession, ["nowhere", "--view"], dumb);
	assert.deepEqual([refused.code, refused.err], [code, err]);
});
