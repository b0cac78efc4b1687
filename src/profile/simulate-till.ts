// The cache and the bill of a played session: one cache per model, fed with prompts, and what each request
// costs by what was served of it.

import { type CacheMemory, type CacheRules, EMPTY, serve } from "../price/cache.ts";
import { billTokens, type Prices, type Rates, ratesAt, toUsd } from "../price/rate.ts";
import { type PromptParts, promptTokens } from "../price/usage.ts";
import { View } from "./simulate-view.ts";
import type { Request, Tape } from "./what-if-tape.ts";
import type { Terms } from "./what-if-terms.ts";

/**
 * Where the recording and the cache model part: the provider served less than what was unchanged and
 * alive, or what another session had written or its rules say was dead. Both would have happened under
 * any policy, so they are kept in all.
 */
export interface Surprises {
	/** by request: of a miss the tokens of the unfolded prompt that were read; NaN: none */
	readonly missed: Float64Array;
	/** by request: the same of a hit */
	readonly hit: Float64Array;
	readonly misses: number;
	readonly hits: number;
}

/** One request as the cache sees it. */
export interface Sent {
	readonly request: Request;
	readonly tokens: number;
	/** a look-up finds entries behind this offset */
	readonly reach: number;
	/** of a surprise the tokens that were read, as offsets of this prompt; NaN or absent: none */
	readonly missed?: number | undefined;
	readonly hit?: number | undefined;
}

/** What a request was served and what it costs. */
export interface Receipt {
	readonly parts: PromptParts;
	/** in tokens of uncached input */
	readonly bill: number;
	/** in US dollars; NaN where its model has no price */
	readonly usd: number;
}

/** The caches of one played session. */
export class Till {
	private readonly tape: Tape;
	private readonly memories: CacheMemory[] = [];
	/** by maker: how far its newest prompt and reply are still the same */
	private readonly same: number[] = [];
	/** by maker: when its cache was used last; -Infinity: never */
	private readonly used: number[] = [];
	private readonly rulesBy: CacheRules[] = [];
	private readonly pricesBy: (Prices | null)[] = [];

	constructor(tape: Tape, terms: Terms) {
		this.tape = tape;
		for (const maker of tape.makers) {
			this.memories.push(EMPTY);
			this.same.push(0);
			this.used.push(Number.NEGATIVE_INFINITY);
			this.pricesBy.push(terms.prices(maker));
			const rules = terms.rules(maker);
			const { refresh } = terms;
			this.rulesBy.push(rules.kind === "breakpoints" ? { ...rules, refresh } : rules);
		}
	}

	/** Everything behind an offset changes, in every cache. Offsets are sums of fractions: to the token. */
	cut(offset: number): void {
		for (const [maker, same] of this.same.entries()) this.same[maker] = Math.min(same, offset + 1);
	}

	rulesOf({ maker }: Request): CacheRules {
		return this.rulesBy[maker] ?? { kind: "none" };
	}

	/** ms since the cache of a request's model was last used. */
	idleOf({ maker, atMs }: Request): number {
		return atMs - (this.used[maker] ?? Number.NEGATIVE_INFINITY);
	}

	ratesOf({ maker }: Request, prompt: number): Rates {
		return ratesAt(this.pricesOf(maker), prompt, this.tape.makers[maker]?.hourly);
	}

	/** The price list of a model, by number; null where there is none. */
	pricesOf(maker: number): Prices | null {
		return this.pricesBy[maker] ?? null;
	}

	/** Serves a request and takes its bill. */
	serve(sent: Sent): Receipt {
		const { request, tokens, reach } = sent;
		const { maker, atMs, doneMs, output } = request;
		const rules = this.rulesOf(request);
		const same = this.same[maker] ?? 0;
		const head = Math.min(this.tape.head, tokens);
		const prompt = { atMs, doneMs, tokens, same, output, breakpoints: [head, tokens], reach };
		const { parts, memory } = serve(rules, this.memories[maker] ?? EMPTY, prompt);
		this.memories[maker] = memory;
		this.same[maker] = tokens + output;
		this.used[maker] = doneMs;
		return this.billOf(request, surprised(parts, sent, Math.max(same, head)), output);
	}

	/** The bill of a request without some of its old tokens, wherever those are cheapest to leave out. */
	without(request: Request, parts: PromptParts, gone: number): Receipt {
		const cacheRead = Math.max(0, parts.cacheRead - gone);
		const cacheWrite = Math.max(0, parts.cacheWrite - (gone - (parts.cacheRead - cacheRead)));
		const rest = gone - (parts.cacheRead - cacheRead) - (parts.cacheWrite - cacheWrite);
		const input = Math.max(0, parts.input - rest);
		return this.billOf(request, { input, cacheRead, cacheWrite }, request.output);
	}

	billOf(request: Request, parts: PromptParts, output: number): Receipt {
		const rates = this.ratesOf(request, promptTokens(parts));
		const bill = billTokens({ ...parts, output }, rates);
		return { parts, bill, usd: toUsd(bill, rates) ?? Number.NaN };
	}
}

/** What a surprise makes of the parts. A hit reaches no further than the prompt is the same. */
function surprised(parts: PromptParts, { missed, hit }: Sent, same: number): PromptParts {
	if (missed !== undefined && missed < parts.cacheRead) return withRead(parts, missed);
	return hit !== undefined && hit > parts.cacheRead && hit <= same ? withRead(parts, hit) : parts;
}

/** The parts with another number of tokens read; the rest is written if the model writes, else input. */
function withRead({ input, cacheRead, cacheWrite }: PromptParts, read: number): PromptParts {
	const rest = cacheRead - read;
	if (cacheWrite > 0 || input === 0) {
		const written = Math.max(0, cacheWrite + rest);
		return { cacheRead: read, cacheWrite: written, input: input + Math.min(0, cacheWrite + rest) };
	}
	return { cacheRead: read, cacheWrite, input: input + rest };
}

/** Less than this apart the recording and the model agree: tokens, and a share of what was read. */
const APART = 256;
const APART_SHARE = 0.05;

/** Plays the recording as it was, and notes where the provider served what the model does not explain. */
export function surprisesOf(tape: Tape, own: Terms): Surprises {
	const till = new Till(tape, own);
	const view = new View(tape);
	const { missed, hit } = noSurprises(tape);
	let misses = 0;
	let hits = 0;
	for (const [i, request] of tape.requests.entries()) {
		till.cut(request.compacted ? tape.head : request.same);
		const { parts } = till.serve({ request, tokens: request.prompt, reach: view.reachOf(request) });
		if (!request.usage) continue;
		const { cacheRead } = request.usage;
		const more = cacheRead - parts.cacheRead;
		if (Math.abs(more) <= Math.max(APART, APART_SHARE * parts.cacheRead)) continue;
		if (more > 0) {
			hit[i] = cacheRead;
			hits++;
		} else {
			missed[i] = cacheRead;
			misses++;
		}
	}
	return { missed, hit, misses, hits };
}

/** A recording in which the provider did what the model says. */
export function noSurprises({ requests }: Tape): Surprises {
	const none = () => new Float64Array(requests.length).fill(Number.NaN);
	return { missed: none(), hit: none(), misses: 0, hits: 0 };
}
