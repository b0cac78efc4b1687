// pi's messages as the algebra handles them: what stands for a folded range, who carries a marker, what
// the user said. Pure: no message that comes in is changed, and nothing here looks at a clock.

import { type FoldName, type Host, isPointer, parseStep } from "../../fold.ts";
import { kindOf } from "./branch.ts";
import { type Block, blocksOf, type PiMessage, type TextBlock } from "./entry.ts";
import { estimateTokens } from "./size.ts";
import { wordsOf } from "./words.ts";

const CHIP = "dmail.fold";
const NOTE = "dmail.marker";

/**
 * pi's hand on its messages. Chips and notes are custom messages, so both hosts send them in the user's
 * role and nobody takes them for the user.
 */
export const piHost: Host<PiMessage> = {
	// 0.73 asks as well, but has no system message to ask about
	kind: (message) => kindOf(message, "1.6"),
	callId: (message) => (message.role === "toolResult" ? message.toolCallId : undefined),
	chip: (text, { id, at }) => ({ ...custom(CHIP, text), details: { fold: id, at } }),
	note: (marker) => custom(NOTE, marker),
	mark,
	point,
	words: wordsOf,
	// the prompt and the tools are no part of the conversation that folding can make smaller
	tokens: (message) => (message.role === "system" ? 0 : estimateTokens(message)),
};

/** The fold whose chip a message is, if it is one that `piHost` made. */
export function foldOfChip(message: PiMessage): FoldName | undefined {
	if (message.role !== "custom" || message.customType !== CHIP) return undefined;
	const { fold: id, at } = (message.details ?? {}) as { readonly fold?: unknown; at?: unknown };
	return typeof id === "string" && typeof at === "number" ? { id, at } : undefined;
}

/** Whether a message is a note that `piHost` made: nothing but a marker. */
export function isNote(message: PiMessage): boolean {
	return message.role === "custom" && message.customType === NOTE && countMarkers(message) === 1;
}

/** How many blocks at the end of a message are markers, ours or ones that look like ours. */
export function countMarkers(message: PiMessage): number {
	if (!("content" in message)) return 0;
	const blocks = blocksOf(message.content);
	return blocks.length - 1 - blocks.findLastIndex((block) => !isMarker(block));
}

/** The message without its last `count` blocks. */
export function unmark<M extends PiMessage>(message: M, count: number): M {
	if (!("content" in message) || count === 0) return message;
	return { ...message, content: blocksOf(message.content).slice(0, -count) };
}

/** The step that the last block of a message names, if it is a marker or looks like one. */
export function lastMarker(message: PiMessage): number | undefined {
	const last = "content" in message ? blocksOf(message.content).at(-1) : undefined;
	return last && stepOf(last);
}

function isMarker(block: Block): boolean {
	return stepOf(block) !== undefined;
}

/** A marker may have more words after its label. */
function stepOf(block: Block): number | undefined {
	if (block.type !== "text" || typeof block.text !== "string") return undefined;
	if (!block.text.startsWith("[")) return undefined;
	return parseStep(block.text.slice(0, block.text.indexOf("]") + 1));
}

/**
 * The timestamp is 0: a message of ours depends on what it stands for and on nothing else, and neither
 * host looks at the time of a custom message on its way to the wire.
 */
function custom(customType: string, text: string): PiMessage {
	return { role: "custom", customType, content: [block(text)], display: false, timestamp: 0 };
}

function block(text: string): TextBlock {
	return { type: "text", text };
}

function mark(message: PiMessage, marker: string): PiMessage {
	if (!("content" in message)) return message;
	const content = message.content === "" ? [] : blocksOf(message.content);
	return { ...message, content: [...content, block(marker)] } as PiMessage;
}

/** One reply may repeat an id: each time the first call is meant whose summary still stands there. */
function point(message: PiMessage, callId: string, pointer: string): PiMessage {
	if (message.role !== "assistant" || !Array.isArray(message.content)) return message;
	const content: readonly Block[] = message.content;
	const at = content.findIndex((block) => block?.type === "toolCall" && hasSummary(block, callId));
	const call = content[at];
	if (call?.type !== "toolCall") return message;
	const replaced = { ...call, arguments: { ...call.arguments, summary: pointer } };
	return { ...message, content: content.with(at, replaced) };
}

function hasSummary(call: Block & { readonly type: "toolCall" }, callId: string): boolean {
	const summary = call.arguments?.["summary"];
	return call.id === callId && typeof summary === "string" && !isPointer(summary);
}
