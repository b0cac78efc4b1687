import assert from "node:assert/strict";
import { test } from "node:test";
import { PromptCache, type PromptPart, tokensOf } from "./scripted-provider-cache.ts";

const parts = (text: string): PromptPart[] =>
	text.split(" ").map((bytes) => ({ bytes, tokens: 10 }));
const served = (cacheRead: number, cacheWrite: number, input = 0) => ({
	cacheRead,
	cacheWrite,
	input,
});

test("four characters are a token, and a rest is one too", () => {
	assert.deepEqual([0, 1, 4, 5].map(tokensOf), [0, 1, 1, 2]);
});

test("what was sent before is read up to the first part that differs", () => {
	const cache = new PromptCache(1_000);
	assert.deepEqual(cache.serve(parts("s u1 a1"), 0, true), served(0, 30));
	assert.deepEqual(cache.serve(parts("s u1 a1 r1"), 1, true), served(30, 10));
	assert.deepEqual(cache.serve(parts("s u1 C r1"), 2, true), served(20, 20));
	assert.deepEqual(cache.serve(parts("s u1 a1 r1 a2"), 3, true), served(40, 10), "still alive");
});

test("a prompt dies when it was neither written nor read for the cache's life", () => {
	const cache = new PromptCache(100);
	cache.serve(parts("s u1"), 0, true);
	assert.deepEqual(cache.serve(parts("s u1 a1"), 100, true), served(20, 10));
	assert.deepEqual(cache.serve(parts("s u1"), 200, true), served(20, 0), "renewed when read");
	assert.deepEqual(cache.serve(parts("s u1"), 301, true), served(0, 20));
});

test("without a cache, or where none is wanted, everything is plain input", () => {
	assert.deepEqual(new PromptCache(0).serve(parts("s u1"), 0, true), served(0, 0, 20));
	const cache = new PromptCache(100);
	cache.serve(parts("s u1"), 0, false);
	assert.deepEqual(cache.serve(parts("s u1"), 0, true), served(0, 20));
});
