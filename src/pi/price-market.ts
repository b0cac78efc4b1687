// What tokens cost with the model in use, and what its provider still has in its cache. Read from pi's own
// price list and from the times in the session; a model without prices has none here either.

import { type CacheRules, isCold } from "../price/cache.ts";
import { cacheRulesFor } from "../price/preset.ts";
import type { Prices } from "../price/rate.ts";
import type { SessionEntry } from "../session/entry.ts";
import type { Log } from "./log.ts";

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
 * The branch without the replies and cache warmings of requests that went out while D-Mail was off; positions
 * stay. Their bytes differ from the prompt on, so they use a cache of their own: what was sent before they
 * began gets cold meanwhile, and what came since then no folded request has carried.
 */
export function sentFolded({ stored, branch }: Log): readonly SessionEntry[] {
	if (!branch.some(({ record }) => record?.kind === "mode")) return stored;
	let isOn = true;
	return stored.map((entry, at) => {
		const record = branch[at]?.record;
		if (record?.kind === "mode") isOn = record.enabled;
		return isOn || !usedAt(entry) ? entry : blotted(entry);
	});
}

function blotted({ id, parentId, timestamp, type }: SessionEntry): SessionEntry {
	return { id, parentId, timestamp, type: "unknown", was: type };
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

/**
 * How long the cache entry that ends before a position has been idle, in ms: the request for the first reply
 * from there on wrote it, the one after that read it, and none since, unless a longer hit counts.
 */
export function entryIdleOf(branch: readonly SessionEntry[], from: number, nowMs: number): number {
	let replies = 0;
	let usedMs = Number.NEGATIVE_INFINITY;
	for (let at = from; at < branch.length && replies < 2; at++) {
		const entry = branch[at];
		const used = entry?.type === "message" ? usedAt(entry) : undefined;
		if (!used) continue;
		usedMs = used.atMs;
		replies++;
	}
	return Math.max(0, nowMs - usedMs);
}

/** Requests in a row whose cache never got cold in between. */
interface Stretch {
	readonly requests: number;
	/** position of the first one's reply; the branch's length where there is none */
	readonly from: number;
}

/**
 * The newest requests of a model that its cache has stayed warm for: since it was last cold, or since the
 * session began, pi compacted, or another model was asked. Cache entries of older requests are gone.
 */
export function warmStretch(branch: readonly SessionEntry[], { model, cache }: Market): Stretch {
	let requests = 0;
	let from = branch.length;
	let later = Number.POSITIVE_INFINITY;
	for (let at = branch.length - 1; at >= 0; at--) {
		const entry = branch[at];
		if (!entry || entry.type === "compaction") break;
		const used = usedAt(entry);
		if (!used) continue;
		if (used.model !== model) {
			if (entry.type === "message") break;
			continue;
		}
		if (isCold(cache, Number.isFinite(later) ? later - used.atMs : 0)) break;
		if (entry.type === "message") {
			requests++;
			from = at;
		}
		later = used.fromMs;
	}
	return { requests, from };
}

/** Whether the next request finds nothing in the cache. */
export function isMarketCold(market: Market, idleMs: number): boolean {
	return isCold(market.cache, idleMs);
}

/** A use of a cache: from when a request was sent to when its reply was complete. */
interface Use {
	readonly model: string;
	readonly fromMs: number;
	readonly atMs: number;
}

function usedAt(entry: SessionEntry): Use | undefined {
	if (entry.type === "usage") {
		const atMs = Date.parse(entry.timestamp);
		return { model: `${entry.provider}/${entry.model}`, fromMs: atMs, atMs };
	}
	const message = entry.type === "message" ? entry.message : undefined;
	if (message?.role !== "assistant") return undefined;
	if (message.stopReason === "error" || message.stopReason === "aborted") return undefined;
	const { provider, model, timestamp, durationMs } = message;
	const fromMs = timestamp;
	return { model: `${provider}/${model}`, fromMs, atMs: fromMs + (durationMs ?? 0) };
}
