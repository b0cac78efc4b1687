// Every kind of damage that a session file can have, and every version of the format.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import * as old from "@mariozechner/pi-coding-agent";
import fc from "fast-check";
import { projection } from "../../src/session/branch.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { readSession } from "../../src/session/file.ts";
import { Collector, parseSession, type Session, SessionParser } from "../../src/session/parse.ts";
import { assistant, chain, entry, message, result, user } from "./build.ts";

/** A file of test/fixtures/sessions. */
function fixture(name: string): Session {
	return readSession(join(import.meta.dirname, "../fixtures/sessions", `${name}.jsonl`));
}

/** Entries in a word each: the id without its zeros, and what it is. */
function sketch({ entries }: Session): string {
	return entries.map((one) => `${one.id.replace(/^0+/, "")}:${wordOf(one)}`).join(" ");
}

function wordOf(one: SessionEntry): string {
	return one.type === "message" ? one.message.role : one.type;
}

const WHOLE = "1:user 2:assistant 3:toolResult 4:assistant 5:user 6:assistant";
const WITHOUT = (id: number) => WHOLE.replace(new RegExp(`${id}:\\w+`), `${id}:unknown`);

/** What a damaged form of `clean.jsonl` reads as, and its problems as `line reason`. */
const DAMAGED: readonly (readonly [name: string, sketch: string, problems: readonly string[]])[] = [
	["clean", WHOLE, []],
	["glued", WHOLE, []],
	["bom-crlf", WHOLE, []],
	["line-separators", WHOLE, []],
	["unreadable", WITHOUT(2), ["3 Bad escaped character in JSON at position 170"]],
	["torn-end", WITHOUT(6), ["7 the file ends in the middle of this record"]],
	["torn-and-written-again", WHOLE, ["6 the record breaks off"]],
	["torn-and-glued", WITHOUT(6), ["6 the record breaks off"]],
	["junk-between", WHOLE, ["5 9 characters that belong to no record"]],
	["nul-bytes", WITHOUT(3), ["4 300 NUL bytes"]],
	["nul-before-record", WHOLE, ["5 16 NUL bytes"]],
	["raw-newlines", WITHOUT(4), ["5 the record breaks off; 3 lines"]],
	["no-header", WHOLE, ["1 the file has no header"]],
	["header-second", WHOLE, ["2 the header is not the first record"]],
	["two-headers", WHOLE, ["4 a second header; the first one counts"]],
	[
		"unknown-types",
		"1:user 7:unknown 2:assistant 3:toolResult 4:assistant 8:unknown 5:user 6:assistant",
		['3 unknown type "leaf"; only its place in the tree is kept'],
	],
	[
		"malformed-entries",
		"1:user 2:assistant 3:toolResult 7:unknown 8:unknown 4:assistant 5:user 6:assistant",
		[
			"5 not a message entry as pi writes it; only its place in the tree is kept",
			"6 not a custom entry as pi writes it; only its place in the tree is kept",
			"7 not an object; 2 lines",
		],
	],
	["null-content", "1:user 2:assistant 3:assistant 4:system 5:developer", []],
	[
		"same-id",
		"1:user 2:assistant 3:toolResult 4:assistant 4:user 6:assistant",
		["6 another entry has the id 00000004 too"],
	],
];

for (const [name, expected, problems] of DAMAGED)
	test(`a damaged file reads as far as it can be read: ${name}`, () => {
		const session = fixture(name);
		assert.equal(session.refusal, undefined);
		assert.equal(sketch(session), expected);
		const told = session.problems.map(({ line, reason }) => `${line} ${reason}`);
		assert.deepEqual(told, problems);
	});

test("what could not be read keeps its parent, so that the branch stays whole", () => {
	for (const name of ["unreadable", "nul-bytes", "raw-newlines", "torn-end", "torn-and-glued"]) {
		const { entries } = fixture(name);
		const parents = entries.map(({ parentId }) => parentId);
		assert.deepEqual(parents, [null, ...entries.slice(0, -1).map(({ id }) => id)], name);
	}
});

test("glued records have the line that they are on", () => {
	assert.deepEqual(fixture("glued").entryLines, [2, 3, 3, 4, 4, 4]);
});

test("a torn record that another was appended to leaves its place, and the other is read", () => {
	const [first, second, third] = chain([user(), assistant(["c"]), result("c")]);
	const torn = JSON.stringify(second).slice(0, 130);
	const after = { ...third, parentId: "e0" };
	const session = parseSession(`${JSON.stringify(first)}\n${torn}${JSON.stringify(after)}\n`);
	assert.equal(sketch(session), "e0:user e1:unknown e2:toolResult");
	assert.equal(session.entries[1]?.parentId, "e0");
});

