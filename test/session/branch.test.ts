// What pi shows of a branch, against pi's own functions of both hosts.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as recent from "@earendil-works/pi-coding-agent";
import * as old from "@mariozechner/pi-coding-agent";
import fc from "fast-check";
import { foldContext, type Host } from "../../fold.ts";
import {
	type Generation,
	isStep,
	projection,
	readBranch,
	toFoldEntry,
	walk,
} from "../../src/session/branch.ts";
import type { PiMessage, SessionEntry } from "../../src/session/entry.ts";
import { readSession } from "../../src/session/file.ts";
import { freeze } from "../support/freeze.ts";
import { assistant, chain, entry, message, result, user } from "./build.ts";
import { recordedPath, testRecorded } from "./recorded.ts";

const GENERATIONS: readonly Generation[] = ["0.73", "1.6"];

/** Fails to compile where a value of pi's own types would need a cast. */
export function acceptsEntriesOfPi(
	entries: readonly (old.SessionEntry | recent.SessionEntry)[],
): readonly SessionEntry[] {
	return entries;
}

/** pi's own answers, by pi's own types: the one cast between its world and ours. */
const PI: Record<Generation, (entries: readonly SessionEntry[], leafId: string | null) => unknown> =
	{
		"0.73": (entries, leafId) =>
			old.buildSessionContext(entries as old.SessionEntry[], leafId).messages,
		"1.6": (entries, leafId) =>
			recent.buildSessionContext(entries as recent.SessionEntry[], leafId).messages,
	};

/** Asked only for what it is: without records the algebra touches no message. */
const IDLE: Host<PiMessage> = {
	kind: () => "custom",
	callId: () => undefined,
	chip: (text) => user(text),
	note: (text) => user(text),
	mark: (marked) => marked,
	point: (pointed) => pointed,
	words: () => undefined,
	tokens: () => 0,
};

function branchOf(entries: readonly SessionEntry[], leafId: string | null): SessionEntry[] {
	const byId = new Map(entries.map((one) => [one.id, one]));
	return walk((id) => byId.get(id), leafId);
}

function assertAsPi(entries: readonly SessionEntry[], leafId: string | null): void {
	const branch = branchOf(entries, leafId);
	for (const generation of GENERATIONS) {
		const shown = projection(branch, generation);
		const messages = shown.map((one) => one.message);
		assert.deepEqual(messages, PI[generation](entries, leafId), `as ${generation} shows it`);
		const raw = foldContext(readBranch(branch, generation), IDLE, {
			marks: { folds: false, markers: false },
		});
		assert.deepEqual(raw.messages, messages, `the algebra's raw view on ${generation}`);
	}
	assertProvenance(branch, entries, leafId);
}

/** 1.6 also tells which entry each message is from. */
function assertProvenance(
	branch: readonly SessionEntry[],
	entries: readonly SessionEntry[],
	leafId: string | null,
): void {
	const of = recent.buildSessionProjection(entries as recent.SessionEntry[], leafId).entries;
	const ids = of.flatMap(({ sourceEntry, messages }) => messages.map(() => sourceEntry.id));
	assert.deepEqual(
		projection(branch, "1.6").map(({ at }) => branch[at]?.id),
		ids,
	);
}

testRecorded("a recorded session is projected as both hosts project it", (file) => {
	const { entries, problems } = readSession(recordedPath(file));
	const leaf = entries.at(-1);
	assert.ok(leaf);
	if (problems.length === 0) {
		assertAsPi(entries, leaf.id);
		return;
	}
	// pi passes over the unreadable line and its branch begins after it; ours goes through
	const readable = entries.filter((one) => one.type !== "unknown");
	const whole = projection(branchOf(entries, leaf.id), "1.6");
	const cut = PI["1.6"](readable, leaf.id) as readonly PiMessage[];
	assert.ok(cut.length < whole.length);
	const after = whole.slice(-cut.length).map((one) => one.message);
	assert.deepEqual(after, cut);
	assert.equal(branchOf(entries, leaf.id).length, entries.length);
});

