// What a provider serves from its prompt cache: three models of it, fed request by request with sizes only.
// Pure: a memory goes in with a prompt, what was served comes out with the next memory. No clock, no money.
//
// A prompt is given by offsets in tokens from its beginning: how far it equals the request before it in
// the same cache (one cache per model), where the host sets its breakpoints, how far back a look-up reaches.

import type { PromptParts } from "./usage.ts";

/**
 * Whether a hit on a longer entry also keeps the shorter ones alive that it contains. No provider
 * documents it: `all` assumes that it does, `hit` that only the entry that was hit lives on.
 */
export type Refresh = "all" | "hit";

/**
 * Explicit breakpoints, as Anthropic serves what pi sends (provider's documentation: "Prompt caching").
 *
 * - an entry is written behind each breakpoint that pi sets: the last tool, the system prompt, the last
 *   block of the last user message (pi-ai, `anthropic-messages`: one in the messages, always at the end)
 * - a request reads the longest entry at one of its breakpoints, or up to `lookback` positions before
 *   the last; a run of calls and results is one position
 * - an entry lives for `lifeMs` from its last use; nothing shorter than `minTokens` is cached
 */
export interface Breakpoints {
	readonly kind: "breakpoints";
	readonly lifeMs: number;
	readonly minTokens: number;
	readonly lookback: number;
	readonly refresh: Refresh;
}

/**
 * The longest common prefix with an earlier request, as OpenAI, Gemini and DeepSeek serve (their
 * documentation: "Prompt caching", "Context caching", "Context Caching").
 */
export interface LongestPrefix {
	readonly kind: "prefix";
	readonly lifeMs: number;
	readonly minTokens: number;
	/** a hit is a multiple of so many tokens */
	readonly unit: number;
	/** whether what was not read is reported and charged as written, or as plain input */
	readonly writes: boolean;
	/** whether a reply is cached as well, so that the next prompt finds it */
	readonly replies: boolean;
}

/** A provider without a cache. */
interface NoCache {
	readonly kind: "none";
}

export type CacheRules = Breakpoints | LongestPrefix | NoCache;

/** Anthropic's rules with entries that live for five minutes. */
export const FIVE_MINUTES: Breakpoints = {
	kind: "breakpoints",
	lifeMs: 300_000,
	minTokens: 1024,
	lookback: 20,
	refresh: "all",
};

/** A request as a cache sees it. All sizes and offsets are tokens from the beginning of the prompt. */
export interface Prompt {
	/** when it was sent, in ms; requests of one cache come in this order */
	readonly atMs: number;
	/**
	 * When its reply was complete: what it used lives from then on; absent: `atMs`. Recorded sessions show
	 * it: hits 304 s after a request whose reply took half a minute, misses from 305 s after a reply.
	 */
	readonly doneMs?: number | undefined;
	readonly tokens: number;
	/**
	 * how far it is the same, byte for byte, as the request before it in this cache and then its reply;
	 * 0 for the first
	 */
	readonly same: number;
	/** tokens of its reply; absent: 0. They matter only to a cache that keeps replies */
	readonly output?: number | undefined;
	/** offsets of the breakpoints, ascending; the last one ends the last user message */
	readonly breakpoints: readonly number[];
	/** a look-up from the last breakpoint finds only entries that end behind this offset (`reachOf`) */
	readonly reach: number;
}

/** An entry: the prompt's first `end` tokens, and when it was last used. */
interface CacheEntry {
	readonly end: number;
	readonly usedMs: number;
}

/** What a cache holds of one conversation, ascending by `end`. Entries of other content are gone from it. */
export type CacheMemory = readonly CacheEntry[];

/** A cache that has seen nothing. */
export const EMPTY: CacheMemory = [];

/** What was served of a prompt, and what the cache holds after it. */
export interface Served {
	readonly parts: PromptParts;
	readonly memory: CacheMemory;
}

/**
 * Serves one request. The parts add up to the prompt, and what is read never exceeds what is the same.
 * With equal life and minimum, and a unit of 1, the longest prefix never reads less than breakpoints do.
 */
export function serve(rules: CacheRules, memory: CacheMemory, prompt: Prompt): Served {
	if (rules.kind === "none") return { parts: split(prompt.tokens, 0, 0), memory: EMPTY };
	return rules.kind === "prefix"
		? servePrefix(rules, memory, prompt)
		: serveBreakpoints(rules, memory, prompt);
}

/** One entry is enough: every request uses its whole prefix, so the newest request kept all of it alive. */
function servePrefix(rules: LongestPrefix, memory: CacheMemory, prompt: Prompt): Served {
	const newest = memory.at(-1);
	const live = newest && prompt.atMs - newest.usedMs <= rules.lifeMs;
	const common = live ? Math.min(newest.end, prompt.same, prompt.tokens) : 0;
	const read = longEnough(common - (common % rules.unit), rules.minTokens);
	const kept = prompt.tokens + (rules.replies ? (prompt.output ?? 0) : 0);
	const written = rules.writes ? longEnough(prompt.tokens, rules.minTokens) : 0;
	return {
		parts: split(prompt.tokens, read, written),
		memory: [{ end: kept, usedMs: prompt.doneMs ?? prompt.atMs }],
	};
}

