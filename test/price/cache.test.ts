import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
	type Block,
	type CacheMemory,
	type CacheRules,
	countPositions,
	EMPTY,
	FIVE_MINUTES,
	hitAfter,
	isCold,
	type LongestPrefix,
	lookbackTokens,
	type Prompt,
	serve,
} from "../../src/price/cache.ts";
import type { PromptParts } from "../../src/price/usage.ts";

const MINUTE = 60_000;
const PREFIX: LongestPrefix = {
	kind: "prefix",
	lifeMs: 5 * MINUTE,
	minTokens: 1024,
	unit: 1,
	writes: true,
	replies: false,
};
const HIT = { ...FIVE_MINUTES, refresh: "hit" } as const;

/** A request as "minute tokens same", with the head's breakpoint at 2000 and a look-up that reaches all. */
function asked(row: string, more: Partial<Prompt> = {}): Prompt {
	const [at = 0, tokens = 0, same = 0] = row.split(" ").map(Number);
	return { atMs: at * MINUTE, tokens, same, breakpoints: [2000, tokens], reach: 0, ...more };
}

function shown({ input, cacheRead, cacheWrite }: PromptParts): string {
	return `${input}/${cacheRead}/${cacheWrite}`;
}

function served(rules: CacheRules, prompts: readonly Prompt[]): PromptParts[] {
	let memory: CacheMemory = EMPTY;
	return prompts.map((prompt) => {
		const { parts, memory: next } = serve(rules, memory, prompt);
		memory = next;
		return parts;
	});
}

/** Serves the requests in order: "input/read/write" of each. */
function serves(rules: CacheRules, rows: readonly (string | Prompt)[], parts: readonly string[]) {
	const prompts = rows.map((row) => (typeof row === "string" ? asked(row) : row));
	assert.deepEqual(served(rules, prompts).map(shown), parts);
}

describe("breakpoints", () => {
	test("a conversation that grows reads what it wrote before", () =>
		serves(
			FIVE_MINUTES,
			["0 5000 0", "1 6000 5000", "2 9000 6000"],
			["0/0/5000", "0/5000/1000", "0/6000/3000"],
		));
	test("a change falls back to the longest entry before it", () =>
		serves(
			FIVE_MINUTES,
			["0 5000 0", "1 6000 5000", "2 9000 6000", "3 5800 5500"],
			["0/0/5000", "0/5000/1000", "0/6000/3000", "0/5000/800"],
		));
	test("a change before every entry but the head's reads the head", () =>
		serves(
			FIVE_MINUTES,
			["0 5000 0", "1 6000 5000", "2 6000 4999"],
			["0/0/5000", "0/5000/1000", "0/2000/4000"],
		));
	test("a changed head reads nothing", () =>
		serves(FIVE_MINUTES, ["0 5000 0", "1 6000 1999"], ["0/0/5000", "0/0/6000"]));
	test("an entry out of reach is not found, the head's is", () =>
		serves(
			FIVE_MINUTES,
			["0 5000 0", asked("1 9000 5000", { reach: 5000 })],
			["0/0/5000", "0/2000/7000"],
		));
	test("an entry just within reach is found", () =>
		serves(
			FIVE_MINUTES,
			["0 5000 0", asked("1 9000 5000", { reach: 4999 })],
			["0/0/5000", "0/5000/4000"],
		));
	test("nothing under the minimum is cached", () =>
		serves(
			FIVE_MINUTES,
			["0 1023 0", "1 1024 1023", "2 1500 1024"],
			["1023/0/0", "0/0/1024", "0/1024/476"],
		));
	test("what comes after the last breakpoint is input", () =>
		serves(
			FIVE_MINUTES,
			[
				asked("0 5000 0", { breakpoints: [2000, 4000] }),
				asked("1 6000 5000", { breakpoints: [2000, 4000] }),
			],
			["1000/0/4000", "2000/4000/0"],
		));
	test("entries live from their last use", () =>
		serves(
			FIVE_MINUTES,
			["0 5000 0", "5 5000 5000", "10 5000 5000", "15.1 5000 5000"],
			["0/0/5000", "0/5000/0", "0/5000/0", "0/0/5000"],
		));
	test("a use lasts until its reply is complete", () =>
		serves(
			FIVE_MINUTES,
			[asked("0 5000 0", { doneMs: MINUTE }), "6 5000 5000", "11.1 5000 5000"],
			["0/0/5000", "0/5000/0", "0/0/5000"],
		));
	test("after a pause even the head is gone", () =>
		serves(FIVE_MINUTES, ["0 5000 0", "6 5000 4000"], ["0/0/5000", "0/0/5000"]));

	const later = ["0 5000 0", "3 6000 5000", "6 7000 6000", "9 8000 7000", "10 5500 5200"];
	test("refresh all: a longer hit keeps the shorter entries alive", () =>
		assert.equal(
			shown(
				served(
					FIVE_MINUTES,
					later.map((row) => asked(row)),
				)[4] as PromptParts,
			),
			"0/5000/500",
		));
	test("refresh hit: a shorter entry dies though longer ones are hit; the head has a breakpoint", () =>
		assert.equal(
			shown(
				served(
					HIT,
					later.map((row) => asked(row)),
				)[4] as PromptParts,
			),
			"0/2000/3500",
		));
	test("refresh hit: what was hit itself in time is still there", () =>
		serves(
			HIT,
			["0 5000 0", "3 6000 5000", "6 7000 6000", "7 5500 5200"],
			["0/0/5000", "0/5000/1000", "0/6000/1000", "0/5000/500"],
		));
});