const reply = { ...assistant(["call"]), api: "anthropic-messages", content: [] } as const;
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };
const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

function talk(session: old.SessionManager | recent.SessionManager, text: string): string {
	const said = { role: "assistant", stopReason: "stop", usage: { ...usage, cost } } as const;
	session.appendMessage({ role: "user", content: text, timestamp: 1 });
	return session.appendMessage({ ...reply, ...said, content: [], timestamp: 2 } as never);
}

function assertSession(session: old.SessionManager | recent.SessionManager): void {
	assertAsPi(session.getEntries(), session.getLeafId());
}

for (const [host, open] of [
	["0.73", () => old.SessionManager.inMemory()],
	["1.6", () => recent.SessionManager.inMemory()],
] as const) {
	test(`${host}: branches, summaries and labels of pi's own session`, () => {
		const session = open();
		const first = talk(session, "one");
		const second = talk(session, "two");
		session.branch(first);
		assertSession(session);
		talk(session, "another two");
		session.appendLabelChange(second, "here");
		assertSession(session);
		session.branchWithSummary(first, "what was tried");
		session.appendCustomMessageEntry("note", "of an extension", true, { a: 1 });
		session.appendCustomEntry("state", { kept: true });
		session.appendSessionInfo("a name");
		session.appendModelChange("anthropic", "claude");
		talk(session, "three");
		assertSession(session);
		session.branch(second);
		assertSession(session);
		session.resetLeaf();
		assertAsPi(session.getEntries(), null);
		session.branchWithSummary(null, "from the root");
		assertSession(session);
	});

	test(`${host}: compactions of pi's own session`, () => {
		const session = open();
		talk(session, "one");
		const second = talk(session, "two");
		const third = talk(session, "three");
		session.appendCompaction("of one", second, 1_000);
		talk(session, "four");
		assertSession(session);
		session.appendCompaction("of one to three", third, 2_000);
		const after = talk(session, "five");
		assertSession(session);
		// its first kept entry lies before the first compaction
		session.appendCompaction("of one again", second, 3_000);
		assertSession(session);
		// and one that is not on the branch keeps nothing
		session.branch(second);
		session.appendCompaction("of all", after, 4_000);
		talk(session, "six");
		assertSession(session);
	});
}

test("1.6: context edits replace and omit, and the last one wins", () => {
	const session = recent.SessionManager.inMemory();
	const first = talk(session, "one");
	const second = talk(session, "two");
	session.appendContextEdit(first, { content: "replaced" });
	assertSession(session);
	session.appendContextEdit(second, null);
	session.appendContextEdit(first, { content: [{ type: "text", text: "anew" }] });
	talk(session, "three");
	assertSession(session);
	session.appendContextEdit(second, { content: "back" });
	session.appendCompaction("of the first", second, 1_000);
	assertSession(session);
});

test("1.6: system messages stay out of the kept range and lead a compaction", () => {
	const session = recent.SessionManager.inMemory();
	const system = { role: "system", content: "you are", timestamp: 1 } as const;
	session.appendMessage(system);
	const first = talk(session, "one");
	session.appendMessage({ ...system, content: "", sections: { rules: "more" }, timestamp: 2 });
	talk(session, "two");
	assertSession(session);
	session.appendCompaction("so far", first, 1_000);
	session.appendMessage({ ...system, content: "", sections: { rules: null }, timestamp: 3 });
	talk(session, "three");
	assertSession(session);
	const head = session.getEntries().find((one) => one.type === "compaction");
	assert.ok(head?.type === "compaction" && head.systemMessage, "pi stores one");
});

const content = fc.oneof(
	fc.constant(null),
	fc.constant(undefined),
	fc.string({ maxLength: 4 }),
	fc.constant([{ type: "text", text: "block" }]),
);

const randomMessage = fc.oneof(
	fc.record({ role: fc.constantFrom("user", "assistant", "toolResult", "system"), content }),
	fc.record({ role: fc.constant("custom"), customType: fc.constant("x"), content }),
	fc.record({ role: fc.constant("bashExecution"), command: fc.constant("ls") }),
);

