// Where session files lie says little: projects share a folder, sessions lie below sessions, roots are links.
// What a listing says comes from the files themselves, and it never touches one.

import assert from "node:assert/strict";
import {
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	statSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ListingRow } from "../../src/profile/listing.ts";
import { chooseSession } from "../../src/report/choose.ts";
import { listCommand } from "../../src/report/command-list.ts";
import type { Io } from "../../src/report/io.ts";

/** A sessions root with files of one reply each. */
class Root {
	readonly base = realpathSync(mkdtempSync(join(tmpdir(), "dmail-field-")));
	readonly path = join(this.base, "sessions");

	constructor(t: TestContext) {
		t.after(() => rmSync(this.base, { recursive: true }));
		mkdirSync(this.path);
	}

	/** `minute` is when the session started and was last written. */
	write(file: string, cwd: string, minute: number, more: object = {}): string {
		const at = new Date(Date.UTC(2026, 0, 1, 9, minute));
		const timestamp = at.toISOString();
		const usage = { input: 100, output: 7, cacheRead: 0, cacheWrite: 0 };
		const said = { role: "assistant", content: [], provider: "p", model: "m", stopReason: "stop" };
		const message = { ...said, timestamp: at.getTime(), usage };
		const lines = [
			{ type: "session", version: 3, id: `id-${minute}`, timestamp, cwd, ...more },
			{ type: "message", id: "e0", parentId: null, timestamp, message },
		];
		const path = join(this.path, file);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
		utimesSync(path, at, at);
		return path;
	}

	/** What a command of the profiler prints. */
	io(cwd: string, root = this.path) {
		const said = { out: "", err: "" };
		const io: Io = {
			env: { PI_CODING_AGENT_SESSION_DIR: root },
			cwd,
			watched: false,
			interactive: false,
			name: "profile",
			paper: { kind: "pipe", columns: 80, colour: false },
			out: (text) => {
				said.out += text;
			},
			err: (text) => {
				said.err += text;
			},
		};
		return { io, said };
	}

	async list(cwd: string, args: readonly string[] = [], root = this.path) {
		const { io, said } = this.io(cwd, root);
		assert.equal(await listCommand(["--list", "--deep", "--json", ...args], io), 0);
		return JSON.parse(said.out) as { sessions: ListingRow[]; totals: Record<string, number> };
	}

	/** Every file with its bytes and its time. */
	state(): unknown[] {
		const files = readdirSync(this.path, { recursive: true, withFileTypes: true });
		return files
			.filter((one) => one.isFile())
			.map((one) => join(one.parentPath, one.name))
			.sort()
			.map((path) => [path, readFileSync(path, "utf8"), statSync(path).mtimeMs]);
	}
}

const ids = ({ sessions }: { sessions: ListingRow[] }) => sessions.map(({ id }) => id).sort();

test("D01: projects whose names fold into one folder are told apart by what their files say", async (t) => {
	const root = new Root(t);
	root.write("--a-b--/1.jsonl", "/a/b", 1);
	root.write("--a-b--/2.jsonl", "/a-b", 2);
	root.write("--somewhere-else--/3.jsonl", "/a/b", 3);
	assert.deepEqual(ids(await root.list("/a/b")), ["id-1", "id-3"]);
	assert.deepEqual(ids(await root.list("/a-b")), ["id-2"]);
	assert.deepEqual(ids(await root.list("/a")), []);
	assert.deepEqual(ids(await root.list("/x", ["--all"])), ["id-1", "id-2", "id-3"]);
});

test("D03: projects whose names lose all their letters share a folder, are not mixed and not touched", async (t) => {
	const root = new Root(t);
	const projects = ["/用户/项目", "/用户/测试", "/дом/код"];
	for (const [n, cwd] of projects.entries()) root.write(`-------/${n}.jsonl`, cwd, n);
	const before = root.state();
	for (const [n, cwd] of projects.entries())
		assert.deepEqual(ids(await root.list(cwd)), [`id-${n}`], cwd);
	assert.deepEqual(ids(await root.list("/", ["--all", "项目"])), ["id-0"]);
	assert.deepEqual(root.state(), before);
});

test("D04: a session at any depth below another is found, named as its child, and counted once", async (t) => {
	const root = new Root(t);
	const parent = root.write("--a--/2026_one.jsonl", "/a", 1);
	const child = root.write("--a--/2026_one/9f/run-0/session.jsonl", "/a", 2);
	root.write("--a--/2026_one/9f/run-1/deeper/still/session.jsonl", "/a", 3);
	const { sessions, totals } = await root.list("/a");
	assert.equal(sessions.length, 3);
	const row = (id: string) => sessions.find((one) => one.id === id);
	assert.equal(row("id-2")?.file, child);
	assert.deepEqual(
		["id-1", "id-2", "id-3"].map((id) => row(id)?.parent),
		[null, parent, parent],
	);
	assert.deepEqual([totals["requests"], totals["output"]], [3, 21]);
});

test("D06: under a root that is a link, files, parents and projects have one name each", async (t) => {
	const root = new Root(t);
	const link = join(root.base, "link");
	symlinkSync(root.path, link);
	const project = join(root.base, "project");
	mkdirSync(project);
	symlinkSync(project, join(root.base, "project-link"));
	root.write("--p--/1.jsonl", join(root.base, "project-link"), 1);
	// pi writes the parent by the path that it was started with
	root.write("--p--/2.jsonl", project, 2, { parentSession: join(link, "--p--/1.jsonl") });
	root.write("--p--/1/x/session.jsonl", project, 3);
	for (const path of [root.path, link]) {
		const { sessions } = await root.list(project, [], path);
		assert.equal(sessions.length, 3, path);
		const files = new Set(sessions.map(({ file }) => file));
		for (const { parent } of sessions) assert.ok(parent === null || files.has(parent), path);
		assert.equal(sessions.filter(({ parent }) => parent !== null).length, 2);
	}
});

test("D06: a parent that is gone is named as it was written", async (t) => {
	const root = new Root(t);
	root.write("--p--/2.jsonl", "/p", 2, { parentSession: "/gone/1.jsonl" });
	const { sessions } = await root.list("/p");
	assert.equal(sessions[0]?.parent, "/gone/1.jsonl");
});

test("D07: a child that was written later never stands in for its parent: both are told, and which is which", async (t) => {
	const root = new Root(t);
	const parent = root.write("--a--/parent.jsonl", "/a", 47, { id: "aaaa-parent" });
	root.write("--a--/child.jsonl", "/a", 53, { id: "aaaa-child", parentSession: parent });
	const { io, said } = root.io("/a");
	assert.deepEqual(await chooseSession("aaaa", io), { code: 2 });
	assert.match(said.err, /matches 2 sessions/);
	assert.match(said.err, /aaaa-parent/);
	assert.equal(await listCommand(["--list"], io), 0);
	const rows = said.out.split("\n").filter((line) => line.includes("/a"));
	const [child = "", own = ""] = rows;
	assert.match(child, /aaaa-child.*aaaa-parent/, "the newest says whose child it is");
	assert.equal(own.match(/aaaa/g)?.length, 1);
});