describe("longest prefix", () => {
	test("reads all that is the same, wherever it ends", () =>
		serves(
			PREFIX,
			["0 5000 0", "1 6000 5000", "2 5600 5432"],
			["0/0/5000", "0/5000/1000", "0/5432/168"],
		));
	test("without charged writes the rest is input", () =>
		serves({ ...PREFIX, writes: false }, ["0 5000 0", "1 6000 5000"], ["5000/0/0", "1000/5000/0"]));
	test("hits are multiples of the unit", () =>
		serves({ ...PREFIX, unit: 128 }, ["0 5000 0", "1 6000 5000"], ["0/0/5000", "0/4992/1008"]));
	test("a cache that keeps replies finds them in the next prompt", () => {
		const prompts = [asked("0 5000 0", { output: 300 }), asked("1 6000 5250")];
		serves({ ...PREFIX, replies: true }, prompts, ["0/0/5000", "0/5250/750"]);
		serves(PREFIX, prompts, ["0/0/5000", "0/5000/1000"]);
	});
	test("nothing under the minimum", () =>
		serves(
			PREFIX,
			["0 1023 0", "1 5000 1023", "2 5000 1023"],
			["1023/0/0", "0/0/5000", "0/0/5000"],
		));
	test("lives from its last use", () =>
		serves(
			PREFIX,
			["0 5000 0", "5 5000 5000", "10.1 5000 5000"],
			["0/0/5000", "0/5000/0", "0/0/5000"],
		));
});

test("no cache serves nothing", () =>
	serves({ kind: "none" }, ["0 5000 0", "1 6000 5000"], ["5000/0/0", "6000/0/0"]));