test("an entry that comes twice counts once, glued or on a line of its own", () => {
	const lines = chain([user(), assistant()]).map((one) => JSON.stringify(one));
	for (const text of [
		`${lines[0]}\n${lines[1]}\n${lines[1]}\n`,
		`${lines[0]}\n${lines[1]}${lines[1]}`,
	]) {
		const session = parseSession(text);
		assert.equal(sketch(session), "e0:user e1:assistant");
		assert.match(session.problems[0]?.reason ?? "", /^entry e1 is here a second time/);
	}
});

test("a record torn over two lines and written again counts once", () => {
	const [first, second] = chain([user(), assistant()]).map((one) => JSON.stringify(one));
	const session = parseSession(`${first}\n${second?.slice(0, 100)}\n${second}\n`);
	assert.equal(sketch(session), "e0:user e1:assistant");
	assert.deepEqual(
		session.problems.map(({ line }) => line),
		[2, 1],
	);
});

test("a line that could not be decoded is a problem and leaves its place", () => {
	const lines = chain([user(), user(), user()]).map((one) => JSON.stringify(one));
	const collector = new Collector();
	const parser = new SessionParser(collector);
	parser.line(lines[0] ?? "");
	parser.skip("too long");
	parser.line(lines[2] ?? "");
	parser.end();
	const session = collector.session(parser);
	assert.equal(sketch(session), "e0:user e1:unknown e2:user");
	assert.deepEqual(session.problems[0], { line: 2, reason: "too long" });
});

test("objects inside of a damaged record are not taken for records", () => {
	const inner = entry("custom", "inner", null, { customType: "x" });
	const details = `"details":{"entries":[${JSON.stringify(inner)},{"bad":\\}]}`;
	const text = `{"type":"message","id":"outer","parentId":null,"timestamp":"t",${details}}`;
	assert.equal(sketch(parseSession(`${text}\n`)), "outer:unknown");
});

test("braces and quotes inside of strings part no records", () => {
	const said = user('}{"type":"message"} \\" {');
	const lines = chain([said, said]).map((one) => JSON.stringify(one));
	const session = parseSession(lines.join(""));
	assert.deepEqual(
		session.entries.map((one) => one.type === "message" && one.message),
		[said, said],
	);
	assert.equal(session.problems.length, 1, "only the header is missing");
});

test("ids that are not at the head of a record are found too", () => {
	for (const parentId of ["before", null]) {
		const ids = JSON.stringify({ id: "late", parentId }).slice(1, -1);
		const [stub] = parseSession(`{"type":"message","message":{"text":"\\x"},${ids}\n`).entries;
		assert.deepEqual([stub?.id, stub?.parentId], ["late", parentId]);
	}
});

test("an entry without a type keeps its place", () => {
	const lines = chain([user(), user(), user()]).map((one) => JSON.stringify(one));
	const text = `${lines[0]}\n${lines[1]?.replace('"type":"message",', "")}\n${lines[2]}\n`;
	assert.equal(sketch(parseSession(text)), "e0:user e1:unknown e2:user");
});

test("ids, parents and times of a wrong type are put right", () => {
	const odd = { type: "label", id: 7, parentId: 3, timestamp: 1_000, targetId: "x" };
	const session = parseSession(
		`${JSON.stringify({ type: "session", version: 3, id: "s" })}\n${JSON.stringify(odd)}\n`,
	);
	assert.deepEqual(session.entries, [
		{ ...odd, id: "v1-2", parentId: null, timestamp: "1970-01-01T00:00:01.000Z" },
	]);
	assert.equal(session.header?.cwd, "");
});

