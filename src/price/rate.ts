// What a token costs: a model's price list, the rates that the formulas use, and the bill of one request.
// Plain numbers in and out; where there is no price there is no money, never a guess.

import { type CostParts, type PromptParts, promptTokens, type Usage } from "./usage.ts";

/** US dollars per million tokens, as pi's `model.cost` has them. 0 for a cache price: not charged apart. */
interface PriceList {
	readonly input: number;
	readonly output: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
}

/** A price list with dearer tiers. */
export interface Prices extends PriceList {
	/** in force for the whole request while its prompt has more than `inputTokensAbove` tokens */
	readonly tiers?: readonly PriceTier[] | undefined;
}

/** A price list for prompts of more than `inputTokensAbove` tokens. */
export interface PriceTier extends PriceList {
	readonly inputTokensAbove: number;
}

/** Prices per token, relative to a token of uncached input, and what that one costs. */
export interface Rates {
	/** a token written to the cache */
	readonly w: number;
	/** a token read from the cache */
	readonly r: number;
	/** a token of output */
	readonly o: number;
	/** US dollars of one token of uncached input; `null`: no money is shown */
	readonly inputUsd: number | null;
}

/** Rates where no price is known (design: economics); Anthropic's five-minute relations. */
export const DEFAULT_RATES: Rates = { w: 1.25, r: 0.1, o: 5, inputUsd: null };

/** Anthropic charges a write that lives for an hour at twice the input; pi reckons so too. */
export const HOUR_WRITE = 2;

/**
 * The tier that a prompt of this size falls in, as pi's `calculateCost` picks it: the highest threshold
 * below the prompt; `null` for the base prices.
 */
export function tierAt(prices: Prices, prompt: number): PriceTier | null {
	let found: PriceTier | null = null;
	for (const tier of prices.tiers ?? [])
		if (prompt > tier.inputTokensAbove && tier.inputTokensAbove > (found?.inputTokensAbove ?? -1))
			found = tier;
	return found;
}

/**
 * The rates for a prompt of this size. A free model, and one without usable prices, has the default
 * rates and no money. A cache price of 0 means that the part is charged as input.
 *
 * @param hourWrites whether cache writes live for an hour and are charged so
 */
export function ratesAt(prices: Prices | null, prompt: number, hourWrites = false): Rates {
	const list = prices && (tierAt(prices, prompt) ?? prices);
	if (!list || !(list.input > 0) || !Number.isFinite(list.input)) return DEFAULT_RATES;
	const relative = (price: number) =>
		price > 0 && Number.isFinite(price) ? price / list.input : null;
	const write = relative(list.cacheWrite);
	return {
		w: write !== null && hourWrites ? HOUR_WRITE : (write ?? 1),
		r: relative(list.cacheRead) ?? 1,
		o: relative(list.output) ?? 0,
		inputUsd: list.input / 1e6,
	};
}

/** The rates of a provider without a cache: every token of the prompt is input, every time. */
export function uncached(rates: Rates): Rates {
	return { ...rates, w: 1, r: 1 };
}

/** An amount in tokens of uncached input as US dollars; `null` without prices. */
export function toUsd(inputTokens: number, rates: Rates): number | null {
	return rates.inputUsd === null ? null : inputTokens * rates.inputUsd;
}

/** What a request used, as far as it is billed; `cacheWrite1h` is the part of the writes that lives an hour. */
export interface Billed extends PromptParts {
	readonly output: number;
	readonly cacheWrite1h?: number | undefined;
}

/** A request's bill in tokens of uncached input. */
export function billTokens(used: Billed, rates: Rates): number {
	const hour = used.cacheWrite1h ?? 0;
	return (
		used.input +
		rates.r * used.cacheRead +
		rates.w * (used.cacheWrite - hour) +
		HOUR_WRITE * hour +
		rates.o * used.output
	);
}

/** A request's bill in US dollars by a price list, tiers included; `null` for a model without prices. */
export function billUsd(used: Billed, prices: Prices | null): number | null {
	const rates = ratesAt(prices, promptTokens(used));
	return toUsd(billTokens(used, rates), rates);
}

/**
 * The price list that one model's recorded usage shows: for each part the median of dollars by tokens,
 * so that a few odd rows do not matter. Of a model with tiers it finds those that most requests fell in.
 * A cache part that never was charged is 0, as in pi's lists. `null` where no cost was recorded.
 */
export function pricesFromUsage(usages: Iterable<Usage>): Prices | null {
	const priced = [...usages].filter((usage) => (usage.costUsd ?? 0) > 0);
	const parts = priced.filter((usage) => usage.cost !== null);
	const short = parts.filter((usage) => usage.cacheWrite1h === 0);
	const cacheRead = medianPrice(parts, "cacheRead");
	const cacheWrite = medianPrice(short, "cacheWrite") ?? medianPrice(parts, "cacheWrite");
	const input =
		medianPrice(parts, "input") ??
		scaled(cacheWrite, DEFAULT_RATES.w) ??
		scaled(cacheRead, DEFAULT_RATES.r);
	if (input === null) return priced.length > 0 ? pricesFromTotals(priced) : null;
	const output = medianPrice(parts, "output") ?? input * DEFAULT_RATES.o;
	return { input, output, cacheRead: cacheRead ?? 0, cacheWrite: cacheWrite ?? 0 };
}

/** Where only totals were recorded, the default relations at the scale that fits them. */
function pricesFromTotals(usages: readonly Usage[]): Prices | null {
	const { w, r, o } = DEFAULT_RATES;
	const scales = usages.map((used) => (used.costUsd ?? 0) / billTokens(used, DEFAULT_RATES));
	const input = median(scales.filter((scale) => scale > 0 && Number.isFinite(scale)));
	if (input === null) return null;
	const million = input * 1e6;
	return { input: million, output: million * o, cacheRead: million * r, cacheWrite: million * w };
}

function medianPrice(usages: readonly Usage[], part: keyof CostParts): number | null {
	const prices = usages.map((usage) => ((usage.cost?.[part] ?? 0) / usage[part]) * 1e6);
	return median(prices.filter((price) => price > 0 && Number.isFinite(price)));
}

function scaled(price: number | null, relation: number): number | null {
	return price === null ? null : price / relation;
}

function median(values: readonly number[]): number | null {
	const sorted = values.toSorted((a, b) => a - b);
	const low = sorted[(sorted.length - 1) >> 1];
	const high = sorted[sorted.length >> 1];
	return low === undefined || high === undefined ? null : (low + high) / 2;
}

/**
 * What tokens that a request did not send would have cost, in US dollars: at least as much as reading
 * them from the cache, at most as much as the dearest part of the prompt that was sent.
 */
export function savedUsd(
	savedTokens: number,
	prompt: PromptParts,
	rates: Rates,
): { readonly low: number; readonly high: number } | null {
	if (rates.inputUsd === null) return null;
	const dearest = Math.max(prompt.cacheWrite > 0 ? rates.w : 0, prompt.input > 0 ? 1 : 0, rates.r);
	const atRead = savedTokens * rates.inputUsd * rates.r;
	const atDearest = savedTokens * rates.inputUsd * dearest;
	return { low: Math.min(atRead, atDearest), high: Math.max(atRead, atDearest) };
}
