// What pi shows of a branch, and the branch as the algebra sees it. Pure; entries are never changed.
//
// pi's own rules, read in session-manager.js of both hosts: `buildSessionContext` (0.73) and
// `buildSessionProjection` (1.6).

import { type AnyRecord, type Call, decode, type Entry, type Kind } from "../../fold.ts";
import {
	blocksOf,
	type CompactionEntry,
	type Content,
	type ContextEditEntry,
	type PiMessage,
	type SessionEntry,
} from "./entry.ts";
import { estimateTokens } from "./size.ts";

/** Whose rules apply: 0.73 knows neither system messages nor context edits. */
export type Generation = "0.73" | "1.6";

/** Finds an entry by its id; both hosts' `sessionManager.getEntry` fits. */
export type GetEntry = (id: string) => SessionEntry | undefined;

/** A message of pi's projection and the position of its entry on the branch. */
export interface Shown {
	readonly at: number;
	readonly message: PiMessage;
}

/** The messages that pi shows for one entry, context edits aside. */
function project(entry: SessionEntry, generation: Generation): PiMessage[] {
	const message = messageOf(entry, generation);
	if (!message) return [];
	const head = entry.type === "compaction" && headOf(entry, generation);
	return head ? [head, message] : [message];
}

/**
 * The entries from the root to `leafId`, in linear time. Ends early at a parent that is missing or was
 * passed already, so that no file can make it run forever. 0.73's own `getBranch` is quadratic.
 */
export function walk(getEntry: GetEntry, leafId: string | null | undefined): SessionEntry[] {
	const path: SessionEntry[] = [];
	// a set of all that was passed would cost more than the walk: in a circle one comes to a mark again
	let mark: string | undefined;
	for (let id = leafId; id; ) {
		if (id === mark) return walkOnce(getEntry, leafId);
		const entry = getEntry(id);
		if (!entry) break;
		path.push(entry);
		if ((path.length & (path.length - 1)) === 0) mark = id;
		id = entry.parentId;
	}
	return path.reverse();
}

function walkOnce(getEntry: GetEntry, leafId: string | null | undefined): SessionEntry[] {
	const path: SessionEntry[] = [];
	const passed = new Set<string>();
	for (let id = leafId; id && !passed.has(id); ) {
		const entry = getEntry(id);
		passed.add(id);
		if (entry) path.push(entry);
		id = entry?.parentId;
	}
	return path.reverse();
}

/** A branch, root first, as the algebra sees it; positions stay as they are. */
export function readBranch(
	entries: readonly SessionEntry[],
	generation: Generation,
): Entry<PiMessage>[] {
	let byId: Map<string, SessionEntry> | undefined;
	const getEntry = (id: string) => {
		byId ??= new Map(entries.map((entry) => [entry.id, entry]));
		return byId.get(id);
	};
	return entries.map((entry) => toFoldEntry(entry, generation, getEntry));
}

/**
 * One entry of a branch as the algebra sees it.
 *
 * @param getEntry finds the target of a context edit; it is asked for nothing else
 */
export function toFoldEntry(
	entry: SessionEntry,
	generation: Generation,
	getEntry: GetEntry,
): Entry<PiMessage> {
	const { id } = entry;
	switch (entry.type) {
		case "message":
		case "custom_message":
		case "branch_summary": {
			const message = messageOf(entry, generation);
			if (!message) return { id, kind: "other" };
			return messageEntry(id, message, generation, sizeOf(entry, message));
		}
		case "compaction":
			return compactionEntry(entry, generation);
		case "custom": {
			const record = recordOf(entry.customType, entry.data, id);
			return record ? { id, kind: "record", record } : { id, kind: "other" };
		}
		case "context_edit":
			return generation === "1.6" ? editEntry(entry, getEntry) : { id, kind: "other" };
		default:
			return { id, kind: "other" };
	}
}

/**
 * The list that pi hands to hooks for a branch, in its order: the newest compaction's summary first, then
 * what it kept, then what came after. Equal to pi's own.
 */
