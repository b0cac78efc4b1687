// What is wrong with a session file, on standard error: `file:line: reason`.

import type { SessionFacts } from "../profile/profile.ts";
import type { Io } from "./io.ts";
import { printable } from "./printable.ts";
import { widthOf, wrap } from "./width.ts";

/** More than this are counted, not listed. */
const SHOWN = 50;

/** Lists what is wrong with a file, a line each; for who reads along in a terminal no line is cut within a word. */
export function tellProblems({ problems, file }: SessionFacts, io: Io): void {
	for (const { line, reason } of problems.slice(0, SHOWN))
		io.err(problemText(`${printable(file)}:${line}:`, printable(reason), io));
	if (problems.length > SHOWN)
		io.err(`… and ${problems.length - SHOWN} problems more (--json has all)\n`);
}

/** A place stays whole, at the beginning of its line: terminals and editors open it at a click. */
function problemText(place: string, reason: string, { watched, paper }: Io): string {
	const line = `${place} ${reason}`;
	if (!watched || widthOf(line) <= paper.columns) return `${line}\n`;
	const lines = wrap(reason, paper.columns - REASON.length);
	return [place, ...lines.map((one) => `${REASON}${one}`), ""].join("\n");
}

/** Where a reason stands below its place. */
const REASON = "  ";
