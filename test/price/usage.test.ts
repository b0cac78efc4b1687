import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import fc from "fast-check";
import { isUnpriced, promptTokens, readUsage, type Usage } from "../../src/price/usage.ts";

/** "in/read/write/out", and "+1h" where some of the writes live an hour */
function shown(usage: Usage | null): string | null {
	if (!usage) return null;
	const { input, cacheRead, cacheWrite, output, cacheWrite1h } = usage;
	const parts = `${input}/${cacheRead}/${cacheWrite}/${output}`;
	return cacheWrite1h > 0 ? `${parts}+${cacheWrite1h}` : parts;
}

function reads(value: unknown, parts: string | null, problem?: RegExp): void {
	const { usage, problems } = readUsage(value);
	assert.equal(shown(usage), parts);
	if (problem) assert.match(problems.join("\n"), problem);
	else assert.deepEqual(problems, []);
}

describe("pi's own fields", () => {
	const own = (fields: object) => ({
		input: 5,
		output: 7,
		cacheRead: 100,
		cacheWrite: 20,
		...fields,
	});

	test("are read as they stand", () => reads(own({ totalTokens: 132 }), "5/100/20/7"));
	test("tell writes that live an hour", () => reads(own({ cacheWrite1h: 15 }), "5/100/20/7+15"));
	test("have no more hour writes than writes", () =>
		reads(own({ cacheWrite1h: 99 }), "5/100/20/7+20"));
	test("win over other shapes", () => reads(own({ prompt_tokens: 900 }), "5/100/20/7"));
	test("may be missing one by one", () => reads({ output: 3 }, "0/0/0/3"));
	test("may read far more than they send fresh", () =>
		reads({ input: 5, cacheRead: 4735 }, "5/4735/0/0"));
});

describe("other shapes count where pi's fields are absent or 0", () => {
	const zeros = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
	const rows: [string, object, string][] = [
		["OpenAI chat", { prompt_tokens: 100, completion_tokens: 9 }, "100/0/0/9"],
		[
			"OpenAI chat with a cache",
			{
				...zeros,
				prompt_tokens: 100,
				completion_tokens: 9,
				prompt_tokens_details: { cached_tokens: 80 },
			},
			"20/80/0/9",
		],
		[
			"OpenRouter with writes",
			{
				prompt_tokens: 100,
				completion_tokens: 9,
				prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
			},
			"10/60/30/9",
		],
		[
			"DeepSeek",
			{ prompt_tokens: 100, prompt_cache_hit_tokens: 64, completion_tokens: 9 },
			"36/64/0/9",
		],
		[
			"a cache object",
			{ ...zeros, prompt_tokens: 100, completion_tokens: 9, cache: { read: 40, write: 10 } },
			"50/40/10/9",
		],
		[
			"Anthropic",
			{
				input_tokens: 4,
				cache_read_input_tokens: 100,
				cache_creation_input_tokens: 20,
				output_tokens: 9,
				cache_creation: { ephemeral_1h_input_tokens: 20 },
			},
			"4/100/20/9+20",
		],
		["Anthropic without a cache", { input_tokens: 4, output_tokens: 9 }, "4/0/0/9"],
		[
			"OpenAI responses",
			{ input_tokens: 100, input_tokens_details: { cached_tokens: 80 }, output_tokens: 9 },
			"20/80/0/9",
		],
		[
			"Bedrock",
			{ inputTokens: 4, cacheReadInputTokens: 100, cacheWriteInputTokens: 20, outputTokens: 9 },
			"4/100/20/9",
		],
		["AI SDK", { inputTokens: 100, cachedInputTokens: 80, outputTokens: 9 }, "20/80/0/9"],
		[
			"Gemini",
			{
				promptTokenCount: 100,
				cachedContentTokenCount: 80,
				candidatesTokenCount: 5,
				thoughtsTokenCount: 4,
			},
			"20/80/0/9",
		],
	];
	for (const [name, value, parts] of rows) test(name, () => reads(value, parts));
	test("a cached part larger than its prompt is a problem, not a negative number", () =>
		reads(
			{ prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 80 } },
			"0/80/0/0",
			/^prompt_tokens: 10 is less than its cached part/,
		));
});

describe("no usage at all", () => {
	test("absent, or not an object", () => {
		for (const value of [undefined, null, 7, "12", [], true]) reads(value, null);
	});
	test("nothing but zeros", () => reads({ input: 0, output: 0, cost: { total: 0 } }, null));
	test("zeros with a cost are a usage", () => {
		assert.equal(readUsage({ input: 0, cost: { total: 0.5 } }).usage?.costUsd, 0.5);
	});
});

