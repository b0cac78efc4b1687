// Text of others on its way to a terminal: what it says, and nothing that a terminal would obey.

/** The text with blanks in place of control characters other than line ends and tabs, of overrides and of halves of pairs. */
export function harmless(text: string): string {
	return text.replace(/[^\P{Cc}\n\t]|[\p{Cs}\u202a-\u202e\u2066-\u2069]/gu, " ");
}
