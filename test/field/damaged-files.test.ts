// Session files that were damaged while they were written or copied: what can be read is read, what cannot is
// named with its line, and nothing after it is lost.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LineCutter } from "../../src/session/file-lines.ts";
import { Collector, parseSession, type Session, SessionParser } from "../../src/session/parse.ts";
import { SessionTree } from "../../src/session/tree.ts";
import { cases } from "../support/cases.ts";
import { Chat } from "../support/chat.ts";
import { fileOf, profileOf } from "./profiled.ts";

/** A talk whose texts have in them what could be taken for the end of a record, or for another one. */
const chat = new Chat()
	.user('{"type":"message","id":"fake","parentId":null} }{ "\\" \\u007b')
	.step("a")
	.user('}{"type":"session"}\\')
	.step("b");
const LINES = fileOf(chat.entries).split("\n").slice(0, -1);
const IDS = chat.entries.map(({ id }) => id);

function read(...lines: readonly string[]): Session {
	return parseSession(`${lines.join("\n")}\n`);
}

function idsIn({ entries }: Session): string[] {
	return entries.map(({ id }) => id);
}

/** Ids on the way from the root to the last entry. */
function branchOf({ entries, entryLines }: Session): string[] {
	const tree = new SessionTree();
	for (const [at, entry] of entries.entries()) tree.add(entry, entryLines[at] ?? 0);
	assert.deepEqual(tree.problems(), []);
	return tree.branch().map(({ id }) => id);
}

/** Throws unless everything was read, each record once and as it was written. */
function isWhole(session: Session): void {
	assert.deepEqual(session.entries, chat.entries);
	assert.equal(session.header?.id, "s");
}

test("F02: records that lost the newline between them are all read, wherever it was lost", () => {
	for (let at = 1; at < LINES.length; at++)
		for (const glue of ["", " ", "\r", "\t\t"]) {
			const glued = [LINES[at - 1], LINES[at]].join(glue);
			const session = read(...LINES.slice(0, at - 1), glued, ...LINES.slice(at + 1));
			isWhole(session);
			assert.deepEqual(session.problems, []);
		}
	isWhole(read(LINES.join("")));
	const parts = fc.subarray(LINES.slice(1).map((_, at) => at + 1));
	fc.assert(
		fc.property(parts, (breaks) => {
			const text = LINES.map((line, at) => (breaks.includes(at) ? `\n${line}` : line)).join("");
			isWhole(parseSession(text));
		}),
		cases(0.3),
	);
});

const A = LINES[1] as string;
const B = LINES[2] as string;
const REST = LINES.slice(3);

test("F03: of a line that holds more than one record each whole one is read, and the rest is named", () => {
	const head = LINES[0] as string;
	isWhole(read(head, A, B, ...REST));
	isWhole(read(head, A + B, ...REST));
	for (let cut = 1; cut < B.length; cut += 7) {
		const torn = read(head, A + B.slice(0, cut), ...REST);
		assert.deepEqual(branchOf(torn), IDS, `cut at ${cut}`);
		assert.deepEqual(torn.entries[0], chat.entries[0]);
		assert.deepEqual(torn.entries.slice(2), chat.entries.slice(2));
		assert.deepEqual(
			torn.problems.map(({ line }) => line),
			[2],
		);
	}
	for (const junk of ["junk", ",", "}", "]]", '"', "\\", "\0\0", "null"]) {
		const between = read(head, A + junk + B, ...REST);
		isWhole(between);
		assert.deepEqual(
			between.problems.map(({ line }) => line),
			[2],
		);
	}
});

test("F03: junk with an open brace or quote of its own takes no later line with it", () => {
	for (const junk of ["{", '{"', '{"a":', "{{{", '{"type":"message"', '"{']) {
		const session = read(LINES[0] as string, A + junk + B, ...REST);
		assert.deepEqual(session.entries[0], chat.entries[0], junk);
		assert.deepEqual(session.entries.slice(-REST.length), chat.entries.slice(2), junk);
		assert.ok(session.problems.some(({ line }) => line === 2));
	}
});

test("F03: a line of nothing but damage is passed over in time, and the next one is read", () => {
	for (const junk of ["{}", "{x}", '{"type":"text"}', '{"type":"message"', '{"a":{', "}{", '"}'])
		for (const count of [10, 50_000]) {
			const started = performance.now();
			const session = read(LINES[0] as string, A + junk.repeat(count), B, ...REST);
			isWhole(session);
			assert.ok(session.problems.length > 0);
			assert.ok(performance.now() - started < 10_000, `${junk} × ${count}`);
		}
});

test("F05: a run of NUL bytes costs the line that it is on, and nothing after it", () => {
	const nul = "\0".repeat(300);
	for (let at = 1; at <= LINES.length; at++) {
		isWhole(read(...LINES.slice(0, at), nul, ...LINES.slice(at)));
		isWhole(read(...LINES.slice(0, at - 1), nul + LINES[at - 1], ...LINES.slice(at)));
	}
	for (let at = 2; at < LINES.length - 1; at++) {
		const session = read(...LINES.slice(0, at), nul, ...LINES.slice(at + 1));
		assert.deepEqual(branchOf(session), IDS);
		assert.deepEqual(
			session.problems.map(({ line, reason }) => [line, reason]),
			[[at + 1, "300 NUL bytes"]],
		);
	}
	const written = [...LINES.slice(0, 3), nul, ...LINES.slice(3)].join("\n");
	const profile = profileOf(Buffer.from(`${written}\n`));
	assert.deepEqual([profile.totals.requests, profile.totals.orphanResults], [2, 0]);
	assert.equal(profile.session.problems.length, 1);
});

