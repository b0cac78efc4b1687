// Estimates how many tokens a message takes, the way pi does it but for two things that chars/4 gets
// badly wrong: CJK text and images. Reads plain fields only, so a damaged message is sized, not refused.

/** Quarters of a token that an image counts for, whatever its base64: 1,200 tokens. */
const IMAGE_QUARTERS = 4_800;

/** Tokens that an image counts for. */
export const IMAGE_TOKENS = IMAGE_QUARTERS / 4;

/** Nothing below U+1100 is CJK, so most texts need no look at their characters. */
const MAY_HAVE_CJK = /[\u1100-\uffff]/;

/** What of a message counts. Every field may be missing or of a wrong type: then it counts nothing. */
export interface Sizable {
	readonly role: string;
	readonly content?: unknown;
	readonly command?: unknown;
	readonly output?: unknown;
	readonly summary?: unknown;
	readonly sections?: unknown;
	readonly toolsAdded?: unknown;
	readonly excludeFromContext?: unknown;
}

/** Estimated size of a text in tokens, rounded up: a quarter per UTF-16 unit, 1 per CJK character. */
export function estimateText(text: string): number {
	return Math.ceil(quartersOf(text) / 4);
}

/**
 * Estimated size of a message in tokens.
 *
 * The parts are added in quarters of a token and rounded up once, so that without CJK and images it is
 * pi's own number: text and thinking; name and JSON arguments of a call; command and output; summary;
 * of a system message the sections and the tools added. An image is 1,200. A command that the user kept
 * from the model (`!!`) is 0, since nothing of it is sent.
 */
export function estimateTokens(message: Sizable): number {
	return Math.ceil(quartersOfMessage(message) / 4);
}

/** The same in quarters of a token, not rounded: what parts of messages can be added in. */
export function quartersOfMessage(message: Sizable): number {
	if (message.excludeFromContext === true) return 0;
	let quarters = contentQuarters(message.content);
	switch (message.role) {
		case "bashExecution":
			quarters += textQuarters(message.command) + textQuarters(message.output);
			break;
		case "branchSummary":
		case "compactionSummary":
			quarters += textQuarters(message.summary);
			break;
		case "system":
			quarters += systemQuarters(message);
			break;
	}
	return quarters;
}

/**
 * The images of messages: how many, and how many bytes their base64 has. Some services bill and limit those,
 * whatever the estimate says.
 */
export function countImages(messages: Iterable<Sizable>): { count: number; bytes: number } {
	const found = { count: 0, bytes: 0 };
	for (const { content } of messages) {
		if (!Array.isArray(content)) continue;
		for (const block of content as readonly (ImageLike | null)[]) {
			if (block?.type !== "image") continue;
			found.count++;
			found.bytes += typeof block.data === "string" ? block.data.length : 0;
		}
	}
	return found;
}

interface ImageLike {
	readonly type?: unknown;
	readonly data?: unknown;
}

function systemQuarters({ sections, toolsAdded }: Sizable): number {
	let quarters = toolsAdded === undefined ? 0 : jsonQuarters(toolsAdded);
	if (typeof sections !== "object" || sections === null) return quarters;
	for (const section of Object.values(sections)) quarters += textQuarters(section);
	return quarters;
}

function contentQuarters(content: unknown): number {
	if (!Array.isArray(content)) return textQuarters(content);
	let quarters = 0;
	for (const block of content) quarters += blockQuarters(block);
	return quarters;
}

interface Block {
	readonly type?: unknown;
	readonly text?: unknown;
	readonly thinking?: unknown;
	readonly name?: unknown;
	readonly arguments?: unknown;
}

function blockQuarters(block: Block | null | undefined): number {
	switch (block?.type) {
		case "text":
			return textQuarters(block.text);
		case "thinking":
			return textQuarters(block.thinking);
		case "image":
			return IMAGE_QUARTERS;
		case "toolCall":
			return textQuarters(block.name) + jsonQuarters(block.arguments);
		default:
			return 0;
	}
}

function jsonQuarters(value: unknown): number {
	return textQuarters(JSON.stringify(value));
}

function textQuarters(text: unknown): number {
	return typeof text === "string" ? quartersOf(text) : 0;
}

/** Size of a text in quarters of a token. */
export function quartersOf(text: string): number {
	let quarters = text.length;
	const first = text.search(MAY_HAVE_CJK);
	if (first < 0) return quarters;
	for (let at = first; at < text.length; at++) quarters += cjkQuarters(text.charCodeAt(at));
	return quarters;
}

/**
 * What a UTF-16 unit counts beyond its own quarter: Han, Kana, Hangul, their punctuation and fullwidth
 * forms count 4 in all. A Han character outside the basic plane is two units; its first has what lacks.
 * Ranges, not script properties: a regular expression takes ten times as long on a text that is all CJK.
 */
function cjkQuarters(unit: number): number {
	if (unit < 0x1100) return 0;
	if (unit >= 0xd840 && unit <= 0xd88f) return 2;
	const isCjk =
		unit <= 0x11ff ||
		(unit >= 0x2e80 && unit <= 0x9fff) ||
		(unit >= 0xa960 && unit <= 0xa97f) ||
		(unit >= 0xac00 && unit <= 0xd7ff) ||
		(unit >= 0xf900 && unit <= 0xfaff) ||
		(unit >= 0xff00 && unit <= 0xffef);
	return isCjk ? 3 : 0;
}
