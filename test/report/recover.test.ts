// The words `read`, `grep` and `paste` of the shell: what they print, write and refuse, with which exit code.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { grepCommand } from "../../src/report/command-grep.ts";
import { pasteCommand } from "../../src/report/command-paste.ts";
import { readCommand } from "../../src/report/command-read.ts";
import type { Command, Io } from "../../src/report/io.ts";
import { KeptSession } from "../support/kept-session.ts";
import { askIn } from "../support/run-command.ts";
import { scratch } from "../support/scratch.ts";
import { call, reply, result, user } from "../support/session-entries.ts";

const root = scratch();

const step = (name: string) => [
	reply(`step ${name}`, call(name, "bash", { command: `run ${name}` })),
	result(name, `alpha ${name}\n\u001b[31mbeta\u001b[0m ${name}`),
];
const session = new KeptSession([
	{ do: "say", drafts: [user("go"), ...step("one"), ...step("two"), reply("done")] },
	{ do: "fold", from: 0, to: 0 },
	{ do: "fold", from: 0, to: 1 },
	{ do: "drop", which: 1 },
]);
const [inner = "", outer = ""] = session.made.map((one) => one.record.id);
writeFileSync(join(root, "s.jsonl"), session.file);
writeFileSync(join(root, "bad.jsonl"), session.file.replace("alpha two", "alpha TWO"));

const ask = (command: Command, line: string, io: Partial<Io> = {}) =>
	askIn(root, command, line === "" ? [] : line.split(" "), {
		paper: { kind: "pipe", columns: 80, colour: false },
		...io,
	});

const INNER = `=== assistant, step 1 · e1
step one
call of bash (one)
command: run one

=== result of t (one) · e2
alpha one
\u001b[31mbeta\u001b[0m one`;

test("read prints the source to the letter into a pipe, all of it or a part", async () => {
	assert.deepEqual(await ask(readCommand, `s.jsonl ${inner}`), { code: 0, out: INNER, err: "" });
	const { out } = await ask(readCommand, `s.jsonl ${inner} --offset 4 --limit 9`);
	assert.equal(out, INNER.slice(4, 13));
	assert.deepEqual(await ask(readCommand, `s.jsonl ${inner} --offset 999`), {
		code: 0,
		out: "",
		err: `profile: --offset 999 is beyond the end: there are ${INNER.length} characters\n`,
	});
});

test("read leaves nothing in a terminal that it would act on", async () => {
	const paper = { kind: "terminal", columns: 80, colour: true } as const;
	const { out } = await ask(readCommand, `s.jsonl ${inner}`, { paper });
	assert.equal(out, `${INNER.replaceAll("\u001b", "␛")}\n`);
});

test("read --json gives the stored entries, or the part that is asked for", async () => {
	const whole = JSON.parse((await ask(readCommand, `s.jsonl ${inner} --json`)).out);
	assert.deepEqual(whole, {
		id: inner,
		verified: true,
		problem: null,
		entries: session.entries.slice(1, 3),
	});
	const part = JSON.parse((await ask(readCommand, `s.jsonl ${inner} --json --limit 5`)).out);
	assert.deepEqual(part, {
		id: inner,
		verified: true,
		problem: null,
		offset: 0,
		next: 5,
		total: INNER.length,
		text: INNER.slice(0, 5),
	});
});

test("a source that was changed is refused with 1, and marked where it is forced", async () => {
	const refused = await ask(readCommand, `bad.jsonl ${outer}`);
	assert.deepEqual([refused.code, refused.out], [1, ""]);
	assert.match(
		refused.err,
		/^profile: fold \w+ is not the original: one of its .*; --force prints it all the same\n$/,
	);
	const forced = await ask(readCommand, `bad.jsonl ${outer} --force`);
	assert.equal(forced.code, 0);
	assert.match(forced.out, /^\[NOT THE ORIGINAL: one of its [^\n]*\]\n=== assistant, step 1/);
	assert.ok(forced.out.includes("alpha TWO"));
	const json = JSON.parse((await ask(readCommand, `bad.jsonl ${outer} --force --json`)).out);
	assert.deepEqual(
		[json.verified, json.problem?.length > 0, json.entries.length],
		[false, true, 4],
	);
	assert.equal((await ask(pasteCommand, `bad.jsonl ${outer} bad.txt`)).code, 1);
	assert.ok(!readdirSync(root).includes("bad.txt"));
});

