// What happened between a request and the measured one before it on the branch: whatever may have cost it
// the cache. Facts and plain estimates; the ledger draws the conclusions.

import { Column } from "./column.ts";
import { CAUSES, type Cause } from "./profile.ts";
import type { Change } from "./requests.ts";

/** What a request may have against its cache, as bits. */
export const FLAG = {
	/** other branches were worked on in between */
	moved: 1,
	/** another model was asked before */
	model: 2,
	/** the thinking level is another one */
	thinking: 4,
	/** the file says that the system prompt or the tools changed */
	system: 8,
	/** nobody used the cache for longer than it lives */
	idle: 16,
	/** the system prompt may be another one, and the file does not say */
	unsure: 32,
} as const;

/** What lies between a request and the measured one before. */
export interface Between {
	/** position of the measured request before, from 0; -1: there is none */
	readonly previous: number;
	/** where the view was changed on the way; undefined: it only grew */
	readonly change: Change | undefined;
	/** plain estimate of the messages that came in, in tokens */
	readonly grown: number;
	/** bits of `FLAG` */
	readonly flags: number;
}

/** One `Between` per request, in columns. */
export class History {
	private readonly previous = new Column();
	private readonly cause = new Column();
	private readonly kept = new Column();
	private readonly grown = new Column();
	private readonly flags = new Column();

	push({ previous, change, grown, flags }: Between): void {
		this.previous.push(previous);
		this.cause.push(change ? CAUSES.indexOf(change.cause) : -1);
		this.kept.push(change?.kept ?? 0);
		this.grown.push(grown);
		this.flags.push(flags);
	}

	/** Takes note of a change further up than the one known of, if it is. */
	lower(position: number, { cause, kept }: Change): void {
		const isKnown = this.cause.at(position) >= 0;
		if (kept === Number.POSITIVE_INFINITY || (isKnown && this.kept.at(position) <= kept)) return;
		this.cause.set(position, CAUSES.indexOf(cause));
		this.kept.set(position, kept);
	}

	/** Adds to what a request has against its cache: a bit of `FLAG`. */
	flag(position: number, bit: number): void {
		this.flags.set(position, this.flags.at(position) | bit);
	}

	at(position: number): Between {
		const cause: Cause | undefined = CAUSES[this.cause.at(position)];
		return {
			previous: this.previous.at(position),
			change: cause && { cause, kept: this.kept.at(position) },
			grown: this.grown.at(position),
			flags: this.flags.at(position),
		};
	}
}
