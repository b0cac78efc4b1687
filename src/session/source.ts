// The source of a fold: which stored entries it stands for, proof that they are the ones that were folded,
// and their text. Needs the record and its branch only, so it works whatever became of the fold: absorbed,
// held, skipped, dropped or compacted away. Reading changes nothing.

import { decode, type FoldRecord } from "../../fold.ts";
import { canonical, digestOf, type Hash } from "./digest.ts";
import type { SessionEntry } from "./entry.ts";
import {
	isStepEntry,
	lastEdits,
	type Reader,
	type SourceText,
	writeSource,
} from "./source-text.ts";

/** A fold that somebody wants to read. */
export interface SourceWish {
	readonly record: FoldRecord;
	/** the branch that the record is on, root first, to its leaf: later context edits count */
	readonly branch: readonly SessionEntry[];
	/** the position of the record's own entry; looked up by the fold's id where absent */
	readonly at?: number | undefined;
	readonly reader: Reader;
	/** what digests are made with; without it nothing is checked */
	readonly hash?: Hash | undefined;
	/** read it though it is not what was folded, as far as it goes */
	readonly force?: boolean | undefined;
}

/** The source of a fold. */
export interface FoldSource extends SourceText {
	readonly ok: true;
	/** as stored, in branch order; what a person gets as JSON */
	readonly entries: readonly SessionEntry[];
	/** `null` where the record has no digest or none was to be checked */
	readonly verified: boolean | null;
	/** what is wrong with it, where it is read all the same */
	readonly problem?: string | undefined;
}

/** Why a source is not shown. */
export interface SourceRefusal {
	readonly ok: false;
	readonly reason: string;
	/** the entry that is at fault, where one can be named */
	readonly entryId?: string | undefined;
}

/**
 * Reads the source of a fold. Nothing of it is given away before its digest holds, or `force` is set: then
 * `problem` says what is wrong.
 */
export function readSource(wish: SourceWish): FoldSource | SourceRefusal {
	const { branch } = wish;
	const place = locate(wish);
	if (!place.ok && !(wish.force && place.rest)) return refuse(place);
	const range = place.ok ? place : (place.rest as Stretch);
	const entries = branch.slice(range.from, range.to);
	const problem = place.ok ? check(wish, entries) : place;
	if (problem && !wish.force) return refuse(problem);
	const source = writeSource({
		entries,
		reader: wish.reader,
		firstStep: branch.slice(0, range.from).filter(isStepEntry).length + 1,
		edits: wish.reader === "model" ? lastEdits(branch) : undefined,
	});
	const verified = problem ? false : isCheckable(wish) ? true : null;
	return { ok: true, ...source, entries, verified, problem: problem?.reason };
}

/** Whether the stored entries are those that were folded; `null` where the record cannot prove it. */
export function verifySource(wish: Omit<SourceWish, "reader" | "force">): boolean | null {
	const place = locate(wish);
	if (!place.ok) return false;
	if (!isCheckable(wish)) return null;
	return holds(wish.record, wish.branch.slice(place.from, place.to), wish.hash);
}

interface Stretch {
	readonly from: number;
	readonly to: number;
}

interface Fault {
	readonly ok: false;
	readonly reason: string;
	readonly entryId?: string | undefined;
}

/** A range that is not whole; `rest` is what is left of it. */
interface Torn extends Fault {
	readonly rest?: Stretch | undefined;
}

/** Where the range of a record lies on its branch. */
function locate(
	wish: Pick<SourceWish, "record" | "branch" | "at">,
): ({ ok: true } & Stretch) | Torn {
	const { record, branch } = wish;
	const { fromEntryId, toEntryId } = record;
	const at = wish.at ?? recordAt(record, branch);
	if (fromEntryId === "") return { ok: false, reason: "its record does not say where it begins" };
	const from = branch.findIndex(({ id }) => id === fromEntryId);
	const to = toEntryId === null ? at : branch.findIndex(({ id }) => id === toEntryId);
	if (from < 0) return missing(fromEntryId, "first entry", headless(branch, to));
	if (toEntryId !== null && to < 0)
		return missing(toEntryId, "end", { from, to: Math.max(from, at) });
	if (to <= from)
		return {
			ok: false,
			reason: `its end ${toEntryId} stands before its first entry ${fromEntryId}; the order of the entries was changed`,
			entryId: fromEntryId,
		};
	return { ok: true, from, to };
}

