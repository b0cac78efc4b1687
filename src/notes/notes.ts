// The notes of a fold: what its entries prove, in a few lines that are frozen in the record. Truth beside
// the summary, which is the model's own. What is not known is not printed.

import { estimateText } from "../session/size.ts";
import { type Command, type Facts, type Tally, tellEnding } from "./facts.ts";

/** All the notes of a fold together are at most this long, in tokens. */
export const NOTES_LIMIT = 120;

/**
 * The lines for a record, the most important first, at most `NOTES_LIMIT` tokens. Every kind of fact gets
 * a place before one gets much of it; an item is printed whole or counted, so no path is ever cut.
 *
 * @param byOthers files that git shows as changed in that time and no edit or write explains
 */
export function notesOf(facts: Facts, byOthers: readonly string[] = []): string[] {
	const lines = linesOf(facts, byOthers).map((line) => ({ ...line, shown: 0, full: false }));
	const render = () => lines.map(renderLine).filter((text) => text !== "");
	const fits = () => estimateText(render().join("\n")) <= NOTES_LIMIT;
	for (let grew = true; grew; ) {
		grew = false;
		for (const line of lines)
			for (let turn = 0; turn < line.pace; turn++) if (grow(line, fits)) grew = true;
	}
	return render();
}

/** A list that may be printed in part. */
interface Line {
	readonly lead: string;
	readonly items: readonly string[];
	/** how many items it may take in its turn: its importance */
	readonly pace: number;
}

interface Growing extends Line {
	shown: number;
	/** whether its next item is known not to fit */
	full: boolean;
}

function linesOf(facts: Facts, byOthers: readonly string[]): Line[] {
	const { commands, failures, lastCommand } = facts;
	const failed = failures.reduce((sum, { count }) => sum + count, 0);
	return [
		list("Files changed", tallies(facts.changed), 3),
		list("Changed otherwise (git)", byOthers, 2),
		list(`Shell commands: ${commands}, failed: ${failed}`, failures.map(tellFailure), 2),
		failed === 0 && commands > 0
			? single(`Shell commands: ${commands}, no failure recorded`)
			: nothing,
		lastCommand ? single(`Last command: ${tellLast(lastCommand)}`) : nothing,
		list("Failed calls", tallies(facts.failed), 1),
		list("Calls without a result", tallies(facts.unanswered), 1),
		facts.images > 0 ? single(`Images seen: ${facts.images}`) : nothing,
		list("Files read", tallies(facts.read), 1),
		list("Other tools", tallies(facts.others), 1),
		list("Messages of extensions", tallies(facts.customs), 1),
	];
}

const nothing: Line = { lead: "", items: [], pace: 0 };

function single(text: string): Line {
	return { lead: "", items: [text], pace: 1 };
}

function list(lead: string, items: readonly string[], pace: number): Line {
	return { lead: `${lead}: `, items, pace };
}

function tallies(list: readonly Tally[]): string[] {
	return list.map(({ name, count }) => name + times(count));
}

function tellFailure({ text, ending, count }: Command): string {
	return `${text} (${tellEnding(ending)})${times(count)}`;
}

function tellLast({ text, ending }: Command): string {
	const how = tellEnding(ending);
	return how === undefined ? text : `${text} (${how})`;
}

function times(count: number): string {
	return count > 1 ? ` ×${count}` : "";
}

function renderLine({ lead, items, shown }: Growing): string {
	if (shown === 0) return "";
	const left = items.length - shown;
	return lead + items.slice(0, shown).join(", ") + (left > 0 ? ` and ${left} more` : "");
}

function grow(line: Growing, fits: () => boolean): boolean {
	if (line.full || line.shown >= line.items.length) return false;
	line.shown++;
	if (fits()) return true;
	line.shown--;
	line.full = true;
	return false;
}
