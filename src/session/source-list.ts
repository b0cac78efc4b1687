// Every fold that a branch tells of, also those whose record is damaged: as much of each as can be read.
// Pure; whether a fold is replayed is not asked here.

import { decode, type FoldRecord } from "../../fold.ts";
import type { SessionEntry } from "./entry.ts";

/** A fold that can be looked up. */
export interface ListedFold {
	readonly record: FoldRecord;
	/** the position of the record's own entry among the entries given */
	readonly at: number;
	/** what is wrong with the record: then its fields are what is left of them */
	readonly damage?: string | undefined;
}

/** The folds of these entries, in their order. */
export function listFolds(entries: readonly SessionEntry[]): ListedFold[] {
	return entries.flatMap((entry, at): ListedFold[] => {
		if (entry.type !== "custom" || typeof entry.customType !== "string") return [];
		const record = decode(entry.customType, entry.data, entry.id);
		if (record?.kind === "fold") return [{ record, at }];
		if (record?.kind !== "broken" || record.of !== "fold") return [];
		return [{ record: salvage(entry.data, entry.id), at, damage: record.reason }];
	});
}

/** The fold with this id, the newest where several have it; ids are matched whatever their case. */
export function findFold<F extends { readonly record: FoldRecord }>(
	folds: readonly F[],
	id: string,
): F | undefined {
	const wanted = id.trim().toLowerCase();
	return folds.findLast(({ record }) => record.id.toLowerCase() === wanted);
}

/**
 * Those sources that hold an entry which no other one has, in their order: what all of them say, said once.
 * Of equal ones the last stays.
 */
export function withoutNested<S extends { readonly entries: readonly SessionEntry[] }>(
	sources: readonly S[],
): S[] {
	const kept: { readonly source: S; readonly has: ReadonlySet<SessionEntry> }[] = [];
	const longestFirst = [...sources].reverse().sort((a, b) => b.entries.length - a.entries.length);
	for (const source of longestFirst) {
		const { entries } = source;
		if (kept.some(({ has }) => entries.every((entry) => has.has(entry)))) continue;
		kept.push({ source, has: new Set(entries) });
	}
	const stays = new Set(kept.map(({ source }) => source));
	return sources.filter((source) => stays.has(source));
}

/** What is left of a record, read as the plain form that needs the least. An empty start: it has none. */
function salvage(data: unknown, entryId: string): FoldRecord {
	const fields = (typeof data === "object" && data !== null ? data : {}) as Record<string, unknown>;
	const text = (key: string) => {
		const value = fields[key];
		return typeof value === "string" && value !== "" ? value : undefined;
	};
	const step = (key: string) => {
		const value = fields[key];
		return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined;
	};
	return {
		kind: "fold",
		v: 0,
		id: text("id") ?? entryId,
		fromEntryId: text("fromEntryId") ?? "",
		toEntryId: text("toEntryId") ?? null,
		fromStep: step("fromStep"),
		toStep: step("toStep"),
		summary: text("summary") ?? "",
		digest: text("digest"),
	};
}
