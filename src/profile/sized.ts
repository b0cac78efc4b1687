// A message reduced to its size and the few words that a view needs of it, so that a session of any length
// fits into memory. The algebra runs on these as it does on pi's own messages, and gives the same sizes.

import { type Entry, type Host, isPointer, type Kind } from "../../fold.ts";
import { entryOf, messageOf, toFoldEntry } from "../session/branch.ts";
import {
	blocksOf,
	type ContextEditEntry,
	type MessageEntry,
	type PiMessage,
	type SessionEntry,
} from "../session/entry.ts";
import { piHost } from "../session/message.ts";
import { quartersOf, quartersOfMessage } from "../session/size.ts";

/** A message as its size in quarters of a token; with more where a chip or a pointer may touch it. */
export type Sized = number | Touchable;

interface Touchable {
	readonly quarters: number;
	/** what a chip quotes of it */
	readonly words?: string | undefined;
	/** calls whose summary may become a pointer */
	readonly summaries?: readonly Summary[] | undefined;
}

interface Summary {
	readonly callId: string;
	/** size of the summary as JSON, in quarters of a token */
	readonly quarters: number;
}

/** The algebra's host for reduced messages, which also tells what each chip took. */
export interface SizedHost extends Host<Sized> {
	/** size of the newest chip of each fold that was laid out, in tokens, by the position of its record */
	readonly chips: ReadonlyMap<number, number>;
}

/** A host of its own for one replay. */
export function createSizedHost(): SizedHost {
	const chips = new Map<number, number>();
	return {
		chips,
		// asked only of a list in hand, and there is none here
		kind: () => "custom",
		callId: () => undefined,
		chip(text, { at }) {
			const quarters = quartersOf(text);
			chips.set(at, tokensOf(quarters));
			return quarters;
		},
		note: quartersOf,
		mark: (message, marker) => quartersIn(message) + quartersOf(marker),
		point,
		words: (message) => (typeof message === "number" ? undefined : message.words),
		tokens: tokensIn,
	};
}

/**
 * An entry of the file as the algebra sees it, its message reduced.
 *
 * @param find the reduced entry with an id: an edit asks what it replaces
 */
export function reduceEntry(
	entry: SessionEntry,
	find: (id: string) => Entry<Sized> | undefined,
): Entry<Sized> {
	switch (entry.type) {
		case "message":
		case "custom_message":
		case "branch_summary": {
			const message = messageOf(entry, GENERATION);
			return message ? reduceMessage(entry.id, message) : { id: entry.id, kind: "other" };
		}
		case "context_edit":
			return reduceEdit(entry, find(entry.targetId));
		default:
			return reduceAll(toFoldEntry(entry, GENERATION, () => undefined));
	}
}

/** Files of older hosts have nothing that newer rules would read in another way. */
const GENERATION = "1.6";

function reduceMessage(id: string, message: PiMessage): Entry<Sized> {
	const sized = sizeOf(message);
	const tokens = tokensIn(sized);
	return entryOf(id, message, GENERATION, { message: sized, tokens });
}

function reduceAll({ message, head, ...rest }: Entry<PiMessage>): Entry<Sized> {
	if (message === undefined) return rest;
	const reduced = { ...rest, message: sizeOf(message) };
	return head === undefined ? reduced : { ...reduced, head: sizeOf(head) };
}

/** The replaced message itself is gone: one of its kind stands in for it, since only its content changes. */
function reduceEdit(entry: ContextEditEntry, target: Entry<Sized> | undefined): Entry<Sized> {
	const { id, targetId } = entry;
	if (!target || target.kind === "compaction") return { id, kind: "other" };
	if (entry.replacement === null) return { id, kind: "edit", targetId };
	const role = EDITABLE[target.kind];
	if (!role) return { id, kind: "edit", targetId, message: target.message };
	const standIn = { type: "message", id: targetId, message: { role } } as MessageEntry;
	return reduceAll(toFoldEntry(entry, GENERATION, () => standIn));
}

/** By kind of entry the role of its message, where an edit replaces its content. */
const EDITABLE: { readonly [kind in Kind]?: string } = {
	user: "user",
	assistant: "assistant",
	attempt: "assistant",
	result: "toolResult",
	custom: "custom",
};

/**
 * The message reduced. A system message takes no room: only newer hosts store what others send beside the
 * messages, and it is the overhead of every request.
 */
function sizeOf(message: PiMessage): Sized {
	if (message.role === "system") return 0;
	const quarters = quartersOfMessage(message);
	switch (message.role) {
		case "user":
		case "bashExecution": {
			const words = piHost.words(message);
			return words === undefined ? quarters : { quarters, words };
		}
		case "assistant": {
			const summaries = summariesOf(message.content);
			return summaries ? { quarters, summaries } : quarters;
		}
		default:
			return quarters;
	}
}

/** Size of a reduced message in quarters of a token. */
export function quartersIn(message: Sized): number {
	return typeof message === "number" ? message : message.quarters;
}

/** Size of a reduced message in tokens. */
export function tokensIn(message: Sized): number {
	return tokensOf(quartersIn(message));
}

function tokensOf(quarters: number): number {
	return Math.ceil(quarters / 4);
}

/** As `piHost` does it: the first call with the id whose summary still stands. */
function point(message: Sized, callId: string, pointer: string): Sized {
	if (typeof message === "number" || !message.summaries) return message;
	const at = message.summaries.findIndex((summary) => summary.callId === callId);
	const summary = message.summaries[at];
	if (!summary) return message;
	const quarters = message.quarters - summary.quarters + quartersOf(JSON.stringify(pointer));
	return { ...message, quarters, summaries: message.summaries.toSpliced(at, 1) };
}

function summariesOf(content: unknown): Summary[] | undefined {
	let summaries: Summary[] | undefined;
	for (const block of blocksOf(content)) {
		if (block.type !== "toolCall") continue;
		const summary = block.arguments?.["summary"];
		if (typeof summary !== "string" || isPointer(summary)) continue;
		summaries ??= [];
		summaries.push({ callId: block.id, quarters: quartersOf(JSON.stringify(summary)) });
	}
	return summaries;
}