test("grep finds lines by a regular expression, each once, dropped folds too", async () => {
	const { out: source } = await ask(readCommand, `s.jsonl ${outer}`);
	const lineOf = (text: string) => source.split("\n").indexOf(text) + 1;
	const { code, out } = await ask(grepCommand, "s.jsonl ^alpha");
	const found = ["alpha one", "alpha two"].map((text) => `${outer}:${lineOf(text)}: ${text}\n`);
	assert.deepEqual([code, out], [0, found.join("--\n")]);
	const one = await ask(grepCommand, `s.jsonl ALPHA --fold ${inner} -i --context 1`);
	assert.equal(
		one.out,
		`${inner}:6- === result of t (one) · e2\n${inner}:7: alpha one\n${inner}:8- \u001b[31mbeta\u001b[0m one\n`,
	);
	const none = { code: 0, out: "", err: "profile: no fold has a line that matches ALPHA\n" };
	assert.deepEqual(await ask(grepCommand, "s.jsonl ALPHA"), none);
	const { err } = await ask(grepCommand, `s.jsonl ALPHA --fold ${inner}`);
	assert.equal(err, `profile: fold ${inner} has no line that matches ALPHA\n`);
	writeFileSync(join(root, "unfolded.jsonl"), session.file.split("\n", 3).join("\n"));
	assert.equal((await ask(grepCommand, "unfolded.jsonl a")).err, "profile: nothing is folded\n");
	rmSync(join(root, "unfolded.jsonl"));
});

test("grep names a fold that it cannot trust, and searches what is left", async () => {
	const { code, out, err } = await ask(grepCommand, "bad.jsonl alpha");
	assert.deepEqual([code, out], [1, `${inner}:7: alpha one\n`]);
	assert.match(
		err,
		new RegExp(`^profile: fold ${outer} is not searched; it is not the original: .*\n$`),
	);
});

test("paste writes a new file and nothing else", async () => {
	assert.deepEqual(await ask(pasteCommand, `s.jsonl ${inner} new.txt`), {
		code: 0,
		out: "",
		err: "",
	});
	assert.equal(readFileSync(join(root, "new.txt"), "utf8"), INNER);
	writeFileSync(join(root, "mine.txt"), "mine");
	symlinkSync(join(root, "target.txt"), join(root, "link.txt"));
	for (const name of ["new.txt", "mine.txt", "link.txt"]) {
		const refused = await ask(pasteCommand, `s.jsonl ${inner} ${name}`);
		assert.equal(refused.code, 1);
		assert.equal(refused.err, `profile: ${name}: it exists already; name a new file\n`);
	}
	assert.equal(readFileSync(join(root, "mine.txt"), "utf8"), "mine");
	for (const name of ["", "new/", "./", ".", "new/.", "..", "/"]) {
		const { code, err } = await askIn(root, pasteCommand, ["s.jsonl", inner, name]);
		assert.equal(code, 2);
		assert.match(err, /^profile: paste: "[./new]*" names no file; name a new file\n/);
	}
	const nowhere = await ask(pasteCommand, `s.jsonl ${inner} none/new.txt`);
	assert.equal(nowhere.err, "profile: none/new.txt: it cannot be written: ENOENT\n");
	assert.deepEqual(readdirSync(root).sort(), [
		"bad.jsonl",
		"link.txt",
		"mine.txt",
		"new.txt",
		"s.jsonl",
	]);
});

test("a fold is named by its id or the beginning of one; wrong words are refused with 2", async () => {
	assert.equal((await ask(readCommand, `s.jsonl ${inner.slice(0, 3).toUpperCase()}`)).out, INNER);
	const entry = session.entries.find((one) => one.type === "custom")?.id;
	assert.equal((await ask(readCommand, `s.jsonl ${entry}`)).out, INNER);
	const refusals: readonly [Command, string, RegExp][] = [
		[readCommand, "", /read: name a session and a fold, not 0 things/],
		[readCommand, "s.jsonl", /not 1 thing\n/],
		[readCommand, "s.jsonl zz", /there is no fold zz; there are \w+, \w+\n/],
		[readCommand, `s.jsonl ${inner} --limit 0`, /--limit takes a whole number from 1 on/],
		[readCommand, "none zz", /no session matches none/],
		[grepCommand, "s.jsonl", /grep: name a session and a pattern/],
		[grepCommand, "s.jsonl (", /not a regular expression/],
		[grepCommand, "s.jsonl a --fold zz", /there is no fold zz/],
		[pasteCommand, `s.jsonl ${inner}`, /paste: name a session, a fold and a new file/],
		[pasteCommand, `s.jsonl ${inner} a --force`, /^profile: --force does not go with paste\n/],
	];
	for (const [command, line, told] of refusals) {
		const { code, out, err } = await ask(command, line);
		assert.deepEqual([code, out], [2, ""], line);
		assert.match(err, told);
	}
	assert.equal((await ask(readCommand, "none.jsonl zz")).code, 1);
});

test("the door knows the words", async () => {
	const profile = join(import.meta.dirname, "../../profile.ts");
	const { stdout } = await promisify(execFile)(process.execPath, [
		profile,
		"read",
		join(root, "s.jsonl"),
		inner,
	]);
	assert.equal(stdout, INNER);
});
