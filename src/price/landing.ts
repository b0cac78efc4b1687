// What a landing did, by the provider's own usage around it: the counterpart of the price that was expected,
// and what it teaches about the cache. What the conversation grew by in between is the caller's to say.

import { type CacheRules, isCold, type Refresh } from "./cache.ts";
import { breakEven } from "./cost.ts";
import { type Rates, toUsd } from "./rate.ts";
import { type PromptParts, promptTokens } from "./usage.ts";

/** The two requests around a landing. */
export interface LandingUsage {
	/** the last measured request before it */
	readonly before: PromptParts;
	/** the first request after it */
	readonly after: PromptParts;
	/** tokens that came to the conversation between the two: the reply, its results, a new prompt */
	readonly grown: number;
	/** S: the chip, or all that landed together */
	readonly S: number;
	/** s: the summaries, written as output */
	readonly s: number;
	/** the prompt of the request that did nothing but fold, read once more for it; absent: there was none */
	readonly ownTurn?: number | undefined;
	/** whether the whole prompt would have been written anyway */
	readonly cold: boolean;
	/** requests after the first one after the landing, so far */
	readonly requestsSince: number;
}

/** What was measured of a landing; the fields of a record's expectation. `requestsToPay` `null`: never. */
export interface Measured {
	readonly removedTokens: number;
	readonly onceUsd: number | null;
	readonly perRequestTokens: number;
	readonly requestsToPay: number | null;
	readonly paid: boolean;
}

/**
 * Measures a landing with the terms of the formulas: what the first request cost less what it would have
 * cost unfolded (the old prompt read, the growth written), plus the output spent on the summary and a turn
 * of its own; saved per request is the prompt that is missing, at the price of a cache read.
 */
export function measureLanding(usage: LandingUsage, rates: Rates): Measured {
	const { before, after, grown, cold } = usage;
	const old = promptTokens(before);
	const perRequestTokens = old + grown - promptTokens(after);
	const unfolded = (cold ? rates.w : rates.r) * old + rates.w * grown;
	const folded = rates.r * after.cacheRead + rates.w * after.cacheWrite + after.input;
	const dC = folded - unfolded + rates.o * usage.s + rates.r * (usage.ownTurn ?? 0);
	const requestsToPay = breakEven(dC, rates.r * perRequestTokens);
	return {
		removedTokens: perRequestTokens + usage.S,
		onceUsd: toUsd(dC, rates),
		perRequestTokens,
		requestsToPay,
		paid: requestsToPay !== null && usage.requestsSince >= requestsToPay,
	};
}

/**
 * Whether all of the prompt would have been written anyway: its cache had been idle too long, the system prompt or
 * the tools before it had changed, or, where the cache goes by breakpoints, the thinking level (Anthropic, "Prompt
 * caching": that invalidates the messages).
 */
export function isWritten(
	cache: CacheRules,
	idleMs: number,
	changed: { readonly system: boolean; readonly level: boolean },
): boolean {
	if (cache.kind === "none") return false;
	return isCold(cache, idleMs) || changed.system || (cache.kind === "breakpoints" && changed.level);
}

/**
 * What to assume about shorter entries after a landing that was warm. If the tokens read fell to the floor
 * (system prompt and tools) where the entry before the range was expected to hit, a longer hit does not
 * keep shorter entries alive: `hit`, for the rest of the session and model. Else as before.
 *
 * Sizes are estimates, so "fell to the floor" is: nearer to the head than to H.
 */
export function learnRefresh(
	assumed: Refresh,
	landing: { readonly H: number; readonly head: number; readonly cacheRead: number },
): Refresh {
	const { H, head, cacheRead } = landing;
	return H > head && cacheRead < (H + head) / 2 ? "hit" : assumed;
}
