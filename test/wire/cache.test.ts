// What folding does to a provider's prompt cache, over runs of 40 steps with three folds: outside folds each
// request extends the one before it, and markers alone cost nothing of what would be read.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
	type CacheMemory,
	type CacheRules,
	EMPTY,
	FIVE_MINUTES,
	serve,
} from "../../src/price/cache.ts";
import { PRESETS } from "../../src/price/preset.ts";
import type { PromptParts } from "../../src/price/usage.ts";
import type { Generation } from "../../src/session/branch.ts";
import type { Json } from "../support/wire/finding.ts";
import { type Piece, piecesOf, promptOf, sameStart, tokensOf } from "../support/wire/prompt.ts";
import { type Folding, requestsOf, type Sent, STEPS } from "../support/wire/run.ts";
import { type Api, TARGETS, type Target } from "../support/wire/target.ts";

const GENERATIONS: readonly Generation[] = ["0.73", "1.6"];
const SEEDS = [0, 1];

/** By wire format: the cache of its provider. */
const RULES: Record<Api, CacheRules> = {
	"anthropic-messages": FIVE_MINUTES,
	"openai-completions": PRESETS["openai-paid-writes"]?.cache ?? assert.fail(),
	"openai-responses": PRESETS["openai-paid-writes"]?.cache ?? assert.fail(),
	"google-generative-ai": PRESETS["gemini"]?.cache ?? assert.fail(),
};

function requests(
	generation: Generation,
	target: Target,
	seed: number,
	folding: Folding,
): Promise<Sent[]> {
	return requestsOf({ seed, target, generation, plain: true }, folding);
}

for (const generation of GENERATIONS)
	for (const target of Object.values(TARGETS).flat()) {
		if (target.onlyToday && generation === "0.73") continue;
		const name = `${generation}, ${target.id} over ${target.api}`;

		test(`${name}: outside folds each request extends the one before, and a fold changes it from its first step on`, async () => {
			for (const seed of SEEDS) {
				const sent = await requests(generation, target, seed, "on");
				assert.equal(sent.length, STEPS);
				assert.equal(sent.filter(hasFold).length, 3, "three folds land");
				let before: Piece[] = [];
				for (const [index, { payload, foldedFrom }] of sent.entries()) {
					const pieces = piecesOf(payload);
					const same = sameStart(before, pieces);
					const changed = `request ${index} changes ${before[same]?.bytes.slice(0, 300)}`;
					if (foldedFrom === undefined) assert.equal(same, before.length, changed);
					else {
						assert.ok(same < before.length, "a fold is seen");
						assert.ok(same > markerAt(before, foldedFrom), changed);
					}
					before = pieces;
				}
			}
		});

		test(`${name}: nothing of a request but its messages ever changes`, async () => {
			const [first, ...more] = await requests(generation, target, 0, "on");
			const settings = settingsOf(first?.payload ?? {});
			for (const { payload } of more) assert.deepEqual(settingsOf(payload), settings);
		});

		test(`${name}: markers alone leave what is read within 1 % of no D-Mail`, async () => {
			const off = reads(await requests(generation, target, 0, "off"), target.api);
			const on = reads(await requests(generation, target, 0, "markers only"), target.api);
			assert.ok(off.cacheRead > 0.85 * off.total, "there is something to lose");
			const read = `${on.cacheRead} of ${off.cacheRead} tokens`;
			assert.ok(Math.abs(on.cacheRead / off.cacheRead - 1) < 0.01, read);
			assert.ok(Math.abs(on.cacheRead / on.total - off.cacheRead / off.total) < 0.01, read);
		});

		test(`${name}: a fold reads the head again, or all before its first step, and every other request what the one before left`, async () => {
			const sent = await requests(generation, target, 0, "on");
			const rules = RULES[target.api];
			const served = serveAll(sent, rules);
			for (const [index, one] of sent.entries()) {
				const before = sent[index - 1];
				if (!before) continue;
				const [old, pieces] = [piecesOf(before.payload), piecesOf(one.payload)];
				const head = tokensOf(pieces.filter((piece) => piece.head));
				assert.ok(head >= 1024, "the head is long enough to be kept by itself");
				const same = tokensOf(pieces.slice(0, sameStart(old, pieces)));
				const left = rules.kind === "prefix" ? same : head;
				const known = hasFold(one) ? left : markedIn(old);
				const { cacheRead = 0 } = served[index] ?? {};
				assert.ok(cacheRead >= keptOf(known, rules), `request ${index}: ${cacheRead} of ${known}`);
			}
		});
	}

function hasFold({ foldedFrom }: Sent): boolean {
	return foldedFrom !== undefined;
}

/** Where the marker of a step stands in a payload; nothing before it is folded with the step. */
function markerAt(pieces: readonly Piece[], step: number): number {
	const at = pieces.findIndex(({ bytes }) => bytes.includes(`[step ${step}]`));
	assert.ok(at >= 0, `step ${step} is named`);
	return at;
}

/** What a payload says beside its messages: a cache starts anew where some of it changes. */
function settingsOf({ messages, input, contents, ...settings }: Json): Json {
	return settings;
}

/** How much of a payload its last breakpoint ends, or all where the format has none, in tokens. */
function markedIn(pieces: readonly Piece[]): number {
	const last = pieces.findLastIndex((piece) => piece.breakpoint);
	return tokensOf(last < 0 ? pieces : pieces.slice(0, last + 1));
}

/** What a cache keeps of a prompt at least, in tokens. */
function keptOf(tokens: number, rules: CacheRules): number {
	if (rules.kind === "none" || tokens < rules.minTokens) return 0;
	return rules.kind === "prefix" ? tokens - (tokens % rules.unit) : tokens;
}

function serveAll(sent: readonly Sent[], rules: CacheRules): PromptParts[] {
	const lookback = rules.kind === "breakpoints" ? rules.lookback : 0;
	let memory: CacheMemory = EMPTY;
	let before: Piece[] = [];
	return sent.map(({ payload }, index) => {
		const pieces = piecesOf(payload);
		const { parts, memory: next } = serve(rules, memory, promptOf(pieces, before, index, lookback));
		memory = next;
		before = pieces;
		return parts;
	});
}

/** What a cache serves of a whole run, in tokens. */
function reads(sent: readonly Sent[], api: Api): { cacheRead: number; total: number } {
	let cacheRead = 0;
	let total = 0;
	for (const parts of serveAll(sent, RULES[api])) {
		cacheRead += parts.cacheRead;
		total += parts.input + parts.cacheRead + parts.cacheWrite;
	}
	return { cacheRead, total };
}
