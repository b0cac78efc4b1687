// How things stand before the next request: the folds that are held with their sizes, and all that decides
// whether they land. Read from the session and the model in use; nothing is kept between two requests.

import {
	type CallShift,
	type Fold,
	type Range,
	type Replayer,
	type View,
	weigh,
	weighCalls,
} from "../../fold.ts";
import { type Sizes, together } from "../price/cost.ts";
import { tierAt } from "../price/rate.ts";
import type { HeldFold, Moment } from "../price/timing.ts";
import type { PiMessage } from "../session/entry.ts";
import { piHost } from "../session/message.ts";
import { measurePressure } from "./compaction-pressure.ts";
import { supersededHeld } from "./held.ts";
import type { Log } from "./log.ts";
import { type Placed, type Pricing, placeCut } from "./price.ts";
import { tokensIn } from "./price-layout.ts";
import { warmStretch } from "./price-market.ts";

/** A session as it is sent now. */
export interface Scene {
	readonly log: Log;
	readonly replayer: Replayer<PiMessage>;
	readonly view: View<PiMessage>;
	readonly pricing: Pricing;
}

/** A cut of the view, where it stands. */
export interface Stands {
	readonly range: Range;
	/** its sizes are those of a landing alone */
	readonly placed: Placed;
	/** the calls behind it that read otherwise once it has landed */
	readonly calls: readonly CallShift[];
}

/** A fold that is held, and where it stands. */
export interface Held extends Stands {
	readonly fold: Fold;
}

/** The folds that are held, in branch order; of those inside one another the outermost. */
export function heldFolds({ replayer, view, pricing }: Scene): Held[] {
	const superseded = supersededHeld(replayer.folds);
	const outermost = replayer.folds.filter((fold) => fold.state === "held" && !superseded.has(fold));
	return outermost
		.toSorted((a, b) => a.from - b.from)
		.map((fold) => {
			const { record } = fold;
			const { chip } = weigh(replayer, view, { record, range: fold }, piHost);
			const keeps = record.keep !== undefined;
			const calls = weighCalls(replayer, view, fold, piHost);
			const c = callsOutside({ calls }, []);
			const cut = { range: fold, keeps, summary: 0, chip, c, written: false };
			return { fold, range: fold, placed: placeCut(pricing, cut), calls };
		});
}

/** Tokens by which calls get smaller that lie in none of the ranges: in one of them they go with it. */
export function callsOutside({ calls }: Pick<Stands, "calls">, ranges: readonly Range[]): number {
	const isOutside = ({ at }: CallShift) => !ranges.some(({ from, to }) => from <= at && at < to);
	return calls.reduce((sum, call) => sum + (isOutside(call) ? call.tokens : 0), 0);
}

/** A held fold as the decision takes it, beside the ranges of others that may land with it. */
export function toDecide(held: Held, { log, pricing }: Scene, others: readonly Range[]): HeldFold {
	const { fold, placed } = held;
	// what was asked while D-Mail was off would have gone out with its source in any case
	const replies = log.branch.flatMap(({ kind }, at) =>
		kind === "assistant" && pricing.stored[at]?.type === "message" ? [at] : [],
	);
	const from = Math.max(fold.to, replies.findLast((at) => at < fold.at) ?? 0);
	const carried: Range = { from, to: Math.max(from, pricing.layout.newest) };
	const { H, nextH, fresh } = placed;
	const sizes = { ...placed.sizes, c: callsOutside(held, others) };
	return {
		...{ id: fold.record.id, sizes, H, nextH, fresh },
		grown: tokensIn(pricing.layout, carried),
		requests: replies.filter((at) => at > fold.at).length,
	};
}

/** What the decision has to go by beside the folds. */
export function momentOf({ log, pricing }: Scene, timing: Moment["timing"]): Moment {
	const { market, layout, head, window, rates, cold, stored, idleMs } = pricing;
	const estimate = head + layout.total;
	// what the provider counted is nearer to the truth, as long as it is of this model and this prompt
	const prompt = Number.isFinite(idleMs) ? measurePressure(log, []).next : estimate;
	return {
		timing,
		rates,
		caches: market.cache.kind !== "none",
		cold,
		warm: warmStretch(stored, market).requests,
		prompt,
		window: window.tokens > 0 ? window.tokens : null,
		tierAbove: (market.prices && tierAt(market.prices, prompt)?.inputTokensAbove) ?? null,
	};
}

/** Several cuts that land together, as one: a rewrite from the first one's start on. */
export function placeTogether(cuts: readonly [Stands, ...Stands[]]): Placed {
	const { placed } = cuts.reduce((deep, one) =>
		one.placed.sizes.P < deep.placed.sizes.P ? one : deep,
	);
	const [first, ...others] = cuts.map((one) => one.placed.sizes) as [Sizes, ...Sizes[]];
	const ranges = cuts.map(({ range }) => range);
	const c = cuts.reduce((sum, one) => sum + callsOutside(one, ranges), 0);
	return { ...placed, sizes: { ...together([first, ...others]), c } };
}
