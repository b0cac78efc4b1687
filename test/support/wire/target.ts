// Takes what a host puts on the wire for a list of messages, at the last point before it: both hosts' own
// converters, for each wire format. Sends nothing and starts no pi.

import * as anthropicToday from "@earendil-works/pi-ai/api/anthropic-messages";
import * as googleToday from "@earendil-works/pi-ai/api/google-generative-ai";
import * as completionsToday from "@earendil-works/pi-ai/api/openai-completions";
import * as responsesToday from "@earendil-works/pi-ai/api/openai-responses";
import { convertToLlm as convertToday } from "@earendil-works/pi-coding-agent";
import * as anthropicOld from "@mariozechner/pi-ai/anthropic";
import * as googleOld from "@mariozechner/pi-ai/google";
import * as completionsOld from "@mariozechner/pi-ai/openai-completions";
import * as responsesOld from "@mariozechner/pi-ai/openai-responses";
import { convertToLlm as convertOld } from "@mariozechner/pi-coding-agent";
import type { Generation } from "../../../src/session/branch.ts";
import type { PiMessage } from "../../../src/session/entry.ts";
import type { Json } from "./finding.ts";

/** The wire formats, by pi's names. */
export type Api =
	| "anthropic-messages"
	| "openai-completions"
	| "openai-responses"
	| "google-generative-ai";

/** A model of a wire format; what pi may know of it beside. */
export interface Target {
	readonly api: Api;
	readonly provider: string;
	readonly id: string;
	readonly compat?: Json;
	/** 1.6 only: what the compat names is not known before */
	readonly onlyToday?: boolean;
}

/** One function per wire format streams a reply; all take the same. */
type Stream = (model: unknown, context: unknown, options: unknown) => Streamed;

interface Streamed {
	result(): Promise<{ readonly errorMessage?: string | undefined }>;
}

const STREAMS: Record<Generation, Record<Api, unknown>> = {
	"0.73": {
		"anthropic-messages": anthropicOld.streamSimpleAnthropic,
		"openai-completions": completionsOld.streamSimpleOpenAICompletions,
		"openai-responses": responsesOld.streamSimpleOpenAIResponses,
		"google-generative-ai": googleOld.streamSimpleGoogle,
	},
	"1.6": {
		"anthropic-messages": anthropicToday.streamSimple,
		"openai-completions": completionsToday.streamSimple,
		"openai-responses": responsesToday.streamSimple,
		"google-generative-ai": googleToday.streamSimple,
	},
};

const CONVERTERS: Record<Generation, unknown> = { "0.73": convertOld, "1.6": convertToday };

/** The prompt of every request: so long that a cache keeps it by itself (5,000 characters, 1,250 tokens). */
export const SYSTEM = "You help with code. ".repeat(250);
/** The tools of every request. */
export const TOOLS = ["bash", "send_dmail"].map((name) => ({
	name,
	description: `The tool ${name}.`,
	parameters: { type: "object", properties: {} },
}));

/** The models a format is tried with. */
export const TARGETS: Record<Api, readonly Target[]> = {
	"anthropic-messages": [
		{ api: "anthropic-messages", provider: "anthropic", id: "claude-plain" },
		{
			api: "anthropic-messages",
			provider: "anthropic",
			id: "claude-managed",
			compat: {
				supportsMidConvoSystemMessages: true,
				supportsMidConvoToolChanges: true,
				supportsMidConvoEffort: true,
			},
			onlyToday: true,
		},
	],
	"openai-completions": [
		{ api: "openai-completions", provider: "openai", id: "gpt-plain" },
		{
			api: "openai-completions",
			provider: "bridged",
			id: "gpt-bridged",
			compat: { requiresAssistantAfterToolResult: true, requiresToolResultName: true },
		},
	],
	"openai-responses": [{ api: "openai-responses", provider: "openai", id: "gpt-plain" }],
	"google-generative-ai": [
		{ api: "google-generative-ai", provider: "google", id: "gemini-3-flash-preview" },
		{ api: "google-generative-ai", provider: "google", id: "gemini-2.5-pro" },
	],
};

/** The model as pi describes it. It costs nothing and lives nowhere. */
export function modelOf({ api, provider, id, compat }: Target): Json {
	return {
		api,
		provider,
		id,
		name: id,
		baseUrl: "http://localhost:9",
		reasoning: true,
		input: ["text", "image"],
		cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
		contextWindow: 200_000,
		maxTokens: 8_000,
		...(compat ? { compat } : {}),
	};
}

/** The messages as the host hands them to a provider. */
export function toLlm(messages: readonly PiMessage[], generation: Generation): PiMessage[] {
	const convert = CONVERTERS[generation] as (messages: unknown) => PiMessage[];
	return convert(structuredClone(messages));
}

/** A request's context, in the form that the host's provider code takes. */
export function contextOf(messages: readonly PiMessage[], generation: Generation): Json {
	const llm = toLlm(messages, generation);
	return generation === "1.6"
		? { messages: llm }
		: { systemPrompt: SYSTEM, tools: TOOLS, messages: llm };
}

class Taken extends Error {}

/** What would be sent to a model for a list of messages: the body of the request. */
export function payloadOf(
	target: Target,
	messages: readonly PiMessage[],
	generation: Generation,
): Promise<Json> {
	return new Promise((resolve, reject) => {
		const stream = STREAMS[generation][target.api] as Stream;
		const streamed = stream(modelOf(target), contextOf(messages, generation), {
			apiKey: "none",
			reasoning: "medium",
			sessionId: "session",
			onPayload: (payload: Json) => {
				resolve(payload);
				throw new Taken("the payload is taken");
			},
		});
		// after `resolve` this is too late to matter; before it, the converter itself failed
		streamed.result().then(({ errorMessage }) => reject(new Error(errorMessage)), reject);
	});
}