export function projection(branch: readonly SessionEntry[], generation: Generation): Shown[] {
	const compacted = branch.findLastIndex((entry) => entry.type === "compaction");
	const shown: Shown[] = [];
	const edits = generation === "1.6" ? editsOf(branch, compacted) : undefined;
	const show = (entry: SessionEntry, at: number) => {
		const edit = edits?.get(entry.id);
		for (const message of project(entry, generation)) {
			const seen = edit ? edited(message, edit) : message;
			if (seen) shown.push({ at, message: seen });
		}
	};
	const compaction = branch[compacted];
	if (compaction) show(compaction, compacted);
	let at = eraStart(branch, compacted);
	for (const entry of branch.slice(at)) {
		if (at > compacted || isKept(entry, generation)) show(entry, at);
		at++;
	}
	return shown;
}

/** What an edit leaves of a message: its content replaced, or nothing. */
function edited(message: PiMessage, edit: ContextEditEntry): PiMessage | undefined {
	if (edit.replacement === null) return undefined;
	// pi reads whatever stands there and fails where nothing does; for us that replaces nothing
	if (edit.replacement === undefined) return message;
	const { content } = edit.replacement;
	switch (message.role) {
		case "assistant":
		case "toolResult":
			return { ...message, content: inBlocks(content) };
		case "user":
		case "custom":
			return { ...message, content };
		default:
			return message;
	}
}

