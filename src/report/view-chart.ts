// The session as a chart: context size by request, what was sent against what would have been, measured
// against both. Text in, text out; as wide and as high as it is told.

import { styleText } from "node:util";
import { estimated, formatCount } from "./number.ts";
import { promptAround } from "./view-scale.ts";
import type { Subject } from "./view-state.ts";
import { clip, pad } from "./width.ts";

/** Room for the labels of the axis. */
const AXIS = 8;

/** How the chart is drawn: told apart by shape, so that it is legible without colour. */
export const MARKS = { sent: "█", raw: "░", measured: "•", compaction: "▼", fold: "◆" } as const;

/** One column of the chart: one request, or several that have to share it. Sizes in tokens. */
interface Bar {
	readonly first: number;
	readonly last: number;
	/** calibrated size of what was sent; the largest of its requests */
	readonly sent: number;
	readonly raw: number;
	/** NaN where nothing was measured */
	readonly measured: number;
}

export interface ChartSize {
	readonly columns: number;
	/** with the line of marks and the line of the cursor */
	readonly rows: number;
	readonly colour: boolean;
}

/** The chart, a string a line, with the cursor under one request. */
export function drawChart(subject: Subject, cursor: number, size: ChartSize): string[] {
	const bars = barsOf(subject, Math.max(1, size.columns - AXIS));
	const height = Math.max(1, size.rows - 2);
	let top = 1;
	for (const { sent, raw, measured } of bars)
		top = Math.max(top, sent, raw, Number.isNaN(measured) ? 0 : measured);
	const lines: string[] = [];
	for (let row = height; row >= 1; row--) {
		const cells = bars.map((bar) => cellOf(bar, (row - 0.5) * (top / height), top / height));
		lines.push(label(row, height, top) + paint(cells, size.colour));
	}
	lines.push(`${" ".repeat(AXIS)}${bars.map((bar) => markOf(bar, subject)).join("")}`);
	const under = bars.map((bar) => (cursor >= bar.first && cursor <= bar.last ? "▲" : " "));
	lines.push(`${" ".repeat(AXIS)}${under.join("")}`);
	return lines.map((line) => line.trimEnd());
}

/** Summed up once for each width: a key must not wait for a long session to be summed up anew. */
const SUMMED = new WeakMap<Subject, { readonly columns: number; readonly bars: readonly Bar[] }>();

function barsOf(subject: Subject, columns: number): readonly Bar[] {
	const known = SUMMED.get(subject);
	if (known?.columns === columns) return known.bars;
	const bars = sumUp(subject, columns);
	SUMMED.set(subject, { columns, bars });
	return bars;
}

/** One request a column where there is room, and wider bars where there are few. */
function sumUp({ profile }: Subject, columns: number): Bar[] {
	const { requests, calibration } = profile;
	const count = Math.min(columns, requests.length);
	const wide = Math.max(1, Math.min(4, Math.floor(columns / Math.max(1, requests.length))));
	const bars: Bar[] = [];
	for (let at = 0; at < count; at++) {
		const first = Math.floor((at * requests.length) / count);
		const last = Math.floor(((at + 1) * requests.length) / count) - 1;
		let [sent, raw, measured] = [0, 0, Number.NaN];
		for (let i = first; i <= last; i++) {
			const row = requests.at(i);
			sent = Math.max(
				sent,
				promptAround(row.unfolded ? row.rawTokens : row.foldedTokens, calibration),
			);
			raw = Math.max(raw, promptAround(row.rawTokens, calibration));
			if (row.prompt !== null) measured = Math.max(row.prompt, measured || 0);
		}
		for (let copy = 0; copy < wide; copy++) bars.push({ first, last, sent, raw, measured });
	}
	return bars;
}

type Cell = keyof typeof MARKS | "none";

/** What stands at a height of a bar; `step` is how much one row is. */
function cellOf({ sent, raw, measured }: Bar, height: number, step: number): Cell {
	if (Math.abs(measured - height) <= step / 2) return "measured";
	if (height <= sent) return "sent";
	return height <= raw ? "raw" : "none";
}

const COLOURS = { sent: "green", raw: "gray", measured: "yellow" } as const;

/** The cells of a line, runs of one kind painted together. */
function paint(cells: readonly Cell[], colour: boolean): string {
	let line = "";
	for (let from = 0; from < cells.length; ) {
		const kind = cells[from] ?? "none";
		let to = from;
		while (to < cells.length && cells[to] === kind) to++;
		const text = (kind === "none" ? " " : MARKS[kind]).repeat(to - from);
		const hue = COLOURS[kind as keyof typeof COLOURS];
		line += colour && hue ? styleText(hue, text, { validateStream: false }) : text;
		from = to;
	}
	return line;
}

function label(row: number, height: number, top: number): string {
	const at =
		row === height ? top : row === Math.ceil(height / 2) ? (top * row) / height : undefined;
	const text = at === undefined ? "" : estimated(formatCount(Math.round(at)));
	return `${pad(clip(text, AXIS - 2), AXIS - 2, "right")} │`;
}

function markOf({ first, last }: Bar, { profile, traces }: Subject): string {
	// the first that is shown need not be the first of the session, which marks are counted from
	const before = profile.requests.at(0).index - 1;
	const within = (position: number) => position >= before + first && position <= before + last;
	if (traces.compactions.some(within)) return MARKS.compaction;
	const landed = profile.folds.some(
		({ firstRequest }) => firstRequest !== null && within(firstRequest - 1),
	);
	return landed ? MARKS.fold : " ";
}
