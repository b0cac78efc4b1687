// Replies that echo a marker: some models repeat the label that they were shown. It is taken off before
// the reply is stored, so that it cannot teach the model to write more of them.

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { parseStep } from "../../fold.ts";
import { type AssistantMessage, type Block, blocksOf, type PiMessage } from "../session/entry.ts";
import type { Dmail } from "./dmail.ts";

type EndHandler = (event: { message: PiMessage }) => { message: PiMessage } | undefined;

export function registerEcho(pi: ExtensionAPI, dmail: Dmail): void {
	const on = pi.on as unknown as (event: string, handler: EndHandler) => void;
	on("message_end", ({ message }) => {
		if (!dmail.mode.enabled || message.role !== "assistant") return undefined;
		const clean = removeEcho(message, dmail.asked);
		return clean === message ? undefined : { message: clean };
	});
}

/**
 * The reply without a first or last line that is only the marker of `step`, its own, or of the next one.
 * Lines in code and blocks with a signature stay; a reply is never emptied by it.
 */
export function removeEcho(message: AssistantMessage, step: number): AssistantMessage {
	const blocks = blocksOf(message.content);
	const texts = blocks.flatMap((block, index) => (isPlainText(block) ? [index] : []));
	const first = texts[0];
	const last = texts.at(-1);
	if (first === undefined || last === undefined) return message;
	const cleaned = [...blocks];
	cleanAt(cleaned, first, (text) => withoutFirstLine(text, step));
	cleanAt(cleaned, last, (text) => withoutLastLine(text, step));
	const changed = cleaned.some((block, index) => block !== blocks[index]);
	const content = cleaned.filter((block) => !(block.type === "text" && block.text === ""));
	if (!changed || content.length === 0) return message;
	return { ...message, content };
}

function isPlainText(block: Block): boolean {
	return block.type === "text" && !("textSignature" in block && block["textSignature"]);
}

function cleanAt(blocks: Block[], index: number, clean: (text: string) => string): void {
	const block = blocks[index];
	if (block?.type !== "text" || typeof block.text !== "string") return;
	const text = clean(block.text);
	if (text !== block.text) blocks[index] = { ...block, text };
}

function withoutFirstLine(text: string, step: number): string {
	const [first = "", ...rest] = text.trimStart().split("\n");
	return names(first, step) ? rest.join("\n").replace(/^\n+/, "") : text;
}

function withoutLastLine(text: string, step: number): string {
	const lines = text.trimEnd().split("\n");
	if (!names(lines.at(-1) ?? "", step) || endsInCode(lines)) return text;
	return lines.slice(0, -1).join("\n").trimEnd();
}

/** An odd number of fences before the last line: it stands in a block of code. */
function endsInCode(lines: readonly string[]): boolean {
	return lines.filter((line) => /^\s*(```|~~~)/.test(line)).length % 2 === 1;
}

function names(line: string, step: number): boolean {
	const named = parseStep(line);
	return named !== undefined && step > 0 && (named === step || named === step + 1);
}