function inBlocks(content: Content): Content {
	return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** The last edit of each entry, among those that pi still looks at. */
function editsOf(
	branch: readonly SessionEntry[],
	compacted: number,
): Map<string, ContextEditEntry> | undefined {
	let edits: Map<string, ContextEditEntry> | undefined;
	for (let at = eraStart(branch, compacted); at < branch.length; at++) {
		const entry = branch[at];
		if (entry?.type !== "context_edit") continue;
		edits ??= new Map();
		edits.set(entry.targetId, entry);
	}
	return edits;
}

/** The first position in view beside the summary itself. */
function eraStart(branch: readonly SessionEntry[], compacted: number): number {
	const compaction = branch[compacted];
	if (compaction?.type !== "compaction") return 0;
	const kept = branch.findIndex((entry) => entry.id === compaction.firstKeptEntryId);
	return kept >= 0 && kept < compacted ? kept : compacted + 1;
}

/** An older compaction is not shown again, nor on 1.6 a system message: the newest brings its own. */
function isKept(entry: SessionEntry, generation: Generation): boolean {
	if (entry.type === "compaction") return false;
	return !(generation === "1.6" && entry.type === "message" && entry.message?.role === "system");
}

export function messageOf(entry: SessionEntry, generation: Generation): PiMessage | undefined {
	switch (entry.type) {
		case "message":
			return storedMessage(entry.message, generation);
		case "custom_message":
			return {
				role: "custom",
				customType: entry.customType,
				content: generation === "1.6" ? (entry.content ?? []) : entry.content,
				display: entry.display,
				details: entry.details,
				timestamp: timeOf(entry),
			};
		case "branch_summary": {
			const { summary, fromId } = entry;
			if (!summary) return undefined;
			return { role: "branchSummary", summary, fromId, timestamp: timeOf(entry) };
		}
		case "compaction": {
			const { summary, tokensBefore } = entry;
			return { role: "compactionSummary", summary, tokensBefore, timestamp: timeOf(entry) };
		}
		default:
			return undefined;
	}
}

/** 1.6 puts something in the place of a content that is missing; 0.73 passes it on as it is. */
function storedMessage(message: PiMessage, generation: Generation): PiMessage | undefined {
	// pi itself fails on a message that is not one; we show nothing
	if (typeof message !== "object" || message === null) return undefined;
	if (generation === "0.73") return message;
	switch (message.role) {
		case "system":
			return message.content == null ? { ...message, content: "" } : message;
		case "user":
		case "assistant":
		case "toolResult":
			return message.content == null ? { ...message, content: [] } : message;
		default:
			return message;
	}
}

function headOf(entry: CompactionEntry, generation: Generation): PiMessage | undefined {
	return generation === "1.6" ? entry.systemMessage : undefined;
}

/** A message as an entry of the algebra, with the id of the entry that stores it. */
export function messageEntry(
	id: string,
	message: PiMessage,
	generation: Generation,
	tokens: number = estimateTokens(message),
): Entry<PiMessage> {
	return entryOf(id, message, generation, { message, tokens });
}

/** The same with something else in the message's place: what stands for it, and the size it has as stored. */
export function entryOf<M>(
	id: string,
	stored: PiMessage,
	generation: Generation,
	{ message, tokens }: { readonly message: M; readonly tokens: number },
): Entry<M> {
	const kind = kindOf(stored, generation);
	switch (stored.role) {
		case "assistant":
			return { id, kind, message, tokens, calls: callsOf(stored) };
		case "toolResult": {
			const callId = stored.toolCallId;
			return stored.isError
				? { id, kind, message, tokens, callId, failed: true }
				: { id, kind, message, tokens, callId };
		}
		default:
			return { id, kind, message, tokens };
	}
}

/** Stored entries never change, and a hook reads the whole branch anew for each request. */
const SIZES = new WeakMap<SessionEntry, number>();

function sizeOf(entry: SessionEntry, message: PiMessage): number {
	const known = SIZES.get(entry);
	if (known !== undefined) return known;
	const size = estimateTokens(message);
	SIZES.set(entry, size);
	return size;
}

function compactionEntry(entry: CompactionEntry, generation: Generation): Entry<PiMessage> {
	const message = messageOf(entry, generation);
	return {
		id: entry.id,
		kind: "compaction",
		message,
		head: headOf(entry, generation),
		tokens: message && sizeOf(entry, message),
		firstKeptEntryId: entry.firstKeptEntryId ?? undefined,
	};
}

function editEntry(entry: ContextEditEntry, getEntry: GetEntry): Entry<PiMessage> {
	const { id, targetId } = entry;
	const target = getEntry(targetId);
	// what pi stores of a compaction is not edited, and without a target there is nothing to replace
	if (!target || target.type === "compaction") return { id, kind: "other" };
	const message = messageOf(target, "1.6");
	return { id, kind: "edit", targetId, message: message && edited(message, entry) };
}

/** What a message is to the algebra. */
export function kindOf(message: PiMessage, generation: Generation): Kind {
	switch (message.role) {
		case "user":
			return "user";
		case "assistant":
			return isStep(message.stopReason) ? "assistant" : "attempt";
		case "toolResult":
			return "result";
		case "bashExecution":
			return "bash";
		case "branchSummary":
		case "compactionSummary":
			return "summary";
		case "system":
			// 0.73 does not know the role and lets such a message take part like any other
			return generation === "1.6" ? "system" : "custom";
		default:
			return "custom";
	}
}

/** Whether a reply counts; pi's other reasons are `error`, `aborted`, `deferred` and `pending`. */
export function isStep(stopReason: unknown): boolean {
	return stopReason === "stop" || stopReason === "length" || stopReason === "toolUse";
}

/** The calls of a reply, in order. Those without an id are listed with `""`. */
export function callsOf(message: { readonly content: unknown }): Call[] {
	const calls: Call[] = [];
	for (const block of blocksOf(message.content))
		if (block.type === "toolCall") calls.push({ id: text(block.id), name: text(block.name) });
	return calls;
}

function recordOf(customType: unknown, data: unknown, id: string): AnyRecord | undefined {
	return typeof customType === "string" ? decode(customType, data, id) : undefined;
}

function text(value: unknown): string {
	return typeof value === "string" ? value : "";
}

function timeOf(entry: SessionEntry): number {
	return new Date(entry.timestamp).getTime();
}