describe("a number that cannot be meant counts as 0 and is named", () => {
	test("negative", () => reads({ input: -120, cacheRead: 900 }, "0/900/0/0", /^input: -120 /));
	test("not finite", () => reads({ input: 1, output: 1 / 0 }, "1/0/0/0", /^output: Infinity /));
	test("absurd", () => reads({ input: 1, output: 1e300 }, "1/0/0/0", /^output: 1e\+300 /));
	test("a text", () => reads({ input: "12", output: 3 }, "0/0/0/3", /^input: a string /));
	test("a part of a token, rounded", () => {
		reads({ input: 1.5, output: 3.2 }, "2/0/0/3", /^input: 1\.5 counts as 2\noutput: 3\.2 /);
		const foreign = { prompt_tokens: 7.6, completion_tokens: 0.2 };
		reads(foreign, "8/0/0/0", /^prompt_tokens: 7\.6 counts as 8$/m);
	});
	test("in the cost", () =>
		reads({ input: 1, cost: { total: -1 } }, "1/0/0/0", /^cost\.total: -1 /));
	test("null is absent", () => reads({ input: null, output: 3 }, "0/0/0/3"));
});

describe("cost", () => {
	const cost = (value: unknown) => readUsage({ input: 10, cost: value }).usage?.costUsd;
	test("the recorded total counts", () => assert.equal(cost({ input: 1, total: 3 }), 3));
	test("without a total its parts", () => assert.equal(cost({ input: 1, output: 2 }), 3));
	test("a bare number", () => assert.equal(cost(0.25), 0.25));
	test("none is null, not 0", () => assert.equal(cost(undefined), null));
	test("tokens without cost are unpriced, not free", () => {
		const unpriced = (value: object) => {
			const { usage } = readUsage(value);
			return usage && isUnpriced(usage);
		};
		assert.equal(unpriced({ input: 10, cost: { total: 0 } }), true);
		assert.equal(unpriced({ input: 10 }), true);
		assert.equal(unpriced({ input: 10, cost: { total: 0.1 } }), false);
	});
});

test("reading arbitrary JSON never throws and gives only finite numbers from 0 on", () => {
	const keys = fc.constantFrom("input", "output", "cacheRead", "cost", "prompt_tokens", "cache");
	const value = fc.dictionary(keys, fc.oneof(fc.jsonValue(), fc.double(), fc.integer()));
	fc.assert(
		fc.property(fc.oneof(value, fc.jsonValue()), (usage) => {
			const read = readUsage(usage);
			const numbers = Object.values(read.usage ?? {}).filter((one) => typeof one === "number");
			for (const one of numbers) assert.ok(Number.isFinite(one) && one >= 0, String(one));
		}),
	);
});

/** The folder of shared sessions, where there is one. */
const SESSIONS = process.env["DMAIL_SESSIONS"] ?? path.resolve("../shared/sessions");

interface Expected {
	readonly file: string;
	readonly all: Record<"input" | "output" | "cacheRead" | "cacheWrite" | "costUsd", number> & {
		readonly unpriced: number;
	};
}

/** Every usage of a reply in a file, by the slowest reading: each line its own JSON, others left out. */
function usagesOf(file: string): Usage[] {
	const lines = readFileSync(path.join(SESSIONS, file), "utf8").split("\n");
	return lines.flatMap((line) => {
		const message = parseMessage(line);
		const { usage } = readUsage(message?.["usage"]);
		return message?.["role"] === "assistant" && usage ? [usage] : [];
	});
}

function parseMessage(line: string): Record<string, unknown> | undefined {
	try {
		return (JSON.parse(line) as { message?: Record<string, unknown> } | null)?.message;
	} catch {
		return undefined;
	}
}

test("recorded sessions add up to what a slow reading found", (t) => {
	if (!existsSync(SESSIONS)) return t.skip(`no sessions in ${SESSIONS}`);
	const list = readFileSync(path.join(SESSIONS, "expected.json"), "utf8");
	const expected = (JSON.parse(list) as Expected[]).filter(({ file }) => !/glued/.test(file));
	assert.ok(expected.length > 15 && readdirSync(SESSIONS).length > expected.length);
	for (const { file, all } of expected) {
		const usages = usagesOf(file);
		const sum = (part: (usage: Usage) => number) => usages.reduce((a, one) => a + part(one), 0);
		const input = sum((one) => promptTokens(one) - one.cacheRead - one.cacheWrite);
		assert.equal(input, all.input, file);
		assert.equal(
			sum((one) => one.output),
			all.output,
			file,
		);
		assert.equal(
			sum((one) => one.cacheRead),
			all.cacheRead,
			file,
		);
		assert.equal(
			sum((one) => one.cacheWrite),
			all.cacheWrite,
			file,
		);
		assert.equal(
			sum((one) => Number(isUnpriced(one))),
			all.unpriced,
			file,
		);
		assert.ok(Math.abs(sum((one) => one.costUsd ?? 0) - all.costUsd) < 1e-6, file);
	}
});
