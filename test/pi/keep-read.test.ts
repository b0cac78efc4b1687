// What the model reads of folds: the index, pages, search; and that reading and opening lose nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Replayer } from "../../fold.ts";
import { readFolds } from "../../src/pi/keep-read.ts";
import { type Log, replayLog } from "../../src/pi/log.ts";
import { readBranch } from "../../src/session/branch.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { piHost } from "../../src/session/message.ts";
import { parseSession } from "../../src/session/parse.ts";
import {
	anyKeptSession,
	type Deed,
	KeptSession,
	type Made,
	textsOf,
} from "../support/kept-session.ts";
import {
	bash,
	call,
	edit,
	image,
	record,
	reply,
	result,
	user,
} from "../support/session-entries.ts";

function read(log: Log, wish: Parameters<typeof readFolds>[2]) {
	return readFolds(log, replayLog(log), wish);
}

function given(log: Log, wish: Parameters<typeof readFolds>[2]) {
	const reading = read(log, wish);
	assert.ok(reading.ok, reading.ok ? "" : reading.reason);
	return reading;
}

/** All pages of a fold, found by what each says of the next one. */
function pagesOf(log: Log, fold: string, limit?: number): string {
	let text = "";
	for (let offset = 0; ; ) {
		const page = given(log, { fold, offset, limit });
		text += page.page;
		const next = /"offset":(\d+)\}\)\.$/.exec(page.text)?.[1];
		if (next === undefined) return text;
		assert.ok(Number(next) > offset);
		offset = Number(next);
	}
}

/** A log of the branch whose leaf has this id, read from the session's file. */
function reloaded(session: KeptSession): Log {
	const parsed = new Map(parseSession(session.file).entries.map((entry) => [entry.id, entry]));
	const stored = session.branch.map((entry) => parsed.get(entry.id) as SessionEntry);
	return { generation: "1.6", cwd: "/", stored, branch: readBranch(stored, "1.6") };
}

function isOn(log: Log, { record: { id } }: Made): boolean {
	return replayLog(log).find(id) !== undefined;
}

/** What a model may read of an entry: not what was omitted, nor what was run with `!!`. */
function readable(log: Log, entry: SessionEntry): string[] {
	const edits = log.stored.filter(
		(one) => one.type === "context_edit" && one.targetId === entry.id,
	);
	const isEditable = entry.type === "custom_message" || entry.type === "message";
	const message = entry.type === "message" ? entry.message : undefined;
	if (message?.role === "bashExecution") return message.excludeFromContext ? [] : textsOf(entry);
	return edits.length > 0 && isEditable ? [] : textsOf(entry);
}

test("whatever happened, a fold is read as it was made, at any page size, and after a reload", () => {
	fc.assert(
		fc.property(anyKeptSession, fc.integer({ min: 1, max: 300 }), (session, limit) => {
			for (const log of [session.log, reloaded(session)])
				for (const made of session.made.filter((one) => isOn(log, one))) {
					const text = pagesOf(log, made.record.id, limit);
					assert.equal(pagesOf(log, made.record.id), text);
					let at = 0;
					for (const part of made.entries.flatMap((entry) => readable(log, entry))) {
						const found = text.indexOf(part, at);
						assert.ok(found >= 0, `${JSON.stringify(part)} after ${at} in ${text}`);
						at = found + part.length;
					}
				}
		}),
		{ numRuns: 150 },
	);
});

test("every line of every fold is found, under a fold and an offset that show it", () => {
	fc.assert(
		fc.property(anyKeptSession, fc.nat(), (session, seed) => {
			const { log } = session;
			const made = session.made.filter((one) => isOn(log, one))[seed % 3];
			if (!made) return;
			const lines = pagesOf(log, made.record.id).split("\n");
			const query = lines[seed % lines.length] ?? "";
			if (query === "" || query.length > 100) return;
			const { text } = given(log, { query, limit: 1_000 });
			const hits = [...text.matchAll(/^(\w+) (\d+): /gm)];
			assert.ok(hits.length > 0, text);
			for (const [, fold = "", offset] of hits) {
				const page = given(log, { fold, offset: Number(offset), limit: 400 }).page ?? "";
				assert.ok(page.split("\n")[0]?.toLowerCase().includes(query.toLowerCase()), page);
			}
		}),
		{ numRuns: 150 },
	);
});

