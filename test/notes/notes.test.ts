// The notes of a fold: against the real tools of both hosts, against every shared session, and within
// their bounds.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { type Facts, factsOf } from "../../src/notes/facts.ts";
import { NOTES_LIMIT, notesOf } from "../../src/notes/notes.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { readSession } from "../../src/session/file.ts";
import { estimateText } from "../../src/session/size.ts";
import { recordedPath, testRecorded } from "../session/recorded.ts";
import {
	attempt,
	call,
	custom,
	image,
	reply,
	result,
	session,
	user,
} from "../support/session-entries.ts";
import { HOSTS, type Job, work, workshop } from "./real-tools.ts";

process.env["PI_OFFLINE"] = "1";

function noted(entries: readonly SessionEntry[], cwd?: string): string {
	return notesOf(factsOf(entries, cwd)).join("\n");
}

for (const host of HOSTS) {
	test(`files that the tools of ${host} changed and read are counted by path`, async (t) => {
		const cwd = workshop(t);
		writeFileSync(join(cwd, "a.txt"), "one\ntwo\n");
		const entries = await work(host, cwd, [
			{ name: "read", args: { path: "a.txt" } },
			{ name: "edit", args: { path: "./a.txt", edits: [{ oldText: "one", newText: "1" }] } },
			{
				name: "edit",
				args: { path: join(cwd, "a.txt"), edits: [{ oldText: "two", newText: "2" }] },
			},
			{ name: "write", args: { path: "new/b.txt", content: "b" } },
			{ name: "read", args: { path: join(cwd, "new/b.txt") } },
		]);
		assert.equal(
			noted(entries, cwd),
			"Files changed: a.txt ×2, new/b.txt\nFiles read: a.txt, new/b.txt",
		);
	});

	test(`failed edits, writes and reads of ${host} do not count as edits and reads`, async (t) => {
		const cwd = workshop(t);
		writeFileSync(join(cwd, "a.txt"), "one\n");
		const entries = await work(host, cwd, [
			{ name: "edit", args: { path: "a.txt", edits: [{ oldText: "absent", newText: "x" }] } },
			{ name: "edit", args: { path: "no.txt", edits: [{ oldText: "one", newText: "x" }] } },
			{ name: "write", args: { path: "a.txt/below", content: "x" } },
			{ name: "read", args: { path: "no.txt" } },
			{ name: "read", args: { path: "a.txt", offset: 99 } },
		]);
		assert.equal(noted(entries, cwd), "Failed calls: edit ×2, read ×2, write");
	});

	test(`commands of ${host} are told with exit codes, timeouts and aborts`, async (t) => {
		const cwd = workshop(t);
		const jobs: Job[] = [
			{ name: "bash", args: { command: "echo fine" } },
			{ name: "bash", args: { command: "exit 3" } },
			{ name: "bash", args: { command: "echo out; exit 3" } },
			{ name: "bash", args: { command: "sleep 9", timeout: 0.05 } },
			{ name: "bash", args: { command: "sleep 8" }, abortAfterMs: 50 },
			{ name: "bash", args: { command: "echo 'Command exited with code 7'" } },
		];
		const facts = factsOf(await work(host, cwd, jobs), cwd);
		assert.deepEqual(notesOf(facts), [
			"Shell commands: 6, failed: 4: sleep 8 (aborted), sleep 9 (timed out), echo out; exit 3 (exit 3), exit 3 (exit 3)",
			"Last command: echo 'Command exited with code 7' (ok)",
		]);
	});

	test(`a timeout of ${host} is one though the shell had ended before`, async (t) => {
		const command = "sleep 0.4 & exit 3";
		const entries = await work(host, workshop(t), [
			{ name: "bash", args: { command, timeout: 0.1 } },
		]);
		// 1.6 tells the shell's exit code in the same line
		assert.match(noted(entries), /^Last command: sleep 0\.4 & exit 3 \(timed out\)$/m);
	});

	test(`a command of ${host} that a signal ended is told as far as it is recorded`, async (t) => {
		const jobs: Job[] = [{ name: "bash", args: { command: "kill -9 $$" } }];
		const entries = await work(host, workshop(t), jobs);
		// 0.73 records a shell that was killed like one that did well
		const failed =
			host === "1.6.0"
				? "Shell commands: 1, failed: 1: kill -9 $$ (exit 137)"
				: "Shell commands: 1, no failure recorded";
		assert.equal(noted(entries).split("\n")[0], failed);
	});

	test(`a command that never ran on ${host} is a failure without an exit code`, async (t) => {
		const cwd = join(workshop(t), "gone");
		const entries = await work(host, cwd, [{ name: "bash", args: { command: "true" } }]);
		assert.equal(
			noted(entries, cwd),
			"Shell commands: 1, failed: 1: true (failed)\nLast command: true (failed)",
		);
	});

	test(`grep, find and ls of ${host} are counted by name`, async (t) => {
		const cwd = workshop(t);
		const entries = await work(host, cwd, [
			{ name: "ls", args: {} },
			{ name: "ls", args: { path: "gone" } },
			{ name: "grep", args: { pattern: "x" } },
			{ name: "find", args: { pattern: "*.ts" } },
		]);
		const lines = noted(entries, cwd).split("\n");
		assert.equal(lines.at(-1), "Other tools: ls ×2, grep, find");
		// without ripgrep and fd on the machine those two fail as well
		assert.match(lines[0] ?? "", /^Failed calls: .*ls/);
	});

	test(`an image that read of ${host} shows is counted`, async (t) => {
		const cwd = workshop(t);
		const dot =
			"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
		writeFileSync(join(cwd, "dot.png"), Buffer.from(dot, "base64"));
		const entries = await work(host, cwd, [{ name: "read", args: { path: "dot.png" } }]);
		assert.equal(noted(entries, cwd), "Images seen: 1\nFiles read: dot.png");
	});
}

