// Files that something else than an edit changed, in real repositories of git.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	rmSync,
	statSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { type TestContext, test } from "node:test";
import { factsOf } from "../../src/notes/facts.ts";
import { changedByOthers, spanOf } from "../../src/notes/git.ts";
import { reply, session, timeAt, user } from "../support/session-entries.ts";
import { HOSTS, work, workshop } from "./real-tools.ts";

const SPAN = { from: 1_700_000_000_000, to: 1_700_000_600_000 };

function repository(t: TestContext): string {
	const cwd = workshop(t);
	git(cwd, "init", "-q");
	git(cwd, "config", "user.email", "nobody@example.org");
	git(cwd, "config", "user.name", "Nobody");
	mkdirSync(join(cwd, "sub"));
	for (const file of ["a", "b", "sub/c"]) writeFileSync(join(cwd, file), file);
	git(cwd, "add", ".");
	git(cwd, "commit", "-qm", "Begin");
	return cwd;
}

function git(cwd: string, ...args: string[]): void {
	execFileSync("git", args, { cwd, stdio: "ignore" });
}

function touch(path: string, time: number): void {
	writeFileSync(path, `${time}`);
	utimesSync(path, time / 1_000, time / 1_000);
}

test("only files that were written within the span are named", async (t) => {
	const cwd = repository(t);
	touch(join(cwd, "a"), SPAN.from + 1_000);
	touch(join(cwd, "b"), SPAN.from - 1_000);
	touch(join(cwd, "d"), SPAN.to + 1_000);
	touch(join(cwd, "e"), SPAN.to);
	rmSync(join(cwd, "sub/c"));
	assert.deepEqual(await changedByOthers({ cwd, span: SPAN, explained: [] }), ["a", "e"]);
});

test("what an edit explains is not named, however its path was written", async (t) => {
	const cwd = repository(t);
	for (const file of ["a", "b", "sub/c"]) touch(join(cwd, file), SPAN.from);
	const explained = ["a", join(cwd, "sub/c")];
	assert.deepEqual(await changedByOthers({ cwd, span: SPAN, explained }), ["b"]);
});

test("a directory that git does not track is explained by a file in it", async (t) => {
	const cwd = repository(t);
	for (const directory of ["x", "y"]) {
		mkdirSync(join(cwd, directory));
		writeFileSync(join(cwd, directory, "f"), "");
		utimesSync(join(cwd, directory), SPAN.from / 1_000, SPAN.from / 1_000);
	}
	assert.deepEqual(await changedByOthers({ cwd, span: SPAN, explained: ["x/f"] }), ["y/"]);
});

test("names are told from the working directory, whatever is in them", async (t) => {
	const cwd = repository(t);
	touch(join(cwd, "a"), SPAN.from);
	touch(join(cwd, "sub/c"), SPAN.from);
	touch(join(cwd, 'sub/with space\nand "quotes" é'), SPAN.from);
	const inside = { cwd: join(cwd, "sub"), span: SPAN, explained: [] };
	assert.deepEqual(await changedByOthers(inside), ["../a", "c", 'with space and "quotes" é']);
});

test("of a moved file only the new name is told", async (t) => {
	const cwd = repository(t);
	git(cwd, "mv", "a", "moved");
	utimesSync(join(cwd, "moved"), SPAN.from / 1_000, SPAN.from / 1_000);
	assert.deepEqual(await changedByOthers({ cwd, span: SPAN, explained: [] }), ["moved"]);
});

test("outside a work tree nothing is known", async (t) => {
	const question = { cwd: workshop(t), span: SPAN, explained: [] };
	assert.equal(await changedByOthers(question), undefined);
	assert.equal(await changedByOthers({ ...question, cwd: "/no/such/place" }), undefined);
});

test("a git that takes too long tells nothing, and in time", async (t) => {
	const cwd = workshop(t);
	writeFileSync(join(cwd, "git"), "#!/bin/sh\nexec sleep 3\n");
	chmodSync(join(cwd, "git"), 0o755);
	const path = process.env["PATH"];
	process.env["PATH"] = `${cwd}${delimiter}${path}`;
	t.after(() => {
		process.env["PATH"] = path;
	});
	const start = performance.now();
	assert.equal(await changedByOthers({ cwd, span: SPAN, explained: [], limitMs: 100 }), undefined);
	assert.ok(performance.now() - start < 1_500);
});

test("no monitor of the repository is started and its index is not written", async (t) => {
	const cwd = repository(t);
	const hook = join(cwd, ".git/monitor");
	writeFileSync(hook, `#!/bin/sh\ntouch '${join(cwd, ".git/ran")}'\n`);
	chmodSync(hook, 0o755);
	git(cwd, "config", "core.fsmonitor", hook);
	touch(join(cwd, "a"), SPAN.from);
	const index = join(cwd, ".git/index");
	const before = statSync(index).mtimeMs;
	assert.deepEqual(await changedByOthers({ cwd, span: SPAN, explained: [] }), ["a"]);
	assert.equal(statSync(index).mtimeMs, before);
	assert.ok(!existsSync(join(cwd, ".git/ran")));
});

for (const host of HOSTS)
	test(`a file that a command of ${host} wrote is told beside those that its tools wrote`, async (t) => {
		const cwd = repository(t);
		const from = Date.now();
		const entries = await work(host, cwd, [
			{ name: "write", args: { path: "a", content: "new" } },
			{ name: "bash", args: { command: "echo new > b" } },
		]);
		const span = { from, to: Date.now() };
		const explained = factsOf(entries, cwd).changed.map(({ name }) => name);
		assert.deepEqual(explained, ["a"]);
		assert.deepEqual(await changedByOthers({ cwd, span, explained }), ["b"]);
	});

test("the span of entries reaches from the first to the last that tell their time", () => {
	const entries = session(user("a"), reply("b"), user("c"));
	assert.deepEqual(spanOf(entries), { from: timeAt(0), to: timeAt(2) });
	assert.equal(spanOf([]), undefined);
	assert.equal(spanOf(entries.map((entry) => ({ ...entry, timestamp: "?" }))), undefined);
});
