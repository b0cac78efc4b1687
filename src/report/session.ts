// One session for a person to read: facts, requests, totals, misses, folds, spend. Estimates carry `~`,
// lower bounds `≥`, unknown is a dash. Pure: a profile in, text out.

import type { Profile, RequestRow, RequestRows } from "../profile/profile.ts";
import { IMAGE_TOKENS } from "../session/size.ts";
import { drawBar, SHADES } from "./bar.ts";
import { drawFailures } from "./failures.ts";
import { drawFolds } from "./folds.ts";
import {
	estimated,
	estimatedShare,
	formatBytes,
	formatCount,
	formatShare,
	formatTime,
	formatUsd,
	plural,
} from "./number.ts";
import { printable } from "./printable.ts";
import { isFolded, isUnmeasured, nameGaps, nameScale, sumTokens, sumUsd } from "./sum.ts";
import { type Column, drawTable, type Paper, wrapOn } from "./table.ts";
import { clipMiddle } from "./width.ts";

/** How wide the bar of the largest prompt is, in columns. */
const BAR = 24;

/**
 * The report of a session.
 *
 * @param last how many request rows to show, the newest ones; absent: all
 */
export function drawSession(profile: Profile, paper: Paper, last?: number): string {
	const sections = [
		drawFacts(profile, paper),
		drawRequests(profile.requests, paper, last),
		drawTotals(profile, paper),
		drawMisses(profile, paper),
		profile.folds.length > 0 ? `Folds\n${drawFolds(profile.folds, paper)}` : "",
		drawSpend(profile, paper),
	];
	return sections.filter((section) => section !== "").join("\n");
}

/** The newest `last` rows of a column store, oldest first. */
export function newest(requests: RequestRows, last?: number): RequestRow[] {
	const rows: RequestRow[] = [];
	const from = last === undefined ? 0 : Math.max(0, requests.length - last);
	for (let i = from; i < requests.length; i++) rows.push(requests.at(i));
	return rows;
}

function drawFacts({ session }: Profile, paper: Paper): string {
	const { entries, branches, problems } = session;
	const parts = [
		`format ${session.version}`,
		`${formatCount(session.lines)} ${session.lines === 1 ? "line" : "lines"}`,
		formatBytes(session.bytes),
		plural(entries, "entry", "entries"),
		plural(branches, "branch", "branches"),
	];
	if (problems.length > 0) parts.push(plural(problems.length, "problem", "problems"));
	const lines = [
		...wrapOn(
			paper,
			`Session ${printable(session.id ?? "without an id")}, started ${formatTime(session.startedAt)}`,
		),
		placeOn(paper, "  ", session.file),
		...(session.cwd === null ? [] : [placeOn(paper, "  in ", session.cwd)]),
		...wrapOn(paper, `  ${parts.join(", ")}`),
	];
	return `${lines.join("\n")}\n`;
}

/** A path behind its words, on one line. */
function placeOn({ kind, columns }: Paper, words: string, path: string): string {
	const text = printable(path);
	return `${words}${kind === "pipe" ? text : clipMiddle(text, columns - words.length)}`;
}

function drawRequests(requests: RequestRows, paper: Paper, last: number | undefined): string {
	const rows = newest(requests, last);
	if (requests.length === 0) return "No requests.\n";
	let largest = 0;
	for (const row of rows) largest = Math.max(largest, row.prompt ?? 0);
	const columns = paper.kind === "terminal" ? [...COLUMNS, barColumn(largest, paper)] : COLUMNS;
	const newestOnes = rows.length === 0 ? "none shown" : `the last ${rows.length}`;
	const shown = rows.length < requests.length ? `, ${newestOnes}` : "";
	const table = drawTable(columns, rows, paper);
	const title = `Requests of the active branch: ${requests.length}${shown}${legendOf(table)}`;
	return `${wrapOn(paper, title).join("\n")}\n${table}`;
}

/** What the shades of the bars mean, where there is room for bars. */
function legendOf(table: string): string {
	const { cacheRead, cacheWrite, input } = SHADES;
	if (![cacheRead, cacheWrite, input].some((shade) => table.includes(shade))) return "";
	return `  ${cacheRead} cached  ${cacheWrite} written  ${input} fresh`;
}

