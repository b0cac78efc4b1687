// Records that the reader has no schema for, and records that a crash left half written beside their second
// writing: each counts once, and none costs another its place.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { foldContext } from "../../fold.ts";
import { readBranch } from "../../src/session/branch.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { piHost } from "../../src/session/message.ts";
import { parseSession, type Session } from "../../src/session/parse.ts";
import { SessionTree } from "../../src/session/tree.ts";
import { cases } from "../support/cases.ts";
import { Chat } from "../support/chat.ts";

const HEADER = JSON.stringify({ type: "session", version: 3, id: "s", timestamp: "", cwd: "/a" });

function read(...lines: readonly string[]): Session {
	return parseSession([HEADER, ...lines, ""].join("\n"));
}

function branchOf({ entries, entryLines }: Session): SessionEntry[] {
	const tree = new SessionTree<SessionEntry>();
	for (const [at, entry] of entries.entries()) tree.add(entry, entryLines[at] ?? 0);
	return tree.branch();
}

/** As pi writes it: the type comes first. */
const lineOf = ({ type, id, ...rest }: SessionEntry) => JSON.stringify({ type, id, ...rest });

const chain = () => new Chat().user("first").step("a").user("second").step("b").entries;

test("F12: an entry of any type keeps its place in the tree, says nothing, and is told once a type", () => {
	const types = fc.constantFrom("usage2", "leaf", "foo", "Message", "constructor", "__proto__");
	fc.assert(
		fc.property(fc.array(fc.tuple(types, fc.nat(6)), { maxLength: 8 }), (strangers) => {
			const known = chain();
			const all: { id: string; type: string; parentId: string | null }[] = [...known];
			for (const [n, [type, at]] of strangers.entries())
				all.splice(at, 0, { type, id: `x${n}`, parentId: null, ...{ payload: { deep: [1] } } });
			const chained = all.map((entry, at) => ({ ...entry, parentId: all[at - 1]?.id ?? null }));
			const session = read(...chained.map((entry) => JSON.stringify(entry)));
			const branch = branchOf(session);
			assert.equal(session.refusal, undefined);
			assert.deepEqual(
				branch.map(({ id }) => id),
				chained.map(({ id }) => id),
			);
			assert.equal(session.problems.length, new Set(strangers.map(([type]) => type)).size);
			const views = [branch, known].map((entries) =>
				foldContext(readBranch(entries, "1.6"), piHost, { asking: true }),
			);
			assert.deepEqual(views[0]?.messages, views[1]?.messages);
		}),
		cases(0.2),
	);
});

test("F12: entries that this version of pi has no word for may begin and end a fold's range", () => {
	const chat = new Chat().user("first");
	const stranger = (id: string, parentId: string) =>
		({ type: "leaf", id, parentId, timestamp: "" }) as unknown as SessionEntry;
	chat.entries.push(stranger("e1", "e0"));
	chat.step("a").step("b");
	chat.entries.push(stranger(chat.next, `e${chat.entries.length - 1}`));
	const to = `e${chat.entries.length - 1}`;
	const { sources } = foldContext(readBranch(chat.fold("e1", to).entries, "1.6"), piHost);
	assert.deepEqual(
		sources.map(({ from }) => from),
		["entry", "chip"],
	);
});

test("F14: a record that was torn and then written whole counts once, wherever the tear is", () => {
	const [one, torn, next] = chain().map(lineOf);
	assert.ok(one && torn && next);
	for (let at = 1; at < torn.length; at++)
		for (const between of ["", "\n"]) {
			const session = read(one, `${torn.slice(0, at)}${between}${torn}`, next);
			assert.deepEqual(
				branchOf(session).map(({ id }) => id),
				["e0", "e1", "e2"],
				`torn after ${at} characters`,
			);
			assert.deepEqual(session.entries[1], JSON.parse(torn));
			assert.equal(session.problems.length, 1, `torn after ${at} characters`);
		}
});

test("F14: the same record twice, on one line or on two, counts once and is told", () => {
	const [one, twice, next] = chain().map(lineOf);
	assert.ok(one && twice && next);
	for (const between of ["", "\n"]) {
		const session = read(one, `${twice}${between}${twice}`, next);
		assert.equal(session.entries.length, 3);
		assert.match(session.problems.map(({ reason }) => reason).join(), /e1 is here a second time/);
	}
});
