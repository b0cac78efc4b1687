// What the folding tool tells the model of a fold it made: what is gone from view, and what the summary
// forgot to name. Counts entries; changes nothing.

import { isStep } from "../session/branch.ts";
import type { SessionEntry } from "../session/entry.ts";
import { messageIn } from "./action.ts";
import type { Facts } from "./facts.ts";

/** What a fold took out of view. */
export interface Receipt {
	readonly steps: number;
	/** messages of any kind */
	readonly entries: number;
	readonly results: number;
	/** the user's messages, those run with `!` among them; `!!` is nothing to the model */
	readonly userMessages: number;
	/** changed files that the summary never names, as the notes tell them */
	readonly unnamed: readonly string[];
}

/** At most this many forgotten files are listed, the most changed first. */
const UNNAMED_LIMIT = 12;

/**
 * The receipt of a fold over these entries.
 *
 * @param byOthers files that git shows as changed, beside those of the facts
 */
export function receiptOf(
	entries: readonly SessionEntry[],
	facts: Facts,
	summary: string,
	byOthers: readonly string[] = [],
): Receipt {
	const counts = { steps: 0, entries: 0, results: 0, userMessages: 0 };
	for (const entry of entries) count(entry, counts);
	const changed = [...facts.changed.map(({ name }) => name), ...byOthers];
	return { ...counts, unnamed: unnamedIn(summary, changed) };
}

/** The receipt in words, a line or two. */
export function tellReceipt({ unnamed, ...counts }: Receipt): string {
	const folded = [
		many(counts.steps, "step"),
		many(counts.entries, "entry", "entries"),
		many(counts.results, "tool result"),
		many(counts.userMessages, "message of the user", "messages of the user"),
	];
	const lines = [`Folded: ${folded.join(", ")}.`];
	if (unnamed.length > 0) {
		const listed = unnamed.slice(0, UNNAMED_LIMIT);
		const left = unnamed.length - listed.length;
		const rest = left > 0 ? ` and ${left} more` : "";
		lines.push(`Changed, but not in your summary: ${listed.join(", ")}${rest}.`);
	}
	return lines.join("\n");
}

/**
 * Those of the changed files that a summary does not name. A file is named by its path or by any end of
 * it that no other changed file shares: `fold.ts` will do for `src/fold.ts` unless `test/fold.ts` changed
 * too.
 */
export function unnamedIn(summary: string, changed: readonly string[]): string[] {
	const said = summary.replaceAll("\\", "/");
	const files = [...new Set(changed)];
	const ends = new Map<string, number>();
	for (const file of files) for (const end of endsOf(file)) ends.set(end, (ends.get(end) ?? 0) + 1);
	return files.filter(
		(file) => !endsOf(file).some((end) => (end === file || ends.get(end) === 1) && says(said, end)),
	);
}

function count(
	entry: SessionEntry,
	counts: { steps: number; entries: number; results: number; userMessages: number },
): void {
	if (entry.type === "custom_message" || entry.type === "branch_summary") counts.entries++;
	const message = messageIn(entry);
	if (!message || message.role === "system") return;
	if (message.role === "bashExecution" && message.excludeFromContext) return;
	counts.entries++;
	if (message.role === "assistant" && isStep(message.stopReason)) counts.steps++;
	if (message.role === "toolResult") counts.results++;
	if (message.role === "user" || message.role === "bashExecution") counts.userMessages++;
}

/** A path and what is left of it without its first directories; a directory keeps the slash at its end. */
function endsOf(path: string): string[] {
	const ends = [path];
	for (let at = path.indexOf("/"); at >= 0 && at < path.length - 1; at = path.indexOf("/", at + 1))
		ends.push(path.slice(at + 1));
	return ends;
}

/** Whether a text has the name as a whole: not as a part of a longer name. */
function says(text: string, name: string): boolean {
	for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
		const before = text.slice(0, at);
		const after = text.slice(at + name.length);
		if (!/[\p{L}\p{N}_-]$|[\p{L}\p{N}_]\.$/u.test(before.slice(-2)) && isEnd(after, name))
			return true;
	}
	return false;
}

/** What follows a name must not go on with it; a full stop may end a sentence. */
function isEnd(after: string, name: string): boolean {
	return name.endsWith("/") || !/^(?:[\p{L}\p{N}_-]|\.[\p{L}\p{N}_])/u.test(after.slice(0, 2));
}

function many(count: number, one: string, more = `${one}s`): string {
	return `${count} ${count === 1 ? one : more}`;
}