test("tools that nobody knows are counted by name, our own are not", () => {
	const entries = session(
		reply("", call("1", "web", {}), call("2", "send_dmail", { fromStep: 1 }), call("3", "web", {})),
		result("1", "a"),
		result("2", "b"),
		result("3", "c", { isError: true }),
		custom("notice", "hello"),
		custom("dmail.cut", "fold"),
	);
	assert.equal(
		noted(entries),
		"Failed calls: web\nOther tools: web ×2\nMessages of extensions: notice",
	);
});

test("a call without a result is neither a success nor a failure", () => {
	const entries = session(
		reply("", call("1", "edit", { path: "a" }), call("2", "bash", { command: "make" })),
		user("go on"),
	);
	assert.equal(
		noted(entries),
		"Shell commands: 1, no failure recorded\nLast command: make\nCalls without a result: edit, bash",
	);
});

test("calls of an aborted reply that never ran are not listed", () => {
	assert.equal(noted(session(attempt("aborted", "", call("1", "edit", { path: "a" })))), "");
});

test("a result answers the nearest open call where ids repeat", () => {
	const entries = session(
		reply("", call("f:0", "edit", { path: "a" })),
		result("f:0", "ok"),
		reply("", call("f:0", "edit", { path: "b" })),
		result("f:0", "no", { isError: true }),
		reply("", call("", "edit", { path: "c" })),
		result("", "ok"),
	);
	assert.equal(
		noted(entries),
		"Files changed: a\nFailed calls: edit\nCalls without a result: edit",
	);
});

test("a real result wins over an error that was put in its place before", () => {
	const entries = session(
		reply("", call("1", "edit", { path: "a" })),
		result("1", "No result provided", { isError: true }),
		result("1", "ok"),
	);
	assert.equal(noted(entries), "Files changed: a");
});

test("calls that a tool made are counted with its own", () => {
	const calls = [
		{ id: "n1", name: "edit", arguments: { path: "a" }, status: "ok" },
		{ id: "n2", name: "edit", arguments: { path: "b" }, status: "error", error: "no" },
		{ id: "n3", name: "edit", argumentsBytes: 99_999, status: "ok" },
		{ id: "n4", name: "bash", arguments: { command: "make" }, status: "unfinished" },
		{
			id: "n5",
			name: "bash",
			arguments: { command: "make test" },
			status: "error",
			error: "x\n\nCommand exited with code 2",
		},
	];
	const entries = session(
		reply("", call("1", "codemode", {})),
		result("1", "done", { nestedCalls: { calls, complete: false } }),
	);
	assert.equal(
		noted(entries),
		[
			"Files changed: a",
			"Shell commands: 2, failed: 1: make test (exit 2)",
			"Last command: make test (exit 2)",
			"Failed calls: edit",
			"Calls without a result: bash",
			"Other tools: codemode, edit",
		].join("\n"),
	);
});

test("hosts that keep the exit code in the details are understood", () => {
	const entries = session(
		reply("", call("1", "exec", { command: "a" }), call("2", "exec", { command: "b" })),
		result("1", "(Command exited with code 2)", { details: { exitCode: 2 } }),
		result("2", "x", { details: { exitCode: 0, timedOut: true } }),
	);
	assert.equal(
		noted(entries),
		"Shell commands: 2, failed: 2: b (timed out), a (exit 2)\nLast command: b (timed out)",
	);
});

test("a Windows path is one file however it is written", () => {
	const cwd = "C:\\Users\\p\\Work";
	const entries = session(
		reply(
			"",
			call("1", "edit", { path: "c:\\users\\p\\work\\src\\a.ts" }),
			call("2", "edit", { path: "src/a.ts" }),
			call("3", "write", { path: "D:\\b.ts" }),
		),
		result("1", "ok"),
		result("2", "ok"),
		result("3", "ok"),
	);
	assert.equal(noted(entries, cwd), "Files changed: src/a.ts ×2, D:/b.ts");
});

