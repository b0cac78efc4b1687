// A keyless model for both hosts: answers by a script, writes down what it was sent, simulates usage and
// a prompt cache. Loaded into pi with `-e`; never opens a socket.
//
//   SCRIPTED_SCRIPT      the script module (see Script); its export `summary` answers requests for one
//   SCRIPTED_WIRE        file for one JSON line per request (see wire.ts)
//   SCRIPTED_WINDOW      the context window it claims, in tokens (200000)
//   SCRIPTED_CACHE_LIFE  how long its cache keeps a prompt, in seconds (300); 0: it has none
//   SCRIPTED_PRICES      JSON, US dollars per million tokens

import { appendFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type {
	AssistantMessage,
	AssistantMessageEventStream,
	Context,
	Message,
	Model,
	SimpleStreamOptions,
	StopReason,
	Tool,
	Usage,
} from "@mariozechner/pi-ai";
import * as ai from "@mariozechner/pi-ai";
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { PromptCache, type PromptPart, tokensOf } from "./scripted-provider-cache.ts";
import type { WireMessage, WireRequest } from "./wire.ts";

/** What the model answers to one request. */
export interface Turn {
	readonly text?: string;
	readonly thinking?: string;
	/** tool calls in order; without an id one is made from the request's index */
	readonly calls?: readonly { name: string; args: Record<string, unknown>; id?: string }[];
	/** the request fails with this message */
	readonly error?: string;
	/** `stop`, or `toolUse` with calls, unless said otherwise */
	readonly stopReason?: StopReason;
	/** replaces the simulated numbers */
	readonly usage?: Partial<Usage>;
	/** waits before answering, in ms; an abort ends the wait */
	readonly delayMs?: number;
	/** dates the reply and its cache entry back, in ms, as if it had been idle ever since */
	readonly agoMs?: number;
}

/**
 * What a script module exports by default: turns for the agent's requests in order, or a function that
 * answers any request. A text stands for a turn that says it. Past its end the model says that it ended.
 */
export type Script =
	| readonly (Turn | string)[]
	| ((request: WireRequest) => Turn | string | Promise<Turn | string>);

interface ScriptModule {
	readonly default: Script;
	readonly summary?: (request: WireRequest) => Turn | string;
}

const PROVIDER = "scripted";
const API = "scripted-api";
const PRICES = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const IMAGE_CHARS = 4_800;
const MINUTES = 60;

/** Registers `scripted/s1` and, alike, `scripted/s2`, for a change of model. */
export default async function register(pi: ExtensionAPI): Promise<void> {
	const script = await import(pathToFileURL(setting("SCRIPT", "")).href);
	const life = Number(setting("CACHE_LIFE", String(5 * MINUTES)));
	const answer = answering(script as ScriptModule, life * 1_000);
	pi.registerProvider(PROVIDER, {
		name: "Scripted",
		baseUrl: "http://localhost:0",
		apiKey: "none",
		api: API,
		streamSimple: answer,
		models: ["s1", "s2"].map((id) => ({
			id,
			name: `Scripted ${id}`,
			reasoning: false,
			input: ["text", "image"],
			cost: JSON.parse(setting("PRICES", JSON.stringify(PRICES))),
			contextWindow: Number(setting("WINDOW", "200000")),
			maxTokens: 16_384,
			...(life > 0 ? { promptCache: { short: life, long: 60 * MINUTES } } : {}),
		})),
	});
}

function setting(name: string, otherwise: string): string {
	return process.env[`SCRIPTED_${name}`] ?? otherwise;
}

type StreamSimple = (
	model: Model<string>,
	context: Context,
	options?: SimpleStreamOptions,
) => AssistantMessageEventStream;

/** The stream function: one cache per model, one counter per kind of request. */
function answering(script: ScriptModule, lifeMs: number): StreamSimple {
	const caches = new Map<string, PromptCache>();
	const counts = { agent: 0, summary: 0 };
	return (model, context, options) => {
		const stream = ai.createAssistantMessageEventStream();
		const asked = readRequest(model, context, options);
		const cache = caches.get(model.id) ?? new PromptCache(lifeMs);
		caches.set(model.id, cache);
		const keep = options?.cacheRetention !== "none";
		const index = counts[asked.kind]++;
		void (async () => {
			const request = { ...asked, index, cacheRead: 0, cacheWrite: 0, input: 0 };
			const turn = await turnOf(script, request);
			const nowMs = Date.now() - (turn.agoMs ?? 0);
			const served = turn.error ? NOTHING : cache.serve(partsOf(context, request), nowMs, keep);
			log({ ...request, ...served });
			const message = replyOf(model, turn, { ...request, ...served });
			message.timestamp = nowMs;
			await play(stream, message, turn.delayMs ?? 0, options?.signal);
		})();
		return stream;
	};
}

const NOTHING = { cacheRead: 0, cacheWrite: 0, input: 0 };

function readRequest(
	model: Model<string>,
	context: Context,
	options: SimpleStreamOptions | undefined,
): Omit<WireRequest, "index" | "cacheRead" | "cacheWrite" | "input"> {
	const { system, tools } = headOf(context);
	const messages: WireMessage[] = [];
	const systemAt: number[] = [];
	for (const [at, message] of context.messages.entries()) {
		if (isSystem(message)) {
			if (at > 0) systemAt.push(messages.length);
		} else if (isSent(message)) messages.push(toWire(message));
	}
	return {
		kind: tools.length === 0 && isSummaryPrompt(messages) ? "summary" : "agent",
		model: model.id,
		system,
		tools: tools.map((tool) => tool.name),
		toolChars: JSON.stringify(tools).length,
		systemAt,
		...(options?.cacheRetention ? { cacheRetention: options.cacheRetention } : {}),
		...(options?.sessionId ? { sessionId: options.sessionId } : {}),
		messages,
	};
}

/** Both hosts put a conversation into one message; 1.6 has a heading for the start of a split turn. */
function isSummaryPrompt(messages: readonly WireMessage[]): boolean {
	const text = messages.length === 1 ? messages[0]?.content[0]?.text : undefined;
	return text !== undefined && /^(?:<conversation>|# Conversation)\n/.test(text);
}

/** 1.6 hands over a transcript that carries prompt and tools, 0.73 has them beside the messages. */
interface Transcripts {
	getCurrentSystemPrompt?(messages: readonly { role: string }[]): string;
	getCurrentTools?(messages: readonly { role: string }[]): Tool[];
}

function headOf(context: Context): { system: string; tools: readonly Tool[] } {
	const host = ai as typeof ai & Transcripts;
	return {
		system: context.systemPrompt ?? host.getCurrentSystemPrompt?.(context.messages) ?? "",
		tools: context.tools ?? host.getCurrentTools?.(context.messages) ?? [],
	};
}

function isSystem(message: { readonly role: string }): boolean {
	return message.role === "system";
}

/** Providers leave failed and aborted attempts out. */
function isSent(message: Message): boolean {
	if (message.role !== "assistant") return true;
	return message.stopReason !== "error" && message.stopReason !== "aborted";
}

function toWire(message: Message): WireMessage {
	const { role, content } = message;
	const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
	if (role !== "toolResult") return { role, content: blocks };
	const { toolCallId, toolName, isError } = message;
	return { role, toolCallId, toolName, isError, content: blocks };
}

/** The prompt in the order of a cache: tools and system prompt, then every message. */
function partsOf(context: Context, request: WireRequest): PromptPart[] {
	const first = context.messages[0];
	const head = first && isSystem(first) ? first : { role: "system", ...headOf(context) };
	const rest = context.messages.filter(
		(message, at) => (at > 0 || head !== first) && isSent(message),
	);
	const headChars = request.system.length + request.toolChars;
	return [
		{ bytes: JSON.stringify(stripped(head)), tokens: tokensOf(headChars) },
		...rest.map((message) => {
			const sent = isSystem(message) ? stripped(message) : toWire(message);
			return { bytes: JSON.stringify(sent), tokens: tokensOf(charsOf(sent)) };
		}),
	];
}

function stripped(message: object): object {
	return { ...message, timestamp: undefined };
}

/** Characters of a message as sent; an image counts the same whatever its bytes. */
function charsOf(message: object): number {
	if (!("content" in message) || !Array.isArray(message.content))
		return JSON.stringify(message).length;
	return (message as WireMessage).content.reduce((chars, block) => {
		if (block.type === "image") return chars + IMAGE_CHARS;
		if (block.type === "toolCall")
			return chars + (block.name ?? "").length + JSON.stringify(block.arguments).length;
		return chars + (block.text ?? block.thinking ?? "").length;
	}, 0);
}

async function turnOf(script: ScriptModule, request: WireRequest): Promise<Turn> {
	try {
		const said = await scripted(script, request);
		return typeof said === "string" ? { text: said } : said;
	} catch (error) {
		return { error: `the script failed: ${error instanceof Error ? error.stack : error}` };
	}
}

function scripted(
	script: ScriptModule,
	request: WireRequest,
): Turn | string | Promise<Turn | string> {
	if (request.kind === "summary" && script.summary) return script.summary(request);
	if (typeof script.default === "function") return script.default(request);
	if (request.kind === "summary") return "A summary of the conversation.";
	return script.default[request.index] ?? `The script ended before request ${request.index}.`;
}

function log(request: WireRequest): void {
	const file = setting("WIRE", "");
	if (file) appendFileSync(file, `${JSON.stringify(request)}\n`);
}

function replyOf(model: Model<string>, turn: Turn, request: WireRequest): AssistantMessage {
	const content: AssistantMessage["content"] = [];
	if (turn.thinking)
		content.push({
			type: "thinking",
			thinking: turn.thinking,
			thinkingSignature: `signature-${request.index}`,
		});
	if (turn.text) content.push({ type: "text", text: turn.text });
	for (const [at, call] of (turn.calls ?? []).entries())
		content.push({
			type: "toolCall",
			id: call.id ?? `call_${request.index}_${at}`,
			name: call.name,
			arguments: call.args,
		});
	const failed = turn.error === undefined ? {} : { errorMessage: turn.error };
	return {
		role: "assistant",
		content,
		api: API,
		provider: PROVIDER,
		model: model.id,
		usage: usageOf(model, turn, request, charsOf({ content })),
		stopReason: turn.error
			? "error"
			: (turn.stopReason ?? (turn.calls?.length ? "toolUse" : "stop")),
		...failed,
		timestamp: 0,
	};
}

function usageOf(model: Model<string>, turn: Turn, request: WireRequest, chars: number): Usage {
	const { input, cacheRead, cacheWrite } = request;
	const output = turn.error ? 0 : tokensOf(chars);
	const usage = { input, output, cacheRead, cacheWrite, ...turn.usage };
	const price = (kind: keyof typeof PRICES) => (usage[kind] * model.cost[kind]) / 1_000_000;
	const cost = {
		input: price("input"),
		output: price("output"),
		cacheRead: price("cacheRead"),
		cacheWrite: price("cacheWrite"),
	};
	const total = cost.input + cost.output + cost.cacheRead + cost.cacheWrite;
	const totalTokens = usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
	return { totalTokens, cost: { ...cost, total }, ...usage };
}

async function play(
	stream: AssistantMessageEventStream,
	message: AssistantMessage,
	delayMs: number,
	signal: AbortSignal | undefined,
): Promise<void> {
	stream.push({ type: "start", partial: { ...message, content: [] } });
	await pause(delayMs, signal);
	const reason = signal?.aborted ? "aborted" : message.stopReason;
	if (reason === "error" || reason === "aborted") {
		const error = { errorMessage: "aborted", ...message, stopReason: reason };
		stream.push({ type: "error", reason, error });
		stream.end(error);
		return;
	}
	for (const index of message.content.keys()) playBlock(stream, message, index);
	stream.push({ type: "done", reason, message });
	stream.end(message);
}

function playBlock(
	stream: AssistantMessageEventStream,
	message: AssistantMessage,
	contentIndex: number,
): void {
	const block = message.content[contentIndex];
	const partial = { ...message, content: message.content.slice(0, contentIndex + 1) };
	const at = { contentIndex, partial };
	if (block?.type === "text") {
		stream.push({ type: "text_start", ...at });
		stream.push({ type: "text_delta", delta: block.text, ...at });
		stream.push({ type: "text_end", content: block.text, ...at });
	} else if (block?.type === "thinking") {
		stream.push({ type: "thinking_start", ...at });
		stream.push({ type: "thinking_delta", delta: block.thinking, ...at });
		stream.push({ type: "thinking_end", content: block.thinking, ...at });
	} else if (block?.type === "toolCall") {
		stream.push({ type: "toolcall_start", ...at });
		stream.push({ type: "toolcall_delta", delta: JSON.stringify(block.arguments), ...at });
		stream.push({ type: "toolcall_end", toolCall: block, ...at });
	}
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
	if (ms === 0 || signal?.aborted) return Promise.resolve();
	return new Promise((resolve) => {
		const timer = setTimeout(resolve, ms);
		signal?.addEventListener("abort", () => {
			clearTimeout(timer);
			resolve();
		});
	});
}