test("an id or a parent that names nothing is told, with what is made of it", () => {
	const header = JSON.stringify({ type: "session", version: 3, id: "s" });
	const label = { type: "label", timestamp: "", targetId: "x" };
	const root = "its parentId names no entry; it is read as a root";
	const nameless = "its id is no name; none of the entries after it can point to it";
	const neither =
		"neither its id nor its parentId is a name; it is read as what follows the entry before it";
	const rows: readonly [object, string | undefined, string | null][] = [
		[{ id: "b", parentId: "a" }, undefined, "a"],
		[{ id: "b", parentId: null }, undefined, null],
		[{ id: "b", parentId: "" }, root, null],
		[{ id: "b", parentId: 5 }, root, null],
		[{ id: "b" }, root, null],
		[{ id: "", parentId: "a" }, nameless, "a"],
		[{ id: 5, parentId: "a" }, nameless, "a"],
		[{ parentId: "a" }, nameless, "a"],
		[{ id: "", parentId: "" }, neither, "a"],
		[{}, neither, "a"],
	];
	for (const [place, reason, parentId] of rows) {
		const lines = [
			{ ...label, id: "a", parentId: null },
			{ ...label, ...place },
		];
		const text = [header, ...lines.map((one) => JSON.stringify(one))].join("\n");
		const { entries, problems } = parseSession(text);
		assert.deepEqual(problems, reason === undefined ? [] : [{ line: 3, reason }]);
		assert.equal(entries[1]?.parentId, parentId);
	}
	const first = parseSession(`{"type":"session","id":"s"}\n${JSON.stringify(label)}\n`);
	assert.deepEqual([first.version, first.problems], [1, []]);
});

test("a time that is none is left out", () => {
	const odd = { type: "label", id: "a", parentId: null, targetId: "x" };
	for (const timestamp of [1e20, null, [], undefined])
		assert.equal(parseSession(JSON.stringify({ ...odd, timestamp })).entries[0]?.timestamp, "");
});

test("a header without an id is one all the same", () => {
	const session = parseSession('{"type":"session","version":3,"cwd":"/a"}\n');
	assert.deepEqual(session.problems, [{ line: 1, reason: "the header has no id" }]);
	assert.deepEqual([session.header?.id, session.header?.cwd], ["", "/a"]);
});

test("entries that are no part of the conversation are read as they are", () => {
	const entries = [
		entry("model_change", "a", null, { provider: "p", modelId: "m" }),
		entry("thinking_level_change", "b", "a", { thinkingLevel: "high" }),
		entry("session_info", "c", "b", { name: "fix it" }),
	];
	const session = parseSession(entries.map((one) => `${JSON.stringify(one)}\n`).join(""));
	assert.deepEqual(session.entries, entries);
});

test("a type that is not known is told by its beginning", () => {
	const { problems } = parseSession(
		JSON.stringify({ ...entry("unknown", "a", null), type: "x".repeat(99) }),
	);
	assert.equal(
		problems[0]?.reason,
		`unknown type "${"x".repeat(40)}…"; only its place in the tree is kept`,
	);
});

test("what is left of an entry that was read before is a problem and no second entry", () => {
	const [first, second] = chain([user(), assistant()]).map((one) => JSON.stringify(one));
	const session = parseSession(`${first}\n${second}\n${first?.slice(0, 100)}\n`);
	assert.equal(sketch(session), "e0:user e1:assistant");
	assert.equal(session.problems[0]?.line, 3);
});

test("an object that only begins as a record does goes with the record that it was part of", () => {
	const [first, second, third] = chain([user(), user(), user()]).map((one) => JSON.stringify(one));
	const torn = `${second?.slice(0, 100)}\n{"type":null,"text":"\\x"}`;
	const session = parseSession(`${first}\n${torn}\n${third}\n`);
	assert.equal(sketch(session), "e0:user e1:unknown e2:user");
	assert.deepEqual(session.problems[0], { line: 2, reason: "the record breaks off; 2 lines" });
});

test("what is no session is refused with a reason", () => {
	assert.match(fixture("json-mode").refusal ?? "", /JSON mode, not a session file/);
	assert.match(fixture("not-a-session").refusal ?? "", /none of its 2 lines/);
	assert.equal(parseSession("").refusal, "the file is empty");
	assert.match(parseSession("hello\n").refusal ?? "", /none of its 1 lines/);
});

test("a header alone is a session without entries", () => {
	const session = parseSession('{"type":"session","version":3,"id":"s","cwd":"/a"}\n');
	assert.equal(session.refusal, undefined);
	assert.deepEqual([session.version, session.entries.length], [3, 0]);
});

test("entries of version 1 have stable ids and hang together in the order of the file", () => {
	const compacted = fixture("v1-compacted");
	assert.equal(compacted.version, 1);
	assert.equal(
		sketch(compacted),
		"v1-2:user v1-3:assistant v1-4:toolResult v1-5:assistant v1-6:compaction v1-7:user v1-8:assistant",
	);
	const glued = fixture("v1-glued");
	assert.match(sketch(glued), /^v1-2:user v1-3:assistant v1-3\.2:toolResult v1-4:assistant/);
	assert.deepEqual(fixture("v1-compacted").entries, compacted.entries);
});

