// What tokens cost with the model in use, and what its provider still has in its cache. Read from pi's own
// price list and from the times in the session; a model without prices has none here either.

import { type CacheRules, isCold } from "../price/cache.ts";
import { cacheRulesFor } from "../price/preset.ts";
import type { Prices } from "../price/rate.ts";
import type { SessionEntry } from "../session/entry.ts";

/** What is read of pi's model; both hosts' fit. */
export interface PricedModel {
	readonly provider: string;
	readonly id: string;
	readonly cost?: Prices | undefined;
	/** 1.6: life of a cache entry in seconds, by retention */
	readonly promptCache?: { readonly short?: number; readonly long?: number } | undefined;
}

/** A model's prices and its provider's cache. */
export interface Market {
	/** `provider/model`; empty where no model is chosen */
	readonly model: string;
	/** `null`: none are known, or all are 0 */
	readonly prices: Prices | null;
	readonly cache: CacheRules;
	/** cache writes live for an hour and are charged so */
	readonly hourWrites: boolean;
}

/** The market of a model under an environment: `PI_CACHE_RETENTION=long` buys a longer life. */
export function marketOf(model: PricedModel | undefined, env: NodeJS.ProcessEnv): Market {
	const long = env["PI_CACHE_RETENTION"] === "long";
	if (!model)
		return {
			model: "",
			prices: null,
			cache: cacheRulesFor({ provider: "", id: "", prices: null }),
			hourWrites: false,
		};
	const prices = model.cost && model.cost.input > 0 ? model.cost : null;
	const lifeSeconds = model.promptCache?.[long ? "long" : "short"];
	const cache = cacheRulesFor({
		provider: model.provider,
		id: model.id,
		prices,
		lifeSeconds,
		long,
	});
	return {
		model: `${model.provider}/${model.id}`,
		prices,
		cache,
		hourWrites: long && cache.kind === "breakpoints",
	};
}

/**
 * How long the model's cache has been idle, in ms: since its newest reply or the newest request that kept it
 * warm. `Infinity` where another model answered last, nobody did, or pi compacted since: nothing is served then.
 */
export function idleOf(branch: readonly SessionEntry[], model: string, nowMs: number): number {
	for (let at = branch.length - 1; at >= 0; at--) {
		const entry = branch[at];
		if (!entry) continue;
		if (entry.type === "compaction") break;
		const used = usedAt(entry);
		if (used && used.model !== model && entry.type === "message") break;
		if (used && used.model === model) return Math.max(0, nowMs - used.atMs);
	}
	return Number.POSITIVE_INFINITY;
}

/** Whether the next request finds nothing in the cache. */
export function isMarketCold(market: Market, idleMs: number): boolean {
	return isCold(market.cache, idleMs);
}

function usedAt(entry: SessionEntry): { model: string; atMs: number } | undefined {
	if (entry.type === "usage")
		return { model: `${entry.provider}/${entry.model}`, atMs: Date.parse(entry.timestamp) };
	const message = entry.type === "message" ? entry.message : undefined;
	if (message?.role !== "assistant") return undefined;
	if (message.stopReason === "error" || message.stopReason === "aborted") return undefined;
	const { provider, model, timestamp, durationMs } = message;
	return { model: `${provider}/${model}`, atMs: timestamp + (durationMs ?? 0) };
}
