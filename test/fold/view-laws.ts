// Laws 1 to 4: which bytes of a view may change, and when.

import assert from "node:assert/strict";
import { type Entry, type Fold, foldContext, type View } from "../../fold.ts";
import { handOf } from "../support/arbitrary.ts";
import { freeze } from "../support/freeze.ts";
import { textHost } from "../support/notation.ts";
import { type Branch, countSteps, isReply, projection } from "./branch.ts";
import type { Law } from "./world.ts";

const OFF = { folds: false, markers: false };

/** Laws 1 to 4. */
export const VIEW_LAWS: readonly Law[] = [
	{
		sentence: "1: without records and markers the view is the same array",
		check({ branch, chance }) {
			const bare = branch.filter((entry) => entry.kind !== "record");
			const hand = handOf(projection(bare), chance.meddled, bare);
			const view = foldContext(bare, textHost, { hand, marks: { folds: true, markers: false } });
			assert.equal(view.messages, hand.list);
		},
	},
	{
		sentence: "1: nor do records change it while D-Mail is off",
		check({ branch, hand }) {
			const view = foldContext(branch, textHost, { hand, marks: OFF, asking: true });
			assert.equal(view.messages, hand.list);
		},
	},
	{
		sentence: "2: same branch and records, same bytes; no input is ever mutated",
		check(world) {
			const { branch } = world;
			const hand = freeze(world.hand);
			// frozen: whatever would change one throws
			assert.ok(Object.isFrozen(branch));
			const entries = structuredClone(branch);
			for (const asked of [{ asking: world.chance.asking }, { asking: true, hand }])
				assert.deepEqual(
					foldContext(entries, textHost, asked).messages,
					foldContext(branch, textHost, asked).messages,
				);
		},
	},
	{
		sentence:
			"3: a view asked for a reply is a prefix of the view once that reply or attempt is in",
		check(world) {
			const { branch } = world;
			for (const [at, entry] of branch.entries())
				if (isReply(entry)) isPrefix(world.viewAt(at, true), world.viewAt(at + 1, false));
		},
	},
	{
		sentence:
			"3: appending an entry that is neither a record, nor a compaction, nor an edit only appends to the view",
		check(world) {
			const { branch } = world;
			for (const [at, entry] of branch.entries())
				if (!moves(entry) && !isReply(entry))
					isPrefix(world.viewAt(at, false), world.viewAt(at + 1, false));
		},
	},
	{
		sentence:
			"3: hence what was sent for a reply that came stays as it was until a record, a compaction or an edit",
		check(world) {
			const { branch } = world;
			let sent: View<string> | undefined;
			for (const [at, entry] of branch.entries()) {
				if (moves(entry)) sent = undefined;
				else if (isReply(entry)) sent = world.viewAt(at, true);
				for (const asking of [false, true]) if (sent) isPrefix(sent, world.viewAt(at + 1, asking));
			}
		},
	},
	{
		sentence:
			"4: a record changes no byte before its range, a landing none before the earliest range it lands",
		check(world) {
			const { branch, chance } = world;
			for (const [at, entry] of branch.entries()) {
				if (entry.kind !== "record") continue;
				const first = firstTouched(world.at(at).folds, world.at(at + 1).folds);
				assert.deepEqual(
					messagesBefore(branch, world.viewAt(at + 1, chance.asking), first),
					messagesBefore(branch, world.viewAt(at, chance.asking), first),
				);
			}
		},
	},
	{
		sentence: "4: a held record or a pin changes no byte",
		check(world) {
			const { branch, chance } = world;
			for (const [at, { record }] of branch.entries()) {
				const isHeld = record?.kind === "fold" && record.held;
				if (!isHeld && record?.kind !== "pin" && record?.kind !== "unpin") continue;
				assert.deepEqual(
					world.viewAt(at + 1, chance.asking).messages,
					world.viewAt(at, chance.asking).messages,
				);
			}
		},
	},
];

/** Whether an entry may change what was sent: a record, a compaction or a context edit. */
function moves({ kind }: Entry<string>): boolean {
	return kind === "record" || kind === "compaction" || kind === "edit";
}

function isPrefix(earlier: View<string>, later: View<string>): void {
	assert.deepEqual(later.messages.slice(0, earlier.messages.length), [...earlier.messages]);
}

/**
 * Where the first range begins whose fold came in, became something else, or landed: one that lands under
 * another's chip stays absorbed, and its call reads as a pointer from then on.
 */
function firstTouched(before: readonly Fold[], after: readonly Fold[]): number {
	const touched = after.filter((fold, i) => {
		const { state = "held", landed = false, absorbedBy } = before[i] ?? {};
		const isSame = fold.state === state && fold.absorbedBy?.at === absorbedBy?.at;
		return !isSame || (fold.landed && !landed);
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
