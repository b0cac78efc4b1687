// What policies would have done to sessions, for a person to read: a table of sums, the best policy of each
// session, and below them everything that was assumed. Pure: results in, text out.

import { type SessionRows, sharesOf } from "../profile/what-if.ts";
import type { PolicySum, Sums } from "../profile/what-if-sums.ts";
import { estimated, estimatedShare, formatCount, formatUsd, plural } from "./number.ts";
import { type Column, drawTable, type Paper } from "./table.ts";
import { wrap } from "./width.ts";

/** What a report says beside its numbers. */
export interface Context {
	/** a sentence each */
	readonly assumptions: readonly string[];
}

/** The report of a what-if. */
export function drawWhatIf(
	sums: Sums,
	sessions: readonly SessionRows[],
	{ assumptions }: Context,
	paper: Paper,
): string {
	const width = paper.kind === "terminal" ? paper.columns : Number.POSITIVE_INFINITY;
	const facts = factsOf(sums, sessions).map((fact) => told(fact, width));
	const parts = [
		drawTable(columnsOf(sums), sums.policies, paper),
		sessions.length > 1 ? `By session\n${drawTable(SESSION_COLUMNS, sessions, paper)}` : "",
		facts.join(""),
		`Assumed\n${assumptions.map((line) => told(line, width, "  ")).join("")}`,
	];
	return parts.filter((part) => part !== "").join("\n");
}

function columnsOf({ bounds, sessions }: Sums): Column<PolicySum>[] {
	const bill: Column<PolicySum> = bounds.inUsd
		? { head: "bill", align: "right", rank: 1, cell: (row) => estimated(formatUsd(row.billUsd)) }
		: { head: "bill*", align: "right", rank: 1, cell: (row) => estimated(formatCount(row.bill)) };
	const several: Column<PolicySum>[] = [
		{ head: "worst", align: "right", rank: 5, cell: (row) => estimatedShare(row.worst) },
		{ head: "best in", align: "right", rank: 9, cell: (row) => `${row.best || ""}` },
	];
	return [
		{ head: "policy", align: "left", rank: 0, cell: (row) => row.policy },
		bill,
		{ head: "saves", align: "right", rank: 2, cell: (row) => estimatedShare(row.saving) },
		{ head: "of oracle", align: "right", rank: 3, cell: (row) => estimatedShare(row.ofOracle) },
		...(sessions > 1 ? several : []),
		{ head: "peak", align: "right", rank: 4, cell: (row) => estimated(formatCount(row.peak)) },
		{ head: "folds", align: "right", rank: 6, cell: (row) => count(row.folds) },
		{ head: "landings", align: "right", rank: 8, cell: (row) => count(row.landings) },
		{
			head: "pays after",
			align: "right",
			rank: 7,
			cell: (row) => `${row.requestsToProfit ?? (row.folds > 0 ? "never" : "")}`,
		},
		{ head: "compactions avoided", align: "right", rank: 11, cell: (row) => count(row.avoided) },
		{
			head: "gone",
			align: "right",
			rank: 10,
			cell: (row) => (row.lost > 0 ? estimated(formatCount(row.lost)) : ""),
		},
		{ head: "used again", align: "right", rank: 12, cell: usedAgain },
		{ head: "repeats", align: "right", rank: 13, cell: (row) => count(row.tax.repeats) },
	];
}

const SESSION_COLUMNS: readonly Column<SessionRows>[] = [
	{
		head: "session",
		align: "left",
		rank: 0,
		least: 13,
		most: 40,
		cell: (one) => one.id ?? one.file,
	},
	{ head: "requests", align: "right", rank: 3, cell: (one) => count(one.requests) },
	{ head: "recorded", align: "right", rank: 4, cell: (one) => formatUsd(one.recordedUsd) },
	{
		head: "none",
		align: "right",
		rank: 2,
		cell: ({ bounds }) =>
			estimated(bounds.inUsd ? formatUsd(bounds.none) : `${formatCount(bounds.none)}*`),
	},
	{ head: "best", align: "left", rank: 1, cell: (one) => one.best },
	{
		head: "saves",
		align: "right",
		rank: 1,
		cell: (one) =>
			estimatedShare(Math.max(0, ...one.rows.filter(isBest(one)).map((row) => row.saving))),
	},
	{ head: "misses", align: "right", rank: 5, cell: (one) => count(one.misses) },
	{ head: "hits", align: "right", rank: 6, cell: (one) => count(one.hits) },
];

function isBest({ best }: SessionRows) {
	return ({ policy }: { policy: string }) => policy === best;
}

function usedAgain({ tax }: PolicySum): string {
	if (tax.terms === 0) return "";
	const share = `${formatCount(tax.reused)} of ${formatCount(tax.terms)}`;
	return tax.survived === null ? share : `${share}, ${formatCount(tax.survived)} in summaries`;
}

function factsOf(sums: Sums, sessions: readonly SessionRows[]): string[] {
	const estimates = sessions.filter((one) => one.estimated).length;
	const left = sessions.reduce((sum, one) => sum + one.unmeasured, 0);
	const { hindsight } = sums.bounds;
	const reachable = hindsight === null ? null : sharesOf(hindsight, sums.bounds).ofOracle;
	return [
		...(reachable === null
			? []
			: [
					`The best folds of this kind would have saved ${estimatedShare(reachable)} of the oracle's, for one who knew the rest of each session`,
				]),
		`${plural(sums.misses, "request was", "requests were")} served less than the cache model explains, ${sums.hits} more: kept under every policy`,
		...(sums.compactions > 0
			? [
					`${plural(sums.compactions, "compaction of the recordings is", "compactions of the recordings are")} kept under every policy but net`,
				]
			: []),
		...(left > 0
			? [`${plural(left, "request without usage is", "requests without usage are")} left out`]
			: []),
		...(estimates > 0
			? [
					`${plural(estimates, "session has", "sessions have")} no usage at all: sizes are estimates`,
				]
			: []),
		...(sums.unpriced > 0
			? [
					`${plural(sums.unpriced, "session without prices is", "sessions without prices are")} in no sum; --rates gives them some`,
				]
			: []),
		...(sums.bounds.inUsd ? [] : ["* in tokens of uncached input, since no session has prices"]),
	];
}

/** A sentence in lines of at most so many columns, the first one indented, the others a little more. */
function told(sentence: string, columns: number, indent = ""): string {
	const lines = columns === Number.POSITIVE_INFINITY ? [sentence] : wrap(sentence, columns - 4);
	return lines.map((line, i) => `${i > 0 ? "  " : ""}${indent}${line}\n`).join("");
}

function count(value: number): string {
	return value === 0 ? "" : formatCount(value);
}