const COLUMNS: readonly Column<RequestRow>[] = [
	{ head: "#", align: "right", rank: 0, cell: (row) => `${row.index}` },
	{
		head: "step",
		align: "right",
		rank: 5,
		cell: (row) => (row.step === null ? "" : `${row.step}`),
	},
	{ head: "time (UTC)", align: "left", rank: 10, cell: (row) => formatTime(row.time) },
	{ head: "model", align: "left", rank: 11, least: 8, most: 24, cell: (row) => row.model ?? "–" },
	{ head: "stop", align: "left", rank: 12, most: 10, cell: (row) => row.stop ?? "–" },
	{ head: "prompt", align: "right", rank: 1, cell: (row) => formatCount(row.prompt) },
	{ head: "hit", align: "right", rank: 4, cell: (row) => formatShare(row.cacheHit) },
	{ head: "cached", align: "right", rank: 13, cell: (row) => formatCount(row.cacheRead) },
	{ head: "written", align: "right", rank: 14, cell: (row) => formatCount(row.cacheWrite) },
	{ head: "fresh", align: "right", rank: 15, cell: (row) => formatCount(row.input) },
	{ head: "output", align: "right", rank: 6, cell: (row) => formatCount(row.output) },
	{ head: "cost", align: "right", rank: 2, cell: (row) => formatUsd(row.costUsd) },
	{ head: "raw", align: "right", rank: 9, cell: (row) => estimated(formatCount(row.rawTokens)) },
	{ head: "saved", align: "right", rank: 3, cell: saved },
	{ head: "missed", align: "left", rank: 7, least: 12, most: 28, cell: missed },
];

function barColumn(largest: number, { colour }: Paper): Column<RequestRow> {
	return {
		head: "prompt by parts",
		align: "left",
		rank: 8,
		painted: true,
		cell: ({ input, cacheRead, cacheWrite }) =>
			input === null || cacheRead === null || cacheWrite === null
				? ""
				: drawBar({ input, cacheRead, cacheWrite }, largest, BAR, colour),
	};
}

function saved(row: RequestRow): string {
	if (row.unfolded) return "unfolded";
	return row.savedTokens === 0 ? "" : estimated(formatCount(row.savedTokens));
}

function missed(row: RequestRow): string {
	return row.miss.map((miss) => `${miss.cause} ${estimated(formatCount(miss.tokens))}`).join(", ");
}

function drawTotals(profile: Profile, paper: Paper): string {
	const { totals, folds, calibration, asides } = profile;
	const saved = isFolded(folds)
		? `saved ~${formatCount(totals.savedTokens)}${nameScale(calibration)}${savedUsd(totals)}`
		: "no fold was sent";
	const lines = [
		`Active branch: ${plural(totals.requests, "request", "requests")}, ${plural(totals.steps, "step", "steps")}, ` +
			`${plural(totals.userMessages, "user message", "user messages")}, ${plural(totals.toolCalls, "tool call", "tool calls")}`,
		...drawUsage(totals),
		`  sent ~${formatCount(totals.foldedTokens)} of ~${formatCount(totals.rawTokens)} raw (estimates), ${saved}`,
		`  ${fit(calibration)}`,
	];
	const odd = oddities(totals);
	if (odd !== "") lines.push(`  ${odd}`);
	lines.push(...drawAsides(asides));
	const wrapped = lines.flatMap((line) => wrapOn(paper, line));
	return `${[...wrapped, ...drawFailures(profile, paper)].join("\n")}\n`;
}

function drawUsage(totals: Profile["totals"]): string[] {
	const { prompt, cacheRead, cacheWrite, input, cacheHit, output, costUsd } = totals;
	const used = `output ${sumTokens(output, totals)}, cost ${sumUsd(costUsd, totals)}${nameGaps(totals)}`;
	if (isUnmeasured(totals)) return [`  prompt –, ${used}`];
	return [
		`  prompt ${sumTokens(prompt, totals)}: cached ${sumTokens(cacheRead, totals)}, ` +
			`written ${sumTokens(cacheWrite, totals)}, fresh ${sumTokens(input, totals)}; ` +
			`cache hit ${formatShare(cacheHit)}`,
		`  ${used}`,
	];
}

