// The re-read tax, without a model: what the rest of a session uses again that stood only in a folded
// range. Lexical: it compares words, never meaning, and a use is counted whether the model missed it or not.

import type { MessageEntry, SessionEntry } from "../session/entry.ts";
import type { Tape } from "./what-if-tape.ts";

/** What a range cost those who came after it. */
export interface Tax {
	/** distinct paths, identifiers, numbers and error lines that stood only in the folded ranges */
	readonly terms: number;
	/** those of them that a later reply was the first to use again: from memory, since nothing showed them */
	readonly reused: number;
	/** calls of the ranges that were made again with the same arguments */
	readonly repeats: number;
	/** of `reused`, those that the summaries name; null where the summaries are simulated */
	readonly survived: number | null;
}

/** A folded range of items (`to` is out) and the first item that was sent after its chip. */
export interface TaxedFold {
	readonly from: number;
	readonly to: number;
	readonly seen: number;
	/** what the chip says of it; absent where it is simulated */
	readonly summary?: string | undefined;
}

/**
 * A run of characters that may be a term; longer ones are data, not names. It looks ahead for what every
 * term has, a digit, `_`, `/` or a second capital: most words have none, and to make each of them a string
 * takes longer than all the rest.
 */
const RUN =
	/(?<![\w$~.@/:-])(?=[a-z.@$~:-]*(?:[\d_/]|[A-Z][a-z$~.@:-]*[\d_/A-Z]|[a-z][A-Z]))[A-Za-z0-9_$~.@/-][\w$~.@/:-]{2,119}/g;
const PATH = /[A-Za-z].*\/|\/.*[A-Za-z]/;
const IDENTIFIER = /^[A-Za-z_$][\w$]*(?:[a-z0-9][A-Z]|[A-Z]{2}|_[A-Za-z0-9]|\d)[\w$]*$/;
const NUMBER = /^\d{3,}$/;
const ERROR_LINE = /^.*\b(?:error|exception|failed|fatal|panic)\b.*$/gim;
/** An error line counts by its beginning, in characters. */
const LINE_LIMIT = 160;
/** Only so much of one text is looked through, in characters: what is longer is data. */
const TEXT_LIMIT = 200_000;

/** The terms and calls of a session's entries by number, taken in as the file is read. */
export class Lexicon {
	private readonly numbers = new Map<string, number>();
	/** by run of characters: the number of the term that it is, -1: it is none */
	private readonly runs = new Map<string, number>();
	/** by entry of the file: its distinct terms, and its calls */
	private readonly terms: Int32Array[] = [];
	private readonly calls: Int32Array[] = [];
	/** by entry: whether it is a reply of the assistant */
	private readonly replies: boolean[] = [];

	/** Takes the next entry of the file in. */
	push(entry: SessionEntry): void {
		const found = new Set<number>();
		const calls: number[] = [];
		const message = entry.type === "message" ? entry.message : undefined;
		if (message) this.take(message, found, calls);
		else if (entry.type === "custom_message") this.takeContent(entry.content, found);
		this.terms.push(Int32Array.from(found));
		this.calls.push(Int32Array.from(calls));
		this.replies.push(message?.role === "assistant");
	}

	/** The tax of folds of a tape of the same session. One pass over the terms of the ranges. */
	taxOf(tape: Tape, folds: readonly TaxedFold[]): Tax {
		const terms = this.indexOf(tape, this.terms);
		const calls = this.indexOf(tape, this.calls);
		const tax = { terms: 0, reused: 0, repeats: 0, survived: 0 };
		for (const fold of folds) {
			const kept = new Set<number>();
			if (fold.summary !== undefined) this.takeText(fold.summary, kept);
			for (const [term, next] of onlyIn(terms, fold)) {
				tax.terms++;
				if (!this.replies[tape.items[next]?.entry ?? -1]) continue;
				tax.reused++;
				if (kept.has(term)) tax.survived++;
			}
			tax.repeats += againAfter(calls, fold);
		}
		const isRecorded = folds.some(({ summary }) => summary !== undefined);
		return { ...tax, survived: isRecorded ? tax.survived : null };
	}