function missing(entryId: string, what: string, rest: Stretch | undefined): Torn {
	return { ok: false, reason: `its ${what} ${entryId} is not on the branch`, entryId, rest };
}

/** A branch that lost its beginning may still have the end of the range. */
function headless(branch: readonly SessionEntry[], to: number): Stretch | undefined {
	return to > 0 && branch[0] && branch[0].parentId !== null ? { from: 0, to } : undefined;
}

/** The position of the record's own entry; the end of the branch if it is not on it. */
function recordAt(record: FoldRecord, branch: readonly SessionEntry[]): number {
	const at = branch.findIndex((entry) => foldIn(entry)?.id === record.id);
	return at < 0 ? branch.length : at;
}

function foldIn(entry: SessionEntry): FoldRecord | undefined {
	if (entry.type !== "custom" || typeof entry.customType !== "string") return undefined;
	const record = decode(entry.customType, entry.data, entry.id);
	return record?.kind === "fold" ? record : undefined;
}

function isCheckable({ record, hash }: Pick<SourceWish, "record" | "hash">): boolean {
	return hash !== undefined && record.digest !== undefined;
}

function holds(
	record: FoldRecord,
	entries: readonly SessionEntry[],
	hash: Hash | undefined,
): boolean {
	return hash !== undefined && digestOf(entries, hash) === record.digest;
}

function check(wish: SourceWish, entries: readonly SessionEntry[]): Fault | undefined {
	if (!isCheckable(wish) || holds(wish.record, entries, wish.hash)) return undefined;
	return suspect(wish, entries) ?? among(narrow(wish, entries.filter(isDigested)));
}

/**
 * One digest over the whole range says that something differs, not what. These traces name the entry;
 * a text that was changed in place leaves none.
 */
function suspect(
	{ record, branch }: SourceWish,
	entries: readonly SessionEntry[],
): Fault | undefined {
	const unreadable = entries.find((entry) => entry.type === "unknown" && entry.was === undefined);
	if (unreadable) return differs(unreadable.id, "cannot be read");
	const late = entries.find(
		(entry, at) => Date.parse(entry.timestamp) < Date.parse(entries[at - 1]?.timestamp ?? ""),
	);
	if (late) return differs(late.id, "is older than the one before it: the order was changed");
	const steps = entries.filter(isStepEntry).length;
	const first =
		branch.slice(0, branch.indexOf(entries[0] as SessionEntry)).filter(isStepEntry).length + 1;
	const { fromStep, toStep } = record;
	if (fromStep === undefined || toStep === undefined) return undefined;
	const was = toStep - fromStep + 1;
	if (steps === was && first === fromStep) return undefined;
	const where = steps === was ? "before it" : "in it";
	return {
		ok: false,
		reason: `it was made of steps ${fromStep}–${toStep} and now has steps ${first}–${first + steps - 1}: an entry ${where} is missing or new`,
		entryId: record.fromEntryId,
	};
}

function differs(entryId: string, how: string): Fault {
	return { ok: false, reason: `entry ${entryId} ${how}`, entryId };
}

/** Other folds of the branch are witnesses: what one of them proves is sound, what one doubts is suspect. */
function narrow(wish: SourceWish, entries: readonly SessionEntry[]): readonly SessionEntry[] {
	let suspects = entries;
	for (const entry of wish.branch) {
		const record = foldIn(entry);
		const place =
			record?.digest === undefined ? undefined : locate({ record, branch: wish.branch });
		if (!record || !place?.ok) continue;
		const witness = new Set(wish.branch.slice(place.from, place.to));
		const sound = holds(record, [...witness], wish.hash);
		const left = suspects.filter((one) => witness.has(one) !== sound);
		if (left.length > 0) suspects = left;
	}
	return suspects;
}

function isDigested(entry: SessionEntry): boolean {
	return canonical(entry).length > 0;
}

function among(messages: readonly SessionEntry[]): Fault {
	const [first, last] = [messages.at(0)?.id, messages.at(-1)?.id];
	const which =
		messages.length === 1
			? `entry ${first} is`
			: `one of its ${messages.length} messages, from entry ${first} to ${last}, is`;
	return {
		ok: false,
		reason: `${which} not what was folded`,
		entryId: messages.length === 1 ? first : undefined,
	};
}

function refuse({ reason, entryId }: Fault): SourceRefusal {
	return { ok: false, reason: `not the original: ${reason}`, entryId };
}