/** Which earlier entry, counted back from its own place. */
const back = fc.nat({ max: 8 });

const randomEntry = fc.oneof(
	{ weight: 6, arbitrary: fc.record({ type: fc.constant("message"), message: randomMessage }) },
	fc.record({ type: fc.constant("custom_message"), customType: fc.constant("x"), content }),
	fc.record({ type: fc.constant("branch_summary"), summary: fc.constantFrom("", "left") }),
	fc.record({
		type: fc.constant("compaction"),
		summary: fc.constantFrom("", "so far"),
		kept: back,
		systemMessage: fc.constantFrom(undefined, { role: "system", content: "head" }),
	}),
	fc.record({
		type: fc.constant("context_edit"),
		target: back,
		replacement: fc.oneof(fc.constant(null), fc.record({ content })),
	}),
	fc.record({ type: fc.constantFrom("label", "custom", "usage", "later") }),
);

/** Mostly a chain, with branches here and there and now and then another root. */
const randomTree = fc
	.array(fc.tuple(randomEntry, fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, back)), {
		minLength: 1,
		maxLength: 24,
	})
	.map((made) => made.map(([fields, up], at) => randomAt(made, fields, { up, at })));

type RandomFields = { readonly type: string; readonly kept?: number; readonly target?: number };

function randomAt(
	made: readonly (readonly [RandomFields, number])[],
	fields: RandomFields,
	{ up, at }: { up: number; at: number },
): SessionEntry {
	const before = (steps: number) => (steps < at ? at - 1 - steps : -1);
	const idAt = (position: number) => (position < 0 ? null : `n${position}`);
	const target = before(fields.target ?? 0);
	// pi lets nobody edit a compaction
	const targetId = made[target]?.[0].type === "compaction" ? null : idAt(target);
	return entry(fields.type as SessionEntry["type"], `n${at}`, idAt(before(up)), {
		...fields,
		...(fields.kept === undefined ? {} : { firstKeptEntryId: idAt(before(fields.kept)) }),
		...(fields.target === undefined ? {} : { targetId }),
	});
}

test("every branch of a random tree is projected as both hosts project it", () => {
	fc.assert(
		fc.property(randomTree, (entries) => {
			for (const { id } of entries) assertAsPi(entries, id);
		}),
		{ numRuns: 300 },
	);
});

test("what an entry is to the algebra", () => {
	const kinds = (one: SessionEntry) =>
		GENERATIONS.map((generation) => toFoldEntry(one, generation, () => undefined).kind);
	const said = (one: PiMessage) => kinds(message("a", null, one));
	assert.deepEqual(said(user()), ["user", "user"]);
	assert.deepEqual(said(result("c")), ["result", "result"]);
	for (const reason of ["stop", "length", "toolUse"])
		assert.deepEqual(said(assistant([], reason)), ["assistant", "assistant"], reason);
	for (const reason of ["error", "aborted", "deferred", "pending", ""])
		assert.deepEqual(said(assistant([], reason)), ["attempt", "attempt"], reason);
	const system = { role: "system", content: "you are", timestamp: 1 } as const;
	assert.deepEqual(said(system), ["custom", "system"]);
	const bash = { command: "ls", output: "", cancelled: false, truncated: false, timestamp: 1 };
	assert.deepEqual(said({ role: "bashExecution", ...bash }), ["bash", "bash"]);
	const custom = { customType: "x", content: "y", display: true };
	assert.deepEqual(kinds(entry("custom_message", "a", null, custom)), ["custom", "custom"]);
	const summary = { summary: "s", fromId: "b" };
	assert.deepEqual(kinds(entry("branch_summary", "a", null, summary)), ["summary", "summary"]);
	const empty = { summary: "", fromId: "b" };
	assert.deepEqual(kinds(entry("branch_summary", "a", null, empty)), ["other", "other"]);
	const mode = { customType: "dmail.mode", data: { v: 1, enabled: true, nudge: true, by: "user" } };
	assert.deepEqual(kinds(entry("custom", "a", null, mode)), ["record", "record"]);
	assert.deepEqual(kinds(entry("custom", "a", null, { customType: "x" })), ["other", "other"]);
	for (const type of ["label", "usage", "model_change", "session_info", "unknown"] as const)
		assert.deepEqual(kinds(entry(type, "a", null)), ["other", "other"], type);
	// a line that no parser has seen: neither host shows it
	assert.deepEqual(kinds(entry("message", "a", null)), ["other", "other"]);
});

