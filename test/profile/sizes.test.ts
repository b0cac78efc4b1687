// Folded and raw sizes of each request, against folding pi's own messages anew for each.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
	ALL_MARKS,
	type Entry,
	encode,
	firstNudgeAt,
	foldContext,
	type Marks,
	type ModeRecord,
} from "../../fold.ts";
import { walkFolded } from "../../src/profile/fold-walk.ts";
import { Intake } from "../../src/profile/intake.ts";

import { readBranch } from "../../src/session/branch.ts";
import type { PiMessage, SessionEntry } from "../../src/session/entry.ts";
import { piHost } from "../../src/session/message.ts";
import { estimateTokens } from "../../src/session/size.ts";
import {
	attempt,
	bash,
	call,
	compaction,
	custom,
	type Draft,
	edit,
	image,
	record,
	reply,
	result,
	user,
} from "../support/session-entries.ts";

/** One move of a made-up session; `at` is how many entries there are before it. */
type Move = (at: number) => Draft[];

const words = fc.string({ unit: fc.constantFrom("a", " ", "漢", "🫠", "x", "\n"), maxLength: 60 });
const some = fc.nat({ max: 1_000 });

const moves: fc.Arbitrary<Move> = fc.oneof(
	{
		weight: 4,
		arbitrary: words.map(
			(text): Move =>
				() => [user(text)],
		),
	},
	{
		weight: 1,
		arbitrary: words.map(
			(text): Move =>
				() => [user([{ type: "text", text }, image])],
		),
	},
	{
		weight: 3,
		arbitrary: words.map(
			(text): Move =>
				() => [reply(text)],
		),
	},
	{
		weight: 6,
		arbitrary: fc.tuple(words, words).map(
			([said, got]): Move =>
				(at) => [reply(said, call(`c${at}`, "bash", { command: said })), result(`c${at}`, got)],
		),
	},
	{
		weight: 2,
		arbitrary: some.map(
			(n): Move =>
				(at) => [
					reply("", call(`c${at}`, "read", {})),
					result(`c${at}`, "long ".repeat(8_000 + n)),
				],
		),
	},
	{
		weight: 1,
		arbitrary: words.map(
			(text): Move =>
				() => [attempt("error", text)],
		),
	},
	{
		weight: 1,
		arbitrary: words.map(
			(text): Move =>
				() => [bash(text, text, 1)],
		),
	},
	{
		weight: 1,
		arbitrary: words.map(
			(text): Move =>
				() => [bash(text, text, 0, true)],
		),
	},
	{
		weight: 1,
		arbitrary: words.map(
			(text): Move =>
				() => [custom("note", text)],
		),
	},
	{
		weight: 1,
		arbitrary: words.map(
			(text): Move =>
				() => [system(text)],
		),
	},
	{
		weight: 1,
		arbitrary: fc.tuple(some, words).map(
			([n, text]): Move =>
				(at) => [compaction(idBefore(at, n), text)],
		),
	},
	{
		weight: 1,
		arbitrary: fc.tuple(some, fc.option(words)).map(
			([n, text]): Move =>
				(at) => [edit(idBefore(at, n), text)],
		),
	},
	{
		weight: 4,
		arbitrary: fc.tuple(some, some, words, fc.boolean()).map(
			([n, m, text, held]): Move =>
				(at) =>
					fold(at, n, m, { text, held }),
		),
	},
	{
		weight: 1,
		arbitrary: some.map(
			(n): Move =>
				() => [stored({ kind: "land", ids: [idOf(n % 40)] })],
		),
	},
	{
		weight: 1,
		arbitrary: fc.tuple(some, fc.constantFrom("open", "shut", "drop")).map(
			([n, kind]): Move =>
				() => [stored({ kind, id: idOf(n % 40) } as const)],
		),
	},
	{
		weight: 1,
		arbitrary: fc.tuple(fc.boolean(), fc.boolean()).map(
			([enabled, nudge]): Move =>
				() => [stored({ kind: "mode", enabled, nudge, by: "user" })],
		),
	},
);