function serveBreakpoints(rules: Breakpoints, memory: CacheMemory, prompt: Prompt): Served {
	const alive = memory.filter(
		(entry) => prompt.atMs - entry.usedMs <= rules.lifeMs && entry.end <= prompt.same,
	);
	const ends = prompt.breakpoints.filter((end) => end >= rules.minTokens && end <= prompt.tokens);
	const last = ends.at(-1) ?? 0;
	const found = (end: number) => end <= last && (end > prompt.reach || ends.includes(end));
	const read = alive.findLast((entry) => found(entry.end))?.end ?? 0;
	const used = (end: number) =>
		end === read || ends.includes(end) || (rules.refresh === "all" && end < read);
	const usedMs = prompt.doneMs ?? prompt.atMs;
	const kept = alive.map((entry) => (used(entry.end) ? { end: entry.end, usedMs } : entry));
	for (const end of ends) insert(kept, { end, usedMs });
	return { parts: split(prompt.tokens, read, last), memory: kept };
}

/** Adds an entry to ascending ones, unless there is one with its end. Most come last. */
function insert(entries: CacheEntry[], entry: CacheEntry): void {
	let at = entries.length;
	while (at > 0 && (entries[at - 1]?.end ?? 0) > entry.end) at--;
	if (entries[at - 1]?.end !== entry.end) entries.splice(at, 0, entry);
}

/** A prompt of `tokens`, read up to `read` and written from there up to `written`. */
function split(tokens: number, read: number, written: number): PromptParts {
	const cached = Math.max(read, written);
	return { input: tokens - cached, cacheRead: read, cacheWrite: cached - read };
}

function longEnough(tokens: number, minTokens: number): number {
	return tokens >= minTokens ? tokens : 0;
}

/** A block of a prompt. `call`: a tool call or its result; anything else is a position of its own. */
export interface Block {
	readonly tokens: number;
	readonly call: boolean;
}

/**
 * How many tokens the last positions of a prompt take, so many as a look-up reads: the breakpoint's own
 * and `lookback` before it. A prompt's `reach` is its last breakpoint less this. Reads only those blocks.
 */
export function lookbackTokens(blocks: readonly Block[], lookback: number): number {
	let positions = 0;
	let tokens = 0;
	for (let at = blocks.length - 1; at >= 0; at--) {
		const block = blocks[at];
		if (!block) break;
		if (!block.call || !blocks[at + 1]?.call) positions++;
		if (positions > lookback + 1) break;
		tokens += block.tokens;
	}
	return tokens;
}

/** How many positions blocks take: a run of calls and results is one. */
export function countPositions(blocks: readonly Block[]): number {
	let positions = 0;
	for (const [at, block] of blocks.entries()) if (!block.call || !blocks[at - 1]?.call) positions++;
	return positions;
}

/** A fold about to land, as a cache sees it. */
export interface Cut {
	/** P: tokens before the range, unchanged by the fold */
	readonly P: number;
	/** tokens of system prompt and tools, which have breakpoints of their own */
	readonly head: number;
	/** positions from the range's place to the end of the folded prompt */
	readonly positionsAfter: number;
	/** ms since the newest request (or cache warming) of this model */
	readonly idleMs: number;
	/**
	 * ms since the entry that ends at P was itself last hit: the second request after it was written;
	 * Infinity where it is known to be gone
	 */
	readonly entryIdleMs: number;
}

/**
 * H of the formulas: how many tokens still hit after a fold. P where the longest prefix is matched, or
 * where the entry of the request that generated `fromStep` is alive and within reach; else the head.
 */
export function hitAfter(rules: CacheRules, cut: Cut): number {
	if (rules.kind === "none" || isCold(rules, cut.idleMs)) return 0;
	if (rules.kind === "prefix") return longEnough(cut.P - (cut.P % rules.unit), rules.minTokens);
	const isGone = cut.entryIdleMs === Number.POSITIVE_INFINITY;
	const idleMs = rules.refresh === "all" && !isGone ? cut.idleMs : cut.entryIdleMs;
	const found = cut.positionsAfter <= rules.lookback && idleMs <= rules.lifeMs;
	return longEnough(found ? cut.P : Math.min(cut.head, cut.P), rules.minTokens);
}

/**
 * Whether the next request finds no entry of the conversation, however warm: since the newest one was written
 * more positions have come than a look-up goes back over.
 */
export function isOutOfReach(rules: CacheRules, positionsSince: number): boolean {
	return rules.kind === "breakpoints" && positionsSince > rules.lookback;
}

/** Whether nothing is served any more. Infinity for a model that was never asked. */
export function isCold(rules: CacheRules, idleMs: number): boolean {
	return rules.kind === "none" || idleMs > rules.lifeMs;
}
