// Files that something else than an edit changed, in real repositories of git.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
	appendFileSync,
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	rmSync,
	statSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { type TestContext, test } from "node:test";
import { factsOf } from "../../src/notes/facts.ts";
import { changedByOthers as ask, type Question, spanOf } from "../../src/notes/git.ts";
import { reply, session, timeAt, user } from "../support/session-entries.ts";
import { HOSTS, work, workshop } from "./real-tools.ts";

/** Asks with time enough on a busy machine; the limit has a test of its own. */
const changedByOthers = (question: Question) => ask({ limitMs: 20_000, ...question });

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
	setTime(path, time);
}

function setTime(path: string, time: number): void {
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

/** A command of the shell that leaves a file behind which tells of it, then does `and`: pass its input on. */
function trap(directory: string, name: string, and = "exec cat"): string {
	const path = join(directory, name);
	writeFileSync(path, `#!/bin/sh\ntouch '${path}.ran'\n${and}\n`);
	chmodSync(path, 0o755);
	return path;
}

/** Has the configuration at `cwd` name a trap wherever a command can be named, or an answer changed. */
function setTraps(cwd: string, traps: string): void {
	const set = (key: string, value = trap(traps, key.replaceAll(/\W/g, "-"))) =>
		git(cwd, "config", key, value);
	for (const filter of ["clean", "smudge", "process"]) set(`filter.one.${filter}`);
	set("filter.one.required", "true");
	for (const filter of ["two.and more", "Two", "unspecified", 'quo"ted'])
		set(`filter.${filter}.clean`);
	for (const key of ["fsmonitor", "pager", "editor", "askPass", "sshCommand", "gitProxy"])
		set(`core.${key}`);
	set("core.alternateRefsCommand");
	for (const key of ["diff.external", "diff.one.command", "diff.one.textconv", "merge.one.driver"])
		set(key);
	for (const key of ["gpg.program", "credential.helper", "interactive.diffFilter", "pager.status"])
		set(key);
	for (const key of ["status", "config", "rev-parse", "check-attr"])
		set(`alias.${key}`, `!${trap(traps, `alias-${key}`)}`);
	set("status.submoduleSummary", "true");
	set("submodule.recurse", "true");
	const hooks = join(traps, "hooks");
	mkdirSync(hooks);
	for (const hook of ["post-index-change", "pre-auto-gc", "fsmonitor-watchman", "post-checkout"])
		trap(hooks, hook);
	set("core.hooksPath", hooks);
}

/** The traps under `traps` that a command fell into. */
function sprung(traps: string): string[] {
	const names = readdirSync(traps, { recursive: true, encoding: "utf8" });
	return names.filter((name) => name.endsWith(".ran")).sort();
}

/** Holds that nothing fell into the traps so far, and that they are real: a plain `git status` does. */
function assertOnlyStatusFalls(cwd: string, traps: string): void {
	assert.deepEqual(sprung(traps), []);
	spawnSync("git", ["status"], { cwd });
	assert.notDeepEqual(sprung(traps), [], "a plain git status falls into them");
}

test("no command that the repository names is run", async (t) => {
	const cwd = repository(t);
	const traps = workshop(t);
	writeFileSync(join(cwd, ".gitattributes"), "* diff=one merge=one\na filter=one\nb filter=Two\n");
	setTraps(cwd, traps);
	for (const file of ["a", "b", "sub/c"]) setTime(join(cwd, file), SPAN.from);
	await changedByOthers({ cwd, span: SPAN, explained: [] });
	await changedByOthers({ cwd: join(cwd, "sub"), span: SPAN, explained: [] });
	assert.deepEqual(sprung(traps), []);
	git(cwd, "-c", "core.fsmonitor=false", "-c", "filter.one.required=false", "status");
	const fallen = ["filter-Two-clean.ran", "filter-one-process.ran", "hooks/post-index-change.ran"];
	assert.deepEqual(sprung(traps), fallen, "a plain git status falls into them");
});

test("no command that a submodule names is run", async (t) => {
	const cwd = repository(t);
	const traps = workshop(t);
	git(cwd, "-c", "protocol.file.allow=always", "submodule", "add", "-q", repository(t), "module");
	git(cwd, "commit", "-qm", "Add a module");
	const module = join(cwd, "module");
	writeFileSync(join(module, ".gitattributes"), "* filter=one\n");
	setTraps(module, traps);
	setTime(join(module, "a"), SPAN.from);
	touch(join(cwd, "a"), SPAN.from);
	assert.deepEqual(await changedByOthers({ cwd, span: SPAN, explained: [] }), ["a"]);
	assertOnlyStatusFalls(cwd, traps);
});

test("nothing is fetched for a clone that lacks objects", async (t) => {
	const cwd = repository(t);
	const traps = workshop(t);
	git(cwd, "config", "core.repositoryFormatVersion", "1");
	git(cwd, "config", "extensions.partialClone", "origin");
	git(cwd, "config", "remote.origin.url", workshop(t));
	git(cwd, "config", "remote.origin.promisor", "true");
	git(cwd, "config", "remote.origin.uploadpack", trap(traps, "uploadpack", "exit 1"));
	git(cwd, "config", "protocol.allow", "always");
	const tree = execFileSync("git", ["rev-parse", "HEAD^{tree}"], { cwd, encoding: "utf8" }).trim();
	rmSync(join(cwd, ".git/objects", tree.slice(0, 2), tree.slice(2)));
	touch(join(cwd, "a"), SPAN.from);
	assert.equal(await changedByOthers({ cwd, span: SPAN, explained: [] }), undefined);
	assertOnlyStatusFalls(cwd, traps);
});

test("a filter that cannot be switched off leaves nothing known", async (t) => {
	const cwd = repository(t);
	const traps = workshop(t);
	writeFileSync(join(cwd, ".gitattributes"), "a filter=x=y\n");
	const config = `[filter "x=y"]\n\tclean = ${trap(traps, "clean")}\n`;
	appendFileSync(join(cwd, ".git/config"), config);
	setTime(join(cwd, "a"), SPAN.from);
	assert.equal(await changedByOthers({ cwd, span: SPAN, explained: [] }), undefined);
	assert.deepEqual(sprung(traps), []);
	git(cwd, "status");
	assert.notDeepEqual(sprung(traps), [], "a plain git status falls into it");
});

test("of a file that a filter stores otherwise nothing is known, of those beside it all", async (t) => {
	const cwd = repository(t);
	git(cwd, "config", "filter.upper.clean", "tr a-z A-Z");
	git(cwd, "config", "filter.upper.smudge", "tr A-Z a-z");
	git(cwd, "config", "filter.upper.required", "true");
	writeFileSync(join(cwd, ".gitattributes"), "*.up filter=upper\n");
	for (const file of ["x.up", "y.up"]) writeFileSync(join(cwd, file), file);
	git(cwd, "add", ".");
	git(cwd, "commit", "-qm", "Add filtered files");
	const known = () => changedByOthers({ cwd, span: SPAN, explained: ["y.up"] });
	for (const file of ["a", "y.up", "new.up"]) touch(join(cwd, file), SPAN.from);
	assert.deepEqual(await known(), ["a", "new.up"]);
	setTime(join(cwd, "x.up"), SPAN.from);
	assert.equal(await known(), undefined);
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
