// What a scripted model was sent, one line per request, and what must hold of it. Pure: judges a log,
// never repairs it.

import assert from "node:assert/strict";

/** A block of a message, as the host hands it to a provider. */
export interface WireBlock {
	readonly type: string;
	readonly text?: string;
	readonly thinking?: string;
	/** a tool call's id and name, and its arguments */
	readonly id?: string;
	readonly name?: string;
	readonly arguments?: Readonly<Record<string, unknown>>;
}

/** A message as the model gets it: no timestamps, no usage, no failed or aborted attempts. */
export interface WireMessage {
	readonly role: "user" | "assistant" | "toolResult";
	readonly content: readonly WireBlock[];
	readonly toolCallId?: string;
	readonly toolName?: string;
	readonly isError?: boolean;
}

/** One request. */
export interface WireRequest {
	/** counts the requests of one process and one kind from 0 */
	readonly index: number;
	/** `summary`: the host asks for a summary of a conversation */
	readonly kind: "agent" | "summary";
	readonly model: string;
	readonly system: string;
	readonly tools: readonly string[];
	/** size of the tools' declarations, in characters */
	readonly toolChars: number;
	/** positions in `messages` before which the host put a change of the system prompt or the tools */
	readonly systemAt: readonly number[];
	readonly cacheRetention?: string;
	readonly sessionId?: string;
	readonly messages: readonly WireMessage[];
	/** the simulated prompt, in tokens: served from the cache, written to it, neither */
	readonly cacheRead: number;
	readonly cacheWrite: number;
	readonly input: number;
}

/** Reads a log: JSON lines. */
export function parseWire(text: string): WireRequest[] {
	const lines = text.split("\n").filter((line) => line !== "");
	return lines.map((line) => JSON.parse(line) as WireRequest);
}

/** The text of a message, blocks joined by a newline; calls and images as one line each. */
export function textOf(message: WireMessage): string {
	return message.content.map(textOfBlock).join("\n");
}

function textOfBlock(block: WireBlock): string {
	if (block.text !== undefined) return block.text;
	if (block.thinking !== undefined) return block.thinking;
	if (block.type === "toolCall") return `${block.name}(${JSON.stringify(block.arguments)})`;
	return `[${block.type}]`;
}

/** How many leading messages of two requests are the same to the byte. */
export function samePrefix(before: WireRequest, after: WireRequest): number {
	const end = Math.min(before.messages.length, after.messages.length);
	let same = 0;
	while (same < end && bytes(before.messages[same]) === bytes(after.messages[same])) same++;
	return same;
}

/** Whether every message of `before` stands unchanged at the start of `after`. */
export function isPrefix(before: WireRequest, after: WireRequest): boolean {
	return samePrefix(before, after) === before.messages.length;
}

function bytes(message: WireMessage | undefined): string {
	return JSON.stringify(message);
}

/** A fault of a request that a provider would refuse or mend behind the user's back. */
export interface PairFault {
	readonly kind: "orphan result" | "unanswered call" | "result not next to its call";
	readonly callId: string;
	/** the position of the message at fault */
	readonly at: number;
}

/**
 * Every call without a result and every result without a call, left to right. A result belongs to the
 * nearest reply before it, with nothing but other results between: what all wire formats ask for.
 */
export function pairFaults(messages: readonly WireMessage[]): PairFault[] {
	const faults: PairFault[] = [];
	let open = new Map<string, number>();
	let adjacent = true;
	const close = () => {
		for (const [callId, at] of open) faults.push({ kind: "unanswered call", callId, at });
		open = new Map();
	};
	for (const [at, message] of messages.entries()) {
		if (message.role === "assistant") {
			close();
			adjacent = true;
			open = new Map(callsOf(message).map((callId) => [callId, at]));
		} else if (message.role === "user") adjacent = false;
		else {
			const callId = message.toolCallId ?? "";
			if (!open.delete(callId)) faults.push({ kind: "orphan result", callId, at });
			else if (!adjacent) faults.push({ kind: "result not next to its call", callId, at });
		}
	}
	close();
	return faults;
}

function callsOf(message: WireMessage): string[] {
	return message.content
		.filter((block) => block.type === "toolCall")
		.map((block) => block.id ?? "");
}

/** A marker of a request: the step it names and the position of the message that carries it. */
export interface WireMarker {
	readonly step: number;
	readonly at: number;
}

/**
 * The markers of a request, left to right: the blocks of user messages and results that are a marker,
 * or open with one (a nudge follows it). Assistant messages carry none; one that does is at fault.
 */
export function markersOf(request: WireRequest): WireMarker[] {
	return request.messages.flatMap((message, at) =>
		message.content.flatMap((block) => {
			const found = /^\[step (\d+)\](?:\s|$)/.exec(block.text ?? "");
			return found ? [{ step: Number(found[1]), at }] : [];
		}),
	);
}

/** The chips of a request, left to right: blocks that begin with a chip's tag and its id. */
export function chipsOf(request: WireRequest): string[] {
	const texts = request.messages.flatMap(({ role, content }) =>
		role === "user" ? content.map((block) => block.text ?? "") : [],
	);
	return texts.filter((text) => /^<dmail fold="[0-9a-f]{4,}"/.test(text));
}

/** How often a text stands in the messages of a request, argument values and results included. */
export function countText(request: WireRequest, text: string): number {
	const needle = JSON.stringify(text).slice(1, -1);
	return JSON.stringify(request.messages).split(needle).length - 1;
}

/** Throws unless every request's messages are a prefix of the next one's, save at the given indices. */
export function assertPrefixes(
	requests: readonly WireRequest[],
	except: readonly number[] = [],
): void {
	for (const [index, after] of requests.entries()) {
		const before = requests[index - 1];
		if (!before || except.includes(index)) continue;
		const same = samePrefix(before, after);
		assert.equal(
			same,
			before.messages.length,
			`request ${index} changes message ${same} of request ${index - 1}: ${bytes(before.messages[same])} is now ${bytes(after.messages[same])}`,
		);
	}
}

/** Throws unless a provider would take every request as it is. */
export function assertPaired(requests: readonly WireRequest[]): void {
	for (const [index, request] of requests.entries())
		assert.deepEqual(pairFaults(request.messages), [], `request ${index}`);
}

/** Throws unless a request's markers count up and the last one stands in its last message. */
export function assertMarkers(request: WireRequest, repeated: readonly number[] = []): void {
	const markers = markersOf(request);
	for (const [index, marker] of markers.entries()) {
		assert.notEqual(request.messages[marker.at]?.role, "assistant", `marker ${marker.step}`);
		const before = markers[index - 1];
		if (!before) continue;
		const least = repeated.includes(marker.step) ? before.step : before.step + 1;
		assert.ok(marker.step >= least, `marker ${marker.step} after ${before.step}`);
	}
	const last = request.messages.length - 1;
	assert.equal(markers.at(-1)?.at, last, "the pending step's marker stands in the last message");
}
