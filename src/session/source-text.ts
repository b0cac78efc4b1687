// The entries of a fold as a text that can be read: role by role, every text of theirs to the letter,
// calls with their arguments, images by name. Pure; says nothing that is not stored.

import { isStep } from "./branch.ts";
import {
	type AssistantMessage,
	type BashMessage,
	type Block,
	blocksOf,
	type Content,
	type ContextEditEntry,
	type ImageBlock,
	type PiMessage,
	type SessionEntry,
	type SystemMessage,
	type ToolCallBlock,
	type ToolResultMessage,
} from "./entry.ts";

/**
 * Who reads. A model reads what it could have been sent: the branch's context edits applied, nothing that
 * was run with `!!`, no system message. A person reads what is stored.
 */
export type Reader = "model" | "person";

/** An image of a source and where the text names it. */
export interface PlacedImage {
	/** where its name begins, in UTF-16 units */
	readonly offset: number;
	readonly image: ImageBlock;
}

/** A source that can be read. */
export interface SourceText {
	readonly text: string;
	readonly images: readonly PlacedImage[];
}

/** What is to be read. */
export interface Stretch {
	/** the entries, in branch order */
	readonly entries: readonly SessionEntry[];
	readonly reader: Reader;
	/** the number that the first step among the entries has, 1-based */
	readonly firstStep: number;
	/** for a model: the last edit of each entry, by the entry's id */
	readonly edits?: ReadonlyMap<string, ContextEditEntry> | undefined;
}

/** Writes the source: a heading for each message, then what it says. */
export function writeSource(stretch: Stretch): SourceText {
	const page = new Paper();
	const results = namesOf(stretch.entries);
	let step = stretch.firstStep;
	for (const entry of stretch.entries) {
		const number = isStepEntry(entry) ? step++ : undefined;
		const edit = stretch.reader === "model" ? stretch.edits?.get(entry.id) : undefined;
		if (edit?.replacement === null && isEditable(entry)) continue;
		const content = edit?.replacement ? { content: edit.replacement.content } : undefined;
		writeEntry(page, entry, { reader: stretch.reader, step: number, content, results });
	}
	return page.source();
}

/** The last context edit of each entry of a branch, by the entry's id. */
export function lastEdits(branch: readonly SessionEntry[]): Map<string, ContextEditEntry> {
	const edits = new Map<string, ContextEditEntry>();
	for (const entry of branch) if (entry.type === "context_edit") edits.set(entry.targetId, entry);
	return edits;
}

/** Whether an entry is a reply that counts. */
export function isStepEntry(entry: SessionEntry): boolean {
	return (
		entry.type === "message" &&
		entry.message?.role === "assistant" &&
		isStep(entry.message.stopReason)
	);
}

/** How an entry is to be written. */
interface Manner {
	readonly reader: Reader;
	readonly step: number | undefined;
	/** what an edit put in the place of the content */
	readonly content: { readonly content: Content } | undefined;
	/** by id of a call: the tool's name, for results that do not tell it */
	readonly results: ReadonlyMap<string, string>;
}

/** Gathers the text. */
class Paper {
	private text = "";
	private readonly images: PlacedImage[] = [];

	heading(words: string): void {
		if (this.text !== "") this.text += "\n\n";
		this.text += `=== ${words}`;
	}

	/** A passage on lines of its own. */
	passage(words: string): void {
		if (words !== "") this.text += `\n${words}`;
	}

	image(image: ImageBlock): void {
		this.text += "\n";
		this.images.push({ offset: this.text.length, image });
		const kind = typeof image.mimeType === "string" ? image.mimeType : "unknown kind";
		this.text += `[image ${this.images.length}: ${kind}, ${bytesOf(image)} bytes]`;
	}

	source(): SourceText {
		return { text: this.text, images: this.images };
	}
}

function writeEntry(page: Paper, entry: SessionEntry, manner: Manner): void {
	switch (entry.type) {
		case "message":
			if (typeof entry.message === "object" && entry.message !== null)
				writeMessage(page, entry.message, entry.id, manner);
			break;
		case "custom_message":
			page.heading(`message of extension ${entry.customType} · ${entry.id}`);
			writeContent(page, manner.content ? manner.content.content : entry.content);
			break;
		case "branch_summary":
			page.heading(`summary of another branch · ${entry.id}`);
			page.passage(asText(entry.summary));
			break;
		case "compaction":
			page.heading(`compaction · ${entry.id}`);
			page.passage(asText(entry.summary));
			break;
		case "unknown":
			if (entry.was !== undefined || manner.reader === "model") break;
			page.heading(`a line of the file that cannot be read · ${entry.id}`);
			break;
		default:
			// the rest of what a session stores is state: it has no text of the conversation
			break;
	}
}

function writeMessage(page: Paper, message: PiMessage, id: string, manner: Manner): void {
	const content = (own: Content) => (manner.content ? manner.content.content : own);
	switch (message.role) {
		case "user":
			page.heading(`user · ${id}`);
			writeContent(page, content(message.content));
			break;
		case "assistant":
			writeReply(page, { ...message, content: content(message.content) }, id, manner.step);
			break;
		case "toolResult":
			writeResult(page, { ...message, content: content(message.content) }, id, manner.results);
			break;
		case "bashExecution":
			writeBash(page, message, id, manner.reader);
			break;
		case "custom":
			page.heading(`message of extension ${message.customType} · ${id}`);
			writeContent(page, content(message.content));
			break;
		case "system":
			if (manner.reader === "person") writeSystem(page, message, id);
			break;
		case "branchSummary":
		case "compactionSummary":
			page.heading(`summary · ${id}`);
			page.passage(asText(message.summary));
			break;
		default:
			writeStrange(page, message, id);
	}
}

