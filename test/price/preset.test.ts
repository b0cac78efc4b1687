import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type CachedModel, cacheRulesFor, PRESETS } from "../../src/price/preset.ts";
import { ratesAt } from "../../src/price/rate.ts";

describe("presets", () => {
	/** w r o, rounded, for a small prompt */
	const rows: [string, string][] = [
		["anthropic-5m", "1.25 0.1 5"],
		["anthropic-1h", "2 0.1 5"],
		["openai-free-writes", "1 0.1 6"],
		["openai-paid-writes", "1.25 0.05 5"],
		["gemini", "1 0.1 6"],
		["deepseek", "1 0.033 3"],
	];
	test("are these", () =>
		assert.deepEqual(
			Object.keys(PRESETS),
			rows.map(([name]) => name),
		));
	for (const [name, relations] of rows)
		test(`${name}: w, r and o are ${relations}`, () => {
			const preset = PRESETS[name];
			assert.ok(preset);
			const { w, r, o } = ratesAt(preset.prices, 1);
			assert.equal([w, r, o].map((one) => Math.round(one * 1000) / 1000).join(" "), relations);
			assert.match(preset.asOf, /^\d{4}-\d\d-\d\d$/);
			assert.match(preset.source, /^prices: .+; cache: .+/);
			// a cache that reports writes is one whose writes have a price
			const { cache, prices } = preset;
			if (cache.kind === "prefix") assert.equal(cache.writes, prices.cacheWrite > 0);
		});
});

describe("the cache rules that fit a model", () => {
	const prices = { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 };
	const rules = (model: Partial<CachedModel>) => {
		const found = cacheRulesFor({ provider: "anthropic", id: "claude-opus-5", prices, ...model });
		if (found.kind === "none") return "none";
		const more = found.kind === "prefix" ? `${found.unit}${found.writes ? " writes" : ""}` : "";
		return `${found.kind} ${found.lifeMs / 1000} ${more}`.trim();
	};
	const free = { ...prices, cacheWrite: 0 };
	const rows: [string, Partial<CachedModel>, string][] = [
		["Claude at Anthropic", {}, "breakpoints 300"],
		["with long retention", { long: true }, "breakpoints 3600"],
		["by the model's own life", { lifeSeconds: 600 }, "breakpoints 600"],
		["Claude elsewhere", { provider: "amazon-bedrock" }, "breakpoints 300"],
		[
			"another at Anthropic's API",
			{ provider: "zai", id: "glm-5.2", prices: free },
			"prefix 300 64",
		],
		["OpenAI", { provider: "openai", id: "gpt-5.5", prices: free }, "prefix 300 128"],
		["OpenAI, writes charged", { provider: "openai", id: "gpt-6.2-sol" }, "prefix 300 128 writes"],
		["Gemini", { provider: "google-vertex", id: "gemini-4", prices: free }, "prefix 300 1"],
		["DeepSeek", { provider: "deepseek", id: "deepseek-v4-pro", prices: free }, "prefix 7200 128"],
		["no price known", { provider: "ollama", id: "gemma4", prices: null }, "prefix 300 1"],
		["reads without a price", { prices: { ...free, cacheRead: 0 } }, "none"],
	];
	for (const [name, model, expected] of rows)
		test(name, () => assert.equal(rules(model), expected));
});
