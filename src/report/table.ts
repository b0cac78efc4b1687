// Tables that fit the terminal they are printed on. Columns have room by importance: one that does not fit
// is left out, a lesser and narrower one may still fit. The last flexible one is cut. In a pipe the same columns stand as plain text, none dropped. A column
// without a value in any row is in neither.

import Table from "cli-table3";
import { printable } from "./printable.ts";
import { clip, pad, widthOf, wrap } from "./width.ts";

/** One column of a table of `R`s. */
export interface Column<R> {
	readonly head: string;
	readonly align: "left" | "right";
	/** 0 has room first; of equal ones the left-most */
	readonly rank: number;
	/** the narrowest a text may be cut to; absent: never cut */
	readonly least?: number | undefined;
	/** the widest it may become */
	readonly most?: number | undefined;
	/** the cell as text; colour in it is kept */
	cell(row: R): string;
	/** the cell in fewer words, for where its column has to be narrower: then it is not cut */
	readonly short?: ((row: R) => string) | undefined;
	/** the cell's colour codes are ours: do not neutralise them */
	readonly painted?: true | undefined;
}

/** How a report is printed. */
export interface Paper {
	/** terminal: a table that fits; pipe: plain text */
	readonly kind: "terminal" | "pipe";
	readonly columns: number;
	readonly colour: boolean;
}

/** The table as text with a line break at its end; empty without rows. */
export function drawTable<R>(
	columns: readonly Column<R>[],
	rows: readonly R[],
	paper: Paper,
): string {
	if (rows.length === 0) return "";
	const laid = columns.map((column) => layOut(column, rows)).filter(saysSomething);
	return paper.kind === "pipe" ? plain(laid) : boxed(fit(laid, paper.columns));
}

/** A column that is empty in every row says nothing. */
function saysSomething({ cells }: Laid): boolean {
	return cells.some((cell) => cell !== "");
}

/** A line of prose in lines that fit the paper, the later ones a little further in. */
export function wrapOn({ kind, columns }: Paper, line: string): string[] {
	if (kind === "pipe" || widthOf(line) <= columns) return [line];
	const text = line.trimStart();
	const indent = " ".repeat(line.length - text.length);
	const lines = wrap(text, columns - indent.length - 2);
	return lines.map((one, i) => `${indent}${i > 0 ? "  " : ""}${one}`);
}

interface Laid {
	readonly head: string;
	readonly align: "left" | "right";
	readonly rank: number;
	readonly least: number;
	cells: readonly string[];
	readonly shorts: readonly string[];
	width: number;
}

function layOut<R>(column: Column<R>, rows: readonly R[]): Laid {
	const most = column.most ?? Number.POSITIVE_INFINITY;
	const cells = rows.map((row) => {
		const text = column.cell(row);
		return column.painted ? text : clip(printable(text), most);
	});
	const { short } = column;
	const shorts = short ? rows.map((row) => clip(printable(short(row)), most)) : [];
	const width = widest(column.head, cells);
	const least = short ? widest(column.head, shorts) : (column.least ?? width);
	return {
		head: column.head,
		align: column.align,
		rank: column.rank,
		least: Math.min(least, width),
		cells,
		shorts,
		width,
	};
}

function widest(head: string, cells: readonly string[]): number {
	let width = widthOf(head);
	for (const cell of cells) width = Math.max(width, widthOf(cell));
	return width;
}

/** Each column has a border and a blank on either side; one border closes the row. */
const widthOfAll = (columns: readonly Laid[]): number =>
	columns.reduce((sum, column) => sum + column.width + 3, 1);

function fit(columns: readonly Laid[], width: number): Laid[] {
	const kept = columns.filter(fitting(columns, width));
	for (const column of kept.toSorted((a, b) => b.rank - a.rank)) {
		const over = widthOfAll(kept) - width;
		if (over > 0) narrow(column, Math.max(column.least, column.width - over));
	}
	return kept;
}

/** Which columns have room beside more important ones, of equal ones beside those on their left. */
function fitting(columns: readonly Laid[], width: number): (column: Laid) => boolean {
	const chosen: Laid[] = [];
	for (const column of columns.toSorted((a, b) => a.rank - b.rank))
		if (chosen.length === 0 || leastOf([...chosen, column]) <= width) chosen.push(column);
	return (column) => chosen.includes(column);
}

/** What fewer words leave free is not kept: another column may have it. */
function narrow(column: Laid, width: number): void {
	column.cells = column.cells.map((cell, i) =>
		widthOf(cell) > width ? column.shorts[i] || cell : cell,
	);
	column.width = Math.min(width, widest(column.head, column.cells));
}

function leastOf(columns: readonly Laid[]): number {
	return widthOfAll(columns) - columns.reduce((sum, one) => sum + one.width - one.least, 0);
}

function plain(columns: readonly Laid[]): string {
	const lines: string[] = [];
	const count = columns[0]?.cells.length ?? 0;
	for (let row = -1; row < count; row++) {
		const cells = columns.map((column) => {
			const text = row < 0 ? column.head : (column.cells[row] ?? "");
			return pad(text, column.width, column.align);
		});
		lines.push(cells.join("  ").trimEnd());
	}
	return `${lines.join("\n")}\n`;
}

/** cli-table3 measures by an older Unicode, so it gets stand-ins of the right width to lay out. */
const STAND_IN = "\ue000";

/** cli-table3 takes most of a millisecond a row: it draws so many, and the rest is written in its form. */
const DRAWN = 100;

function boxed(columns: readonly Laid[]): string {
	const count = columns[0]?.cells.length ?? 0;
	const lines = frame(columns, Math.min(count, DRAWN));
	if (count <= DRAWN) return `${lines.join("\n")}\n`;
	const closing = lines.pop() ?? "";
	for (let row = DRAWN; row < count; row++) lines.push(writeRow(columns, row));
	return `${lines.join("\n")}\n${closing}\n`;
}

/** The head, the first rows and the frame around them, a string a line. */
function frame(columns: readonly Laid[], count: number): string[] {
	const table = new Table({
		head: columns.map((column) => clip(column.head, column.width)),
		colAligns: columns.map((column) => column.align),
		colWidths: columns.map((column) => column.width + 2),
		style: { head: [], border: [], compact: true },
	});
	const texts: string[] = [];
	for (let row = 0; row < count; row++)
		table.push(
			columns.map((column) => standIn(clip(column.cells[row] ?? "", column.width), texts)),
		);
	let next = 0;
	const text = table.toString().replace(/\ue000+/g, () => texts[next++] ?? "");
	return text.split("\n");
}

function writeRow(columns: readonly Laid[], row: number): string {
	const cells = columns.map(({ cells, width, align }) =>
		pad(clip(cells[row] ?? "", width), width, align),
	);
	return `│ ${cells.join(" │ ")} │`;
}

function standIn(text: string, texts: string[]): string {
	const width = widthOf(text);
	// nothing to be seen: a combining mark without a letter, say
	if (width === 0) return "";
	texts.push(text);
	return STAND_IN.repeat(width);
}