test("a long command is cut between words, a step into the working directory left out", () => {
	const command = `cd /w && python3 tools/generate.py --into build/generated/parser/tables.json --verbose\nmore`;
	const entries = session(reply("", call("1", "bash", { command })), result("1", "ok"));
	assert.match(
		noted(entries, "/w"),
		/^Last command: python3 tools\/generate\.py --into … \(ok\)$/m,
	);
});

test("a path with spaces in quotes is not cut", () => {
	const command = `cat "/home/some one/it's a directory with a long name/and more" | head -n 1`;
	const entries = session(reply("", call("1", "bash", { command })), result("1", "ok"));
	assert.match(noted(entries), /^Last command: cat … \(ok\)$/m);
});

test("what git shows stands beside what the tools did", () => {
	const facts = factsOf(session(reply("", call("1", "write", { path: "a" })), result("1", "ok")));
	assert.deepEqual(notesOf(facts, ["lock.json"]), [
		"Files changed: a",
		"Changed otherwise (git): lock.json",
	]);
});

test("content that is no content is no error", () => {
	const odd = session(
		() => ({ type: "message", id: "a", parentId: null, timestamp: "", message: null }) as never,
		() =>
			({
				type: "message",
				id: "b",
				parentId: "a",
				timestamp: "",
				message: {
					role: "assistant",
					stopReason: "toolUse",
					content: [
						{ type: "toolCall" },
						{ type: "toolCall", id: 7, name: 8, arguments: "x" },
						null,
					],
				},
			}) as never,
		result("7", [image]),
		custom("x", null as never),
	);
	assert.equal(noted(odd), "Images seen: 1");
});

const anyName = fc.string({ unit: "binary", minLength: 1, maxLength: 200 });
const anyFacts: fc.Arbitrary<SessionEntry[]> = fc
	.array(
		fc.record({
			name: fc.constantFrom("edit", "write", "read", "bash", "web", "ls"),
			argument: fc.oneof(anyName, fc.constantFrom("src/a.ts", "src/b.ts", "npm test")),
			isError: fc.boolean(),
			text: fc.constantFrom("ok", "x\n\nCommand exited with code 1", "Command aborted"),
		}),
		{ maxLength: 60 },
	)
	.map((calls) =>
		session(
			...calls.flatMap(({ name, argument, isError, text }, at) => [
				reply(
					"",
					call(`c${at}`, name, name === "bash" ? { command: argument } : { path: argument }),
				),
				result(`c${at}`, text, { isError }),
			]),
		),
	);

test("notes are at most 120 tokens, the same every time, and never cut inside a path", () => {
	fc.assert(
		fc.property(anyFacts, (entries) => {
			const facts = factsOf(entries);
			const notes = notesOf(facts);
			assert.ok(estimateText(notes.join("\n")) <= NOTES_LIMIT);
			assert.deepEqual(notesOf(factsOf(entries)), notes);
			assert.ok(notes.every((line) => !line.includes("\n")));
			for (const line of notes.filter((one) => one.startsWith("Files changed: ")))
				assertWhole(line, facts);
		}),
	);
});

/** The line is what a list of whole names in order gives, and the number of the rest. */
function assertWhole(line: string, { changed }: Facts): void {
	const whole = changed.map(({ name, count }) => (count > 1 ? `${name} ×${count}` : name));
	const possible = whole.map((_, at) => {
		const left = whole.length - at - 1;
		return `Files changed: ${whole.slice(0, at + 1).join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
	});
	assert.ok(possible.includes(line), line);
}

test("every kind of fact is there before one takes all the room", () => {
	const drafts = Array.from({ length: 40 }, (_, at) => [
		reply("", call(`e${at}`, "edit", { path: `src/some/folder/file-number-${at}.ts` })),
		result(`e${at}`, "ok"),
	]).flat();
	const entries = session(
		...drafts,
		reply("", call("b", "bash", { command: "npm test" }), call("r", "read", { path: "a" })),
		result("b", "no\n\nCommand exited with code 1", { isError: true }),
		result("r", "text"),
	);
	const lines = noted(entries).split("\n");
	assert.match(
		lines[0] ?? "",
		/^Files changed: src\/some\/folder\/file-number-0\.ts, .* and \d+ more$/,
	);
	assert.equal(lines[1], "Shell commands: 1, failed: 1: npm test (exit 1)");
	assert.equal(lines.at(-1), "Files read: a");
});

testRecorded("notes of every stretch of a recorded session", (file) => {
	const { entries } = readSession(recordedPath(file));
	for (const size of [entries.length, 40, 7])
		for (let at = 0; at < entries.length; at += size) {
			const notes = notesOf(factsOf(entries.slice(at, at + size)));
			assert.ok(estimateText(notes.join("\n")) <= NOTES_LIMIT);
		}
});