test("open then shut is the identity on the view; reading changes nothing", () => {
	fc.assert(
		fc.property(anyKeptSession, fc.nat(), (session, which) => {
			const before = session.replayer;
			const landed = before.folds.filter(({ state }) => state === "landed");
			const fold = landed[which % Math.max(1, landed.length)];
			if (!fold) return;
			const log = session.log;
			const stored = JSON.stringify(log.stored);
			given(log, { fold: fold.record.id });
			given(log, { query: "a" });
			given(log, {});
			assert.equal(JSON.stringify(log.stored), stored);
			const after = new Replayer(piHost);
			for (const entry of log.branch) after.push(entry);
			after.push({ id: "o", kind: "record", record: { kind: "open", id: fold.record.id } });
			assert.ok(after.view().sources.every((one) => one.from !== "chip" || one.fold !== fold));
			after.push({ id: "s", kind: "record", record: { kind: "shut", id: fold.record.id } });
			assert.deepEqual(after.view().messages, before.view().messages);
		}),
		{ numRuns: 150 },
	);
});

const LONG = "😀 a line of output\n".repeat(1_000);
const say = (...drafts: Extract<Deed, { do: "say" }>["drafts"]): Deed => ({ do: "say", drafts });

/** Three steps, the first two folded, then the fold around them. */
function threeSteps(): KeptSession {
	return new KeptSession([
		say(user("look"), reply("One.", call("a", "bash", { command: "ls" })), result("a", LONG)),
		say(reply("Two.", call("b", "read", { path: "p.png" })), result("b", [image])),
		say(bash("cat key", "SECRET", 0, true)),
		{ do: "fold", from: 0, to: 0 },
		say(reply("Three: the needle."), user("and now?"), reply("Four.")),
		{ do: "fold", from: 0, to: 2 },
	]);
}

test("a page says what it is, what is on it and how to go on; images come with it", () => {
	const { log, made } = threeSteps();
	const [inner, outer] = made.map((one) => one.record.id);
	const { length } = pagesOf(log, inner ?? "");
	const first = given(log, { fold: inner });
	assert.equal(
		first.text,
		`Fold ${inner}, step 1, verified; characters 0–8000 of ${length}, next: read_dmail({"fold":"${inner}","offset":8000}).`,
	);
	assert.equal(first.page?.length, 8_000);
	assert.deepEqual(first.images, []);
	const last = given(log, { fold: outer?.toUpperCase(), offset: length, limit: 9e9 });
	assert.match(last.text, /^Fold \w+, steps 1–3, verified; characters \d+–(\d+) of \1, the end\.$/);
	assert.match(last.page ?? "", /\[image 1: image\/png, 2 bytes\]/);
	assert.deepEqual(last.images, [image]);
	assert.ok(!last.page?.includes("SECRET"));
});

test("a page past the end, an unknown fold and a query of two lines are refused with what would work", () => {
	const { log, made } = threeSteps();
	const [inner, outer] = made.map((one) => one.record.id);
	const { length } = pagesOf(log, inner ?? "");
	const reason = (wish: Parameters<typeof readFolds>[2]) => {
		const reading = read(log, wish);
		return reading.ok ? undefined : reading.reason;
	};
	assert.equal(
		reason({ fold: inner, offset: 30_000 }),
		`fold ${inner} has ${length} characters, 30000 is past its end`,
	);
	assert.equal(reason({ fold: "zz" }), `there is no fold "zz"; the folds are ${outer}, ${inner}`);
	assert.match(reason({ query: "a\nb" }) ?? "", /line by line/);
	const empty = new KeptSession([say(user("hi"))]).log;
	assert.deepEqual(read(empty, { fold: "zz" }), {
		ok: false,
		reason: 'there is no fold "zz"; nothing is folded yet',
	});
	assert.equal(given(empty, {}).text, "Nothing is folded yet.");
});

test("the index tells each fold with its state, and pins", () => {
	const session = threeSteps();
	session.happen({ do: "compact", which: 9 });
	session.happen(say(reply("Five.")));
	const pinned = session.branch.at(-1)?.id;
	session.happen(say(record("dmail.pin", { v: 1, fromEntryId: pinned, toEntryId: null })));
	const [inner, outer] = session.made.map((one) => one.record.id);
	assert.equal(
		given(session.log, {}).text,
		[
			"2 folds, oldest first:",
			`${inner} · step 1 · ~5.0k tokens · skipped: before pi's compaction · summary 0`,
			`${outer} · steps 1–3 · ~6.2k tokens · skipped: before pi's compaction · summary 1`,
			"Pinned by the user: step 5.",
		].join("\n"),
	);
	assert.ok(pagesOf(session.log, outer ?? "").includes("the needle"));
	assert.match(
		given(session.log, { limit: 1 }).text,
		/^2 folds, oldest first; more with "offset": 1:\n/,
	);
	assert.match(given(session.log, { offset: 1 }).text, /^2 folds, oldest first:\n.* summary 1\n/);
});

