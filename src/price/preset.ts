// Price lists and cache rules that ship with the product, for sessions without prices of their own and for
// asking "what would it have cost elsewhere". Data with its date and source; read the model's own first.

import { type Breakpoints, type CacheRules, FIVE_MINUTES, type LongestPrefix } from "./cache.ts";
import { HOUR_WRITE, type Prices } from "./rate.ts";

/** A provider's prices and cache, as of `asOf`. */
export interface Preset {
	readonly prices: Prices;
	readonly cache: CacheRules;
	/** the model whose prices these are */
	readonly model: string;
	/** YYYY-MM-DD */
	readonly asOf: string;
	/** where prices and cache rules are from, and what of them is assumed */
	readonly source: string;
}

const PREFIX: LongestPrefix = {
	kind: "prefix",
	lifeMs: 300_000,
	minTokens: 1024,
	unit: 1,
	writes: false,
	replies: false,
};

const ONE_HOUR: Breakpoints = { ...FIVE_MINUTES, lifeMs: 3_600_000 };

/** OpenAI caches in steps of 128 tokens. Of its range of 5 to 10 idle minutes the lower end. */
const OPENAI: LongestPrefix = { ...PREFIX, unit: 128 };

/** Gemini's implicit cache: the minimum of the Pro models. Its life is not documented. */
const GEMINI: LongestPrefix = { ...PREFIX, minTokens: 4096 };

/**
 * DeepSeek's disk cache, of "a few hours to a few days" two hours. Its page says units of 64 tokens and
 * that the end of a reply is kept too; recorded sessions of V4 show the latter, and units of 128.
 */
const DEEPSEEK: LongestPrefix = {
	...PREFIX,
	unit: 128,
	minTokens: 128,
	lifeMs: 7_200_000,
	replies: true,
};

/** Z.ai: as recorded sessions show it, units of 64 tokens without the reply; life assumed. */
const ZAI: LongestPrefix = { ...PREFIX, unit: 64, minTokens: 64 };

const AS_OF = "2026-11-30";
const LIST = "prices: model catalogue of pi-ai 1.6.0";

/**
 * The presets by name. Prices are US dollars per million tokens, from the catalogue that pi-ai 1.6.0
 * ships; lives, minima and units are from the documentation page that `source` names, the lower end of a
 * range, and marked where the page gives none.
 */
export const PRESETS: Readonly<Record<string, Preset>> = {
	"anthropic-5m": {
		prices: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
		cache: FIVE_MINUTES,
		model: "claude-opus-5",
		asOf: AS_OF,
		source: `${LIST}; cache: Anthropic, "Prompt caching"`,
	},
	"anthropic-1h": {
		prices: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 5 * HOUR_WRITE },
		cache: ONE_HOUR,
		model: "claude-opus-5",
		asOf: AS_OF,
		source: `${LIST}, writes at twice the input; cache: Anthropic, "Prompt caching"`,
	},
	"openai-free-writes": {
		prices: {
			input: 5,
			output: 30,
			cacheRead: 0.5,
			cacheWrite: 0,
			tiers: [{ inputTokensAbove: 272_000, input: 10, output: 45, cacheRead: 1, cacheWrite: 0 }],
		},
		cache: OPENAI,
		model: "gpt-5.5",
		asOf: AS_OF,
		source: `${LIST}, up to GPT-5.5; cache: OpenAI, "Prompt caching"`,
	},
	"openai-paid-writes": {
		prices: {
			input: 2,
			output: 10,
			cacheRead: 0.1,
			cacheWrite: 2.5,
			tiers: [{ inputTokensAbove: 272_000, input: 4, output: 15, cacheRead: 0.2, cacheWrite: 5 }],
		},
		cache: { ...OPENAI, writes: true },
		model: "gpt-6.2-sol",
		asOf: AS_OF,
		source: `${LIST}, from GPT-5.6 on; cache: OpenAI, "Prompt caching", life and unit assumed unchanged`,
	},
	gemini: {
		prices: {
			input: 2,
			output: 12,
			cacheRead: 0.2,
			cacheWrite: 0,
			tiers: [{ inputTokensAbove: 200_000, input: 4, output: 18, cacheRead: 0.4, cacheWrite: 0 }],
		},
		cache: GEMINI,
		model: "gemini-3.1-pro-preview",
		asOf: AS_OF,
		source: `${LIST}; cache: Gemini API, "Context caching" (implicit), life of 5 minutes assumed`,
	},
	deepseek: {
		prices: { input: 1.32, output: 3.96, cacheRead: 0.044, cacheWrite: 0 },
		cache: DEEPSEEK,
		model: "deepseek-v4-pro",
		asOf: AS_OF,
		source: `${LIST}; cache: DeepSeek API, "Context Caching"`,
	},
};

/** What is known of a model when its cache rules are asked for. */
export interface CachedModel {
	readonly provider: string;
	/** the model's id at its provider */
	readonly id: string;
	/** `null` where unknown */
	readonly prices: Prices | null;
	/** life of an entry in seconds, as pi's `model.promptCache` has it for the retention in use */
	readonly lifeSeconds?: number | undefined;
	/** whether the long retention is in use (`PI_CACHE_RETENTION=long`) */
	readonly long?: boolean | undefined;
}

/**
 * The cache rules that fit a model: breakpoints for Claude, whoever serves it, since pi sets them there;
 * none where input has a price and a read from the cache has not; else the longest prefix.
 */
export function cacheRulesFor(model: CachedModel): CacheRules {
	const prices = model.prices;
	if (prices && prices.input > 0 && !(prices.cacheRead > 0)) return { kind: "none" };
	const rules = familyOf(model);
	const lifeMs = model.lifeSeconds === undefined ? rules.lifeMs : model.lifeSeconds * 1000;
	if (rules.kind === "breakpoints") return { ...rules, lifeMs };
	return { ...rules, lifeMs, writes: (prices?.cacheWrite ?? 0) > 0 };
}

function familyOf({ provider, id, long }: CachedModel): Breakpoints | LongestPrefix {
	if (provider === "anthropic" || /claude/i.test(id)) return long ? ONE_HOUR : FIVE_MINUTES;
	if (provider.startsWith("openai") || provider === "azure") return OPENAI;
	if (provider.startsWith("google")) return GEMINI;
	if (provider === "deepseek" || /deepseek/i.test(id)) return DEEPSEEK;
	return provider.startsWith("zai") ? ZAI : PREFIX;
}
