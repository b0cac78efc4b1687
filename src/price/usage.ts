// One reply's usage as a session recorded it, brought to one shape. Reads any JSON, never throws, and
// never guesses: a number that cannot be meant counts as 0, a part of a token to the nearest whole one, and
// either is named as a problem.

/** US dollars by part, as pi writes them beside the tokens. A part is `null` where it is not recorded. */
export interface CostParts {
	readonly input: number | null;
	readonly output: number | null;
	readonly cacheRead: number | null;
	readonly cacheWrite: number | null;
}

/** The parts of a prompt, in tokens. They never overlap: the prompt is their sum. */
export interface PromptParts {
	/** neither read from a cache nor written to one */
	readonly input: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
}

/** What one reply used, in tokens, and what was recorded as its price. */
export interface Usage extends PromptParts {
	readonly output: number;
	/** how much of `cacheWrite` lives for an hour and is charged so */
	readonly cacheWrite1h: number;
	/** as recorded; `null` where nothing was */
	readonly costUsd: number | null;
	/** `costUsd` by part; `null` where only a total, or nothing, was recorded */
	readonly cost: CostParts | null;
}

/** A usage, or `null` if the reply has none (absent, or nothing but zeros), and what was wrong with it. */
export interface UsageReading {
	readonly usage: Usage | null;
	/** each names its field: `cacheRead: -4 counts as 0` */
	readonly problems: readonly string[];
}

/**
 * Reads a reply's `usage`. pi's own fields count; the shapes of other writers only where all of pi's are
 * absent or 0. A reply whose tokens are all 0 and which cost nothing was not measured: `usage` is `null`.
 */
export function readUsage(value: unknown): UsageReading {
	if (!isFields(value)) return { usage: null, problems: [] };
	const problems: string[] = [];
	const tokens = readOwn(value, problems) ?? readForeign(value, problems) ?? NOTHING;
	const { costUsd, cost } = readCost(value, problems);
	const empty = promptTokens(tokens) + tokens.output === 0 && !costUsd;
	return { usage: empty ? null : { ...tokens, costUsd, cost }, problems };
}

/** Size of the prompt in tokens: what was read from the cache, written to it, and neither. */
export function promptTokens(parts: PromptParts): number {
	return parts.input + parts.cacheRead + parts.cacheWrite;
}

/** Whether tokens were used and no cost was recorded: unknown, not free. */
export function isUnpriced(usage: Usage): boolean {
	return promptTokens(usage) + usage.output > 0 && !usage.costUsd;
}

type Fields = Readonly<Record<string, unknown>>;
type Tokens = Pick<Usage, "input" | "cacheRead" | "cacheWrite" | "output" | "cacheWrite1h">;
/** the tokens at a path; `undefined` if there are none, 0 with a problem if the number cannot be meant */
type Read = (path: string) => number | undefined;

const NOTHING: Tokens = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, cacheWrite1h: 0 };

/** Field by field, not by paths: a long session has one of these for each of its replies. */
function readOwn(value: Fields, problems: string[]): Tokens | undefined {
	const input = readTokens(value["input"], "input", problems) ?? 0;
	const cacheRead = readTokens(value["cacheRead"], "cacheRead", problems) ?? 0;
	const cacheWrite = readTokens(value["cacheWrite"], "cacheWrite", problems) ?? 0;
	const output = readTokens(value["output"], "output", problems) ?? 0;
	if (input + cacheRead + cacheWrite + output === 0) return undefined;
	const hour = readTokens(value["cacheWrite1h"], "cacheWrite1h", problems) ?? 0;
	return { input, cacheRead, cacheWrite, output, cacheWrite1h: Math.min(hour, cacheWrite) };
}

/** A shape of usage that is not pi's. Of several paths the first that holds a number counts. */
interface Shape {
	/** the field that shows the shape */
	readonly prompt: string;
	/** whether the prompt's number contains what was read from and written to the cache */
	readonly inclusive: boolean;
	readonly read: readonly string[];
	readonly write: readonly string[];
	readonly output: readonly string[];
}

const OPENAI_READ = [
	"prompt_tokens_details.cached_tokens",
	"prompt_cache_hit_tokens",
	"cached_tokens",
	"cache.read",
];

/**
 * Sources: the usage objects of the providers' API references, named above each row. `input_tokens` is
 * Anthropic's and OpenAI's: Anthropic's leaves the cached part out and says so by fields of its own,
 * so its row comes first and asks for one of them.
 */
