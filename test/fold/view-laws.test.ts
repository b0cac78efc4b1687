// Laws 1 to 4: which bytes of a view may change, and when.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Entry, type Fold, foldContext, Replayer, type View } from "../../fold.ts";
import { anyBranch, bareBranch, handOf, meddling } from "../support/arbitrary.ts";
import { cases } from "../support/cases.ts";
import { textHost } from "../support/notation.ts";
import { type Branch, countSteps, isReply, projection } from "./branch.ts";

const OFF = { folds: false, markers: false };

test("1: without records and markers the view is the same array", () => {
	fc.assert(
		fc.property(bareBranch, meddling, (branch, meddled) => {
			const hand = handOf(projection(branch), meddled, branch);
			const view = foldContext(branch, textHost, { hand, marks: { folds: true, markers: false } });
			assert.equal(view.messages, hand.list);
		}),
		cases(),
	);
});

test("1: nor do records change it while D-Mail is off", () => {
	fc.assert(
		fc.property(anyBranch, meddling, (branch, meddled) => {
			const hand = handOf(projection(branch), meddled, branch);
			const view = foldContext(branch, textHost, { hand, marks: OFF, asking: true });
			assert.equal(view.messages, hand.list);
		}),
		cases(),
	);
});

test("2: same branch and records, same bytes; no input is ever mutated", () => {
	fc.assert(
		fc.property(anyBranch, meddling, (branch, meddled) => {
			const entries = freeze(structuredClone([...branch]));
			const hand = freeze(handOf(projection(branch), meddled, branch));
			for (const asked of [{}, { hand }, { asking: true }, { asking: true, hand }])
				assert.deepEqual(
					foldContext(entries, textHost, asked).messages,
					foldContext(branch, textHost, asked).messages,
				);
			assert.deepEqual(entries, [...branch]);
		}),
		cases(),
	);
});

test("3: a view asked for a reply is a prefix of the view once that reply or attempt is in", () => {
	fc.assert(
		fc.property(anyBranch, (branch) => {
			for (const [at, entry] of branch.entries())
				if (isReply(entry)) isPrefix(viewAt(branch, at, true), viewAt(branch, at + 1, false));
		}),
		cases(),
	);
});

test("3: appending an entry that is neither a record, nor a compaction, nor an edit only appends to the view", () => {
	fc.assert(
		fc.property(anyBranch, (branch) => {
			for (const [at, entry] of branch.entries())
				if (!moves(entry) && !isReply(entry))
					isPrefix(viewAt(branch, at, false), viewAt(branch, at + 1, false));
		}),
		cases(),
	);
});

test("3: hence what was sent for a reply that came stays as it was until a record, a compaction or an edit", () => {
	fc.assert(
		fc.property(anyBranch, (branch) => {
			let sent: View<string> | undefined;
			for (const [at, entry] of branch.entries()) {
				if (moves(entry)) sent = undefined;
				else if (isReply(entry)) sent = viewAt(branch, at, true);
				for (const asking of [false, true])
					if (sent) isPrefix(sent, viewAt(branch, at + 1, asking));
			}
		}),
		cases(),
	);
});

test("4: a record changes no byte before its range, a landing none before the earliest range it lands", () => {
	fc.assert(
		fc.property(anyBranch, fc.boolean(), (branch, asking) => {
			for (const [at, entry] of branch.entries()) {
				if (entry.kind !== "record") continue;
				const before = replayerAt(branch, at);
				const after = replayerAt(branch, at + 1);
				const first = firstTouched(before.folds, after.folds);
				assert.deepEqual(
					messagesBefore(branch, after.view({ asking }), first),
					messagesBefore(branch, before.view({ asking }), first),
				);
			}
		}),
		cases(),
	);
});

test("4: a held record or a pin changes no byte", () => {
	fc.assert(
		fc.property(anyBranch, fc.boolean(), (branch, asking) => {
			for (const [at, { record }] of branch.entries()) {
				const isHeld = record?.kind === "fold" && record.held;
				if (!isHeld && record?.kind !== "pin" && record?.kind !== "unpin") continue;
				assert.deepEqual(
					viewAt(branch, at + 1, asking).messages,
					viewAt(branch, at, asking).messages,
				);
			}
		}),
		cases(),
	);
});

/** Whether an entry may change what was sent: a record, a compaction or a context edit. */
function moves({ kind }: Entry<string>): boolean {
	return kind === "record" || kind === "compaction" || kind === "edit";
}

function replayerAt(branch: Branch, length: number): Replayer<string> {
	const replayer = new Replayer(textHost);
	for (const entry of branch.slice(0, length)) replayer.push(entry);
	return replayer;
}

function viewAt(branch: Branch, length: number, asking: boolean): View<string> {
	return foldContext(branch.slice(0, length), textHost, { asking });
}

function isPrefix(earlier: View<string>, later: View<string>): void {
	assert.deepEqual(later.messages.slice(0, earlier.messages.length), [...earlier.messages]);
}

/** Where the first range begins whose fold came in or became something else. */
function firstTouched(before: readonly Fold[], after: readonly Fold[]): number {
	const touched = after.filter((fold, i) => {
		const was = before[i]?.state ?? "held";
		return fold.state !== was || fold.absorbedBy?.at !== before[i]?.absorbedBy?.at;
	});
	return Math.min(...touched.map((fold) => fold.from));
}

/** The messages that stand for what lies before a position of the branch. */
function messagesBefore(
	branch: Branch,
	{ messages, sources }: View<string>,
	first: number,
): string[] {
	const end = sources.findIndex((source, i) => {
		if (source.from === "entry") return source.at >= first;
		if (source.from === "chip") return source.fold.from >= first;
		return replyOf(branch, messages[i] ?? "") > first;
	});
	return messages.slice(0, end < 0 ? undefined : end);
}

/** The first reply that a note names: it stands before it. */
function replyOf(branch: Branch, note: string): number {
	const step = Number(/^m‹(\d+)›$/.exec(note)?.[1]);
	const at = branch.findIndex((entry, i) => isReply(entry) && countSteps(branch, i) + 1 === step);
	return at < 0 ? Number.POSITIVE_INFINITY : at;
}

function freeze<T>(value: T): T {
	if (typeof value !== "object" || value === null) return value;
	for (const inner of Object.values(value)) freeze(inner);
	return Object.freeze(value);
}
