// What a fold costs once and saves per request: the formulas of the design's economics, under their names.
// Amounts are tokens of uncached input (a cache read is 0.1 of one, say); money only where prices are known.

import { type Rates, toUsd } from "./rate.ts";

/** The sizes of a fold in tokens of the view: of what is sent today, not of the raw branch. */
export interface Sizes {
	/** tokens before the range */
	readonly P: number;
	/** tokens in the range, as they are sent now */
	readonly F: number;
	/** tokens after the range */
	readonly T: number;
	/** the chip */
	readonly S: number;
	/** the summary, which the model writes as output */
	readonly s: number;
	/** how much of T goes as the fold lands: the summary of its own call reads as a pointer then; absent: none */
	readonly c?: number | undefined;
}

/** How the cache stands at the landing. */
export interface Warmth {
	/** H: tokens that still hit after the fold (`hitAfter`); nothing does when it is cold */
	readonly H: number;
	/** the cache's life is over, or the model has changed: the whole prompt is written anyway */
	readonly cold: boolean;
	/** tokens of T that no request has carried yet: written with or without the fold; absent: none */
	readonly fresh?: number | undefined;
	/** the call that folds is a turn of its own: one more request reads everything */
	readonly ownTurn?: boolean | undefined;
}

/** The price of a fold. */
export interface FoldPrice {
	/** one-off cost, in tokens of uncached input; below 0 where landing saves at once */
	readonly dC: number;
	/** saved by each later request, in tokens of uncached input */
	readonly ds: number;
	/** n* = dC / ds, 0 where it pays at once; `null` where it never pays */
	readonly requestsToPay: number | null;
	/** F + c: tokens that leave the next request */
	readonly removedTokens: number;
	/** F + c − S: tokens by which each later request is smaller */
	readonly perRequestTokens: number;
	/** dC and ds in US dollars; `null` without prices */
	readonly onceUsd: number | null;
	readonly perRequestUsd: number | null;
	readonly cold: boolean;
}

/**
 * Prices one fold, or several that land together (`together`).
 *
 * ```
 * one-off      dC = (w−r)·(P+T−c−H) + w·S + o·s − r·(F+c)     (+ r·L when the call is a turn of its own)
 * per request  ds = r·(F+c−S)          break-even n* = dC / ds
 * cold cache   dC = −w·(F+c−S) + o·s
 * ```
 *
 * Without a cache (`uncached` rates, w = r = 1) the first line is S + o·s − F − c, whatever H is. The formulas
 * take all of T for cached; `fresh` says how much of it is not, and comes off T in the first term. Of what
 * goes from T it makes no difference whether it was cached.
 */
export function priceFold(sizes: Sizes, rates: Rates, warmth: Warmth): FoldPrice {
	const dC = onceCost(sizes, rates, warmth);
	const removed = sizes.F + (sizes.c ?? 0);
	const ds = rates.r * (removed - sizes.S);
	return {
		dC,
		ds,
		requestsToPay: breakEven(dC, ds),
		removedTokens: removed,
		perRequestTokens: removed - sizes.S,
		onceUsd: toUsd(dC, rates),
		perRequestUsd: toUsd(ds, rates),
		cold: warmth.cold,
	};
}

/** n* = dC / ds; 0 where nothing has to be paid back, `null` where it never is. */
export function breakEven(dC: number, ds: number): number | null {
	if (dC <= 0) return 0;
	return ds > 0 ? dC / ds : null;
}

function onceCost({ P, F, T, S, s, c = 0 }: Sizes, { w, r, o }: Rates, warmth: Warmth): number {
	const own = warmth.ownTurn ? r * (P + F + T) : 0;
	if (warmth.cold) return -w * (F + c - S) + o * s + own;
	const rewritten = P + T - Math.min(T, warmth.fresh ?? 0) - c - warmth.H;
	return (w - r) * rewritten + w * S + o * s - r * (F + c) + own;
}

/**
 * The sizes of several disjoint folds of one view that land together: one rewrite, from the first one's
 * start on. Between them everything counts as after the range. One fold is itself.
 */
export function together(folds: readonly [Sizes, ...Sizes[]]): Sizes {
	const { P, F, T } = folds[0];
	const all = folds.reduce((sum, fold) => ({
		P: Math.min(sum.P, fold.P),
		F: sum.F + fold.F,
		T: 0,
		S: sum.S + fold.S,
		s: sum.s + fold.s,
	}));
	const c = folds.reduce((sum, fold) => sum + (fold.c ?? 0), 0);
	return { ...all, T: P + F + T - all.P - all.F, ...(c === 0 ? {} : { c }) };
}

/** What a record keeps of a price (`Effect` of the fold room); whether it has paid is not known yet. */
export function expected(price: FoldPrice): {
	readonly removedTokens: number;
	readonly onceUsd: number | null;
	readonly perRequestTokens: number;
	readonly requestsToPay: number | null;
	readonly paid: null;
} {
	const { removedTokens, onceUsd, perRequestTokens, requestsToPay } = price;
	return { removedTokens, onceUsd, perRequestTokens, requestsToPay, paid: null };
}
