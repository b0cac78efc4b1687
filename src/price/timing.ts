// When a recorded fold lands: one pure decision for every fold, from sizes, rates and the cache's state.
// It holds no state and appends nothing; whoever asks stores what it says.

import { breakEven, type FoldPrice, priceFold, type Sizes, together } from "./cost.ts";
import { type Rates, uncached } from "./rate.ts";

/** A fold lands at once if it has paid for itself after so many requests, however short the warm stretch. */
const PAYS_WITHIN = 3;

/** Held folds land when the next request fills so much of the window. */
const WINDOW_SHARE = 0.8;

/** A fold that could land now. Its sizes are those of the view without the folds that are held. */
export interface Candidate {
	readonly id: string;
	readonly sizes: Sizes;
	/** H, if it landed now (`hitAfter`) */
	readonly H: number;
	/** tokens of T that no request has carried yet, written with or without the fold; absent: none */
	readonly fresh?: number | undefined;
	/** H, if it landed one request later, where that can be foreseen; else as `H` */
	readonly nextH?: number | undefined;
}

/** A fold that was recorded as held. */
export interface HeldFold extends Candidate {
	/** how much more of T requests have carried since it was recorded, in tokens: T − fresh now less then */
	readonly grown: number;
	/** requests that were sent with its source in place since it was recorded */
	readonly requests: number;
}

/** The state of things before the next request. */
export interface Moment {
	/** `now` lands everything at once */
	readonly timing: "auto" | "now";
	/** for the size of the next request */
	readonly rates: Rates;
	/** whether the provider has a cache at all */
	readonly caches: boolean;
	/** the cache's life is over, or the model has changed */
	readonly cold: boolean;
	/**
	 * how many requests the cache has stayed warm for: since it was last cold, else since the first one;
	 * absent: unknown, as 0
	 */
	readonly warm?: number | undefined;
	/** tokens of the next request if nothing lands */
	readonly prompt: number;
	/** the model's window in tokens; `null` where unknown */
	readonly window: number | null;
	/** the price tier's threshold that the next request would stand above (`tierAt`); `null`: none */
	readonly tierAbove: number | null;
	/** pi is about to compact, or the user asked for the held ones to land */
	readonly event?: "compaction" | "asked" | undefined;
}

/**
 * Why a fold lands now.
 *
 * - `now` the setting; `no cache` nothing to lose; `cold` the prompt is written anyway
 * - `pays` n* is at most 3, or at most the requests of the warm stretch so far
 * - `window` 80 % of it; `tier` a dearer tier is avoided; `rent` the rent rule; `compaction`, `asked`
 * - `deeper cut` another one lands, and everything behind its start is written anew anyway
 */
export type Why =
	| "now"
	| "no cache"
	| "pays"
	| "cold"
	| "window"
	| "tier"
	| "rent"
	| "compaction"
	| "asked"
	| "deeper cut";

/** A fold that lands now. */
interface Landing {
	readonly id: string;
	readonly why: Why;
}

/** A fold that waits: for a cold cache, a deeper cut, the window, a tier, a compaction, or its rent. */
interface Waiting {
	readonly id: string;
	/** about how many more requests until it lands if nothing else happens; `null`: never */
	readonly requestsLeft: number | null;
}

/** What lands with the next request, and what waits. */
export interface Decision {
	readonly lands: readonly Landing[];
	readonly holds: readonly Waiting[];
}

/**
 * Decides for every fold that waits, and for one just made, whether it lands with the next request
 * (design: economics, `timing: "auto"`). Ask when a fold is made, and before each request.
 *
 * It weighs what timing can still change (`landingPrice`). By the rent rule a held fold never costs more
 * than twice what landing at once would have, plus one request, as long as H stays.
 */
export function decide(
	moment: Moment,
	held: readonly HeldFold[],
	candidate: Candidate | null = null,
): Decision {
	const rates = moment.caches ? moment.rates : uncached(moment.rates);
	const all: readonly Candidate[] = candidate ? [...held, candidate] : held;
	const why = landsAll(moment, all) ?? landsByRent(held, rates);
	const within = Math.max(PAYS_WITHIN, moment.warm ?? 0);
	const lands = why ? all.map(({ id }) => ({ id, why })) : landsItself(all, rates, within);
	const landing = new Set(lands.map(({ id }) => id));
	const waits = (fold: HeldFold) => !landing.has(fold.id);
	const fresh = candidate ? [{ ...candidate, grown: 0, requests: 0 }] : [];
	const holds = [...held, ...fresh].filter(waits);
	return { lands, holds: holds.map((fold) => waiting(fold, rates, moment.warm)) };
}

