// Law 17, counted and not timed: how often the replayer looks at an entry.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Entry, foldContext, Replayer } from "../../fold.ts";
import { textHost } from "../support/notation.ts";

/** What twice the branch may cost at most, as a multiple: 2 is linear, 4 quadratic. */
const LINEAR = 2.2;

type Shape = (turns: number) => Entry<string>[];

const SHAPES: Record<string, Shape> = {
	"many small folds": (turns) =>
		woven(turns, (at) => (at % 4 === 3 ? fold(at, `A${at - 2}`, `A${at}`) : undefined)),
	"a ladder of refolds": (turns) => woven(turns, (at) => fold(at, "A1", `A${at}`)),
	"folds that all cut through the first": (turns) =>
		woven(turns, (at) => fold(at, at === 4 ? "A1" : "A2", at === 4 ? "A3" : `A${Math.max(at, 5)}`)),
	"held folds that land at once": (turns) => {
		const entries = woven(turns, (at) =>
			at > 2 ? fold(at, `A${at - 1}`, `A${at}`, true) : undefined,
		);
		const ids = Array.from({ length: turns }, (_, at) => `f${at}`);
		return [...entries, { id: "land", kind: "record", record: { kind: "land", ids } }];
	},
	"results that all come late": (turns) => [
		...woven(turns, () => undefined).map((entry) =>
			entry.kind === "result" ? { ...entry, callId: "other" } : entry,
		),
		...Array.from({ length: turns }, (_, at) => result(`late${at}`, `${at}`)),
		...Array.from({ length: turns }, (_, at) => fold(at, `A${at}`, null)),
	],
	"the same call id everywhere": (turns) =>
		woven(turns, (at) => fold(at, `A${at}`, null)).map((entry) => ({
			...entry,
			...(entry.calls ? { calls: [{ id: "same", name: "bash" }] } : {}),
			...(entry.callId ? { callId: "same" } : {}),
		})),
	"attempts without end": (turns) => [
		...woven(4, () => undefined),
		...Array.from({ length: turns }, (_, at) => entry(`X${at}`, "attempt")),
		fold(0, "A1", "X3"),
	],
	"a compaction after every turn": (turns) =>
		Array.from({ length: turns }, (_, at) => [
			entry(`A${at}`, "assistant"),
			{ ...entry(`S${at}`, "compaction"), firstKeptEntryId: `A${at}` },
		]).flat(),
	"context edits of everything": (turns) => [
		...woven(turns, () => undefined),
		...Array.from({ length: turns }, (_, at) => ({
			...entry(`edit${at}`, "edit"),
			targetId: `A${at}`,
		})),
	],
};

for (const [name, shape] of Object.entries(SHAPES))
	test(`17: linear: ${name}`, () => {
		const [once, twice] = [looks(shape(400)), looks(shape(800))];
		assert.ok(once > 0);
		assert.ok(twice <= LINEAR * once, `${once} looks, then ${twice}`);
	});

test("17: linear: a view asked for after every entry looks again only at what came in since", () => {
	const looked = (turns: number) => {
		const counter = { looks: 0 };
		const replayer = new Replayer(textHost);
		for (const one of woven(turns, (at) =>
			at % 10 === 9 ? fold(at, `A${at - 3}`, `A${at}`) : undefined,
		)) {
			replayer.push(counted(one, counter));
			replayer.size(true);
		}
		return counter.looks;
	};
	const [once, twice] = [looked(400), looked(800)];
	assert.ok(twice <= LINEAR * once, `${once} looks, then ${twice}`);
});

/** How often a fresh view looks at what an entry is. */
function looks(branch: readonly Entry<string>[]): number {
	const counter = { looks: 0 };
	const entries = branch.map((entry) => counted(entry, counter));
	foldContext(entries, textHost, { asking: true });
	const list = branch.flatMap((entry) => entry.message ?? []);
	const at = branch.flatMap((entry, i) => (entry.message === undefined ? [] : [i]));
	foldContext(entries, textHost, { asking: true, hand: { list, at } });
	return counter.looks;
}

function counted(entry: Entry<string>, counter: { looks: number }): Entry<string> {
	return {
		...entry,
		get kind() {
			counter.looks++;
			return entry.kind;
		},
	};
}

/** Turns of one call each, with whatever record follows the reply. */
function woven(
	turns: number,
	recordAfter: (at: number) => Entry<string> | undefined,
): Entry<string>[] {
	return Array.from({ length: turns }, (_, at) => {
		const reply = { ...entry(`A${at}`, "assistant"), calls: [{ id: `${at}`, name: "bash" }] };
		const record = at > 2 ? recordAfter(at) : undefined;
		return [reply, ...(record ? [record] : []), result(`R${at}`, `${at}`)];
	}).flat();
}

function entry(id: string, kind: Entry<string>["kind"]): Entry<string> {
	return { id, kind, message: id };
}

function result(id: string, callId: string): Entry<string> {
	return { ...entry(id, "result"), callId };
}

function fold(
	at: number,
	fromEntryId: string,
	toEntryId: string | null,
	held = false,
): Entry<string> {
	const ends = { fromEntryId, toEntryId, ...(held ? { held: true as const } : {}) };
	const record = {
		kind: "fold",
		v: 1,
		id: `f${at}`,
		summary: "done",
		by: "user",
		...ends,
	} as const;
	return { id: `record${at}`, kind: "record", record };
}