test("a file without a header is of the version that its entries tell", () => {
	const withId = entry("label", "a", null, { targetId: "x" });
	const { id: _id, parentId: _parentId, ...without } = withId;
	const versionOf = (one: object) => parseSession(`${JSON.stringify(one)}\n`).version;
	assert.deepEqual([versionOf(withId), versionOf(without)], [3, 1]);
	const header = { type: "session", id: "s" };
	assert.equal(versionOf(header), 1, "and with one of the first format where it names none");
});

test("firstKeptEntryIndex counts the records of the file, the header as 0", () => {
	for (const [name, id] of [
		["v1-compacted", "v1-5"],
		["v1-glued", "v1-4"],
		// a record that cannot be read now could be read when the index was written
		["v1-unreadable", "v1-5"],
	] as const) {
		const { entries } = fixture(name);
		const compaction = entries.find((one) => one.type === "compaction");
		assert.equal(compaction?.type === "compaction" && compaction.firstKeptEntryId, id, name);
		const shown = projection(entries, "0.73").map(({ at }) => entries[at]?.id);
		assert.deepEqual(shown, [compaction?.id, id, ...entries.slice(-2).map((one) => one.id)], name);
	}
});

test("version 1 is migrated as pi migrates it", () => {
	const { entries } = fixture("v1-compacted");
	const text = [{ type: "session", id: "s" }, ...entries.map((one) => withoutIds(one))];
	const theirs = old.parseSessionEntries(text.map((one) => JSON.stringify(one)).join("\n"));
	old.migrateSessionEntries(theirs);
	const leaf = theirs.at(-1);
	assert.ok(leaf && leaf.type !== "session");
	const tree = theirs.filter((one) => one.type !== "session");
	assert.deepEqual(
		projection(entries, "0.73").map((shown) => shown.message),
		old.buildSessionContext(tree, leaf.id).messages,
	);
});

function withoutIds(one: SessionEntry): object {
	const { id, parentId, ...fields } = one;
	if (!("firstKeptEntryId" in fields)) return fields;
	const { firstKeptEntryId, ...compaction } = fields;
	return { ...compaction, firstKeptEntryIndex: 4 };
}

test("the hook messages of version 2 are custom messages", () => {
	const session = fixture("v2-hook-message");
	assert.equal(session.version, 2);
	assert.equal(sketch(session), "1:user 7:custom 2:assistant");
});

test("entries of 1.6 are read as they are", () => {
	assert.equal(
		sketch(fixture("context-edits")),
		"10:system 1:user 2:assistant 3:toolResult 4:assistant 11:context_edit 12:usage 13:compaction 5:user 6:assistant",
	);
});

test("what is written as a session is read back as it was", () => {
	const some = fc.array(fc.string({ unit: "binary", maxLength: 12 }), { maxLength: 8 });
	fc.assert(
		fc.property(some, (texts) => {
			const entries = texts.map((text, at) =>
				message(`e${at}`, at === 0 ? null : `e${at - 1}`, user(text)),
			);
			const records = [{ type: "session", version: 3, id: "s" }, ...entries];
			const text = records.map((one) => `${JSON.stringify(one)}\n`).join("");
			const session = parseSession(text);
			// a lone surrogate is escaped by JSON.stringify: nothing is lost on the way
			assert.deepEqual(session.entries, entries);
			assert.deepEqual(session.problems, []);
		}),
	);
});

test("no text makes the parser throw", () => {
	const part = fc.oneof(
		fc.constantFrom("{", "}", '"', "\\", "\n", "\0", "[", ",", ":", "\ufeff", "\u2028"),
		fc.constantFrom('{"type":"message"', '"id":"a"', '"parentId":"b"', '"parentId":null'),
		fc.json(),
		fc.string(),
	);
	fc.assert(
		fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
			const session = parseSession(parts.join(""));
			assert.equal(session.entries.length, session.entryLines.length);
		}),
		{ numRuns: 500 },
	);
	const heads = '{"type":"message","id":"a","x":'.repeat(20_000);
	const torn = parseSession(heads);
	assert.deepEqual([torn.entries.length, torn.problems.map(({ line }) => line)], [1, [1]]);
});

test("a version that pi never wrote is the nearest one below it, and the first at least", () => {
	const versionOf = (version: string) =>
		parseSession(`{"type":"session","version":${version},"id":"s"}\n`).version;
	assert.deepEqual(["0", "-7", "2.5", "1e999", '"3"', "3"].map(versionOf), [1, 1, 2, 1, 1, 3]);
});
