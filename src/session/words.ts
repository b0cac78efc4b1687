// What the user said in a message, as a chip quotes it: his own words verbatim, what he attached by name.
// Cuts nothing; the chip does that.

import { blocksOf, type Content, type ImageBlock, type PiMessage } from "./entry.ts";

/**
 * The user's words in a message of his, ready to be quoted; `undefined` where there are none: a message
 * of another role, an empty one, a command run with `!!`.
 *
 * - files of the command line (`@file`) and an expanded skill are named in place
 * - images are named at the end, with their number and types
 * - a command is quoted with how it ended, without its output
 */
export function wordsOf(message: PiMessage): string | undefined {
	if (message.role === "user") return wordsOfContent(message.content);
	if (message.role !== "bashExecution" || message.excludeFromContext) return undefined;
	const { command, exitCode, cancelled } = message;
	return `!${command}\n[${cancelled ? "cancelled" : `exit code ${exitCode ?? "unknown"}`}]`;
}

function wordsOfContent(content: Content): string | undefined {
	const parts: string[] = [];
	const images: ImageBlock[] = [];
	for (const block of blocksOf(content)) {
		if (block.type === "text" && typeof block.text === "string") parts.push(nameSkill(block.text));
		else if (block.type === "image") images.push(block);
	}
	if (images.length > 0) parts.push(nameImages(images));
	const words = parts.join("\n");
	return words.trim() === "" ? undefined : words;
}

/** Both hosts' form of `/skill:name arguments`, agent-session.js: the block, an empty line, the arguments. */
const SKILL =
	/^<skill name="([^"]+)" location="[^"]+">\n[\s\S]*?\n<\/skill>(?:\n\n(?<said>[\s\S]+))?$/;

function nameSkill(text: string): string {
	const skill = text.startsWith("<skill ") ? SKILL.exec(text) : null;
	if (!skill) return nameFiles(text);
	const said = skill.groups?.["said"];
	return `[skill: ${skill[1]}]${said === undefined ? "" : `\n\n${nameFiles(said)}`}`;
}

/** Both hosts' form of an attached file, file-processor.js: an absolute path, as long as systems allow. */
const FILE = /<file name="((?:\/|\\\\|[A-Za-z]:[\\/])[^\n]{0,4096}?)">/g;
const FILE_END = "</file>\n";
const TEXT_END = `\n${FILE_END}`;
/** The block of an image holds no more than a note on its size; such notes are shorter than this. */
const NOTE_LIMIT = 1_000;

/**
 * The text with each attached file named instead. A block that never ends is text like any other, and
 * one whose content has an end of its own ends there: words are rather quoted too often than lost.
 */
function nameFiles(text: string): string {
	if (!text.includes("<file name=")) return text;
	// the last block may stand at the very end
	const padded = `${text}\n`;
	const lastEnd = padded.lastIndexOf(TEXT_END);
	let named = "";
	let at = 0;
	for (const opening of text.matchAll(FILE)) {
		if (opening.index < at) continue;
		const from = opening.index + opening[0].length;
		const end = padded[from] === "\n" ? endOfText(padded, from, lastEnd) : endOfNote(padded, from);
		if (end < 0) continue;
		named += `${text.slice(at, opening.index)}[file: ${opening[1]}]\n`;
		at = end;
	}
	return at === 0 ? text : named + text.slice(at);
}

/** `last` is where the last end is: without it every block that never ends is searched to the end. */
function endOfText(text: string, from: number, last: number): number {
	return from > last ? -1 : text.indexOf(TEXT_END, from) + TEXT_END.length;
}

function endOfNote(text: string, from: number): number {
	const end = text.slice(from, from + NOTE_LIMIT).indexOf(FILE_END);
	return end < 0 ? -1 : from + end + FILE_END.length;
}

function nameImages(images: readonly ImageBlock[]): string {
	const counts = new Map<string, number>();
	for (const { mimeType } of images) counts.set(mimeType, (counts.get(mimeType) ?? 0) + 1);
	const types =
		counts.size === 1
			? [...counts.keys()]
			: [...counts].map(([mimeType, count]) => `${count} ${mimeType}`);
	return `[${images.length} image${images.length === 1 ? "" : "s"}: ${types.join(", ")}]`;
}
