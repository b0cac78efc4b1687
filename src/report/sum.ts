// Sums as people read them where not all of their parts are known: `≥` before a lower bound, a dash where
// nothing is known. Unknown is never 0.

import type { Calibration, FoldRow } from "../profile/profile.ts";
import { formatCount, formatUsd, UNKNOWN } from "./number.ts";

/** What a sum over requests does not know. Nulls where nothing was read. */
export interface Gaps {
	readonly requests: number | null;
	/** requests without usage */
	readonly unmeasured: number | null;
	/** requests with tokens and no cost */
	readonly unpriced: number | null;
}

/** Tokens of requests, summed: `42.5k`, `≥42.5k`, `–`. */
export function sumTokens(tokens: number | null, gaps: Gaps): string {
	if (isUnmeasured(gaps)) return UNKNOWN;
	return bounded(formatCount(tokens), (gaps.unmeasured ?? 0) > 0);
}

/** What requests cost, summed: `$0.42`, `≥$0.42`, `–`. */
export function sumUsd(usd: number | null, gaps: Gaps): string {
	const unknown = (gaps.unmeasured ?? 0) + (gaps.unpriced ?? 0);
	if (usd === 0 && unknown > 0) return UNKNOWN;
	return bounded(formatUsd(usd), unknown > 0);
}

/** Which parts are not known, in brackets; empty where all are. */
export function nameGaps(gaps: Gaps): string {
	if (isUnmeasured(gaps)) return " (no request has usage)";
	const { unpriced, unmeasured } = gaps;
	const parts: string[] = [];
	if (unpriced) parts.push(`${unpriced} without a price`);
	if (unmeasured) parts.push(`${unmeasured} without usage`);
	return parts.length > 0 ? ` (${parts.join(", ")})` : "";
}

/** Whether none of the requests has usage. */
export function isUnmeasured({ requests, unmeasured }: Gaps): boolean {
	return requests !== null && requests > 0 && unmeasured === requests;
}

/** Whether any request was sent with a chip: without one, what marks cost would read as a negative saving. */
export function isFolded(folds: readonly Pick<FoldRow, "firstRequest">[]): boolean {
	return folds.some(({ firstRequest }) => firstRequest !== null);
}

/**
 * That savings are scaled to what the provider counts, and by how much: sizes beside them are plain estimates.
 * Empty where nothing could be scaled.
 */
export function nameScale({ requests, k }: Pick<Calibration, "requests" | "k">): string {
	return requests === 0 ? "" : `, scaled ×${k.toFixed(2)} to usage`;
}

function bounded(text: string, isLower: boolean): string {
	return isLower && text !== UNKNOWN ? `≥${text}` : text;
}
