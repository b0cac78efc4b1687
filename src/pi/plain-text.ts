// Text of others on its way to a terminal: what it says, and nothing that a terminal would obey.

const [ESCAPE, BELL] = [String.raw`\u001b`, String.raw`\u0007`];
const STRING_START = String.raw`(?:${ESCAPE}[\]PX^_]|[\u0090\u0098\u009d-\u009f])`;
const STRING_END = String.raw`(?:${BELL}|${ESCAPE}\\|\u009c)`;

/**
 * The escape sequences of ECMA-48, each as a whole: control sequences, strings on one line with their end,
 * and what else begins with an escape. Node's own `stripVTControlCharacters` leaves most titles and links.
 */
const SEQUENCES = new RegExp(
	[
		String.raw`(?:${ESCAPE}\[|\u009b)[0-?]*[ -/]*[@-~]`,
		String.raw`${STRING_START}[^\n${BELL}${ESCAPE}\u0080-\u009f]*${STRING_END}`,
		`${ESCAPE}[ -/]*[0-~]`,
	].join("|"),
	"g",
);

/** The text without escape sequences: colours, titles, what links point at. Other controls stay. */
export function withoutEscapes(text: string): string {
	return text.replace(SEQUENCES, "");
}

/**
 * The text without escape sequences, and with blanks in place of control characters other than line ends and
 * tabs, of overrides and of halves of pairs.
 */
export function harmless(text: string): string {
	return withoutEscapes(text).replace(/[^\P{Cc}\n\t]|[\p{Cs}\u202a-\u202e\u2066-\u2069]/gu, " ");
}
