// The folds of a session as a table: what each did, what was expected of it and what was measured.

import type { Effect } from "../../fold.ts";
import { landingCell, payCell } from "../price/words.ts";
import type { FoldRow } from "../profile/profile.ts";
import { estimated, formatChange, formatCount, formatPrice, UNKNOWN } from "./number.ts";
import { printable } from "./printable.ts";
import { type Column, drawTable, type Paper, wrapOn } from "./table.ts";

/** The table of folds, and below it why some are skipped; a sentence where there are none. */
export function drawFolds(folds: readonly FoldRow[], paper: Paper): string {
	if (folds.length === 0) return "No folds.\n";
	const reasons = reasonsOf(folds).flatMap((line) => wrapOn(paper, line));
	return [drawTable(FOLD_COLUMNS, folds, paper), ...reasons.map((line) => `${line}\n`)].join("");
}

/** More folds that are skipped for one reason are only counted. */
const NAMED = 8;

/** Why folds are skipped, a line for each reason. */
function reasonsOf(folds: readonly FoldRow[]): string[] {
	const byReason = new Map<string, string[]>();
	for (const { id, reason } of folds) {
		if (reason === null) continue;
		const ids = byReason.get(reason) ?? [];
		byReason.set(reason, ids);
		ids.push(id);
	}
	return [...byReason].map(([reason, ids]) => {
		const named = ids.slice(0, NAMED).join(", ");
		const more = ids.length > NAMED ? ` and ${ids.length - NAMED} more` : "";
		return printable(`  skipped: ${named}${more}: ${reason}`);
	});
}

/** What a table of folds says: what became of each and what it brought first. */
export const FOLD_COLUMNS: readonly Column<FoldRow>[] = [
	{ head: "fold", align: "left", rank: 0, most: 12, cell: (fold) => fold.id },
	{ head: "steps", align: "right", rank: 6, cell: steps },
	{ head: "by", align: "left", rank: 9, cell: (fold) => fold.by ?? UNKNOWN },
	{ head: "state", align: "left", rank: 1, most: 24, cell: state, short: stateInShort },
	{ head: "size", align: "right", rank: 2, cell: (fold) => tokens(fold.removedTokens) },
	{ head: "chip", align: "right", rank: 5, cell: (fold) => tokens(fold.summaryTokens) },
	{ head: "from #", align: "right", rank: 8, cell: ({ firstRequest }) => `${firstRequest ?? ""}` },
	{
		head: "predicted",
		align: "right",
		rank: 7,
		cell: ({ predicted }) => (predicted ? effect(predicted, estimated) : UNKNOWN),
		short: ({ predicted }) => (predicted ? effectInShort(predicted, estimated) : UNKNOWN),
	},
	{
		head: "measured",
		align: "right",
		rank: 3,
		cell: ({ measured }) => (measured ? effect(measured, asIs) : UNKNOWN),
		short: ({ measured }) => (measured ? effectInShort(measured, asIs) : UNKNOWN),
	},
	{ head: "paid", align: "left", rank: 4, cell: ({ measured }) => yesNo(measured?.paid ?? null) },
	{ head: "verified", align: "left", rank: 10, cell: (fold) => yesNo(fold.verified) },
];

function steps({ fromStep, toStep }: FoldRow): string {
	if (fromStep === null) return UNKNOWN;
	return toStep === null || toStep === fromStep ? `${fromStep}` : `${fromStep}–${toStep}`;
}

function state(fold: FoldRow): string {
	if (fold.absorbedBy !== null) return `${fold.state} by ${fold.absorbedBy}`;
	return fold.state;
}

/** The id is what one looks for. */
function stateInShort(fold: FoldRow): string {
	const { absorbedBy } = fold;
	return fold.state === "absorbed" && absorbedBy !== null ? `in ${absorbedBy}` : state(fold);
}

function tokens(value: number | null): string {
	return estimated(formatCount(value));
}

/** How the numbers of an effect are marked. */
type Mark = (text: string) => string;

const asIs: Mark = (text) => text;

/** Tokens by which each later request is smaller, what that cost once, and when it pays: as `status` in pi says it. */
function effect(of: Effect, mark: Mark): string {
	const { onceUsd, requestsToPay } = of;
	if (onceUsd === null) return `${change(of, mark)}, ${payCell(requestsToPay)}`;
	return `${change(of, mark)}, ${landingCell(onceUsd, amountOf(onceUsd, mark), requestsToPay)}`;
}

/** The same without when it pays: whether it has is another column. */
function effectInShort(of: Effect, mark: Mark): string {
	const { onceUsd } = of;
	if (onceUsd === null) return effect(of, mark);
	const amount = amountOf(onceUsd, mark);
	return `${change(of, mark)}, ${onceUsd <= 0 ? `saves ${amount}` : `${amount} once`}`;
}

function change({ perRequestTokens }: Effect, mark: Mark): string {
	return mark(formatChange(perRequestTokens && -perRequestTokens));
}

function amountOf(usd: number, mark: Mark): string {
	return mark(formatPrice(Math.abs(usd)));
}

function yesNo(value: boolean | null): string {
	if (value === null) return "";
	return value ? "yes" : "no";
}