/** More of them are only counted. */
const NAMED = 8;

function drawAsides({ emptyStops, images }: Profile["asides"]): string[] {
	const lines: string[] = [];
	if (emptyStops.length > 0) {
		const named = emptyStops.slice(0, NAMED).map((index) => `#${index}`);
		const more = emptyStops.length > NAMED ? ", …" : "";
		const count = plural(emptyStops.length, "empty stop", "empty stops");
		lines.push(`  ${count} (nothing said, no usage): ${named.join(", ")}${more}`);
	}
	if (images.count > 0)
		lines.push(
			`  ${plural(images.count, "image", "images")}, ${formatBytes(images.bytes)} of base64; ` +
				`an estimate takes each for ~${formatCount(IMAGE_TOKENS)}`,
		);
	return lines;
}

function savedUsd({ savedTokens, savedUsd: { low, high } }: Profile["totals"]): string {
	if (savedTokens === 0 || low === null || high === null) return "";
	return ` (~${formatUsd(low)} to ~${formatUsd(high)})`;
}

function fit({ k, overhead, requests, error }: Profile["calibration"]): string {
	if (requests === 0) return "not calibrated: no usage to calibrate with";
	return (
		`calibrated on ${plural(requests, "request", "requests")}: ` +
		`~${formatCount(overhead)} + ~${k.toFixed(2)} × estimate${errorOf(error)}`
	);
}

/** Beyond this median error a line says nothing of the sizes that it was fitted to. */
const MISFIT = 1;

function errorOf(error: number | null): string {
	if (error === null) return "";
	if (error > MISFIT) return ", which does not fit: most are off by more than their own size";
	return `, median error ~${(error * 100).toFixed(1)}%`;
}

function oddities(totals: Profile["totals"]): string {
	const parts: string[] = [];
	if (totals.compactions > 0) parts.push(plural(totals.compactions, "compaction", "compactions"));
	if (totals.unansweredCalls > 0)
		parts.push(plural(totals.unansweredCalls, "unanswered call", "unanswered calls"));
	if (totals.orphanResults > 0)
		parts.push(plural(totals.orphanResults, "orphan result", "orphan results"));
	const { recorded, applied, skipped } = totals.folds;
	if (recorded > 0)
		parts.push(`folds recorded: ${recorded}, applied: ${applied}, skipped: ${skipped}`);
	return parts.join(", ");
}

function drawMisses({ totals, asides }: Profile, paper: Paper): string {
	const misses = totals.miss.filter((miss) => miss.tokens > 0);
	if (misses.length === 0) return "";
	const all = misses.reduce((sum, miss) => sum + miss.tokens, 0);
	const columns: Column<(typeof misses)[number]>[] = [
		{ head: "not from cache because", align: "left", rank: 0, cell: (miss) => miss.cause },
		{
			head: "tokens",
			align: "right",
			rank: 1,
			cell: (miss) => estimated(formatCount(miss.tokens)),
		},
		{ head: "share", align: "right", rank: 3, cell: (miss) => estimatedShare(miss.tokens / all) },
		{
			head: "extra cost",
			align: "right",
			rank: 2,
			cell: ({ cause, costUsd }) => missUsd(costUsd, asides.leastMissUsd.get(cause)),
		},
	];
	return `Misses\n${drawTable(columns, misses, paper)}`;
}

/** What misses cost: the known part as a lower bound where that is not all. */
function missUsd(costUsd: number | null, leastUsd: number | undefined): string {
	if (costUsd === null && leastUsd !== undefined) return `≥${estimated(formatUsd(leastUsd))}`;
	return estimated(formatUsd(costUsd));
}

function drawSpend({ spend, asides }: Profile, paper: Paper): string {
	const gaps = { ...spend, unmeasured: asides.unmeasured };
	const cost = `${sumUsd(spend.costUsd, gaps)}${nameGaps(gaps)}`;
	const other =
		spend.other.entries > 0
			? `; beside them ${formatUsd(spend.other.costUsd)} in ${plural(spend.other.entries, "entry", "entries")} (compactions, summaries, tools)`
			: "";
	const line = `Whole file: ${plural(spend.requests, "request", "requests")}, ${cost}${other}`;
	return `${wrapOn(paper, line).join("\n")}\n`;
}
