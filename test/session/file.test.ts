// Reading from disk: chunks, lines and files that grow; and the counts of the recorded sessions.

import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import fc from "fast-check";
import { callsOf, isStep } from "../../src/session/branch.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { readSession, readSessionInto } from "../../src/session/file.ts";
import { LineCutter } from "../../src/session/file-lines.ts";
import { Collector, parseSession } from "../../src/session/parse.ts";
import { SessionTree } from "../../src/session/tree.ts";
import { inDirectory } from "../support/scratch.ts";
import { chain, user } from "./build.ts";
import { recordedPath, testRecorded } from "./recorded.ts";

function textOf(entries: readonly SessionEntry[]): string {
	const records = [{ type: "session", version: 3, id: "s", cwd: "/a" }, ...entries];
	return records.map((one) => `${JSON.stringify(one)}\n`).join("");
}

/** Lines, what stands after the last one, and lines that were too long, of bytes cut into chunks. */
function cut(bytes: Buffer, sizes: readonly number[], limit?: number) {
	const lines: string[] = [];
	const skipped: string[] = [];
	const cutter = new LineCutter(
		{ line: (text) => lines.push(text), skip: (reason) => skipped.push(reason) },
		limit,
	);
	const shared = Buffer.alloc(64);
	for (let from = 0, turn = 0; from < bytes.length; turn++) {
		const size = Math.min(sizes[turn % sizes.length] ?? 1, bytes.length - from);
		bytes.copy(shared, 0, from, from + size);
		cutter.push(shared.subarray(0, size));
		from += size;
	}
	return { lines, rest: cutter.rest(), skipped };
}

test("lines are the same however the bytes are cut into chunks", () => {
	const text = fc.string({ unit: fc.constantFrom("a", "é", "漢", "😀", "\n", "\r", "\u2028") });
	const sizes = fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 5 });
	fc.assert(
		fc.property(text, sizes, (whole, chunks) => {
			const expected = whole.split("\n");
			const rest = expected.pop();
			assert.deepEqual(cut(Buffer.from(whole), chunks), { lines: expected, rest, skipped: [] });
		}),
	);
});

test("a line that is too long is passed over and the next ones are read", () => {
	const long = "x".repeat(100);
	for (const size of [64, 7]) {
		const { lines, rest, skipped } = cut(Buffer.from(`a\n${long}\nb\n${long}`), [size], 20);
		assert.deepEqual(lines, ["a", "b"]);
		assert.equal(rest, "");
		assert.deepEqual(skipped, Array(2).fill("a line of 100 bytes is too long to be read"));
	}
	assert.deepEqual(cut(Buffer.from("123456789\nb\n"), [64], 8).lines, ["b"]);
});

test("records longer than a chunk are read, with characters on its border", () => {
	inDirectory((directory) => {
		const path = join(directory, "long.jsonl");
		const entries = chain([user("漢".repeat(1 << 21)), user("é".repeat(1 << 20)), user()]);
		writeFileSync(path, textOf(entries));
		const session = readSession(path);
		assert.deepEqual(session.entries, entries);
		assert.equal(session.bytes, readFileSync(path).length);
		assert.equal(session.lines, 4);
	});
});

test("bytes that are no text are told as such, and nothing around them is lost", () => {
	inDirectory((directory) => {
		const path = join(directory, "odd.jsonl");
		const [first = "", second = ""] = textOf(chain([user("before@after"), user("漢")])).split(
			/(?<=@)/,
		);
		writeFileSync(
			path,
			Buffer.concat([Buffer.from(first.slice(0, -1)), Buffer.of(0xff), Buffer.from(second)]),
		);
		const session = readSession(path);
		assert.deepEqual(session.entries, chain([user("before\ufffdafter"), user("漢")]));
		assert.deepEqual(session.problems, []);
	});
});

test("a file reads as its text does", () => {
	const path = join(import.meta.dirname, "../fixtures/sessions/bom-crlf.jsonl");
	const { bytes, ...session } = readSession(path);
	assert.deepEqual(session, parseSession(readFileSync(path, "utf8")));
	assert.ok(bytes > 0);
});

test("a file may grow while it is read", () => {
	inDirectory((directory) => {
		const path = join(directory, "growing.jsonl");
		const entries = chain(Array(4).fill(user("x".repeat(1 << 19))));
		const text = textOf(entries);
		const half = text.length >> 1;
		writeFileSync(path, text.slice(0, half));
		const collector = new Collector();
		let isWhole = false;
		const reading = readSessionInto(path, collector, () => {
			if (!isWhole) appendFileSync(path, text.slice(half));
			isWhole = true;
		});
		assert.deepEqual(collector.session(reading).entries, entries);
		assert.deepEqual(collector.session(reading).problems, []);
	});
});

