// A step in a few words for a person: what the assistant said first, else what it called. One line, with
// nothing in it that could move a cursor.

import { blocksOf, type PiMessage, type ToolCallBlock } from "../session/entry.ts";
import { withoutEscapes } from "./plain-text.ts";

/** Longer labels are cut here already, so that no row has to measure a whole reply. */
const LIMIT = 200;

/** What tells one call of a tool from another, by the names that tools use. */
const TELLING = ["command", "path", "file_path", "pattern", "query", "url", "fromStep", "name"];

/** The label of a step's reply. */
export function stepLabel(message: PiMessage | undefined): string {
	if (message?.role !== "assistant") return "";
	const blocks = blocksOf(message.content);
	const said = blocks.map((block) => (block.type === "text" ? firstLine(block.text) : ""));
	const text = said.find((line) => line !== "");
	if (text !== undefined) return text;
	const calls = blocks.flatMap((block) => (block.type === "toolCall" ? [callLabel(block)] : []));
	return oneLine(calls.join(", "));
}

/** The first line of a text that says something. */
export function firstLine(text: unknown): string {
	if (typeof text !== "string") return "";
	const line = text.slice(0, 4 * LIMIT).split("\n");
	return oneLine(line.find((one) => one.trim() !== "") ?? "");
}

function callLabel({ name, arguments: args }: ToolCallBlock): string {
	const key = TELLING.find((one) => args?.[one] !== undefined);
	const value = key === undefined ? undefined : args[key];
	const isShort = typeof value === "string" || typeof value === "number";
	return isShort ? `${name} ${firstLine(String(value))}` : `${name}`;
}

/** The text on one line, without escapes: control and direction characters become blanks, runs of blanks one. */
export function oneLine(text: string): string {
	const plain = withoutEscapes(text.slice(0, 4 * LIMIT))
		.replace(UNSAFE, " ")
		.replace(/\s+/g, " ")
		.trim();
	return plain.length > LIMIT ? `${plain.slice(0, LIMIT).replace(HALF_PAIR, "")}…` : plain;
}

const UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const HALF_PAIR = /[\ud800-\udbff]$/;
