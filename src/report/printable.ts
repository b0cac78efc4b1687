// Text from a session made safe and measurable for a terminal: what it says, and nothing it could do.

import stringWidth from "string-width";

/**
 * Everything that a terminal acts on or that hides its place: controls of both ranges, line and paragraph
 * separators, bidirectional overrides, zero-width characters, lone surrogates.
 */
const UNSAFE =
	/[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\p{Surrogate}/gu;

/**
 * The text on one line without anything a terminal would act on. Controls read as their pictures
 * (`␛`), line breaks and tabs as a blank; what only changes direction or joins is left out.
 */
export function printable(text: string): string {
	return text.replace(UNSAFE, picture);
}

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

function picture(found: string): string {
	const code = found.codePointAt(0) ?? 0;
	if (found === "\n" || found === "\r" || found === "\t") return " ";
	if (code === 0x2028 || code === 0x2029) return " ";
	if (code < 0x20) return String.fromCodePoint(0x2400 + code);
	if (code === 0x7f) return "␡";
	if (code < 0xa0 || (code >= 0xd800 && code <= 0xdfff)) return "\ufffd";
	return "";
}
