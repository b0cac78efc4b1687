// The size of what would be sent without us: no chip, no pointer, no marker. Adds up only what came in since it
// was last asked, and lays nothing out.

import { type Host, isMessage } from "./entry.ts";
import type { Era, Steps } from "./steps.ts";

export class Raw<M> {
	private readonly steps: Steps<M>;
	private readonly host: Host<M>;
	/** the era that was summed; a compaction begins another */
	private era: Era | undefined;
	/** the next position to add */
	private next = 0;
	private tokens = 0;

	constructor(steps: Steps<M>, host: Host<M>) {
		this.steps = steps;
		this.host = host;
	}

	/** Tokens of what the host itself shows of the branch. */
	size(): number {
		const { entries, era } = this.steps;
		if (this.era !== era) this.begin(era);
		for (; this.next < entries.length; this.next++) this.tokens += this.tokensAt(this.next);
		return this.tokens;
	}

	/** An edit is about to put `message` in the place of the one at a position. */
	edit(at: number, message: M | undefined): void {
		if (this.era !== this.steps.era || at < this.era.start || at >= this.next) return;
		if (this.isShown(at)) this.tokens += this.tokensOf(message) - this.tokensAt(at);
	}

	private begin(era: Era): void {
		const lead = this.steps.entries[era.compaction];
		this.era = era;
		this.next = era.start;
		this.tokens = this.tokensOf(lead?.head) + this.tokensOf(lead?.message);
	}

	private tokensAt(at: number): number {
		return this.isShown(at) ? this.tokensOf(this.steps.messageAt(at)) : 0;
	}

	private isShown(at: number): boolean {
		return isMessage(this.steps.kindAt(at)) && this.steps.isShownAt(at);
	}

	private tokensOf(message: M | undefined): number {
		return message === undefined ? 0 : this.host.tokens(message);
	}
}