test("a reply brings its calls, a result the id of its call", () => {
	const [ask, answer] = readBranch(chain([assistant(["x:0", "", "x:1"]), result("x:1")]), "1.6");
	assert.deepEqual(ask?.calls, [
		{ id: "x:0", name: "bash" },
		{ id: "", name: "bash" },
		{ id: "x:1", name: "bash" },
	]);
	assert.equal(answer?.callId, "x:1");
});

test("content that is null, a string or nonsense is read, not refused", () => {
	for (const odd of [null, undefined, "text", [], [null], [{}], 7, { type: "text" }]) {
		const said = { ...assistant(), content: odd as never };
		for (const generation of GENERATIONS) {
			const [read] = readBranch(chain([said]), generation);
			assert.equal(read?.kind, "assistant");
			assert.deepEqual(read?.calls, []);
		}
	}
});

test("the size of an entry is that of what is stored, edited or not", () => {
	const long = user("x".repeat(400));
	const edit = entry("context_edit", "e", "e0", { targetId: "e0", replacement: null });
	const [read, edited] = readBranch([...chain([long]), edit], "1.6");
	assert.equal(read?.tokens, 100);
	assert.deepEqual(edited, { id: "e", kind: "edit", targetId: "e0", message: undefined });
});

test("an edit replaces a message by whatever it has for content, and without any replacement by nothing", () => {
	const withEdit = (replacement: unknown) => {
		const edit = entry("context_edit", "e", "e1", { targetId: "e0", replacement });
		return [...chain([user("as it was"), assistant()]), edit];
	};
	for (const odd of [false, "", 0, {}, { content: null }]) assertAsPi(withEdit(odd), "e");
	// pi itself fails on such a file before it asks any hook
	const shown = projection(withEdit(undefined), "1.6").map((one) => one.message);
	assert.deepEqual(shown, [user("as it was"), assistant()]);
});

test("a walk ends at a parent that is missing or was passed already", () => {
	const nodes = new Map(
		[message("a", "c", user()), message("b", "a", user()), message("c", "b", user())].map(
			(one) => [one.id, one] as const,
		),
	);
	const ids = walk((id) => nodes.get(id), "c").map(({ id }) => id);
	assert.deepEqual(ids, ["a", "b", "c"]);
	nodes.delete("a");
	assert.deepEqual(
		walk((id) => nodes.get(id), "c").map(({ id }) => id),
		["b", "c"],
	);
	assert.deepEqual(
		walk(() => undefined, "c"),
		[],
	);
	assert.deepEqual(
		walk(() => undefined, null),
		[],
	);
});

test("a branch of 100,000 entries is walked whole", () => {
	const nodes = new Map<string, SessionEntry>();
	for (let at = 0; at < 100_000; at++)
		nodes.set(`${at}`, entry("label", `${at}`, at === 0 ? null : `${at - 1}`));
	assert.equal(walk((id) => nodes.get(id), "99999").length, 100_000);
});

test("no entry is changed by reading it", () => {
	fc.assert(
		fc.property(randomTree, (entries) => {
			freeze(entries);
			for (const generation of GENERATIONS) {
				readBranch(entries, generation);
				projection(entries, generation);
			}
		}),
		{ numRuns: 100 },
	);
});

test("isStep is pi's own list of reasons", () => {
	assert.deepEqual(["stop", "length", "toolUse", "error", undefined, 1].map(isStep), [
		true,
		true,
		true,
		false,
		false,
		false,
	]);
});