/**
 * What landing costs and saves from here on: the price without o·s and without the turn of its own. Those
 * are spent when the fold is recorded, whenever it lands, so they must not decide when.
 */
export function landingPrice(fold: Candidate, rates: Rates): FoldPrice {
	const { sizes, H, fresh } = fold;
	return priceFold({ ...sizes, s: 0 }, rates, { H, fresh, cold: false });
}

/** The events on which everything lands together. */
function landsAll(moment: Moment, folds: readonly Candidate[]): Why | null {
	if (moment.timing === "now") return "now";
	if (moment.event) return moment.event;
	if (!moment.caches) return "no cache";
	if (moment.cold) return "cold";
	if (moment.window !== null && moment.prompt >= WINDOW_SHARE * moment.window) return "window";
	return avoidsTier(moment, folds) ? "tier" : null;
}

/** Whether landing brings the next request from above a price tier's threshold to below it. */
function avoidsTier({ prompt, tierAbove }: Moment, folds: readonly Candidate[]): boolean {
	if (tierAbove === null || prompt <= tierAbove) return false;
	const saved = folds.reduce((sum, { sizes }) => sum + sizes.F + (sizes.c ?? 0) - sizes.S, 0);
	return prompt - saved <= tierAbove;
}

/**
 * A fold lands by itself if that pays within so many requests, and takes along what starts behind it:
 * that is written anew anyway. It is priced as it would happen, with those; the deepest cut goes first.
 *
 * What waits gives up the rent for the chance that the cache gets cold. A stretch that has been warm for n
 * requests is expected to stay so for about n more, the best guess where nothing else is known of it: so
 * a fold that pays within as many is not worth holding.
 */
function landsItself(
	folds: readonly Candidate[],
	rates: Rates,
	within: number,
): readonly Landing[] {
	for (const fold of folds.toSorted((a, b) => a.sizes.P - b.sizes.P)) {
		const behind = folds.filter(({ sizes }) => sizes.P > fold.sizes.P);
		const sizes = together([fold.sizes, ...behind.map((one) => one.sizes)]);
		const { requestsToPay } = landingPrice({ ...fold, sizes }, rates);
		if (requestsToPay === null || requestsToPay > within) continue;
		const deeper = behind.map(({ id }): Landing => ({ id, why: "deeper cut" }));
		return [{ id: fold.id, why: "pays" }, ...deeper];
	}
	return [];
}

/** One rewrite serves all: when the rent of one is due, all others land with it. */
function landsByRent(held: readonly HeldFold[], rates: Rates): Why | null {
	return held.some((fold) => rentIsDue(fold, rates)) ? "rent" : null;
}

/**
 * The rent rule: Σ ds plus the rise of dC since the fold was recorded reaches dC as it was then.
 *
 * dC as it was then is reckoned with today's H. If the cache has lost the entry before the range since,
 * landing has become dear at one stroke, and that very moment would be the worst to land. Where the loss
 * can be foreseen (`nextH`), the rule looks one request ahead instead, and lands while it is cheap.
 */
export function rentIsDue(fold: HeldFold, rates: Rates): boolean {
	const { H, nextH = H } = fold;
	const { due, ds, rise, dC0 } = rentOf(fold, rates);
	if (due) return true;
	const loss = (rates.w - rates.r) * (H - nextH);
	return ds > 0 && loss > 0 && (fold.requests + 1) * ds + rise + loss >= dC0;
}

/** Σ ds, the rise of dC, and dC as it was when the fold was recorded: T without what has grown since. */
function rentOf(fold: HeldFold, rates: Rates) {
	const { sizes, grown, requests } = fold;
	const { dC, ds } = landingPrice(fold, rates);
	const T = Math.max(0, sizes.T - grown);
	const dC0 = landingPrice({ ...fold, sizes: { ...sizes, T } }, rates).dC;
	const rise = dC - dC0;
	return { due: ds > 0 && requests * ds + rise >= dC0, ds, rise, dC0 };
}

/** By rent, or when the cache has been warm for as many requests as it takes to pay, whichever is sooner. */
function waiting(fold: HeldFold, rates: Rates, warm = Number.NEGATIVE_INFINITY): Waiting {
	const { ds, rise, dC0 } = rentOf(fold, rates);
	const byRent = breakEven(dC0 - rise - fold.requests * ds, ds);
	if (byRent === null) return { id: fold.id, requestsLeft: null };
	const byWarmth = (landingPrice(fold, rates).requestsToPay ?? Number.POSITIVE_INFINITY) - warm;
	return { id: fold.id, requestsLeft: Math.ceil(Math.max(0, Math.min(byRent, byWarmth))) };
}
