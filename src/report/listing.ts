// Many sessions as a table, newest first.

import { basename } from "node:path";
import type { Listing, ListingRow } from "../profile/listing.ts";
import { formatBytes, formatCount, formatShare, formatTime } from "./number.ts";
import { nameGaps, sumTokens, sumUsd } from "./sum.ts";
import { type Column, drawTable, type Paper, wrapOn } from "./table.ts";

/**
 * The table and its totals.
 *
 * @param unmeasured by file: how many of its replies have no usage
 * @param ids of all sessions that a command could mean: those listed are told apart from them too
 */
export function drawListing(
	{ sessions, totals }: Listing,
	paper: Paper,
	unmeasured: ReadonlyMap<string, number> = new Map(),
	ids: readonly string[] = [],
): string {
	if (sessions.length === 0) return "No sessions.\n";
	const deep = totals.requests !== null;
	const hasChildren = sessions.some(({ parent }) => parent !== null);
	const least = tellingApart([...ids, ...sessions.flatMap(({ id }) => id ?? [])]) + ELLIPSIS;
	const family = hasChildren ? [childColumn(sessions, least)] : [];
	const columns = [
		idColumn(least),
		...COLUMNS,
		...family,
		...(deep ? countColumns(unmeasured) : []),
	];
	const all = [...unmeasured.values()].reduce((sum, one) => sum + one, 0);
	const gaps = { ...totals, unmeasured: all };
	const count = `${totals.sessions} ${totals.sessions === 1 ? "session" : "sessions"}`;
	const sums = deep
		? `: ${formatCount(totals.requests)} ${totals.requests === 1 ? "request" : "requests"}, prompt ${sumTokens(totals.prompt, gaps)}, output ${sumTokens(totals.output, gaps)}, ` +
			`${sumUsd(totals.costUsd, gaps)}${nameGaps(gaps)}`
		: "";
	const line = `${count}${sums}`;
	return `${drawTable(columns, sessions, paper)}${wrapOn(paper, line).join("\n")}\n`;
}

/** The fewest characters of an id that are shown, however few would do. */
const LEAST_ID = 8;

/** What a text that is cut ends in takes. */
const ELLIPSIS = 1;

/** How many characters of the ids tell each of them from all others. */
function tellingApart(ids: readonly string[]): number {
	const sorted = [...new Set(ids.map((id) => id.toLowerCase()))].sort();
	let least = LEAST_ID;
	for (const [i, id] of sorted.entries()) {
		const next = sorted[i + 1] ?? "";
		let same = 0;
		while (same < next.length && id[same] === next[same]) same++;
		least = Math.max(least, same + 1);
	}
	return least;
}

/** An id that is cut still begins no other one. */
function idColumn(least: number): Column<ListingRow> {
	return { head: "id", align: "left", rank: 0, least, most: 40, cell: (row) => row.id ?? "–" };
}

const COLUMNS: readonly Column<ListingRow>[] = [
	{ head: "started (UTC)", align: "left", rank: 2, cell: (row) => formatTime(row.startedAt) },
	{ head: "changed (UTC)", align: "left", rank: 9, cell: (row) => formatTime(row.modified) },
	{ head: "size", align: "right", rank: 7, cell: (row) => formatBytes(row.bytes) },
	{ head: "project", align: "left", rank: 3, least: 12, most: 60, cell: (row) => row.cwd ?? "–" },
];

/** Whose child a session is: one that was written last need not be the one that the user worked in. */
function childColumn(sessions: readonly ListingRow[], least: number): Column<ListingRow> {
	const names = new Map(sessions.map(({ file, id }) => [file, id]));
	return {
		head: "child of",
		align: "left",
		rank: 6,
		least,
		most: 40,
		cell: ({ parent }) => (parent === null ? "" : (names.get(parent) ?? basename(parent))),
	};
}

function countColumns(unmeasured: ReadonlyMap<string, number>): readonly Column<ListingRow>[] {
	const gapsOf = (row: ListingRow) => ({ ...row, unmeasured: unmeasured.get(row.file) ?? 0 });
	return [
		{ head: "requests", align: "right", rank: 4, cell: (row) => formatCount(row.requests) },
		{
			head: "shared",
			align: "right",
			rank: 8,
			cell: (row) => (row.shared ? formatCount(row.shared) : ""),
		},
		{
			head: "folds",
			align: "right",
			rank: 5,
			cell: (row) => (row.folds ? formatCount(row.folds) : ""),
		},
		{ head: "prompt", align: "right", rank: 5, cell: (row) => sumTokens(row.prompt, gapsOf(row)) },
		{ head: "hit", align: "right", rank: 6, cell: (row) => formatShare(row.cacheHit) },
		{
			head: "cost",
			align: "right",
			rank: 1,
			cell: (row) => sumUsd(row.costUsd, gapsOf(row)),
		},
		{
			head: "problems",
			align: "right",
			rank: 8,
			cell: (row) => (row.problems ? formatCount(row.problems) : ""),
		},
	];
}
