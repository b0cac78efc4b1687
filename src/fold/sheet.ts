// The messages of a view in the making, each with where it came from. Knows no branch and no law; what was
// laid down earlier changes only by the markers that it takes.

import type { Host } from "./entry.ts";
import type { Fold } from "./folds.ts";

/** Where a message of the view comes from. */
export type Source =
	| { readonly from: "entry"; readonly at: number }
	| { readonly from: "chip"; readonly fold: Fold }
	| { readonly from: "note" }
	| { readonly from: "foreign" };

/** Where a marker goes: onto a message, or as a message of its own in between. */
export interface Put<M> {
	readonly index: number;
	readonly message: M;
	/** whether it is a message of its own */
	readonly isNew: boolean;
}

const NOTE: Source = { from: "note" };

export class Sheet<M> {
	private readonly messages: M[] = [];
	/** an entry's as its position alone: there are very many, and few views are read */
	private readonly sources: (Source | number)[] = [];
	/** tokens of the messages up to and with each index, of the firm ones only */
	private readonly sums: number[] = [];
	private readonly host: Host<M>;

	constructor(host: Host<M>) {
		this.host = host;
	}

	get length(): number {
		return this.messages.length;
	}

	/**
	 * Adds a message.
	 *
	 * @param source a position: it is the message of the entry there
	 * @returns its index
	 */
	push(message: M, source: Source | number): number {
		this.sources.push(source);
		return this.messages.push(message) - 1;
	}

	at(index: number): M | undefined {
		return this.messages[index];
	}

	put(marker: Put<M>): void {
		apply(marker, this.messages, this.sources);
	}

	/** Forgets all messages from an index on. */
	cut(length: number): void {
		this.messages.length = length;
		this.sources.length = length;
		this.sums.length = Math.min(this.sums.length, length);
	}

	/** All of it, with one more marker put in that is not kept. */
	read(pending: Put<M> | undefined): { messages: M[]; sources: Source[] } {
		const messages = [...this.messages];
		const sources = this.sources.map(sourceOf);
		if (pending) apply(pending, messages, sources);
		return { messages, sources };
	}

	/**
	 * Size of `read(pending)` in tokens.
	 *
	 * @param firm how many messages from the start on change no more: they are measured once, and the pending
	 *   marker stands behind them
	 */
	tokens(firm: number, pending: Put<M> | undefined): number {
		const rest = this.messages.slice(this.sums.length);
		// a message of its own counts the same wherever it stands
		if (pending?.isNew) rest.push(pending.message);
		else if (pending) rest[pending.index - this.sums.length] = pending.message;
		let total = this.sums.at(-1) ?? 0;
		for (const message of rest) {
			total += this.host.tokens(message);
			if (this.sums.length < firm) this.sums.push(total);
		}
		return total;
	}
}

function sourceOf(source: Source | number): Source {
	return typeof source === "number" ? { from: "entry", at: source } : source;
}

function apply<M>(
	{ index, message, isNew }: Put<M>,
	messages: M[],
	sources: (Source | number)[],
): void {
	messages.splice(index, isNew ? 0 : 1, message);
	if (isNew) sources.splice(index, 0, NOTE);
}
