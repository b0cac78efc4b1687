// A price in words: the same sentences in a preview, in `/dmail price` and in the result of a real fold.
// Prints no money where there is no price.

import { HOUR_WRITE, type Prices, tierAt } from "../price/rate.ts";
import { onceWords, payWords } from "../price/words.ts";
import { formatCount } from "./badge.ts";
import type { Quote } from "./price.ts";
import type { Market } from "./price-market.ts";

/** What a fold saves, costs, needs to pay, and leaves; one sentence a line. */
export function priceLines(quote: Quote): string[] {
	return [savingLine(quote), costLine(quote), ...roomLine(quote)];
}

function savingLine({ removedTokens, chip, perRequestTokens, perRequestUsd }: Quote): string {
	const parts = `(removes ~${formatCount(removedTokens)}, the chip takes ~${formatCount(chip)})`;
	if (perRequestTokens <= 0)
		return `Saves nothing: every request grows by ~${formatCount(-perRequestTokens)} tokens ${parts}.`;
	const money = perRequestUsd === null ? "" : ` and ${formatUsd(perRequestUsd)}`;
	return `Saves ~${formatCount(perRequestTokens)} tokens${money} with every request ${parts}.`;
}

function costLine(quote: Quote): string {
	const { market, cold } = quote;
	const cache = market.cache.kind === "none" ? "no cache" : cold ? "cache cold now" : "cache warm";
	const [first = "", ...rest] = `${costWords(quote)}${writingWords(quote)}`;
	return `${first.toUpperCase()}${rest.join("")} (${cache}); ${payWords(quote.requestsToPay)}.`;
}

/** What a landing costs once: `costs $0.012 once`, or that it saves at once. */
export function costWords({ dC, onceUsd }: Pick<Quote, "dC" | "onceUsd">): string {
	const amount = onceUsd === null ? worth(dC) : formatUsd(Math.abs(onceUsd));
	return onceWords(dC, amount);
}

/** What of that is spent before the fold can land: `, writing the summary ($0.0045) included`. */
export function writingWords({
	writing,
	writingUsd,
}: Pick<Quote, "writing" | "writingUsd">): string {
	if (writing <= 0) return "";
	const amount = writingUsd === null ? worth(writing) : formatUsd(writingUsd);
	return `, writing the summary (${amount}) included`;
}

function worth(inputTokens: number): string {
	return `the price of ~${formatCount(Math.abs(inputTokens))} input tokens`;
}

function roomLine({ room, compacts }: Quote): string[] {
	if (room === null) return [];
	const until = compacts ? "before pi compacts" : "before the window is full";
	return [
		room > 0
			? `Leaves room for ~${formatCount(room)} tokens ${until}.`
			: `Leaves no room: ~${formatCount(-room)} tokens too many ${until}.`,
	];
}

/** US dollars with two digits that count: `$0.0037`, `$0.021`, `$1.25`. */
export function formatUsd(usd: number): string {
	const size = Math.abs(usd);
	const digits = size === 0 || size >= 0.1 ? 2 : Math.min(6, 1 - Math.floor(Math.log10(size)));
	return `${usd < 0 ? "−" : ""}$${size.toFixed(digits)}`;
}

/** The prices of a model for a prompt of so many tokens, in one line. */
export function pricesText({ model, prices, hourWrites }: Market, prompt: number): string {
	if (model === "") return "no model is chosen";
	if (!prices) return `${model} has none; amounts are in tokens`;
	const list = tierAt(prices, prompt) ?? prices;
	const write = hourWrites ? HOUR_WRITE * list.input : list.cacheWrite;
	const parts = [
		`input ${perMillion(list.input)}`,
		`output ${perMillion(list.output)}`,
		...(list.cacheRead > 0 ? [`cache read ${perMillion(list.cacheRead)}`] : []),
		...(list.cacheWrite > 0 ? [`cache write ${perMillion(write)}`] : []),
	];
	return `${parts.join(", ")} per million tokens${tierText(prices, prompt)} (${model})`;
}

/** Where the prices change: those in force hold above one threshold and up to the next. */
function tierText(prices: Prices, prompt: number): string {
	const inForce = tierAt(prices, prompt)?.inputTokensAbove;
	const next = (prices.tiers ?? [])
		.map((tier) => tier.inputTokensAbove)
		.filter((above) => above >= prompt)
		.sort((a, b) => a - b)[0];
	const now = inForce === undefined ? "" : ` above ${formatCount(inForce)}`;
	return next === undefined ? now : `${now}, others above ${formatCount(next)}`;
}

/** `$3`, `$0.30`, `$0.075`. */
function perMillion(usd: number): string {
	const cents = usd * 100;
	if (Number.isInteger(usd)) return `$${usd}`;
	return `$${Math.abs(cents - Math.round(cents)) < 1e-6 ? usd.toFixed(2) : Number(usd.toFixed(4))}`;
}

/** How a provider caches, and whether that is warm: `kept for 5 min, last used 12 s ago`. */
export function cacheText({ cache }: Market, idleMs: number): string {
	if (cache.kind === "none") return "the provider has none";
	const life = `kept for ${formatTime(cache.lifeMs)}`;
	if (!Number.isFinite(idleMs)) return `${life}, nothing in it yet`;
	const state = idleMs > cache.lifeMs ? "cold" : "warm";
	return `${life}, last used ${formatTime(idleMs)} ago: ${state}`;
}

/** `12 s`, `5 min`, `2 h`. */
function formatTime(ms: number): string {
	const seconds = Math.round(ms / 1_000);
	if (seconds < 120) return `${seconds} s`;
	const minutes = Math.round(seconds / 60);
	return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
