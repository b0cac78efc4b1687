// The landings of a branch, read from its records and replies: which request first went out with which folds,
// what that was expected to do, what the provider's usage says it did, and what it shows about the cache.

import { type Effect, type Entry, type Fold, isMessage, type Replayer } from "../../fold.ts";
import {
	type Block,
	type Breakpoints,
	type CacheRules,
	countPositions,
	isCold,
} from "../price/cache.ts";
import { learnRefresh, type Measured, measureLanding } from "../price/landing.ts";
import { ratesAt, uncached } from "../price/rate.ts";
import { promptTokens, readUsage, type Usage } from "../price/usage.ts";
import { knownWhenAsked } from "../session/asked.ts";
import { type AssistantMessage, blocksOf, type PiMessage } from "../session/entry.ts";
import { estimateText } from "../session/size.ts";
import { SEND_TOOL } from "./dmail.ts";
import type { Log } from "./log.ts";
import { standingOf, stands } from "./price-entries.ts";
import { guessChip, type Layout } from "./price-layout.ts";
import { idleOf, type Market, sentFolded } from "./price-market.ts";

/** A reply whose usage was measured. */
interface MeasuredReply {
	/** its position on the branch */
	readonly at: number;
	readonly message: AssistantMessage;
	readonly usage: Usage;
}

/** Folds that were sent for the first time in one request. */
export interface Landing {
	readonly folds: readonly Fold[];
	/** those of them that were never held: their summaries were written for this landing */
	readonly own: readonly Fold[];
	/** what was expected, all records of the landing together; `null` where they say nothing */
	readonly predicted: Effect | null;
	/** the last measured request before it; absent: there is none to compare with */
	readonly before?: MeasuredReply | undefined;
	/** the first request with the folds in place; absent: it is not back */
	readonly after?: MeasuredReply | undefined;
	/** measured requests after that one */
	readonly requestsSince: number;
}

/** The landings of a branch, oldest first. */
export function landingsOf(log: Log, replayer: Replayer<PiMessage>): Landing[] {
	const reader = new Reader(log, replayer);
	for (const [at, entry] of log.branch.entries()) reader.read(entry, at);
	return reader.end();
}

type Open = { -readonly [K in keyof Landing]: Landing[K] } & {
	folds: Fold[];
	own: Fold[];
	/** the position of its first record */
	readonly at: number;
};

/** Reads a branch entry by entry. */
class Reader {
	private readonly log: Log;
	private readonly folds: ReadonlyMap<number, Fold>;
	private readonly held = new Map<string, Fold>();
	private readonly landings: Open[] = [];
	private open: Open | undefined;
	private newest: MeasuredReply | undefined;
	private isOn = true;

	constructor(log: Log, replayer: Replayer<PiMessage>) {
		this.log = log;
		this.folds = new Map(replayer.folds.map((fold) => [fold.at, fold]));
	}

	read({ kind, record }: Entry<PiMessage>, at: number): void {
		if (kind === "compaction" || kind === "edit") this.newest = undefined;
		else if (record?.kind === "mode") this.turn(record.enabled);
		else if (kind === "assistant" && this.isOn) this.answer(at);
		else if (record?.kind === "fold") this.fold(at);
		else if (record?.kind === "land") this.land(at, record.ids, record.predicted);
	}

	end(): Landing[] {
		return this.landings;
	}

	/** The prompt is another one from here on, whatever landed: nothing before can be compared with it. */
	private turn(isOn: boolean): void {
		this.isOn = isOn;
		this.newest = undefined;
		if (this.open) this.open.before = undefined;
	}

	private fold(at: number): void {
		const fold = this.folds.get(at);
		if (!fold || fold.state === "skipped") return;
		const { id, held, lands = [], predicted } = fold.record;
		if (held) this.held.set(id, fold);
		else this.land(at, lands, predicted, fold);
	}

	private land(
		at: number,
		ids: readonly string[],
		predicted: Effect | undefined,
		own?: Fold,
	): void {
		const landed = ids.flatMap((id) => this.held.get(id) ?? []);
		for (const id of ids) this.held.delete(id);
		if (own) landed.push(own);
		if (landed.length === 0) return;
		if (!this.open) {
			const none = { folds: [], own: [], predicted: null, requestsSince: 0 };
			this.open = { ...none, at, before: this.newest };
			this.landings.push(this.open);
		}
		this.open.folds.push(...landed);
		if (own) this.open.own.push(own);
		this.open.predicted = addEffects(this.open.predicted, predicted);
	}

	private answer(at: number): void {
		const entry = this.log.stored[at];
		const message = entry?.type === "message" ? entry.message : undefined;
		if (message?.role !== "assistant") return;
		const { usage } = readUsage(message.usage);
		if (!usage || promptTokens(usage) === 0) return;
		for (const landing of this.landings) if (landing.after) landing.requestsSince++;
		const reply = { at, message, usage };
		this.newest = reply;
		if (!this.open) return;
		// recorded while the reply was on its way: its request is the last one without
		if (this.open.at >= knownWhenAsked(this.log.stored, at)) this.open.before = reply;
		else {
			this.open.after = reply;
			this.open = undefined;
		}
	}
}

