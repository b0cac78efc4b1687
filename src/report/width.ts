// How wide a text is on a terminal, and texts cut or filled up to a width. Only for printable texts.

import stringWidth from "string-width";

/** Columns that a printable text takes on a terminal. */
export function widthOf(text: string): number {
	return isAscii(text) ? text.length : stringWidth(text);
}

/** The text cut to a number of columns, with `…` where something is missing. */
export function clip(text: string, columns: number): string {
	if (widthOf(text) <= columns) return text;
	if (columns <= 0) return "";
	let taken = "";
	let width = 0;
	for (const { segment } of GRAPHEMES.segment(text)) {
		width += widthOf(segment);
		if (width > columns - 1) break;
		taken += segment;
	}
	return `${taken}…`;
}

/** The text cut to a number of columns as `clip` does it, but in its middle: of a path both ends tell something. */
export function clipMiddle(text: string, columns: number): string {
	if (widthOf(text) <= columns || columns < 3) return clip(text, columns);
	const segments = Array.from(GRAPHEMES.segment(text), ({ segment }) => segment);
	const head = fitting(segments, Math.floor((columns - 1) / 2));
	const tail = fitting(segments.toReversed(), columns - 1 - widthOf(head.join("")));
	return `${head.join("")}…${tail.toReversed().join("")}`;
}

/** As many of the first segments as fit into so many columns. */
function fitting(segments: readonly string[], columns: number): readonly string[] {
	let width = 0;
	const end = segments.findIndex((segment) => {
		width += widthOf(segment);
		return width > columns;
	});
	return end < 0 ? segments : segments.slice(0, end);
}

/** The text filled up with blanks to a number of columns, on its left or right. */
export function pad(text: string, columns: number, side: "left" | "right"): string {
	const blanks = " ".repeat(Math.max(0, columns - widthOf(text)));
	return side === "left" ? text + blanks : blanks + text;
}

/** The text in lines of at most so many columns, broken at blanks where there are any. */
export function wrap(text: string, columns: number): string[] {
	const lines: string[] = [];
	let line = "";
	for (const word of text.split(/(?<= )/)) {
		if (widthOf(line + word.trimEnd()) > columns && line !== "") {
			lines.push(line.trimEnd());
			line = "";
		}
		line += word;
		while (widthOf(line.trimEnd()) > columns) {
			const head = headOf(line, columns);
			lines.push(head);
			line = line.slice(head.length);
		}
	}
	return [...lines, line.trimEnd()];
}

/** As many whole characters as fit, but at least one. */
function headOf(text: string, columns: number): string {
	let head = "";
	for (const { segment } of GRAPHEMES.segment(text)) {
		if (head !== "" && widthOf(head + segment) > columns) break;
		head += segment;
	}
	return head;
}

const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });

function isAscii(text: string): boolean {
	for (let i = 0; i < text.length; i++) {
		const code = text.charCodeAt(i);
		if (code < 0x20 || code > 0x7e) return false;
	}
	return true;
}
