// Listings: found as pi finds them, each reply counted once.

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { listDeeply, listSessions } from "../../src/profile/listing.ts";
import { measure } from "../../src/profile/measure.ts";
import { sessionsRoot } from "../../src/session/file-root.ts";
import { findSessions } from "../../src/session/file-search.ts";
import { scratch } from "../support/scratch.ts";
import { NO_SESSIONS, recordedSessions } from "../support/sessions.ts";

const root = scratch();

interface Reply {
	readonly responseId?: string;
	readonly at: number;
	readonly output: number;
	readonly model?: string;
	/** what else its message says */
	readonly message?: object;
}

function write(
	file: string,
	started: number,
	replies: readonly Reply[],
	header: object = {},
): void {
	const lines: object[] = [
		{ type: "session", version: 3, id: file, timestamp: time(started), cwd: "/a/b", ...header },
	];
	for (const [i, { at, output, responseId, model = "m", message }] of replies.entries())
		lines.push({
			type: "message",
			id: `e${i}`,
			parentId: i === 0 ? null : `e${i - 1}`,
			timestamp: time(at),
			message: {
				role: "assistant",
				content: [],
				provider: "p",
				model,
				stopReason: "stop",
				timestamp: Date.parse(time(at)),
				usage: { input: 100, output, cacheRead: 0, cacheWrite: 0 },
				...(responseId === undefined ? {} : { responseId }),
				...message,
			},
		});
	mkdirSync(join(root, file, ".."), { recursive: true });
	writeFileSync(join(root, file), `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
}

function time(minute: number): string {
	return new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
}

test("a reply belongs to the file that started first, with its largest row", () => {
	write("dup/fork.jsonl", 5, [
		{ at: 1, output: 10, responseId: "r1" },
		{ at: 6, output: 7 },
	]);
	write("dup/first.jsonl", 0, [
		{ at: 1, output: 3, responseId: "r1" },
		{ at: 2, output: 5 },
		{ at: 2, output: 4, model: "other" },
	]);
	const { sessions, totals } = listDeeply(findSessions(join(root, "dup")));
	const [first, fork] = ["first", "fork"].map((id) =>
		sessions.find((row) => row.id === `dup/${id}.jsonl`),
	);
	assert.equal(first?.requests, 3);
	assert.equal(first?.shared, 0);
	assert.equal(fork?.requests, 1);
	assert.equal(fork?.shared, 1);
	assert.equal(totals.requests, 4);
	assert.equal(totals.output, 10 + 5 + 4 + 7);
	assert.equal(totals.prompt, 400);
});

test("one, two or three copies of a file sum to the same", () => {
	write("copies/a.jsonl", 0, [
		{ at: 1, output: 3 },
		{ at: 2, output: 5 },
	]);
	const once = listDeeply(findSessions(join(root, "copies"))).totals;
	for (const copy of ["b", "c"])
		copyFileSync(join(root, "copies/a.jsonl"), join(root, `copies/${copy}.jsonl`));
	const thrice = listDeeply(findSessions(join(root, "copies"))).totals;
	assert.deepEqual({ ...thrice, sessions: 1 }, once);
});

test("replies that share an id are several where they are not the same entry", () => {
	const numbered = (at: number) => ({ at, output: 5, responseId: "chatcmpl-1" });
	write("numbered/a.jsonl", 0, [1, 2, 3].map(numbered));
	write("numbered/b.jsonl", 5, [6, 7].map(numbered));
	const { sessions, totals } = listDeeply(findSessions(join(root, "numbered")));
	assert.deepEqual(sessions.map(({ requests }) => requests).sort(), [2, 3]);
	assert.deepEqual([totals.requests, totals.output], [5, 25]);
	assert.ok(sessions.every(({ shared }) => shared === 0));
});

test("replies without a time of their own are several where they are not the same entry", () => {
	const untimed = { at: 1, output: 5, message: { timestamp: 0 } };
	write("untimed/a.jsonl", 0, [untimed, untimed, untimed]);
	const { sessions } = listDeeply(findSessions(join(root, "untimed")));
	assert.deepEqual([sessions[0]?.requests, sessions[0]?.shared], [3, 0]);
});

test("two entries of a file are two replies, whatever they have in common, and copies share both", () => {
	const alike = { at: 1, output: 5, responseId: "chatcmpl-1" };
	write("alike/a.jsonl", 0, [alike, alike]);
	write("alike/b.jsonl", 5, [alike, alike, alike]);
	const { sessions } = listDeeply(findSessions(join(root, "alike")));
	const counts = sessions.map(({ id, requests, shared }) => [id, requests, shared]);
	assert.deepEqual(counts.sort(), [
		["alike/a.jsonl", 2, 0],
		["alike/b.jsonl", 1, 2],
	]);
});

test("one file's fault is not another's", () => {
	write("faults/good.jsonl", 0, [{ at: 1, output: 3 }]);
	writeFileSync(join(root, "faults/bad.jsonl"), '{"hello":"world"}\nnothing\n');
	const { sessions, totals, refusals } = listDeeply(findSessions(join(root, "faults")));
	assert.equal(totals.requests, 1);
	assert.ok(sessions.find((row) => row.id === null)?.problems);
	assert.match(refusals[0]?.file ?? "", /bad\.jsonl$/);
});

test("sessions are found at any depth, each once however many links lead to it", () => {
	write("deep/--a-b--/2026_one.jsonl", 0, []);
	write("deep/--a-b--/2026_one/x/run-0/session.jsonl", 1, []);
	write("deep/--a-b--/other.jsonl", 2, [], { cwd: "/a-b" });
	symlinkSync(join(root, "deep"), join(root, "deep/--a-b--/loop"));
	symlinkSync(join(root, "deep/--a-b--/other.jsonl"), join(root, "deep/link.jsonl"));
	symlinkSync(join(root, "deep"), join(root, "linked"));
	const found = findSessions(join(root, "linked"));
	assert.equal(found.length, 3);
	const nested = found.find(({ file }) => file.endsWith("session.jsonl"));
	assert.match(nested?.parent ?? "", /2026_one\.jsonl$/);
	assert.deepEqual(
		new Set(listSessions(found).sessions.map((row) => row.cwd)),
		new Set(["/a/b", "/a-b"]),
	);
});

test("the root is where the environment or the settings say, as for pi", () => {
	const agent = join(root, "agent");
	mkdirSync(agent);
	assert.equal(sessionsRoot({ PI_CODING_AGENT_DIR: agent }, root), join(agent, "sessions"));
	writeFileSync(join(agent, "settings.json"), JSON.stringify({ sessionDir: "/elsewhere" }));
	assert.equal(sessionsRoot({ PI_CODING_AGENT_DIR: agent }, root), "/elsewhere");
	const env = { PI_CODING_AGENT_DIR: agent, PI_CODING_AGENT_SESSION_DIR: "/here" };
	assert.equal(sessionsRoot(env, root), "/here");
	writeFileSync(join(agent, "settings.json"), "{ broken");
	assert.equal(sessionsRoot({ PI_CODING_AGENT_DIR: agent }, root), join(agent, "sessions"));
	assert.match(sessionsRoot({ PI_CODING_AGENT_DIR: "~/x" }, root), /^\/.*\/x\/sessions$/);
});

/** What a listing says of every file in a directory is what their profiles say. */
function agrees(directory: string): void {
	const { sessions } = listDeeply(findSessions(directory));
	assert.ok(sessions.length > 0);
	for (const { file, requests, shared, problems } of sessions) {
		const { profile } = measure(file);
		if (!profile) continue;
		assert.equal(problems, profile.session.problems.length, file);
		assert.equal((requests ?? 0) + (shared ?? 0), profile.spend.requests, file);
	}
}

test("a listing counts the requests and the problems of a file as its profile does", () => {
	for (const name of ["profile", "sessions"])
		agrees(join(import.meta.dirname, "../fixtures", name));
});

test("so it does for the recorded sessions", (t) => {
	const directory = recordedSessions();
	if (!directory) return t.skip(NO_SESSIONS);
	agrees(directory);
});

test("of the recorded sessions no reply is counted twice, and same ids are no reason to merge", (t) => {
	const directory = recordedSessions();
	if (!directory) return t.skip(NO_SESSIONS);
	const { sessions, totals } = listDeeply(findSessions(directory));
	const row = (name: string) => sessions.find(({ file }) => file.endsWith(`/${name}.jsonl`));
	assert.equal(sessions.length, 21);
	assert.equal(row("growing")?.requests, 17);
	assert.deepEqual([row("grown")?.requests, row("grown")?.shared], [1, 17]);
	assert.equal(row("opus-prefix")?.requests, 72);
	assert.deepEqual(
		[row("opus-six-compactions")?.requests, row("opus-six-compactions")?.shared],
		[190, 72],
	);
	assert.equal(row("same-id-other-content")?.requests, 93);
	assert.equal(row("zero-usage-23-compactions")?.requests, 306);
	const sum = sessions.reduce((all, { requests }) => all + (requests ?? 0), 0);
	assert.equal(totals.requests, sum);
});
