// `profile grep <session> PATTERN`: lines of folded text that match a regular expression.

import type { Recoverable } from "../profile/recover.ts";
import { withoutNested } from "../session/source-list.ts";
import { type Query, searchSource, tellFound } from "../session/source-search.ts";
import { chooseFold, chooseRecovery, forPaper } from "./choose-fold.ts";
import { type Io, OK, readArguments, readNumber, refuseUsage, UNREADABLE } from "./io.ts";
import { plural } from "./number.ts";
import { printable } from "./printable.ts";

const OPTIONS = {
	fold: { type: "string" },
	"ignore-case": { type: "boolean", short: "i" },
	context: { type: "string" },
} as const;

/**
 * Searches one fold, or all of them, each line once. A fold that cannot be trusted is named and left out. That
 * nothing was found is said, and is no failure.
 */
export async function grepCommand(args: readonly string[], io: Io): Promise<number> {
	const parsed = readArguments("grep", args, OPTIONS);
	if (typeof parsed === "string") return refuseUsage(io, parsed);
	const { values, positionals } = parsed;
	const [session, pattern, ...others] = positionals;
	if (session === undefined || pattern === undefined || others.length > 0)
		return refuseUsage(
			io,
			`grep: name a session and a pattern, not ${plural(positionals.length, "thing", "things")}`,
		);
	const context = values.context === undefined ? 0 : readNumber("context", values.context, 0);
	if (typeof context === "string") return refuseUsage(io, context);
	const query = { text: pattern, regex: true, ignoreCase: values["ignore-case"], context };
	const check = searchSource("", query);
	if (!check.ok) return refuseUsage(io, printable(check.reason));
	const recovery = await chooseRecovery(session, io);
	if ("code" in recovery) return recovery.code;
	const { folds } = recovery.found;
	if (values.fold === undefined) return search(folds, query, io);
	const choice = chooseFold(folds, values.fold, io);
	return "code" in choice ? choice.code : search([choice.found], query, io);
}

function search(folds: readonly Recoverable[], query: Query, io: Io): number {
	let code = OK;
	let hasFound = false;
	const readable = folds.flatMap((fold) => {
		const source = fold.read();
		if (source.ok) return [{ ...source, id: fold.record.id }];
		io.err(
			`${io.name}: fold ${printable(fold.record.id)} is not searched; it is ${printable(source.reason)}\n`,
		);
		code = UNREADABLE;
		return [];
	});
	for (const { id, text } of withoutNested(readable)) {
		const found = searchSource(text, query);
		if (!found.ok || found.lines.length === 0) continue;
		hasFound = true;
		const lines = tellFound(found, query).split("\n");
		const told = lines.map((line) => (line === "--" ? line : `${id}:${line}`)).join("\n");
		io.out(io.paper.kind === "pipe" ? `${told}\n` : forPaper(told, io));
	}
	if (!hasFound && code === OK) io.err(`${io.name}: ${printable(tellNothing(folds, query))}\n`);
	return code;
}

function tellNothing(folds: readonly Recoverable[], { text }: Query): string {
	const [first, ...others] = folds;
	if (!first) return "nothing is folded";
	const who = others.length === 0 ? `fold ${first.record.id} has no` : "no fold has a";
	return `${who} line that matches ${text}`;
}