const SHAPES: readonly Shape[] = [
	// OpenAI chat completions; DeepSeek and Moonshot name the cached part differently
	{
		prompt: "prompt_tokens",
		inclusive: true,
		read: OPENAI_READ,
		write: ["prompt_tokens_details.cache_write_tokens", "cache.write"],
		output: ["completion_tokens"],
	},
	// Anthropic messages
	{
		prompt: "input_tokens",
		inclusive: false,
		read: ["cache_read_input_tokens"],
		write: ["cache_creation_input_tokens"],
		output: ["output_tokens"],
	},
	// OpenAI responses
	{
		prompt: "input_tokens",
		inclusive: true,
		read: ["input_tokens_details.cached_tokens"],
		write: ["input_tokens_details.cache_write_tokens"],
		output: ["output_tokens"],
	},
	// Amazon Bedrock converse
	{
		prompt: "inputTokens",
		inclusive: false,
		read: ["cacheReadInputTokens"],
		write: ["cacheWriteInputTokens"],
		output: ["outputTokens"],
	},
	// Vercel AI SDK
	{
		prompt: "inputTokens",
		inclusive: true,
		read: ["cachedInputTokens"],
		write: [],
		output: ["outputTokens"],
	},
	// Gemini generateContent
	{
		prompt: "promptTokenCount",
		inclusive: true,
		read: ["cachedContentTokenCount"],
		write: [],
		output: ["candidatesTokenCount"],
	},
];

function readForeign(value: Fields, problems: string[]): Tokens | undefined {
	const shape = shapeOf(value);
	if (!shape) return undefined;
	const number: Read = (path) => readTokens(at(value, path), path, problems);
	const prompt = number(shape.prompt) ?? 0;
	const cacheRead = firstOf(shape.read, number);
	const cacheWrite = firstOf(shape.write, number);
	const output = firstOf(shape.output, number) + (number("thoughtsTokenCount") ?? 0);
	const input = shape.inclusive ? prompt - cacheRead - cacheWrite : prompt;
	if (input < 0)
		problems.push(`${shape.prompt}: ${prompt} is less than its cached part; input counts as 0`);
	const hour = number("cache_creation.ephemeral_1h_input_tokens") ?? 0;
	return {
		input: Math.max(0, input),
		cacheRead,
		cacheWrite,
		output,
		cacheWrite1h: Math.min(hour, cacheWrite),
	};
}

/** The first shape that shows itself by a cached part too, else the first by its prompt or output alone. */
function shapeOf(value: Fields): Shape | undefined {
	const has = (path: string) => at(value, path) !== undefined;
	const shown = SHAPES.filter((shape) => has(shape.prompt) || shape.output.some(has));
	return shown.find((shape) => [...shape.read, ...shape.write].some(has)) ?? shown[0];
}

function firstOf(paths: readonly string[], number: Read): number {
	for (const path of paths) {
		const found = number(path);
		if (found !== undefined) return found;
	}
	return 0;
}

/** pi's `cost` with its parts and total, or a bare number as OpenRouter sends it. */
function readCost({ cost }: Fields, problems: string[]): Pick<Usage, "costUsd" | "cost"> {
	if (!isFields(cost)) return { costUsd: readNumber(cost, "cost", problems) ?? null, cost: null };
	const input = readNumber(cost["input"], "cost.input", problems) ?? null;
	const output = readNumber(cost["output"], "cost.output", problems) ?? null;
	const cacheRead = readNumber(cost["cacheRead"], "cost.cacheRead", problems) ?? null;
	const cacheWrite = readNumber(cost["cacheWrite"], "cost.cacheWrite", problems) ?? null;
	const total = readNumber(cost["total"], "cost.total", problems) ?? null;
	if (input === null && output === null && cacheRead === null && cacheWrite === null)
		return { costUsd: total, cost: null };
	const sum = (input ?? 0) + (output ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0);
	return { costUsd: total ?? sum, cost: { input, output, cacheRead, cacheWrite } };
}

function readNumber(found: unknown, path: string, problems: string[]): number | undefined {
	if (found === undefined || found === null) return undefined;
	if (typeof found === "number" && found >= 0 && found <= Number.MAX_SAFE_INTEGER) return found;
	problems.push(`${path}: ${shown(found)} counts as 0`);
	return 0;
}

/** Nobody counts a part of a token: the nearest whole number is meant. */
function readTokens(found: unknown, path: string, problems: string[]): number | undefined {
	const tokens = readNumber(found, path, problems);
	if (tokens === undefined || Number.isInteger(tokens)) return tokens;
	const whole = Math.round(tokens);
	problems.push(`${path}: ${tokens} counts as ${whole}`);
	return whole;
}

function at(value: Fields, path: string): unknown {
	const dot = path.indexOf(".");
	const key = dot < 0 ? path : path.slice(0, dot);
	const found = Object.hasOwn(value, key) ? value[key] : undefined;
	if (dot < 0) return found;
	return isFields(found) ? at(found, path.slice(dot + 1)) : undefined;
}

function isFields(value: unknown): value is Fields {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
	if (typeof value === "number") return String(value);
	return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