/** A role that no host of ours has. */
function writeStrange(page: Paper, message: unknown, id: string): void {
	const { role, content } = message as { readonly role?: unknown; readonly content?: unknown };
	page.heading(`${asText(role) || "message without a role"} · ${id}`);
	writeContent(page, content);
}

function writeReply(page: Paper, message: AssistantMessage, id: string, step: number | undefined) {
	const { stopReason, errorMessage } = message;
	page.heading(
		step === undefined
			? `assistant, not a step (${asText(stopReason) || "unfinished"}) · ${id}`
			: `assistant, step ${step} · ${id}`,
	);
	writeContent(page, message.content);
	if (errorMessage) page.passage(`error: ${asText(errorMessage)}`);
}

function writeResult(
	page: Paper,
	message: ToolResultMessage,
	id: string,
	names: ReadonlyMap<string, string>,
): void {
	const name = asText(message.toolName) || names.get(message.toolCallId) || "a tool";
	const call = asText(message.toolCallId);
	page.heading(
		`result of ${name}${call ? ` (${call})` : ""}${message.isError ? ", an error" : ""} · ${id}`,
	);
	writeContent(page, message.content);
}

function writeBash(page: Paper, message: BashMessage, id: string, reader: Reader): void {
	const { command, output, exitCode, cancelled, excludeFromContext } = message;
	if (excludeFromContext && reader === "model") return;
	const how = cancelled ? ", cancelled" : exitCode == null ? "" : `, exit ${exitCode}`;
	page.heading(`command of the user${excludeFromContext ? " (!!)" : ""}${how} · ${id}`);
	page.passage(`$ ${asText(command)}`);
	page.passage(asText(output));
}

function writeSystem(page: Paper, message: SystemMessage, id: string): void {
	page.heading(`system · ${id}`);
	writeContent(page, message.content);
	for (const [name, section] of Object.entries(message.sections ?? {}))
		page.passage(section === null ? `${name}: removed` : `${name}:\n${asText(section)}`);
}

function writeContent(page: Paper, content: unknown): void {
	for (const block of blocksOf(content)) writeBlock(page, block);
}

function writeBlock(page: Paper, block: Block): void {
	switch (block.type) {
		case "text":
			page.passage(asText(block.text));
			break;
		case "thinking":
			if (block.thinking) page.passage(`thinking:\n${asText(block.thinking)}\n(end of thinking)`);
			break;
		case "toolCall":
			writeCall(page, block);
			break;
		case "image":
			page.image(block);
			break;
		default:
			page.passage(`[a block of type ${asText((block as { type?: unknown }).type)}]`);
	}
}

/** Texts in arguments stand as they are, not in JSON, so that they can be read and searched. */
function writeCall(page: Paper, { id, name, arguments: args }: ToolCallBlock): void {
	page.passage(`call of ${asText(name)}${asText(id) ? ` (${asText(id)})` : ""}`);
	if (typeof args !== "object" || args === null || Array.isArray(args)) {
		if (args !== undefined) writeArgument(page, "arguments", args);
		return;
	}
	for (const [key, value] of Object.entries(args)) writeArgument(page, key, value);
}

function writeArgument(page: Paper, key: string, value: unknown): void {
	if (typeof value === "string") {
		page.passage(`${key}:${value.includes("\n") ? "\n" : " "}${value}`);
		return;
	}
	const parts = partsOf(key, value);
	if (parts.length === 0) page.passage(`${key}: ${JSON.stringify(value)}`);
	for (const [below, part] of parts) writeArgument(page, below, part);
}

function partsOf(key: string, value: unknown): (readonly [string, unknown])[] {
	if (Array.isArray(value)) return value.map((part, at) => [`${key}[${at}]`, part] as const);
	if (typeof value !== "object" || value === null) return [];
	return Object.entries(value).map(([name, part]) => [`${key}.${name}`, part] as const);
}

function namesOf(entries: readonly SessionEntry[]): Map<string, string> {
	const names = new Map<string, string>();
	for (const entry of entries) {
		if (entry.type !== "message" || entry.message?.role !== "assistant") continue;
		for (const block of blocksOf(entry.message.content))
			if (block.type === "toolCall") names.set(block.id, asText(block.name));
	}
	return names;
}

/** pi edits these and nothing else. */
function isEditable(entry: SessionEntry): boolean {
	if (entry.type === "custom_message") return true;
	if (entry.type !== "message") return false;
	const role = entry.message?.role;
	return role === "user" || role === "assistant" || role === "toolResult" || role === "custom";
}

/** Bytes that an image's base64 stands for. */
function bytesOf({ data }: ImageBlock): number {
	return typeof data === "string" ? Math.floor((data.replace(/=+$/, "").length * 3) / 4) : 0;
}

function asText(value: unknown): string {
	return typeof value === "string" ? value : "";
}