	private take(message: MessageEntry["message"], found: Set<number>, calls: number[]): void {
		if (message.role === "bashExecution") {
			this.takeText(message.command, found);
			this.takeText(message.output, found);
		} else if ("content" in message) this.takeContent(message.content, found, calls);
	}

	private takeContent(content: unknown, found: Set<number>, calls: number[] = []): void {
		if (!Array.isArray(content)) {
			this.takeText(content, found);
			return;
		}
		for (const block of content) {
			if (block?.type === "text") this.takeText(block.text, found);
			else if (block?.type === "thinking") this.takeText(block.thinking, found);
			// a summary is the chip's text, not a place where a term stood
			else if (block?.type === "toolCall" && block.name !== "send_dmail") {
				const made = JSON.stringify(block.arguments) ?? "";
				calls.push(this.numberOf(`${block.name} ${made}`));
				this.takeText(made, found);
			}
		}
	}

	private takeText(text: unknown, found: Set<number>): void {
		if (typeof text !== "string") return;
		const part = text.length > TEXT_LIMIT ? text.slice(0, TEXT_LIMIT) : text;
		for (const run of part.match(RUN) ?? []) {
			const term = this.runs.get(run) ?? this.learn(run);
			if (term >= 0) found.add(term);
		}
		for (const line of part.match(ERROR_LINE) ?? [])
			found.add(this.numberOf(line.trim().slice(0, LINE_LIMIT)));
	}

	private learn(run: string): number {
		const term = isTerm(run) ? this.numberOf(run.replace(/[.:/-]+$/, "")) : -1;
		this.runs.set(run, term);
		return term;
	}

	private numberOf(term: string): number {
		const known = this.numbers.get(term);
		if (known !== undefined) return known;
		this.numbers.set(term, this.numbers.size);
		return this.numbers.size - 1;
	}

	/** Where each number stands first and next along the items of a tape. */
	private indexOf({ items }: Tape, numbers: readonly Int32Array[]): Index {
		const by = items.map(({ entry }) => numbers[entry] ?? NONE);
		const next: Int32Array[] = [];
		const first = new Int32Array(this.numbers.size).fill(-1);
		for (let item = by.length - 1; item >= 0; item--) {
			const here = by[item] ?? NONE;
			next[item] = here.map((number) => first[number] ?? -1);
			for (const number of here) first[number] = item;
		}
		return { by, next, first };
	}
}

const NONE = new Int32Array(0);

interface Index {
	/** by item: its numbers */
	readonly by: readonly Int32Array[];
	/** by item, for each of its numbers: the next item that has it; -1: none */
	readonly next: readonly Int32Array[];
	/** by number: the first item that has it; -1: none */
	readonly first: Int32Array;
}

function isTerm(run: string): boolean {
	return NUMBER.test(run) || IDENTIFIER.test(run) || (run.includes("/") && PATH.test(run));
}

/** The terms that stood in a range only until its chip was sent, each with the item that has it next; -1: none. */
function* onlyIn({ by, next, first }: Index, fold: TaxedFold): Generator<[number, number]> {
	for (let item = fold.from; item < fold.to; item++)
		for (const [at, term] of (by[item] ?? NONE).entries()) {
			if (first[term] !== item) continue;
			let later = next[item]?.[at] ?? -1;
			while (later >= 0 && later < fold.to) later = nextOf(by, next, later, term);
			if (later < 0 || later >= fold.seen) yield [term, later];
		}
}

function nextOf(
	by: readonly Int32Array[],
	next: readonly Int32Array[],
	item: number,
	term: number,
): number {
	const at = by[item]?.indexOf(term) ?? -1;
	return at < 0 ? -1 : (next[item]?.[at] ?? -1);
}

/** How many calls of a range were made again after its chip was sent. */
function againAfter({ by, next }: Index, fold: TaxedFold): number {
	const again = new Set<number>();
	for (let item = fold.from; item < fold.to; item++)
		for (const [at, call] of (by[item] ?? NONE).entries()) {
			let later = next[item]?.[at] ?? -1;
			while (later >= 0 && later < fold.seen) later = nextOf(by, next, later, call);
			if (later >= 0) again.add(call);
		}
	return again.size;
}
