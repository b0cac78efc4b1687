// The landings of the session in hand: what each was expected to do, what the provider's usage says it did, and
// what it shows about the cache. Reads the session and pi's models; changes nothing.

import type { Fold, Replayer } from "../../fold.ts";
import {
	type Block,
	type Breakpoints,
	type CacheRules,
	countPositions,
	isCold,
} from "../price/cache.ts";
import { isWritten, learnRefresh, type Measured, measureLanding } from "../price/landing.ts";
import { ratesAt, uncached } from "../price/rate.ts";
import { promptTokens, readUsage, type Usage } from "../price/usage.ts";
import { knownWhenAsked } from "../session/asked.ts";
import {
	type AssistantMessage,
	blocksOf,
	type PiMessage,
	type SessionEntry,
} from "../session/entry.ts";
import { type Landing, type Measurement, type Placed, readLandings } from "../session/landings.ts";
import type { Log } from "./log.ts";
import { standingOf, stands } from "./price-entries.ts";
import { idleOf, type Market } from "./price-market.ts";

/** A reply whose usage was measured. */
interface MeasuredReply extends Measurement {
	readonly message: AssistantMessage;
	readonly usage: Usage;
}

/** A landing of the session in hand. */
export type PiLanding = Landing<MeasuredReply>;

/** The landings of a branch, oldest first. */
export function landingsOf({ branch, stored }: Log, replayer: Replayer<PiMessage>): PiLanding[] {
	return readLandings({
		branch,
		folds: replayer.folds,
		positionOf: (id) => replayer.steps.positionOf(id),
		replyAt: (at) => replyOf(stored[at]),
		knew: (reply, record) => record < knownWhenAsked(stored, reply),
		levelAt(at) {
			const entry = stored[at];
			return entry?.type === "thinking_level_change" ? entry.thinkingLevel : undefined;
		},
	});
}

function replyOf(entry: SessionEntry | undefined): MeasuredReply | undefined {
	const message = entry?.type === "message" ? entry.message : undefined;
	if (message?.role !== "assistant") return undefined;
	const { usage } = readUsage(message.usage);
	if (!usage) return undefined;
	const model = `${message.provider}/${message.model}`;
	return { message, usage, model, prompt: promptTokens(usage) };
}

/** What measuring asks of the session beside a landing. */
export interface Surroundings {
	/** the branch with those requests only that share a cache (`sentFolded`) */
	readonly sent: readonly SessionEntry[];
	/** size of a fold's chip in tokens */
	chipOf(fold: Fold): number;
	/** the market of a model, by its name */
	marketFor(model: string): Market;
}

/**
 * What a landing did, by usage alone.
 *
 * @returns `null` where it cannot be said: it is not back, there is no request before it, or the model changed
 */
export function measure(landing: PiLanding, around: Surroundings): Measured | null {
	const { before, after, folds, written, ownTurn, changed, grown, requestsSince } = landing;
	if (!before || !after || before.reply.model !== after.reply.model) return null;
	const market = around.marketFor(after.reply.model);
	const rates = ratesAt(market.prices, after.reply.prompt, market.hourWrites);
	return measureLanding(
		{
			before: before.reply.usage,
			after: after.reply.usage,
			grown,
			S: folds.reduce((sum, fold) => sum + around.chipOf(fold), 0),
			s: written,
			...(ownTurn ? { ownTurn: before.reply.prompt } : {}),
			cold: isWritten(market.cache, idleAt(around.sent, after), changed),
			requestsSince,
		},
		market.cache.kind === "none" ? uncached(rates) : rates,
	);
}

/** How long the cache had been idle when the reply at a position was asked for, in ms. */
function idleAt(sent: readonly SessionEntry[], { at, reply }: Placed<MeasuredReply>): number {
	return idleOf(sent.slice(0, at), reply.model, reply.message.timestamp);
}

function isColdAt(
	sent: readonly SessionEntry[],
	cache: CacheRules,
	after: Placed<MeasuredReply>,
): boolean {
	return cache.kind !== "none" && isCold(cache, idleAt(sent, after));
}

/** What is learnt from. */
export interface Learning {
	readonly market: Market;
	/** tokens of the system prompt and the tools */
	readonly head: number;
	/** the branch with those requests only that share a cache (`sentFolded`) */
	readonly sent: readonly SessionEntry[];
}

/**
 * The cache rules of a market as the landings of the session have shown them: whether a longer hit keeps the
 * shorter entries alive that it contains. Every warm landing of this model is asked, oldest first.
 */
export function learnedCache(
	log: Log,
	landings: readonly PiLanding[],
	{ market, head, sent }: Learning,
): CacheRules {
	const { cache, model } = market;
	if (cache.kind !== "breakpoints") return cache;
	let { refresh } = cache;
	for (const [i, landing] of landings.entries()) {
		const { after, before } = landing;
		if (after?.reply.model !== model || before?.reply.model !== model) continue;
		if (isColdAt(sent, cache, after)) continue;
		// an entry that was gone for another reason teaches nothing
		const standing = standingOf(sent.slice(0, after.at), landings.slice(0, i), market);
		if (!stands(standing, Math.min(...landing.folds.map(({ from }) => from)))) continue;
		const H = expectedHit({ ...log, stored: sent }, landing, cache);
		const { cacheRead } = after.reply.usage;
		// less than the head is a miss of everything, which says nothing about the entry in question
		if (H !== undefined && cacheRead >= head / 2)
			refresh = learnRefresh(refresh, { H, head, cacheRead });
	}
	return { ...cache, refresh };
}

/**
 * The entry that a landing was expected to hit, in tokens: what the request for its first step took, by
 * usage. `undefined` where that is not known, or was out of the look-up's reach.
 */
function expectedHit(
	log: Log,
	{ folds, after }: PiLanding,
	cache: Breakpoints,
): number | undefined {
	const deepest = folds.reduce((deep, fold) => (fold.from < deep.from ? fold : deep));
	const entry = log.stored[deepest.from];
	const first = entry?.type === "message" ? entry.message : undefined;
	if (!after || first?.role !== "assistant") return undefined;
	const { usage } = readUsage(first.usage);
	const H = usage ? promptTokens(usage) : 0;
	const later = log.branch.slice(deepest.to, after.at);
	const positions = 1 + countPositions(later.flatMap(({ message }) => positionsOf(message)));
	const fits = H > 0 && H <= promptTokens(after.reply.usage) && positions <= cache.lookback;
	return fits ? H : undefined;
}

function positionsOf(message: PiMessage | undefined): Block[] {
	if (!message) return [];
	if (message.role === "toolResult") return [{ tokens: 0, call: true }];
	if (message.role !== "assistant") return [{ tokens: 0, call: false }];
	return blocksOf(message.content).map(({ type }) => ({ tokens: 0, call: type === "toolCall" }));
}
