// Laws 5 to 9: what a fold may hold, and what becomes of everything that it does not.

import assert from "node:assert/strict";
import {
	breakMarkers,
	type Entry,
	type Fold,
	foldContext,
	type Kind,
	type Replayer,
	type Source,
	type View,
} from "../../fold.ts";
import { textHost } from "../support/notation.ts";
import {
	type Branch,
	callOf,
	editedMessage,
	eraStart,
	isMessage,
	isReply,
	positions,
	projection,
	takenBy,
	within,
} from "./branch.ts";
import type { Law } from "./world.ts";

/** Laws 5 to 9. */
export const STRUCTURE_LAWS: readonly Law[] = [
	{
		sentence: "5: a call and all its results are shown together or folded together",
		check({ branch, replayer }) {
			const shown = shownIn(replayer);
			const there = new Set(projection(branch).map(({ at }) => at));
			for (const result of there) {
				const call = callOf(branch, result);
				if (call < 0 || !there.has(call)) continue;
				// where an edit left out what lay between, a provider sees another call right before it
				const taker = takenBy(branch, result, (at) => there.has(at));
				if (taker >= 0 && taker !== call) continue;
				assert.equal(shown.has(result), shown.has(call));
				const over = (at: number) => replayer.visible.find((fold) => within(at, fold));
				if (over(result)) assert.equal(over(result), over(call), "under the same chip");
			}
		},
	},
	{
		sentence: "5: a call that is still being answered is never folded",
		check({ branch, replayer }) {
			for (const fold of replayed(replayer)) {
				const atIdle = fold.record.v === 1 && fold.record.toEntryId === null;
				const newest = branch.findLastIndex((entry, at) => at < fold.at && isReply(entry));
				const since = branch.slice(newest + 1, fold.at);
				const isOver = since.some(
					(entry, i) => isMessage(entry) && callOf(branch, newest + 1 + i) !== newest,
				);
				if (atIdle || isOver || !within(newest, fold)) continue;
				const answers = since.filter((_, i) => callOf(branch, newest + 1 + i) === newest).length;
				assert.ok(answers >= (branch[newest]?.calls?.length ?? 0));
			}
		},
	},
	{
		sentence: "5: attempts inside a range fold with it",
		check({ branch, replayer }) {
			const shown = shownIn(replayer);
			for (const fold of replayer.visible)
				for (const at of positions(fold))
					if (branch[at]?.kind === "attempt") assert.ok(!shown.has(at));
		},
	},
	{
		sentence:
			"5: no message of a marker's own stands between a call and its results, of a branch or a list in hand",
		check({ branch, chance: { asking }, hand, replayer }) {
			for (const asked of [{ asking }, { asking, hand }]) {
				const view = replayer.view(asked);
				for (const [index, source] of view.sources.entries())
					if (source.from === "note")
						assert.ok(!partsAt(branch, view, index), view.messages.join());
			}
		},
	},
	{
		sentence: "6: two folds are disjoint or nested, and no visible one lies in another",
		check({ replayer }) {
			for (const a of replayed(replayer))
				for (const b of replayed(replayer)) {
					const isInside = (one: Fold, other: Fold) => other.from <= one.from && one.to <= other.to;
					const isApart = a.to <= b.from || b.to <= a.from;
					assert.ok(isApart || isInside(a, b) || isInside(b, a), `${a.record.id}, ${b.record.id}`);
				}
			for (const a of replayer.visible)
				for (const b of replayer.visible) assert.ok(a === b || a.to <= b.from || b.to <= a.from);
		},
	},
	{
		sentence: "6: of equal ranges the newer absorbs",
		check({ replayer }) {
			for (const older of replayer.visible) {
				const equal = replayed(replayer).filter(
					(one) => one.from === older.from && one.to === older.to && one.at > older.at,
				);
				for (const newer of equal) assert.notEqual(newer.state, "landed");
			}
		},
	},
	{
		sentence:
			"7: every message of the host's projection is shown, or lies under exactly one visible chip",
		check({ branch, replayer }) {
			const { sources } = replayer.view();
			const there = new Set(projection(branch).map(({ at }) => at));
			for (const at of there) {
				const shown = sources.filter((source) => source.from === "entry" && source.at === at);
				const calls = [callOf(branch, at), takenBy(branch, at, (other) => there.has(other))];
				const chips = sources.filter(
					(source) =>
						source.from === "chip" &&
						(within(at, source.fold) || calls.some((call) => within(call, source.fold))),
				);
				if (shown.length === 0) assert.equal(chips.length, 1, `position ${at}`);
			}
		},
	},
	{
		sentence:
			"8: every user message of a range stays as a message of its own or is quoted in the chip",
		check({ branch, replayer }) {
			const { messages, sources } = replayer.view();
			const shown = shownIn(replayer);
			for (const [i, source] of sources.entries()) {
				if (source.from !== "chip") continue;
				for (const at of positions(source.fold)) {
					const said = editedMessage(branch, at);
					if (branch[at]?.kind !== "user" || said === undefined || at < eraStart(branch)) continue;
					const quote = `<user>\n${quoted(said, source.fold.record.id)}\n</user>`;
					if (!shown.has(at)) assert.ok(messages[i]?.includes(quote), quote);
				}
			}
		},
	},
	{
		sentence: "8: only the newest request of a fold's own time stays, right after the chip",
		check({ branch, replayer }) {
			const { sources } = replayer.view();
			for (const [i, source] of sources.entries()) {
				if (source.from !== "chip") continue;
				const { fold } = source;
				const kept = sources.flatMap((one, j) =>
					one.from === "entry" && within(one.at, fold) && !isApart(branch[one.at]?.kind)
						? [{ at: one.at, j }]
						: [],
				);
				for (const [nth, { at, j }] of kept.entries()) {
					assert.equal(j, i + 1 + nth);
					if (nth === 0) assert.equal(branch[at]?.id, fold.record.keep);
					else assert.equal(branch[at]?.kind, "custom");
				}
			}
		},
	},
	{
		sentence:
			"9: a record that cannot be applied is skipped with a reason and counted; all others stand",
		check({ branch, replayer }) {
			const view = foldContext(branch, textHost, { asking: true });
			for (const fold of replayer.folds) {
				if (fold.state !== "skipped" || fold.reason === "before the era") continue;
				assert.ok(fold.reason);
				// what it made land when it was recorded stays landed
				const without = replaced(branch, fold.at, {
					kind: "record",
					record: { kind: "land", ids: cutsThrough(fold) ? (fold.record.lands ?? []) : [] },
				});
				if (isNamedAgain(branch, fold)) continue;
				assert.deepEqual(foldContext(without, textHost, { asking: true }).messages, view.messages);
			}
			const folds = branch.filter(({ record }) => record?.kind === "fold");
			const broken = branch.filter(({ record }) => record?.kind === "broken");
			assert.equal(replayer.folds.length, folds.length);
			assert.equal(replayer.unreadable.length, broken.length);
		},
	},
];

