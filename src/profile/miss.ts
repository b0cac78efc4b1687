// The miss ledger: what a request sent again that had been sent before and yet did not come from the cache,
// and why. Together with what came from the cache and what was new it is the prompt that was reported.

import { ratesAt } from "../price/rate.ts";
import { promptTokens, type Usage } from "../price/usage.ts";
import { type Between, FLAG, type History } from "./history.ts";
import type { Calibration, Cause, Miss } from "./profile.ts";
import { CAUSES } from "./profile.ts";
import { isReadUnpriced, type Maker, type Replies } from "./replies.ts";
import type { Requests } from "./requests.ts";

/** Caches that say nothing of writes serve whole blocks; two of the usual 128 tokens are rounding. */
const ROUNDING = 256;

/** How much less than the estimate may be served of an unchanged prefix before it counts as missed. */
const SLACK = 0.1;

/** Fills in why each request missed. */
export function enterMisses(
	requests: Requests,
	history: History,
	replies: Replies,
	calibration: Calibration,
): void {
	for (let i = 0; i < requests.length; i++) {
		const reply = requests.reply.at(i);
		const usage = replies.usageOf(reply);
		const maker = replies.makerOfReply(reply);
		// a cache that never showed is none: nothing could have come from it
		if (!usage || !maker?.caches) continue;
		const between = history.at(i);
		const before = replies.usageOf(requests.reply.at(between.previous));
		const part = partOf(usage, before, between, { maker, calibration });
		if (!part || part.tokens <= 0) continue;
		requests.setMiss(i, { ...part, costUsd: extraUsd(part.tokens, usage, maker) });
	}
}

/** What was missed by cause, and of what it cost the part that is known. */
export interface MissSums {
	/** in the order of the causes; those that never occurred are left out */
	readonly miss: readonly Miss[];
	/** by cause, of those that have no cost because a part has no price: the sum of the others */
	readonly leastUsd: ReadonlyMap<Cause, number>;
}

/** Sums what was missed. A cost of which a part is not known is null. */
export function sumMisses(requests: Requests): MissSums {
	const sums = new Map<Cause, { tokens: number; costUsd: number; unpriced: boolean }>();
	for (let i = 0; i < requests.length; i++)
		for (const { cause, tokens, costUsd } of requests.missAt(i)) {
			const sum = sums.get(cause) ?? { tokens: 0, costUsd: 0, unpriced: false };
			sum.tokens += tokens;
			sum.costUsd += costUsd ?? 0;
			sum.unpriced ||= costUsd === null;
			sums.set(cause, sum);
		}
	const miss: Miss[] = [];
	const leastUsd = new Map<Cause, number>();
	for (const cause of CAUSES) {
		const sum = sums.get(cause);
		if (!sum) continue;
		miss.push({ cause, tokens: sum.tokens, costUsd: sum.unpriced ? null : sum.costUsd });
		if (sum.unpriced && sum.costUsd > 0) leastUsd.set(cause, sum.costUsd);
	}
	return { miss, leastUsd };
}

type Part = Pick<Miss, "cause" | "tokens">;

interface Setting {
	readonly maker: Maker;
	readonly calibration: Calibration;
}

/**
 * What one request missed.
 *
 * Without a change all that could be cached of the request before could have come from the cache. With
 * one, all of that which is still sent: its beginning is unchanged, the rest had to be sent anew. Where
 * even the beginning was not served, a cache that was cold for another reason takes it all, since then the
 * change cost nothing; else the change made the nearest cache entry unreachable.
 */
function partOf(
	usage: Usage,
	before: Usage | undefined,
	{ change, grown, flags }: Between,
	{ maker, calibration }: Setting,
): Part | undefined {
	const fresh = usage.input + usage.cacheWrite;
	if (!before) return { cause: "first", tokens: fresh };
	const cacheable = maker.writes ? before.cacheRead + before.cacheWrite : promptTokens(before);
	const { k, overhead } = calibration;
	const known = change ? Math.min(cacheable, promptTokens(usage) - k * grown) : cacheable;
	const tokens = Math.min(fresh, Math.round(known) - usage.cacheRead);
	if (tokens <= (maker.writes ? 0 : ROUNDING)) return undefined;
	const cold = coldCause(flags);
	if (!change) return { cause: cold ?? warmCause(flags), tokens };
	const same = Math.min(known, overhead + k * change.kept);
	const isServed = same - usage.cacheRead <= Math.max(ROUNDING, SLACK * same);
	return { cause: cold && !isServed ? cold : change.cause, tokens };
}

/** What makes a cache cold whatever was sent, in the order of the causes. */
function coldCause(flags: number): Cause | undefined {
	if (flags & FLAG.model) return "model";
	if (flags & FLAG.thinking) return "thinking";
	if (flags & FLAG.system) return "system";
	return flags & FLAG.idle ? "idle" : undefined;
}

function warmCause(flags: number): Cause {
	if (flags & FLAG.moved) return "branch";
	return flags & FLAG.unsure ? "unexplained" : "provider";
}

/** What the tokens cost above a read from the cache; null where the one or the other has no known price. */
function extraUsd(tokens: number, usage: Usage, maker: Maker): number | null {
	const { inputUsd, w, r } = ratesAt(maker.prices, promptTokens(usage), maker.hourly);
	if (inputUsd === null || isReadUnpriced(maker)) return null;
	return tokens * inputUsd * ((usage.cacheWrite > 0 ? w : 1) - r);
}
