// A payload as a prompt cache sees it: blocks in the order in which they are read, with sizes and
// breakpoints. Knows the wire formats and no cache.

import { type Block, lookbackTokens, type Prompt } from "../../../src/price/cache.ts";
import { type Json, listIn } from "./finding.ts";

/** A block of a payload: its bytes without breakpoint markers, and whether a breakpoint follows it. */
export interface Piece extends Block {
	readonly bytes: string;
	readonly breakpoint: boolean;
	/** part of the prompt or the tools, not of the conversation */
	readonly head: boolean;
}

/** All of a payload that is cached, in the order of the provider's documentation: tools, system, messages. */
export function piecesOf(payload: Json): Piece[] {
	const config = (payload["config"] ?? {}) as Json;
	const instruction = config["systemInstruction"];
	const head = [
		...listIn(payload["tools"] ?? config["tools"]),
		...(instruction === undefined ? [] : [{ systemInstruction: instruction }]),
		...listIn(payload["system"]),
	];
	const items = listIn(payload["messages"] ?? payload["input"] ?? payload["contents"]);
	return [
		...head.map((block) => pieceOf(block, "", true)),
		...items.flatMap((item, at) =>
			blocksOf(item).map((block) => pieceOf(block, roleOf(item), at === 0 && isPrompt(item))),
		),
	];
}

/** Whether a message is the system prompt, where the format has it there. */
function isPrompt(item: Json): boolean {
	return ["system", "developer"].includes(roleOf(item));
}

/** The blocks of a message; a format without blocks has one a message. */
function blocksOf(item: Json): readonly Json[] {
	const { content } = item;
	if (item["role"] !== undefined && typeof content === "string") return [textBlock(item, content)];
	const blocks = listIn(content ?? item["parts"]);
	return blocks.length > 0 && item["tool_calls"] === undefined ? blocks : [item];
}

/** pi sends the newest message of the user as a block, to mark it, and older ones as they are. */
function textBlock({ content, role, ...more }: Json, text: string): Json {
	return { type: "text", text, ...more };
}

function roleOf(item: Json): string {
	return typeof item["role"] === "string" ? item["role"] : "";
}

function pieceOf({ cache_control: marker, ...block }: Json, role: string, head: boolean): Piece {
	const bytes = `${role} ${JSON.stringify(block)}`;
	const call = ["tool_use", "tool_result"].includes(String(block["type"]));
	return { bytes, tokens: Math.ceil(bytes.length / 4), call, breakpoint: Boolean(marker), head };
}

/** How many leading pieces of two payloads are the same to the byte. */
export function sameStart(before: readonly Piece[], after: readonly Piece[]): number {
	const end = Math.min(before.length, after.length);
	let same = 0;
	while (same < end && before[same]?.bytes === after[same]?.bytes) same++;
	return same;
}

/** Tokens of pieces. */
export function tokensOf(pieces: readonly Piece[]): number {
	return pieces.reduce((sum, piece) => sum + piece.tokens, 0);
}

/** A request for the simulated caches: ten seconds after the one before it. */
export function promptOf(
	pieces: readonly Piece[],
	before: readonly Piece[],
	nth: number,
	lookback: number,
): Prompt {
	const breakpoints = pieces.flatMap((piece, at) =>
		piece.breakpoint ? [tokensOf(pieces.slice(0, at + 1))] : [],
	);
	const end = pieces.findLastIndex((piece) => piece.breakpoint) + 1;
	return {
		atMs: nth * 10_000,
		tokens: tokensOf(pieces),
		same: tokensOf(pieces.slice(0, sameStart(before, pieces))),
		breakpoints,
		reach: (breakpoints.at(-1) ?? 0) - lookbackTokens(pieces.slice(0, end), lookback),
	};
}
