// The words that stand in a folded range's place, and the pointers that stand for a summary said twice.
// A chip depends on its own record and on the messages of its range only: no clock, no counter, no
// neighbour. The wording of a released `v` is frozen: its bytes lie in prompt caches.

import { breakMarkers, UNSEEN } from "./marker.ts";
import type { FoldRecord } from "./record.ts";

/** Longest quote that stays whole, in code points; a longer one keeps half of it at each end. */
const QUOTE_LIMIT = 2_000;

/** What a chip is made of, beside its record. */
export interface ChipSource {
	/** size of the range as stored, in tokens */
	readonly tokens: number;
	/** the steps of the range; the last before the first where it holds none */
	readonly steps: { readonly first: number; readonly last: number };
	/** the user's words in the range, in order, each as the host quotes it */
	readonly words: readonly string[];
	/** the step after which the kept request was written (0: before any); absent: none is kept */
	readonly keptAfterStep?: number | undefined;
}

/**
 * The text of a fold's chip, chosen by the record's `v`.
 *
 * 10. It depends on its own record and on the messages of its range only: no clock, no counter, no neighbour.
 */
export function chipText(fold: FoldRecord, source: ChipSource): string {
	return WORDINGS[fold.v](fold, source);
}

type Wording = (fold: FoldRecord, source: ChipSource) => string;

/** By `v`. A new wording is a new `v`; what has been released stays as it is. */
const WORDINGS: Record<FoldRecord["v"], Wording> = { 0: first, 1: first };

function first(fold: FoldRecord, source: ChipSource): string {
	return `${opening(fold, source)}\n${body(fold, source)}\n</dmail>`;
}

/** What a summary argument reads as while the fold's own chip is in view. */
export function pointToChip(foldId: string): string {
	return `(in the chip of fold ${foldId})`;
}

/** What it reads as when the fold lies inside another one, whose chip is in view. */
export function pointToOuter(foldId: string, outerId: string): string {
	return `(fold ${foldId}, now in the chip of fold ${outerId})`;
}

/** What it reads as when the folded steps were compacted away. */
export function pointToCompaction(foldId: string): string {
	return `(fold ${foldId}, now in the summary of the compaction)`;
}

const POINTER =
	/^\s*\((?:in the chip of fold \S+|fold \S+, now in the (?:chip of fold \S+|summary of the compaction))\)\s*$/;

/** Whether a text is one of the pointers above and nothing else. */
export function isPointer(text: string): boolean {
	return POINTER.test(text);
}

/**
 * One quote of the user: whole up to 2,000 code points, beyond that 1,000 at each end, and between them the
 * number left out and, for a reader who has the tool, how to read them in the fold.
 */
export function quote(words: string, foldId?: string): string {
	if (words.length <= QUOTE_LIMIT) return words;
	const points = Array.from(words);
	if (points.length <= QUOTE_LIMIT) return words;
	const half = QUOTE_LIMIT / 2;
	const left = points.length - QUOTE_LIMIT;
	const head = points.slice(0, half).join("");
	const tail = points.slice(-half).join("");
	const where = foldId === undefined ? "" : `; ${readCall(foldId)} has them`;
	return `${head}\n[… ${left} characters left out${where} …]\n${tail}`;
}

function opening({ id }: FoldRecord, { steps, tokens }: ChipSource): string {
	const { first, last } = steps;
	const range = last < first ? "" : ` steps="${first === last ? first : `${first}-${last}`}"`;
	return `<dmail fold="${id}"${range} size="${tokens} tokens" original='${readCall(id)}'>`;
}

function readCall(foldId: string): string {
	return `read_dmail({"fold":"${foldId}"})`;
}

function body(fold: FoldRecord, source: ChipSource): string {
	const parts = [
		"You did this work and folded it away. You need not remember it and must not redo it. Re-check a file before relying on its exact text.",
		`${AUTHORS[fold.by ?? "user"]}\n${breakHeadings(fold.summary)}`,
	];
	if (fold.notes?.length) parts.push(`${NOTED}\n${breakHeadings(fold.notes.join("\n"))}`);
	if (source.words.length > 0) {
		const quotes = source.words.map(
			(words) => `<user>\n${breakTags(quote(words, fold.id))}\n</user>`,
		);
		parts.push(`${SAID}\n${quotes.join("\n")}`);
	}
	if (source.keptAfterStep !== undefined) parts.push(keptLine(source.keptAfterStep));
	return breakMarkers(parts.join("\n\n"));
}

const NOTED = "Recorded by the tool, not by you:";
const SAID = "What the user said in these steps:";

/** Who wrote the summary. A user's cut may be summed up by the model or by himself. */
const AUTHORS: Record<NonNullable<FoldRecord["by"]>, string> = {
	model: "Your summary:",
	user: "The summary:",
	auto: "Not your words: a line a step; see the original:",
};

function keptLine(step: number): string {
	const when = step > 0 ? `after step ${step}` : "before any step";
	return `The request below, made ${when}, is being worked on.`;
}

const SPACE = String.raw`[\s${UNSEEN}]*`;
const TAG = new RegExp(`<(?=[${UNSEEN}]*(?:/${SPACE}dmail|(?:/${SPACE})?user)${SPACE}>)`, "giu");
const HEADING = new RegExp(`(?<=${NOTED.slice(0, -1)}|${SAID.slice(0, -1)}):`, "gi");

/** Breaks up what would read as the chip's own end, or as where a quote of the user begins or ends. */
function breakTags(text: string): string {
	return text.replace(TAG, "< ");
}

/** Breaks up also what would read as a heading over the tool's notes or the user's words. */
function breakHeadings(text: string): string {
	return breakTags(text).replace(HEADING, " :");
}