test("progress counts the bytes up to the size of the file", () => {
	inDirectory((directory) => {
		const path = join(directory, "some.jsonl");
		writeFileSync(path, textOf(chain(Array(5).fill(user("x".repeat(1 << 19))))));
		const seen: number[] = [];
		const { bytes } = readSessionInto(path, new Collector(), (read) => seen.push(read));
		assert.ok(seen.length > 1);
		assert.equal(seen.at(-1), bytes);
		assert.deepEqual(
			seen,
			[...seen].sort((a, b) => a - b),
		);
	});
});

test("what cannot be opened is refused, not thrown", () => {
	inDirectory((directory) => {
		assert.equal(readSession(join(directory, "none.jsonl")).refusal, "there is no such file");
		assert.equal(readSession(directory).refusal, "it is a directory");
		const path = join(directory, "empty.jsonl");
		writeFileSync(path, "");
		assert.equal(readSession(path).refusal, "the file is empty");
		assert.equal(readSession(join(path, "x")).refusal, "a part of its path is no directory");
	});
});

test("a file that may not be read is refused", (t) => {
	if (process.geteuid === undefined) return t.skip("files have no modes here");
	inDirectory((directory) => {
		const path = join(directory, "secret.jsonl");
		writeFileSync(path, "", { mode: 0 });
		assert.equal(asNobody(() => readSession(path)).refusal, "it may not be read");
	});
});

/** Asks without the rights of the administrator, who may read everything. */
function asNobody<T>(ask: () => T): T {
	const user = process.geteuid?.();
	if (user === 0) process.seteuid?.(65_534);
	try {
		return ask();
	} finally {
		if (user === 0) process.seteuid?.(0);
	}
}

test("a fault of who is told of the entries is not taken for one of the file", () => {
	const collector = new Collector();
	collector.entry = () => {
		throw new RangeError("too many");
	};
	const path = join(import.meta.dirname, "../fixtures/sessions/clean.jsonl");
	assert.throws(() => readSessionInto(path, collector), RangeError);
	assert.equal(readSession(path).refusal, undefined, "and the next file is read as ever");
});

interface Counts {
	requests: number;
	steps: number;
	toolCalls: number;
	unanswered: number;
	orphanResults: number;
	compactions: number;
	userMessages: number;
}

interface Expected {
	readonly file: string;
	readonly version: number;
	readonly entries: number;
	readonly problems: readonly number[];
	readonly branch: Counts;
	readonly all: Counts;
}

/** The slow and obvious way to count. */
function count(entries: readonly SessionEntry[]): Counts {
	const messages = entries.flatMap((one) => (one.type === "message" ? [one.message] : []));
	const replies = messages.filter((one) => one.role === "assistant");
	const open: string[] = [];
	let orphanResults = 0;
	for (const one of messages) {
		if (one.role === "assistant") open.push(...callsOf(one).map(({ id }) => id));
		if (one.role !== "toolResult") continue;
		const call = open.lastIndexOf(one.toolCallId);
		if (call < 0) orphanResults++;
		else open.splice(call, 1);
	}
	return {
		requests: replies.length,
		steps: replies.filter(({ stopReason }) => isStep(stopReason)).length,
		toolCalls: replies.flatMap(callsOf).length,
		unanswered: open.length,
		orphanResults,
		compactions: entries.filter(({ type }) => type === "compaction").length,
		userMessages: messages.filter(({ role }) => role === "user").length,
	};
}

testRecorded("a recorded session counts what a slow reading counts", (file) => {
	const all: Expected[] = JSON.parse(readFileSync(recordedPath("expected.json"), "utf8"));
	const expected = all.find((one) => one.file === file);
	assert.ok(expected);
	const session = readSession(recordedPath(file));
	const tree = new SessionTree<SessionEntry>();
	for (const [at, entry] of session.entries.entries()) tree.add(entry, session.entryLines[at] ?? 0);
	assert.equal(session.version, expected.version);
	assert.equal(session.entries.length, expected.entries);
	assert.deepEqual(
		session.problems.map(({ line }) => line),
		expected.problems,
	);
	assert.deepEqual(tree.problems(), []);
	const branch = count(tree.branch());
	assert.deepEqual(branch, pick(expected.branch, branch));
	const whole = count(session.entries);
	assert.deepEqual(whole, pick(expected.all, whole));
});

/** The fields of `given` that `like` has. */
function pick(given: Counts, like: Counts): Counts {
	const names = Object.keys(like) as (keyof Counts)[];
	return Object.fromEntries(names.map((name) => [name, given[name]])) as unknown as Counts;
}
