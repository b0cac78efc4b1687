// Which cache entries of earlier requests can still be there. A request finds the one that ends before a fold
// only if nothing before that place has changed since, and the cache was never cold.

import type { SessionEntry } from "../session/entry.ts";
import { type Market, warmStretch } from "./price-market.ts";

/** What took cache entries away. Positions are those of the branch. */
export interface Standing {
	/** the reply to the oldest request whose entry the cache has not lost since */
	readonly since: number;
	/** landings: what each rewrote from, and the reply to the request that did it */
	readonly cuts: readonly { readonly from: number; readonly at: number }[];
}

/** A landing: its folds, and the reply to the first request that went out with them, once that is there. */
interface Rewrite {
	readonly folds: readonly { readonly from: number }[];
	readonly after?: { readonly at: number } | undefined;
}

/** Reads it off a branch and its landings. */
export function standingOf(
	branch: readonly SessionEntry[],
	landings: readonly Rewrite[],
	market: Market,
): Standing {
	const cuts = landings.map(({ folds, after }) => ({
		from: Math.min(...folds.map(({ from }) => from)),
		at: after?.at ?? branch.length,
	}));
	return { since: warmStretch(branch, market).from, cuts };
}

/**
 * Whether the entry that ends before a reply can still be there. Its own request wrote it; a pause that was
 * too long, and every landing that began before that place, have left only what was sent anew since.
 */
export function stands({ since, cuts }: Standing, reply: number): boolean {
	return reply >= since && !cuts.some(({ from, at }) => from < reply && reply < at);
}