/** Several records of one landing: what each was to remove and to cost adds up. */
function addEffects(one: Effect | null, other: Effect | undefined): Effect | null {
	if (!one || !other) return one ?? other ?? null;
	const add = (a: number | null, b: number | null) => (a === null || b === null ? null : a + b);
	const [first, second] = [one.requestsToPay, other.requestsToPay];
	return {
		removedTokens: add(one.removedTokens, other.removedTokens),
		onceUsd: add(one.onceUsd, other.onceUsd),
		perRequestTokens: add(one.perRequestTokens, other.perRequestTokens),
		requestsToPay: first === null || second === null ? null : Math.max(first, second),
		paid: null,
	};
}

/**
 * What a landing did, by usage alone.
 *
 * @returns `null` where it cannot be said: it is not back, there is no request before it, or the model changed
 */
export function measure(
	landing: Landing,
	log: Log,
	{ market, layout }: { readonly market: Market; readonly layout: Layout },
): Measured | null {
	const { before, after, folds, own, requestsSince } = landing;
	if (!before || !after || modelOf(before) !== modelOf(after)) return null;
	if (modelOf(after) !== market.model) return null;
	const rates = ratesAt(market.prices, promptTokens(after.usage), market.hourWrites);
	const S = folds.reduce((sum, fold) => sum + chipTokens(fold, layout), 0);
	const written = own.filter((fold) => fold.record.by === "model");
	return measureLanding(
		{
			before: before.usage,
			after: after.usage,
			grown: grownBetween(log, before, after) - pointedIn(own, before),
			S,
			s: written.reduce((sum, fold) => sum + estimateText(fold.record.summary), 0),
			...(isOwnTurn(log, own, before) ? { ownTurn: promptTokens(before.usage) } : {}),
			cold: isColdAt({ ...log, stored: sentFolded(log) }, market.cache, after),
			requestsSince,
		},
		market.cache.kind === "none" ? uncached(rates) : rates,
	);
}

/** Whether the reply before a landing did nothing but make its folds. */
function isOwnTurn({ branch }: Log, own: readonly Fold[], { at }: MeasuredReply): boolean {
	const calls = branch[at]?.calls ?? [];
	return own.some((fold) => fold.caller === at) && calls.every(({ name }) => name === SEND_TOOL);
}

/** What came to the conversation from one reply on, that reply included, up to another one. */
function grownBetween({ branch }: Log, before: MeasuredReply, after: MeasuredReply): number {
	let tokens = 0;
	for (const { kind, tokens: size } of branch.slice(before.at, after.at))
		if (isMessage(kind) && kind !== "system") tokens += size ?? 0;
	return tokens;
}

/** Summaries of the reply that read as pointers now: the chips have them. */
function pointedIn(folds: readonly Fold[], { at }: MeasuredReply): number {
	const called = folds.filter((fold) => fold.caller === at);
	return called.reduce((sum, fold) => sum + estimateText(fold.record.summary), 0);
}

function chipTokens(fold: Fold, layout: Layout): number {
	const keeps = fold.record.keep !== undefined;
	return guessChip(layout, fold, keeps, estimateText(fold.record.summary));
}

function isColdAt({ stored }: Log, cache: CacheRules, { at, message }: MeasuredReply): boolean {
	const model = `${message.provider}/${message.model}`;
	return (
		cache.kind !== "none" && isCold(cache, idleOf(stored.slice(0, at), model, message.timestamp))
	);
}

function modelOf({ message }: MeasuredReply): string {
	return `${message.provider}/${message.model}`;
}

/**
 * The cache rules of a market as the landings of the session have shown them: whether a longer hit keeps the
 * shorter entries alive that it contains. Every warm landing of this model is asked, oldest first.
 *
 * @param head tokens of the system prompt and the tools
 */
export function learnedCache(
	log: Log,
	replayer: Replayer<PiMessage>,
	{ market, head }: { readonly market: Market; readonly head: number },
): CacheRules {
	const { cache, model } = market;
	if (cache.kind !== "breakpoints") return cache;
	let { refresh } = cache;
	const landings = landingsOf(log, replayer);
	const sent: Log = { ...log, stored: sentFolded(log) };
	for (const [i, landing] of landings.entries()) {
		const { after, before } = landing;
		if (!after || !before || modelOf(after) !== model || modelOf(before) !== model) continue;
		if (isColdAt(sent, cache, after)) continue;
		// an entry that was gone for another reason teaches nothing
		const standing = standingOf(sent.stored.slice(0, after.at), landings.slice(0, i), market);
		if (!stands(standing, Math.min(...landing.folds.map(({ from }) => from)))) continue;
		const H = expectedHit(sent, landing, cache);
		const { cacheRead } = after.usage;
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
function expectedHit(log: Log, { folds, after }: Landing, cache: Breakpoints): number | undefined {
	const deepest = folds.reduce((deep, fold) => (fold.from < deep.from ? fold : deep));
	const entry = log.stored[deepest.from];
	const first = entry?.type === "message" ? entry.message : undefined;
	if (!after || first?.role !== "assistant") return undefined;
	const { usage } = readUsage(first.usage);
	const H = usage ? promptTokens(usage) : 0;
	const later = log.branch.slice(deepest.to, after.at);
	const positions = 1 + countPositions(later.flatMap(({ message }) => positionsOf(message)));
	const fits = H > 0 && H <= promptTokens(after.usage) && positions <= cache.lookback;
	return fits ? H : undefined;
}

function positionsOf(message: PiMessage | undefined): Block[] {
	if (!message) return [];
	if (message.role === "toolResult") return [{ tokens: 0, call: true }];
	if (message.role !== "assistant") return [{ tokens: 0, call: false }];
	return blocksOf(message.content).map(({ type }) => ({ tokens: 0, call: type === "toolCall" }));
}
