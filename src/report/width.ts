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

/** The text filled up with blanks to a number of columns, on its left or right. */
export function pad(text: string, columns: number, side: "left" | "right"): string {
	const blanks = " ".repeat(Math.max(0, columns - widthOf(text)));
	return side === "left" ? text + blanks : blanks + text;
}

const GRAPHEMES = new Intl.Segmenter("en", { granularity: "grapheme" });

function isAscii(text: string): boolean {
	for (let i = 0; i < text.length; i++) {
		const code = text.charCodeAt(i);
		if (code < 0x20 || code > 0x7e) return false;
	}
	return true;
}
