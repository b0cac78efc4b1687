// What a fold costs and saves here and now: the sizes of the view, the model's prices, the state of its
// cache, the room in its window. One computation for preview, command, picker and record; it changes nothing.

import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import type { Range, Replayer, View } from "../../fold.ts";
import { hitAfter, isOutOfReach } from "../price/cache.ts";
import { type FoldPrice, priceFold, type Sizes } from "../price/cost.ts";
import { type Rates, ratesAt, toUsd, uncached } from "../price/rate.ts";
import type { PiMessage, SessionEntry } from "../session/entry.ts";
import { estimateText } from "../session/size.ts";
import { landingsOf, learnedCache, type PiLanding } from "./landing.ts";
import type { Log } from "./log.ts";
import { type Standing, standingOf, stands } from "./price-entries.ts";
import { type Layout, layOut, spotOf } from "./price-layout.ts";
import {
	entryIdleOf,
	idleOf,
	isMarketCold,
	type Market,
	marketOf,
	sentFolded,
} from "./price-market.ts";
import { roomIn, type Window, windowOf } from "./price-window.ts";

/** Everything that prices the cuts of one view. */
export interface Pricing {
	readonly layout: Layout;
	/** the branch, with those requests only that share the cache of the next one (`sentFolded`) */
	readonly stored: readonly SessionEntry[];
	/** which cache entries can still be there */
	readonly standing: Standing;
	readonly nowMs: number;
	/** tokens of the system prompt and the tools */
	readonly head: number;
	readonly market: Market;
	readonly window: Window;
	readonly rates: Rates;
	/** ms since the model's cache was last used */
	readonly idleMs: number;
	readonly cold: boolean;
	/** the landings of the branch, oldest first */
	readonly landings: readonly PiLanding[];
	/** the market of a model of this session, by its name */
	readonly marketFor: (model: string) => Market;
}

/** A cut to be priced. */
export interface Cut {
	readonly range: Range;
	/** whether the newest request stays behind the chip */
	readonly keeps: boolean;
	/** tokens of the summary */
	readonly summary: number;
	/** tokens of the chip */
	readonly chip: number;
	/** the model writes the summary, as output */
	readonly written: boolean;
	/** tokens by which calls behind the range get smaller; absent: none */
	readonly c?: number | undefined;
	/** the call is a turn of its own */
	readonly ownTurn?: boolean | undefined;
}

/** A cut's price and what it leaves. Sizes are estimates, in tokens. */
export interface Quote extends FoldPrice {
	readonly chip: number;
	readonly market: Market;
	/** the next request with the fold, prompt and tools included */
	readonly prompt: number;
	/** left before pi compacts, or before the window is full; `null` where the window is unknown */
	readonly room: number | null;
	readonly compacts: boolean;
	/** how much of it is for writing the summary: the output, and a turn of its own; in tokens of uncached input */
	readonly writing: number;
	readonly writingUsd: number | null;
}

/** A summary that is not written yet is taken to have so many tokens. */
export const ASSUMED_SUMMARY = 300;

/** Reads what all cuts of a view have in common. */
export function pricingOf(
	pi: ExtensionAPI,
	ctx: ExtensionContext,
	{ log, replayer, view }: { log: Log; replayer: Replayer<PiMessage>; view: View<PiMessage> },
): Pricing {
	const stored = sentFolded(log);
	const newest = stored === log.stored ? replayer.steps.newest : stored.findLastIndex(isReply);
	const layout = layOut(replayer, view, newest);
	const head = headOf(pi, ctx);
	const landings = landingsOf(log, replayer);
	const listed = marketOf(ctx.model, process.env);
	const learning = { market: listed, head, sent: stored };
	const market = { ...listed, cache: learnedCache(log, landings, learning) };
	const nowMs = Date.now();
	const idleMs = idleOf(stored, market.model, nowMs);
	const rates = ratesAt(market.prices, head + layout.total, market.hourWrites);
	return {
		layout,
		stored,
		standing: standingOf(stored, landings, market),
		nowMs,
		head,
		market,
		window: windowOf(pi, ctx),
		rates: market.cache.kind === "none" ? uncached(rates) : rates,
		idleMs,
		// without a cache nothing is ever warm, and the formulas have rates of their own for that
		cold:
			market.cache.kind !== "none" &&
			(isMarketCold(market, idleMs) || isOutOfReach(market.cache, layout.grows)),
		landings,
		marketFor: (model) => (model === market.model ? market : otherMarket(ctx, model)),
	};
}

/** Of a model that pi does not know any more there are no prices. */
function otherMarket({ modelRegistry }: ExtensionContext, model: string): Market {
	const slash = model.indexOf("/");
	const [provider, id] = [model.slice(0, slash), model.slice(slash + 1)];
	return marketOf(modelRegistry.find(provider, id) ?? { provider, id }, process.env);
}

function isReply(entry: SessionEntry): boolean {
	return entry.type === "message" && entry.message.role === "assistant";
}

/** Where a cut stands in a view, and what the cache still serves after it, in tokens. */
export interface Placed {
	readonly sizes: Sizes;
	/** what still hits, if it lands now */
	readonly H: number;
	/** the same if it lands one request later, which brings about as much as the last one did */
	readonly nextH: number;
	readonly fresh: number;
}

/** Places one cut, in constant time. */
export function placeCut(pricing: Pricing, cut: Cut): Placed {
	const { layout, head, market, idleMs, nowMs, stored, standing } = pricing;
	const spot = spotOf(layout, cut.range, cut.keeps);
	const P = head + spot.before;
	const sizes = {
		...{ P, F: spot.inside, T: spot.after, S: cut.chip, c: cut.c },
		s: cut.written ? cut.summary : 0,
	};
	const entryIdleMs = stands(standing, cut.range.from)
		? entryIdleOf(stored, cut.range.from, nowMs)
		: Number.POSITIVE_INFINITY;
	const hit = (positionsAfter: number) =>
		hitAfter(market.cache, { P, head, positionsAfter, idleMs, entryIdleMs });
	return { sizes, H: hit(spot.places), nextH: hit(spot.places + layout.grows), fresh: spot.fresh };
}

/** Prices one cut, in constant time. */
export function quoteCut(pricing: Pricing, cut: Cut): Quote {
	return quotePlaced(pricing, placeCut(pricing, cut), cut.ownTurn);
}

/** Prices a cut, or several that land together, where they stand. */
export function quotePlaced(pricing: Pricing, placed: Placed, ownTurn?: boolean): Quote {
	const { market, window, rates, cold } = pricing;
	const { sizes, H, fresh } = placed;
	const price = priceFold(sizes, rates, { H, cold, fresh, ownTurn });
	const prompt = sizes.P + sizes.T - (sizes.c ?? 0) + sizes.S;
	const { compacts } = window;
	const room = roomIn(window, prompt);
	const writing = price.dC - priceFold({ ...sizes, s: 0 }, rates, { H, cold, fresh }).dC;
	const writingUsd = toUsd(writing, rates);
	return { ...price, chip: sizes.S, market, prompt, room, compacts, writing, writingUsd };
}

/** The system prompt and the tools that are offered. */
function headOf(pi: ExtensionAPI, ctx: ExtensionContext): number {
	const active = new Set(pi.getActiveTools());
	const tools = pi.getAllTools().filter((tool) => active.has(tool.name));
	const said = tools.map(({ name, description, parameters }) => ({
		name,
		description,
		parameters,
	}));
	return estimateText(ctx.getSystemPrompt()) + estimateText(JSON.stringify(said));
}
