// What a session is played with: prices, cache rules, and what is assumed of folds.

import type { CacheRules, Refresh } from "../price/cache.ts";
import { cacheRulesFor, type Preset } from "../price/preset.ts";
import { DEFAULT_RATES, type Prices } from "../price/rate.ts";
import type { Portion } from "./policy.ts";
import type { Maker } from "./replies.ts";
import type { Limits } from "./what-if-era.ts";
import type { Tape } from "./what-if-tape.ts";

/** What is assumed; every number of it is printed below a table. */
export interface Terms extends Portion {
	/** tokens of a summary by those that it replaces */
	readonly summaryRatio: number;
	/** of breakpoint caches: whether a hit keeps shorter entries alive */
	readonly refresh: Refresh;
	prices(maker: Maker): Prices | null;
	rules(maker: Maker): CacheRules;
	limits(tape: Tape): Limits;
}

/** A summary is never shorter, in tokens. */
export const LEAST_SUMMARY = 120;
/** A chip's own words. */
export const CHIP = 90;
/** What a fold leaves in the view beside its summary: the chip's words and notes, the call and its result. */
export const FRAME = 250;

/** The assumptions where none are asked for. */
export const DEFAULTS = { keep: 2, foldable: 0.6, summaryRatio: 0.08, refresh: "all" } as const;

/** Each maker's own prices, as recorded, and the cache rules that fit it. */
export const OWN: Pick<Terms, "prices" | "rules"> = {
	prices: pricesOf,
	rules: (maker) =>
		cacheRulesFor({
			provider: maker.provider ?? "",
			id: maker.model ?? "",
			prices: pricesOf(maker),
			long: maker.hourly,
		}),
};

/** A cache that was written to can be read, though the session may show no price of that. */
function pricesOf({ prices, writes }: Maker): Prices | null {
	if (!prices || prices.cacheRead > 0 || !writes) return prices;
	return { ...prices, cacheRead: prices.input * DEFAULT_RATES.r };
}

/** Everything at the prices and by the cache of one preset. */
export function byPreset({ prices, cache }: Preset): Pick<Terms, "prices" | "rules"> {
	return { prices: () => prices, rules: () => cache };
}

/** Tokens of the summary of so many. */
export function summaryOf(tokens: number, { summaryRatio }: Pick<Terms, "summaryRatio">): number {
	return Math.max(LEAST_SUMMARY, summaryRatio * tokens);
}

/** Lines of a net take at most so many tokens, and of more than `LARGE` tokens a tenth. */
const LINES = 3_000;
const LARGE = 30_000;
/** Tokens of one line, and of what stands around them. */
const LINE = 30;
const AROUND = 60;

/** Tokens of a net's summary of so many steps with so many tokens: about what the net itself writes. */
export function netTokens(steps: number, tokens: number): number {
	const most = tokens > LARGE ? Math.min(LINES, tokens / 10) : LINES;
	return Math.min(most, LINE * steps) + AROUND;
}
