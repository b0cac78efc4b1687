// What the best folds would have saved for somebody who knew the rest of the session: about as much as folds
// with summaries can reach, where the oracle's bound is one that nothing with a price comes near.

import { goesOf } from "./policy.ts";
import { type Surprises, Till } from "./simulate-till.ts";
import { View } from "./simulate-view.ts";
import type { Tape } from "./what-if-tape.ts";
import { FRAME, summaryOf, type Terms } from "./what-if-terms.ts";

/** Longer eras are not searched: the search takes the square of their requests. */
const LONGEST = 3_000;
/** Shorter ranges are not looked at, in tokens. */
const LEAST = 200;

/** Prices of one request: what a token costs that was sent before, that is written, that is put out. */
interface Prices {
	readonly old: number;
	readonly written: number;
	readonly output: number;
}

/**
 * The most that could be saved by folds that each cover what has gathered since the one before, at any
 * requests and as often as it pays; in US dollars or in tokens of uncached input. Found by working
 * backwards through each era. It takes every landing to hit what stands before its range, every fold to end
 * with its era, and of every range just the share that may go, where a policy takes whole steps: an estimate,
 * not a strict bound. `null` where an era is too long.
 */
export function hindsight(
	tape: Tape,
	terms: Terms,
	surprises: Surprises,
	inUsd: boolean,
): number | null {
	const prices = pricesOf(tape, terms, surprises, inUsd);
	let saved = 0;
	for (let from = 0; from < prices.length; ) {
		const next = tape.requests.findIndex(({ compacted }, i) => i > from && compacted);
		const to = next < 0 ? prices.length : next;
		if (to - from > LONGEST) return null;
		saved += bestOf(new Era(tape, terms, prices, [from, to]));
		from = to;
	}
	return saved;
}

function pricesOf(tape: Tape, terms: Terms, { missed, hit }: Surprises, inUsd: boolean): Prices[] {
	const till = new Till(tape, terms);
	const view = new View(tape);
	let before = 0;
	return tape.requests.map((request, i) => {
		till.cut(request.compacted ? tape.head : request.same);
		const tokens = request.prompt;
		const reach = view.reachOf(request);
		const { parts } = till.serve({ request, tokens, reach, missed: missed[i], hit: hit[i] });
		const rates = till.ratesOf(request, tokens);
		const unit = inUsd ? (rates.inputUsd ?? 0) : 1;
		const served = before > 0 ? Math.min(1, parts.cacheRead / Math.min(before, tokens)) : 0;
		const written = parts.cacheWrite > 0 ? rates.w : 1;
		before = tokens;
		return {
			old: unit * (served * rates.r + (1 - served) * written),
			written: unit * written,
			output: unit * rates.o,
		};
	});
}

/** The requests of one era, and what a fold before one of them gains. */
class Era {
	readonly length: number;
	private readonly tape: Tape;
	private readonly terms: Terms;
	private readonly prices: readonly Prices[];
	private readonly from: number;
	/** by request of the era: what an old token costs from it on */
	private readonly rest: Float64Array;

	constructor(tape: Tape, terms: Terms, prices: readonly Prices[], [from, to]: [number, number]) {
		this.tape = tape;
		this.terms = terms;
		this.prices = prices;
		this.from = from;
		this.length = to - from;
		this.rest = new Float64Array(this.length + 1);
		for (let i = this.length - 1; i >= 0; i--)
			this.rest[i] = (this.rest[i + 1] ?? 0) + (prices[from + i]?.old ?? 0);
	}

	/** The first item behind all that may be folded before a request; -1 for its first. */
	endOf(at: number): number {
		const first = this.tape.requests[this.from]?.from ?? 0;
		const request = this.tape.requests[this.from + at];
		if (at < 0 || !request) return first;
		return Math.max(first, this.tape.steps[request.steps - 1 - this.terms.keep]?.to ?? first);
	}

	/** What a fold before a request gains that covers what may go from an item on. */
	gainOf(start: number, at: number): number {
		const end = this.endOf(at);
		const tokens = end > start ? this.terms.foldable * goesOf(this.tape, start, end) : 0;
		const summary = summaryOf(tokens, this.terms);
		const chip = summary + FRAME;
		const before = this.tape.requests[this.from + at - 1];
		const price = this.prices[this.from + at];
		if (tokens < LEAST || chip >= tokens || !before || !price) return Number.NEGATIVE_INFINITY;
		const { items } = this.tape;
		const carried = Math.max(0, (items[before.to]?.offset ?? 0) - (items[end]?.offset ?? 0));
		const once = (carried + chip) * (price.written - price.old) + summary * price.output;
		return (tokens - chip) * (this.rest[at] ?? 0) - once;
	}
}

/** The best that folds after each request gain together, from the last request to the first. */
function bestOf(era: Era): number {
	const best = new Float64Array(era.length + 1);
	for (let after = era.length - 1; after >= 0; after--) {
		const start = era.endOf(after - 1);
		for (let at = after; at < era.length; at++)
			best[after] = Math.max(best[after] ?? 0, era.gainOf(start, at) + (best[at + 1] ?? 0));
	}
	return best[0] ?? 0;
}
