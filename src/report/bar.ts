// One bar per request: how much of its prompt was cached, written and fresh, against the largest prompt.

import { styleText } from "node:util";

/** The parts of a prompt, in tokens. */
export interface Parts {
	readonly cacheRead: number;
	readonly cacheWrite: number;
	readonly input: number;
}

/** How each part is drawn: told apart by shape, so that it is legible without colour. */
export const SHADES = { cacheRead: "█", cacheWrite: "▒", input: "░" } as const;
const COLOURS = { cacheRead: "green", cacheWrite: "yellow", input: "red" } as const;

/**
 * The bar of one prompt.
 *
 * @param largest the prompt that fills the whole width, in tokens
 * @param columns width of that one
 */
export function drawBar(parts: Parts, largest: number, columns: number, colour: boolean): string {
	const total = parts.cacheRead + parts.cacheWrite + parts.input;
	if (total <= 0 || largest <= 0) return "";
	const length = Math.max(1, Math.round((total / largest) * columns));
	const read = Math.round((parts.cacheRead / total) * length);
	const written = Math.round(((parts.cacheRead + parts.cacheWrite) / total) * length) - read;
	return (
		paint("cacheRead", read, colour) +
		paint("cacheWrite", written, colour) +
		paint("input", length - read - written, colour)
	);
}

function paint(part: keyof Parts, length: number, colour: boolean): string {
	if (length <= 0) return "";
	const text = SHADES[part].repeat(length);
	return colour ? styleText(COLOURS[part], text, { validateStream: false }) : text;
}