test("search finds a line once, in the outermost fold, whatever its case; and nothing that is hidden", () => {
	const { log, made } = threeSteps();
	const [inner, outer] = made.map((one) => one.record.id);
	assert.match(
		given(log, { query: "THE NEEDLE" }).text,
		new RegExp(
			`^1 line found, as fold and offset to read from:\n${outer} \\d+: Three: the needle\\.$`,
		),
	);
	assert.match(
		given(log, { query: "Two" }).text,
		new RegExp(`^1 line found.*\n${outer} \\d+: Two\\.$`),
	);
	assert.equal(given(log, { query: "SECRET" }).text, "0 lines found.");
	const some = given(log, { query: "output", fold: inner, offset: 5, limit: 2 }).text;
	assert.match(some, /^1000 lines found, .*; more with "offset": 7:\n.*\n.*$/);
	assert.equal(
		given(log, { query: "output", offset: -3, limit: 0 }).text,
		given(log, { query: "output", limit: 1 }).text,
	);
	const all = given(log, { query: "output", limit: 1_000 }).text;
	assert.ok(all.length < 8_200, "an answer is no longer than a page");
});

test("nothing is shown of a source that was changed; the entry is named", () => {
	const { log, made } = threeSteps();
	const [inner] = made.map((one) => one.record.id);
	const changed = (at: number) => {
		const stored = log.stored.map((entry, i) =>
			i === at ? { ...entry, message: { role: "user", content: "other" } } : entry,
		) as SessionEntry[];
		return { ...log, stored, branch: readBranch(stored, "1.6") };
	};
	const reading = read(changed(2), { fold: inner });
	assert.deepEqual(reading, {
		ok: false,
		reason: `fold ${inner} is not shown; it is not the original: one of its 2 messages, from entry e1 to e2, is not what was folded`,
	});
	const search = given(changed(2), { query: "output" }).text;
	assert.match(search, /^0 lines found\.\nNot searched: fold \w+ is not shown; .*\nNot searched: /);
});

test("a damaged record, one of a later version and one of another extension are read as far as they go", () => {
	const session = threeSteps();
	const { log } = session;
	const from = log.stored[1]?.id;
	const to = log.stored[3]?.id;
	const fields = { fromEntryId: from, toEntryId: to, fromStep: 1, toStep: 1 };
	session.happen(say(record("dmail.fold", { v: 2, id: "9999", ...fields, summary: "later" })));
	session.happen(say(record("dmail.fold", { v: 1, id: "8888", ...fields })));
	session.happen(say(record("dmail.fold", { v: 1, id: "7777", summary: "nowhere" })));
	session.happen(say(record("dmail.fold", { ...fields, summary: "plain" })));
	const plain = session.branch.at(-1)?.id ?? "";
	const text = (fold: string) => given(session.log, { fold }).text;
	assert.match(
		text("9999"),
		/^Fold 9999, step 1, unverified: its record has no digest \(its record is damaged: unknown version 2\); characters 0/,
	);
	assert.match(text("8888"), /its record is damaged: summary: not a text\)/);
	assert.match(
		text(plain),
		/^Fold e\d+, step 1, unverified: its record has no digest; characters 0/,
	);
	const nowhere = read(session.log, { fold: "7777" });
	assert.match(nowhere.ok ? "" : nowhere.reason, /its record does not say where it begins$/);
	assert.match(
		given(session.log, {}).text,
		/9999 · step 1 · unreadable: unknown version 2 · later\n/,
	);
});

test("a redaction holds for the model, also one that came after the fold", () => {
	const session = threeSteps();
	const [inner] = session.made.map((one) => one.record.id);
	session.happen(say(edit("e2", "cleaned")));
	const { page } = given(session.log, { fold: inner });
	assert.ok(page?.includes("cleaned") && !page.includes("a line of output"));
});
