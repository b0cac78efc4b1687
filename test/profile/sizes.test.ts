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

/** A kind of move: how often it happens, what is drawn for it, and what it adds. */
function kind<T>(weight: number, drawn: fc.Arbitrary<T>, make: (it: T, at: number) => Draft[]) {
	return {
		weight,
		arbitrary: drawn.map(
			(it): Move =>
				(at) =>
					make(it, at),
		),
	};
}

const moves: fc.Arbitrary<Move> = fc.oneof(
	kind(4, words, (text) => [user(text)]),
	kind(1, words, (text) => [user([{ type: "text", text }, image])]),
	kind(3, words, (text) => [reply(text)]),
	kind(6, fc.tuple(words, words), ([said, got], at) => [
		reply(said, call(`c${at}`, "bash", { command: said })),
		result(`c${at}`, got),
	]),
	kind(2, some, (n, at) => [
		reply("", call(`c${at}`, "read", {})),
		result(`c${at}`, "long ".repeat(8_000 + n)),
	]),
	kind(1, words, (text) => [attempt("error", text)]),
	kind(1, words, (text) => [bash(text, text, 1)]),
	kind(1, words, (text) => [bash(text, text, 0, true)]),
	kind(1, words, (text) => [custom("note", text)]),
	kind(1, words, (text) => [system(text)]),
	kind(1, fc.tuple(some, words), ([n, text], at) => [compaction(idBefore(at, n), text)]),
	kind(1, fc.tuple(some, fc.option(words)), ([n, text], at) => [edit(idBefore(at, n), text)]),
	kind(4, fc.tuple(some, some, words, fc.boolean()), ([n, m, text, held], at) =>
		fold(at, n, m, { text, held }),
	),
	kind(1, some, (n) => [stored({ kind: "land", ids: [idOf(n % 40)] })]),
	kind(1, fc.tuple(some, fc.constantFrom("open", "shut", "drop")), ([n, verb]) => [
		stored({ kind: verb, id: idOf(n % 40) } as const),
	]),
	kind(1, fc.tuple(fc.boolean(), fc.boolean()), ([enabled, nudge]) => [
		stored({ kind: "mode", enabled, nudge, by: "user" }),
	]),
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
