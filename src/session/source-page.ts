// A source in pages. Pages put together are the source again, whatever their size; none cuts a character
// in two.

import type { PlacedImage, SourceText } from "./source-text.ts";

/** A part of a source. Offsets are in UTF-16 units from its beginning. */
export interface Page {
	readonly text: string;
	readonly offset: number;
	/** where the next page begins; `null` at the end */
	readonly next: number | null;
	/** length of the whole source */
	readonly total: number;
	/** the images whose name begins on this page */
	readonly images: readonly PlacedImage[];
}

/** How much `read_dmail` gives at once. */
export const PAGE_LENGTH = 8_000;

/**
 * The page at `offset` of about `limit` characters: one less where the end would part a surrogate pair,
 * and at least one whole character. An offset inside a pair begins before it; one past the end gives an
 * empty page.
 */
export function pageOf(source: SourceText, offset: number, limit: number): Page {
	const { text } = source;
	const total = text.length;
	const from = boundary(text, clamp(offset, 0, total));
	const wanted = boundary(text, clamp(from + clamp(limit, 1, total), 0, total));
	const to = wanted > from ? wanted : Math.min(total, from + 2);
	return {
		text: text.slice(from, to),
		offset: from,
		next: to < total ? to : null,
		total,
		images: source.images.filter((one) => one.offset >= from && one.offset < to),
	};
}

function clamp(value: number, low: number, high: number): number {
	const whole = Number.isNaN(value) ? low : Math.trunc(value);
	return Math.max(low, Math.min(high, whole));
}

/** The position, or the one before it where it lies inside a surrogate pair. */
function boundary(text: string, at: number): number {
	return isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at)) ? at - 1 : at;
}

function isHigh(unit: number): boolean {
	return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
	return unit >= 0xdc00 && unit <= 0xdfff;
}
