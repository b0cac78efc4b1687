// Text from a session made safe for a terminal: what it says, and nothing it could do.

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

function picture(found: string): string {
	const code = found.codePointAt(0) ?? 0;
	if (found === "\n" || found === "\r" || found === "\t") return " ";
	if (code === 0x2028 || code === 0x2029) return " ";
	if (code < 0x20) return String.fromCodePoint(0x2400 + code);
	if (code === 0x7f) return "␡";
	if (code < 0xa0 || (code >= 0xd800 && code <= 0xdfff)) return "\ufffd";
	return "";
}
