// What becomes of each fold record of a branch, slow and obvious: the oracle's half that knows no messages.

import type { Fold, FoldRecord, Range } from "../../fold.ts";
import { type Branch, callOf, eraStart, isMessage, isReply, positions, within } from "./branch.ts";

/** What became of a fold record, with the position of its entry. */
export interface OracleFold {
	readonly record: FoldRecord;
	readonly at: number;
	readonly from: number;
	readonly to: number;
	readonly state: Fold["state"];
	readonly absorbedBy: string | undefined;
	/** whether its call reads as a pointer to the fold that absorbs it */
	readonly pointsOut: boolean;
}

/** Every fold record and what it is now. `absorbedBy` is `era` for one that lies before it. */
export function foldsOf(branch: Branch): OracleFold[] {
	const all = branch.flatMap((entry, at) =>
		entry.record?.kind === "fold" ? [place(branch, entry.record, at)] : [],
	);
	const replayed: Placed[] = [];
	const hindrances = all.map((fold) => {
		const hindrance = hindranceOf(branch, fold, replayed);
		if (!hindrance) replayed.push(fold);
		return hindrance;
	});
	return all.map((fold, i) => {
		const { record, at, from, to } = fold;
		return { record, at, from, to, ...(hindrances[i] ?? stateAmong(replayed, fold)) };
	});
}

type Became = Pick<OracleFold, "state" | "absorbedBy" | "pointsOut">;

/** Why a fold is not replayed, if it is not. */
function hindranceOf(branch: Branch, fold: Placed, earlier: readonly Placed[]): Became | undefined {
	const start = eraStart(branch);
	const era: Became = { state: "skipped", absorbedBy: "era", pointsOut: false };
	const skipped: Became = { state: "skipped", absorbedBy: undefined, pointsOut: false };
	if (fold.dropped) return { ...skipped, state: "dropped" };
	if (fold.at < start) return era;
	if (!isSound(branch, fold)) return skipped;
	if (fold.to <= start) return era;
	return earlier.some((other) => cuts(fold, other)) ? skipped : undefined;
}

/** What a replayed fold is: under the outermost chip around it, or what its own records say. */
function stateAmong(replayed: readonly Placed[], fold: Placed): Became {
	const around = replayed.filter(
		(other) => other !== fold && isAround(other, fold) && other.landed && !other.opened,
	);
	const outer = around.find((one) =>
		around.every((other) => other === one || isAround(one, other)),
	);
	// a held record changes no byte when it comes, so not those of its own call
	const pointsOut = outer !== undefined && (fold.landed || outer.at > fold.at);
	if (outer) return { state: "absorbed", absorbedBy: outer.record.id, pointsOut };
	const state = fold.opened ? "open" : fold.landed ? "landed" : "held";
	return { state, absorbedBy: undefined, pointsOut };
}

interface Placed {
	readonly record: FoldRecord;
	readonly at: number;
	readonly from: number;
	readonly to: number;
	readonly dropped: boolean;
	readonly opened: boolean;
	readonly landed: boolean;
}

function place(branch: Branch, record: FoldRecord, at: number): Placed {
	const later = branch.flatMap((entry, i) =>
		i > at && entry.record ? [{ i, said: entry.record }] : [],
	);
	// an id that was given twice means the newest fold with it
	const means = (id: string, i: number) =>
		id === record.id &&
		!branch.some(
			(one, j) => j > at && j <= i && one.record?.kind === "fold" && one.record.id === id,
		);
	const dropped = later.some(({ i, said }) => said.kind === "drop" && means(said.id, i));
	const turned = later.findLast(
		({ i, said }) =>
			(said.kind === "open" || said.kind === "shut") &&
			[said.id, ...(said.inner ?? [])].some((id) => means(id, i)),
	);
	const landedBy = ({ i, said }: (typeof later)[number]) =>
		(said.kind === "land" && said.ids.some((id) => means(id, i))) ||
		(said.kind === "fold" &&
			!said.held &&
			isSound(branch, { record: said, at: i, ...resolve(branch, said, i) }) &&
			said.lands?.some((id) => means(id, i)));
	const landed = !record.held || later.some(landedBy);
	const opened = turned?.said.kind === "open";
	return {
		record,
		at,
		dropped,
		opened,
		landed,
		...resolve(branch, record, at),
	};
}

/** Where the range of a fold lies that could be replayed by itself; empty where it could not. */
export function rangeOfRecord(branch: Branch, record: FoldRecord, at: number): Range {
	const range = resolve(branch, record, at);
	return isSound(branch, { record, at, ...range }) ? range : { from: at, to: at };
}

/** Where a record's range lies; one that does not resolve is empty, at the record's own place. */
export function resolve(
	branch: Branch,
	record: Pick<FoldRecord, "fromEntryId" | "toEntryId">,
	at: number,
): Range {
	const seen = branch.slice(0, at + 1);
	const from = seen.findIndex((entry) => entry.id === record.fromEntryId);
	const to =
		record.toEntryId === null ? at : seen.findIndex((entry) => entry.id === record.toEntryId);
	return from >= 0 && to > from ? { from, to } : { from: at, to: at };
}

/** A range that could be replayed: it holds a message, parts no call, folds none that is being answered. */
function isSound(branch: Branch, fold: Pick<Placed, "record" | "at" | "from" | "to">): boolean {
	const inside = positions(fold);
	if (!inside.some((at) => isMessage(branch[at]))) return false;
	if (fold.to <= eraStart(branch.slice(0, fold.at))) return false;
	if (inside.some((at) => callOf(branch, at) >= 0 && callOf(branch, at) < fold.from)) return false;
	const newest = branch.findLastIndex((entry, at) => at < fold.at && isReply(entry));
	const idle = fold.record.toEntryId === null && fold.record.v === 1;
	if (idle || !within(newest, fold)) return true;
	const isElse = (at: number) => isMessage(branch[at]) && callOf(branch, at) !== newest;
	if (positions({ from: newest + 1, to: fold.at }).some(isElse)) return true;
	const calls = branch[newest]?.calls?.map((call) => call.id) ?? [];
	const answers = branch
		.slice(0, fold.at)
		.flatMap((entry, at) => (callOf(branch, at) === newest ? [entry.callId ?? ""] : []));
	const count = (list: readonly unknown[], id: string) => list.filter((one) => one === id).length;
	return calls.every((id) => count(answers, id) >= count(calls, id));
}

function cuts(a: Placed, b: Placed): boolean {
	return a.from < b.to && b.from < a.to && !holds(a, b) && !holds(b, a);
}

/** Around: holds it, and of two equal ranges the newer one. */
function isAround(outer: Placed, inner: Placed): boolean {
	return holds(outer, inner) && (!holds(inner, outer) || outer.at > inner.at);
}

function holds(outer: Placed, inner: Placed): boolean {
	return outer.from <= inner.from && inner.to <= outer.to;
}