function system(preamble: string): Draft {
	const stored = user("");
	return (at) => {
		const { id, parentId, timestamp } = stored(at);
		const message = { role: "system", content: "", sections: { preamble }, timestamp: 1 } as const;
		return { type: "message", id, parentId, timestamp, message };
	};
}

function idBefore(at: number, n: number): string {
	return `e${at === 0 ? 0 : n % at}`;
}

function idOf(at: number): string {
	return (0xf000 + at).toString(16);
}

function stored(data: Parameters<typeof encode>[0]): Draft {
	const { customType, data: fields } = encode(data);
	return record(customType, fields);
}

/** A call of the tool, the record it makes, and its result. */
function fold(
	at: number,
	n: number,
	m: number,
	{ text, held }: { text: string; held: boolean },
): Draft[] {
	const summary = text.trim() === "" ? "done" : text;
	const from = n % Math.max(1, at);
	const to = from + 1 + (m % Math.max(1, at - from));
	return [
		reply("", call(`c${at}`, "send_dmail", { fromStep: 1, summary }), call(`d${at}`, "bash", {})),
		stored({
			kind: "fold",
			v: 1,
			id: idOf(at % 40),
			fromEntryId: `e${from}`,
			toEntryId: `e${Math.min(to, at)}`,
			fromStep: 1,
			toStep: 2,
			summary,
			digest: "00",
			by: "model",
			callId: `c${at}`,
			...(held ? { held: true as const } : {}),
		}),
		result(`c${at}`, "folded"),
		result(`d${at}`, text),
	];
}

const sessions = fc.array(moves, { minLength: 1, maxLength: 40 }).map((list) => {
	const drafts: Draft[] = [];
	for (const move of list) drafts.push(...move(drafts.length));
	return drafts.map((draft, at): SessionEntry => draft(at));
});

function sizeOf(branch: readonly Entry<PiMessage>[], marks: Marks): number {
	const { messages } = foldContext(branch, piHost, { asking: true, marks });
	const sized = messages.filter(({ role }) => role !== "system");
	return sized.reduce((sum, message) => sum + estimateTokens(message), 0);
}

const RAW: Marks = { folds: false, markers: false };

/** What the request was sent with that an entry answers. */
function marksOf(entries: readonly SessionEntry[], at: number): Marks {
	const customs = entries.flatMap((entry) => (entry.type === "custom" ? [entry] : []));
	if (customs.length === 0) return RAW;
	const modes = entries.slice(0, at).flatMap((entry) => (entry.type === "custom" ? [entry] : []));
	const mode = modes.findLast(({ customType }) => customType === "dmail.mode")?.data;
	const { enabled, nudge } = (mode ?? { enabled: true, nudge: true }) as ModeRecord;
	if (!enabled) return RAW;
	return { ...ALL_MARKS, nudgeAt: nudge ? firstNudgeAt(undefined) : undefined };
}

test("folded and raw sizes are what foldContext gives for the branch as it stood then", () => {
	fc.assert(
		fc.property(sessions, (entries) => {
			const intake = new Intake();
			for (const [at, entry] of entries.entries()) intake.entry(entry, at + 2);
			const { requests } = walkFolded(intake).walk;
			const replies = entries.flatMap((entry, at) =>
				entry.type === "message" && entry.message.role === "assistant" ? [at] : [],
			);
			assert.equal(requests.length, replies.length);
			for (const [i, at] of replies.entries()) {
				const before = readBranch(entries.slice(0, at), "1.6");
				assert.equal(requests.raw.at(i), sizeOf(before, RAW), `raw of request ${i + 1}`);
				const folded = sizeOf(before, marksOf(entries, at));
				assert.equal(requests.folded.at(i), folded, `folded of request ${i + 1}`);
			}
		}),
		{ numRuns: 300 },
	);
});