test("F06: only a newline ends a line; other separators stand inside of texts", () => {
	const odd = new Chat().user("a\u2028b\u2029c\u0085d\u000be\u001ef").step("x");
	// `JSON.stringify` leaves the first three as they are, as pi does
	const raw = fileOf(odd.entries);
	for (const separator of ["\u2028", "\u2029", "\u0085"]) assert.ok(raw.includes(separator));
	for (const written of [raw, raw.replaceAll("\n", "\r\n")]) {
		const session = parseSession(written);
		assert.deepEqual(session.entries, odd.entries);
		assert.deepEqual(session.problems, []);
		assert.equal(session.lines, 4);
		assert.equal(profileOf(Buffer.from(written)).session.entries, 3);
	}
});

test("F08: a byte order mark before the header is no part of it", () => {
	for (const end of ["\n", "\r\n"]) {
		const text = `\ufeff${LINES.join(end)}${end}`;
		const session = parseSession(text);
		isWhole(session);
		assert.deepEqual(session.problems, []);
		const { session: facts } = profileOf(Buffer.from(text));
		assert.deepEqual([facts.id, facts.problems], ["s", []]);
	}
	// glued to something, or in a file without a header
	isWhole(parseSession(`\ufeff${LINES.join("")}`));
	assert.deepEqual(idsIn(parseSession(`\ufeff${LINES.slice(1).join("\n")}`)), IDS);
});

test("F09: a record that raw newlines part is one damaged region; its place is kept and the rest is read", () => {
	for (let at = 1; at < LINES.length; at++)
		for (const count of [1, 2, 5]) {
			const whole = LINES[at] as string;
			const middle = whole.lastIndexOf('"role":') + 4;
			const broken = `${whole.slice(0, middle)}${"\nx".repeat(count - 1)}\n${whole.slice(middle)}`;
			const session = read(...LINES.slice(0, at), broken, ...LINES.slice(at + 1));
			assert.deepEqual(branchOf(session), IDS);
			assert.equal(session.problems.length, 1);
			assert.equal(session.problems[0]?.line, at + 1);
			assert.match(session.problems[0]?.reason ?? "", new RegExp(`; ${count + 1} lines$`));
			assert.equal(session.entries.filter(({ type }) => type === "unknown").length, 1);
		}
});

test("F05, F09: whatever befalls the inside of a record, no entry is lost by it and none is made up", () => {
	const damage = fc.record({
		line: fc.integer({ min: 1, max: LINES.length - 1 }),
		at: fc.double({ min: 0, max: 1, noNaN: true }),
		length: fc.nat(200),
		by: fc.constantFrom("\n", "\n\n", "\0", "\0\0\0", "", "x", "{", "[", "\\"),
	});
	fc.assert(
		fc.property(damage, ({ line, at, length, by }) => {
			const whole = LINES[line] as string;
			const start = whole.indexOf('"message":{') + 11;
			const from = start + Math.floor(at * (whole.length - start));
			const damaged = whole.slice(0, from) + by + whole.slice(from + length);
			const session = read(...LINES.slice(0, line), damaged, ...LINES.slice(line + 1));
			assert.deepEqual(branchOf(session), IDS);
			assert.deepEqual(idsIn(session), IDS);
			const others = session.entries.filter((_, i) => i !== line - 1);
			assert.deepEqual(
				others,
				chat.entries.filter((_, i) => i !== line - 1),
			);
		}),
		cases(3),
	);
});

/** Reads bytes that come in chunks of a size, without a newline after the last record if so told. */
function readChunks(bytes: Buffer, size: number): Session {
	const collector = new Collector();
	const parser = new SessionParser(collector);
	const cutter = new LineCutter(parser);
	const chunk = Buffer.alloc(size);
	for (let from = 0; from < bytes.length; from += size) {
		const length = bytes.copy(chunk, 0, from, from + size);
		cutter.push(chunk.subarray(0, length));
	}
	parser.end(cutter.rest());
	return collector.session(parser);
}

test("F11: records longer than a chunk are whole, and so is a character on the border of two", () => {
	const wide = new Chat().user("漢字😀é".repeat(500)).step("a").user("😀");
	for (const end of ["\n", ""])
		for (const size of [1, 2, 3, 5, 64, 1_000, 1 << 20]) {
			const bytes = Buffer.from(fileOf(wide.entries).slice(0, -1) + end);
			const session = readChunks(bytes, size);
			assert.deepEqual(session.entries, wide.entries, `${size}`);
			assert.deepEqual(session.problems, []);
		}
});

test("F11: a record of several megabytes is read from disk, and the last one without a newline", () => {
	const large = new Chat().user("漢".repeat(1 << 20)).step("a");
	const profile = profileOf(Buffer.from(fileOf(large.entries).slice(0, -1)));
	assert.deepEqual([profile.session.entries, profile.totals.requests], [3, 1]);
	assert.deepEqual(profile.session.problems, []);
	// a token for each character
	assert.ok(profile.requests.at(0).rawTokens >= 1 << 20);
});