/** Whether what stands at an index comes between a reply and the first answer to a call of it. */
function partsAt(branch: Branch, { messages, sources }: View<string>, index: number): boolean {
	const isReplyAt = (source: Source) =>
		source.from === "chip" || (source.from === "entry" && isReply(branch[source.at]));
	const from = sources.slice(0, index).findLastIndex(isReplyAt);
	const reply = sources[from];
	if (reply?.from !== "entry") return false;
	const next = sources.findIndex((source, i) => i > index && isReplyAt(source));
	const answersIn = (first: number, last?: number) =>
		sources.slice(first, last).flatMap((source, i): (number | string | undefined)[] => {
			const message = messages[first + i] ?? "";
			if (source.from === "entry") return callOf(branch, source.at) === reply.at ? [source.at] : [];
			const isForeign = source.from === "foreign" && textHost.kind(message) === "result";
			return isForeign ? [textHost.callId(message)] : [];
		});
	const idOf = (answer: number | string | undefined) =>
		typeof answer === "number" ? branch[answer]?.callId : answer;
	const stored = [...branch.keys()].filter((at) => callOf(branch, at) === reply.at);
	const before = answersIn(from + 1, index).map(idOf);
	return answersIn(index + 1, next < 0 ? undefined : next).some((answer) => {
		const id = idOf(answer);
		const first = stored.find((at) => branch[at]?.callId === id);
		if (before.includes(id) || (first !== undefined && first !== answer)) return false;
		return branch[reply.at]?.calls?.some((call) => call.id === id) === true;
	});
}

/** The positions of entries in the view. */
function shownIn(replayer: Replayer<string>): Set<number> {
	const { sources } = replayer.view();
	return new Set(sources.flatMap((source) => (source.from === "entry" ? [source.at] : [])));
}

/** Folds that are replayed, whether their chip is in view or not. */
function replayed(replayer: Replayer<string>): Fold[] {
	return replayer.folds.filter(({ state }) => state !== "dropped" && state !== "skipped");
}

/** What is never folded: a fold's range reaches past it. */
function isApart(kind: Kind | undefined): boolean {
	return kind === "system" || kind === "compaction";
}

/** A text as a chip quotes it. */
function quoted(text: string, id: string): string {
	if (text.length <= 2000) return breakMarkers(text.replaceAll("</dmail>", "< /dmail>"));
	const left = `[… ${text.length - 2000} characters left out; read_dmail({"fold":"${id}"}) has them …]`;
	return `${text.slice(0, 1000)}\n${left}\n${text.slice(-1000)}`;
}

function replaced(branch: Branch, at: number, by: Omit<Entry<string>, "id">): Entry<string>[] {
	return branch.map((entry, i) => (i === at ? { id: entry.id, ...by } : entry));
}

/** Whether a fold was sound when it was recorded and only another one stands against it. */
function cutsThrough(fold: Fold): boolean {
	return fold.reason?.startsWith("it cuts through") === true && !fold.record.held;
}

/** Whether another fold has the same id: then a later record means another one without this. */
function isNamedAgain(branch: Branch, fold: Fold): boolean {
	return (
		branch.filter(({ record }) => record?.kind === "fold" && record.id === fold.record.id).length >
		1
	);
}