describe("laws", () => {
	/** Requests that share a prefix with the one before, a minute or so apart. */
	const step = fc.record({
		waited: fc.oneof(fc.nat({ max: 2 * MINUTE }), fc.nat({ max: 20 * MINUTE })),
		kept: fc.double({ min: 0, max: 1, noNaN: true }),
		grows: fc.nat({ max: 5000 }),
		cut: fc.boolean(),
		reach: fc.nat({ max: 8000 }),
		tail: fc.nat({ max: 50 }),
	});
	const conversation = fc.array(step, { maxLength: 40 }).map((steps) => {
		const prompts: Prompt[] = [];
		for (const { waited, kept, grows, cut, reach, tail } of steps) {
			const before = prompts.at(-1);
			const size = before?.tokens ?? 0;
			const same = cut ? Math.floor(size * kept) : size;
			const tokens = same + grows + tail;
			prompts.push({
				atMs: (before?.atMs ?? 0) + waited,
				tokens,
				same,
				breakpoints: [1500, tokens - tail].filter((end) => end <= tokens).toSorted((a, b) => a - b),
				reach: tokens - reach,
			});
		}
		return prompts;
	});
	const rules = fc.constantFrom<CacheRules>(
		FIVE_MINUTES,
		HIT,
		PREFIX,
		{ kind: "none" },
		{
			...PREFIX,
			unit: 128,
			writes: false,
		},
	);

	test("the parts add up to the prompt, and what is read was the same", () =>
		fc.assert(
			fc.property(rules, conversation, (one, prompts) => {
				for (const [at, parts] of served(one, prompts).entries()) {
					const { tokens = 0, same = 0 } = prompts[at] ?? {};
					assert.equal(parts.input + parts.cacheRead + parts.cacheWrite, tokens);
					assert.ok(Math.min(parts.input, parts.cacheRead, parts.cacheWrite) >= 0);
					assert.ok(parts.cacheRead <= same);
				}
			}),
		));

	test("the longest prefix never reads less than breakpoints do, nor refresh all less than hit", () =>
		fc.assert(
			fc.property(conversation, (prompts) => {
				const [prefix, all, hit] = [PREFIX, FIVE_MINUTES, HIT].map((one) => served(one, prompts));
				for (const at of prompts.keys()) {
					const read = (parts?: PromptParts[]) => parts?.[at]?.cacheRead ?? -1;
					assert.ok(read(prefix) >= read(all), `request ${at}`);
					assert.ok(read(all) >= read(hit), `request ${at}`);
				}
			}),
		));

	test("serving changes nothing that was handed in", () =>
		fc.assert(
			fc.property(rules, conversation, (one, prompts) => {
				let memory: CacheMemory = EMPTY;
				for (const prompt of prompts) {
					Object.freeze(memory);
					for (const entry of memory) Object.freeze(entry);
					memory = serve(one, memory, Object.freeze(prompt)).memory;
				}
			}),
		));
});

describe("positions", () => {
	/** "t" a text of 10 tokens, "c" a call or result of 10 */
	const blocks = (row: string): Block[] =>
		[...row].map((kind) => ({ tokens: 10, call: kind === "c" }));
	for (const [row, count] of [
		["", 0],
		["t", 1],
		["ttt", 3],
		["ccc", 1],
		["tcctcct", 5],
	] as const)
		test(`"${row}" takes ${count}`, () => assert.equal(countPositions(blocks(row)), count));
	for (const [row, lookback, tokens] of [
		["ttt", 0, 10],
		["ttt", 1, 20],
		["ttt", 20, 30],
		["tcct", 1, 30],
		["tcccc", 0, 40],
		["cctcct", 2, 40],
	] as const)
		test(`a look-up ${lookback} back in "${row}" covers ${tokens} tokens`, () =>
			assert.equal(lookbackTokens(blocks(row), lookback), tokens));
});

describe("H, what still hits after a fold", () => {
	const cut = { P: 50_000, head: 3000, positionsAfter: 4, idleMs: MINUTE, entryIdleMs: MINUTE };
	const rows: [string, CacheRules, Partial<typeof cut>, number][] = [
		["breakpoints: the entry before the range", FIVE_MINUTES, {}, 50_000],
		["breakpoints: out of reach, the head", FIVE_MINUTES, { positionsAfter: 21 }, 3000],
		["breakpoints: just in reach", FIVE_MINUTES, { positionsAfter: 20 }, 50_000],
		["refresh all: an old entry lives on", FIVE_MINUTES, { entryIdleMs: 9 * MINUTE }, 50_000],
		["refresh all: but not one that is gone", FIVE_MINUTES, { entryIdleMs: Infinity }, 3000],
		["refresh hit: an old entry is gone", HIT, { entryIdleMs: 9 * MINUTE }, 3000],
		["cold: nothing", FIVE_MINUTES, { idleMs: 6 * MINUTE }, 0],
		["a head under the minimum: nothing", FIVE_MINUTES, { positionsAfter: 21, head: 900 }, 0],
		["longest prefix: P", PREFIX, { positionsAfter: 500, entryIdleMs: 9 * MINUTE }, 50_000],
		["longest prefix in units", { ...PREFIX, unit: 128 }, {}, 49_920],
		["no cache", { kind: "none" }, {}, 0],
	];
	for (const [name, rules, change, H] of rows)
		test(name, () => assert.equal(hitAfter(rules, { ...cut, ...change }), H));
	test("cold after the cache's life, and for a model that was never asked", () => {
		assert.equal(isCold(FIVE_MINUTES, 5 * MINUTE), false);
		assert.equal(isCold(FIVE_MINUTES, 5 * MINUTE + 1), true);
		assert.equal(isCold(PREFIX, Number.POSITIVE_INFINITY), true);
	});
});
