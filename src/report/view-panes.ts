// The panes of the view beside the chart: one request, the list of folds, one fold. Text in, text out.

import type { Calibration, FoldRow, RequestRow } from "../profile/profile.ts";
import { drawBar } from "./bar.ts";
import { FOLD_COLUMNS } from "./folds.ts";
import { estimated, formatCount, formatShare, formatTime, formatUsd, UNKNOWN } from "./number.ts";
import { printable } from "./printable.ts";
import { type Column, drawTable } from "./table.ts";
import { foldScaled, promptAround, sayScale } from "./view-scale.ts";
import { SORTS, type Subject, sortFolds, type ViewState } from "./view-state.ts";
import { pad, wrap } from "./width.ts";

/** How much room a pane has. */
export interface PaneSize {
	readonly columns: number;
	readonly rows: number;
	readonly colour: boolean;
}

/** Everything about the request under the cursor. */
export function drawRequest({ profile }: Subject, state: ViewState, size: PaneSize): string[] {
	if (profile.requests.length === 0) return [noRequests(profile)];
	const row = profile.requests.at(state.request);
	const failure = profile.asides.failures.get(row.index);
	const facts: [string, string][] = [
		["step", row.step === null ? "none: an attempt" : `${row.step}`],
		["time (UTC)", formatTime(row.time)],
		["model", `${row.provider ?? UNKNOWN} / ${row.model ?? UNKNOWN}`],
		["stop", row.stop ?? UNKNOWN],
		...(failure === undefined ? [] : [["message", failure] as [string, string]]),
		["", ""],
		["prompt", `${formatCount(row.prompt)}, cache hit ${formatShare(row.cacheHit)}`],
		...partsOf(row, size),
		["output", formatCount(row.output)],
		["cost", formatUsd(row.costUsd)],
		["", ""],
		...estimatesOf(row, profile.calibration),
	];
	return [
		`Request ${row.index} of ${profile.totals.requests}`,
		"",
		...facts.flatMap((fact) => drawFact(fact, size)),
	];
}

/** A name and what it is, in as many lines as that takes. */
function drawFact([name, text]: readonly [string, string], { columns }: PaneSize): string[] {
	return wrap(printable(text), columns - 14).map(
		(line, i) => `  ${pad(i === 0 ? name : "", 12, "left")}${line}`,
	);
}

/** Why there is no request to look at. */
export function noRequests({ totals }: Subject["profile"]): string {
	return totals.requests === 0 ? "No requests." : `Requests: ${totals.requests}, none shown.`;
}

function partsOf(row: RequestRow, { columns }: PaneSize): [string, string][] {
	const { input, cacheRead, cacheWrite, prompt } = row;
	if (input === null || cacheRead === null || cacheWrite === null || prompt === null) return [];
	const width = Math.max(10, columns - 40);
	const part = (name: string, tokens: number, parts: object): [string, string] => [
		`  ${name}`,
		`${pad(formatCount(tokens), 8, "left")}${drawBar({ input: 0, cacheRead: 0, cacheWrite: 0, ...parts }, prompt, width, false)}`,
	];
	return [
		part("cached", cacheRead, { cacheRead }),
		part("written", cacheWrite, { cacheWrite }),
		part("fresh", input, { input }),
	];
}

/** What is estimated of it, on the scale of its prompt. */
function estimatesOf(row: RequestRow, calibration: Calibration): [string, string][] {
	const { unfolded, folds, rawTokens, foldedTokens, savedTokens } = row;
	const size = (tokens: number) => estimated(formatCount(promptAround(tokens, calibration)));
	const inView = `${folds} ${folds === 1 ? "fold" : "folds"} in view`;
	return [
		["sent", unfolded ? `${size(rawTokens)}, unfolded` : `${size(foldedTokens)}, with ${inView}`],
		["raw", size(rawTokens)],
		["saved", unfolded ? "nothing" : estimated(formatCount(savedTokens))],
		["missed", missed(row)],
		["estimates", `of whole prompts, ${sayScale(calibration)}`],
	];
}

function missed({ prompt, miss }: RequestRow): string {
	if (prompt === null) return UNKNOWN;
	if (miss.length === 0) return "nothing";
	const said = miss.map(({ cause, tokens, costUsd }) => {
		const money = costUsd === null ? "" : `, ${estimated(formatUsd(costUsd))}`;
		return `${estimated(formatCount(tokens))}${money}: ${cause}`;
	});
	return said.join("; ");
}

/** That something is not in sight; empty where nothing is. */
export function moreAbove(count: number): string {
	return count > 0 ? `↑ ${count} more` : "";
}

/** The same at the other end. */
export function moreBelow(count: number): string {
	return count > 0 ? `↓ ${count} more` : "";
}

/** The list of folds around the one under the cursor. */
export function drawFoldList({ profile }: Subject, state: ViewState, size: PaneSize): string[] {
	const { folds, calibration } = profile;
	if (folds.length === 0) return ["No folds."];
	const order = sortFolds(folds, state.sort);
	// title, head and frame take six lines, and what is below one more where not all have room
	const isWhole = order.length <= size.rows - 6;
	const room = Math.max(1, isWhole ? order.length : size.rows - 7);
	const from = Math.max(0, Math.min(state.fold - Math.floor(room / 2), order.length - room));
	const shown = order.slice(from, from + room).flatMap((at, i) => {
		const fold = folds[at];
		return fold ? [{ fold: foldScaled(fold, calibration), isChosen: from + i === state.fold }] : [];
	});
	const columns: Column<(typeof shown)[number]>[] = [
		{ head: "", align: "left", rank: 0, cell: ({ isChosen }) => (isChosen ? "›" : "") },
		...FOLD_COLUMNS.map(({ short, ...column }) => ({
			...column,
			cell: (row: { fold: FoldRow }) => column.cell(row.fold),
			short: short && ((row: { fold: FoldRow }) => short(row.fold)),
		})),
	];
	const paper = { kind: "terminal", columns: size.columns, colour: false } as const;
	const sorts = SORTS.map((sort) => (sort === state.sort ? `[${sort}]` : sort)).join(" ");
	const title = `Folds: ${folds.length} by ${sorts}  ${sayScale(calibration)}`;
	const table = drawTable(columns, shown, paper).trimEnd().split("\n");
	return [title, moreAbove(from), ...table, moreBelow(order.length - from - shown.length)];
}

/** One fold: what it is, its summary and its notes. */
export function drawFold({ profile, traces }: Subject, state: ViewState, size: PaneSize): string[] {
	const at = sortFolds(profile.folds, state.sort)[state.fold] ?? -1;
	const plain = profile.folds[at];
	const record = traces.records[at];
	if (!plain) return ["No folds."];
	const fold = foldScaled(plain, profile.calibration);
	const facts = FOLD_COLUMNS.map(({ head, cell }) => [head, cell(fold)] as const);
	facts.push(["sizes", sayScale(profile.calibration)]);
	if (fold.reason !== null) facts.push(["reason", fold.reason]);
	const known = facts.filter(([, text]) => text !== "");
	const lines = known.flatMap((fact) => drawFact(fact, size));
	const texts: [string, readonly string[]][] = [
		["Summary", record?.summary.split("\n") ?? ["It could not be read."]],
		["Notes", record?.notes ?? []],
	];
	for (const [title, paragraphs] of texts) {
		if (paragraphs.length === 0) continue;
		lines.push(" ", title);
		for (const text of paragraphs)
			lines.push(...wrap(printable(text), size.columns - 2).map((line) => `  ${line}`));
	}
	return [`Fold ${printable(fold.id)}`, " ", ...lines.filter((line) => line !== "")];
}
