// The label that the model sees for a step: the one place that writes and reads it.

const MARKER = /^\[step ([1-9]\d{0,8})\]$/;

/** `[step N]` for a step number, 1-based. `parseStep(formatStep(n))` is `n`. */
export function formatStep(step: number): string {
	return `[step ${step}]`;
}

/** The step that a line names if it is a marker and nothing else, else `undefined`. */
export function parseStep(line: string): number | undefined {
	const found = MARKER.exec(line.trim());
	return found ? Number(found[1]) : undefined;
}

/**
 * The text with every line that is nothing but a marker broken up, so that no text but a marker reads
 * as one. Everything else stays to the byte.
 */
export function breakMarkers(text: string): string {
	if (!text.includes("[step ")) return text;
	return text.replace(/^([^\S\n]*)\[step ([1-9]\d{0,8})\]([^\S\n]*)$/gm, "$1[ step $2 ]$3");
}
