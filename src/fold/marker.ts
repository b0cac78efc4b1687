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
 * What a reader does not see, as the inside of a class of a regular expression with the flag `u`: controls,
 * formats, what is ignored by default, halves of pairs.
 */
export const UNSEEN = String.raw`\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Cs}`;

const LINES = /[^\n\v\f\r\x85\u2028\u2029]+/g;
const UNSEEN_NO_SPACE = new RegExp(String.raw`(?!\s)[${UNSEEN}]`, "gu");
const LIKE_MARKER = /^\s*\[step\s+[1-9]\d{0,8}\]\s*$/;

/**
 * The text with every line that reads as a marker and nothing else broken up, so that no text but a marker
 * does: also with what is not seen in it, or with other blanks. Everything else stays to the byte.
 */
export function breakMarkers(text: string): string {
	if (!text.includes("[")) return text;
	return text.replace(LINES, (line) => (isLikeMarker(line) ? breakBrackets(line) : line));
}

function isLikeMarker(line: string): boolean {
	return line.includes("[") && LIKE_MARKER.test(line.replace(UNSEEN_NO_SPACE, ""));
}

function breakBrackets(line: string): string {
	return line.replace("[", "[ ").replace("]", " ]");
}
