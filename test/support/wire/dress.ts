// Makes sessions of pi out of the algebra's random branches: the same entries in the same order, with
// messages as models and users leave them. What a message looks like follows from a seed.

import { type AnyRecord, type DmailRecord, type Entry, encode } from "../../../fold.ts";
import type { Generation } from "../../../src/session/branch.ts";
import type { Block, PiMessage, SessionEntry } from "../../../src/session/entry.ts";
import { SYSTEM, type Target, TOOLS } from "./target.ts";

/** How a branch is to be dressed. */
export interface Look {
	readonly seed: number;
	/** the model of most replies */
	readonly target: Target;
	readonly generation: Generation;
	/** every reply is by that model, and every user says something */
	readonly plain?: boolean;
}

/** The session of a branch of strings, prompt and tools in front where the host stores them. */
export function dress(branch: readonly Entry<string>[], look: Look): SessionEntry[] {
	const entries: SessionEntry[] = [];
	const push = (id: string, fields: object) => {
		const parentId = entries.at(-1)?.id ?? null;
		const timestamp = new Date(timeAt(entries.length)).toISOString();
		entries.push({ id, parentId, timestamp, ...fields } as SessionEntry);
	};
	if (look.generation === "1.6") push("head", { type: "message", message: head(SYSTEM) });
	for (const [at, entry] of branch.entries())
		for (const [nth, fields] of fieldsOf(entry, branch, { ...look, at }).entries())
			push(nth === 0 ? entry.id : `${entry.id}+${nth}`, fields);
	return entries;
}

/** A place on a branch, and how it looks there. */
interface Place extends Look {
	readonly at: number;
}

/** A number below `sides` that depends on the seed, the place and what is asked. */
function roll({ seed, at }: Place, what: number, sides: number): number {
	let mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(at + 1, 0xc2b2ae35);
	mixed = Math.imul(mixed ^ (mixed >>> 15) ^ what, 0x27d4eb2f);
	return ((mixed ^ (mixed >>> 13)) >>> 0) % sides;
}

/** Two messages in a row may share one: a host gives what it stores in one go the same. */
function timeAt(at: number): number {
	return 1_700_000_000_000 + (at & ~1) * 1_000;
}

function head(text: string): PiMessage {
	return { role: "system", content: text, toolsAdded: TOOLS, timestamp: 1 };
}

function fieldsOf(entry: Entry<string>, branch: readonly Entry<string>[], place: Place): object[] {
	const timestamp = timeAt(place.at);
	const said = entry.message ?? "";
	const say = (message: object) => [{ type: "message", message: { ...message, timestamp } }];
	switch (entry.kind) {
		case "user":
			return say({ role: "user", content: wordsOf(said, place) });
		case "assistant":
		case "attempt":
			return say(replyOf(entry, branch, place));
		case "result":
			return say(resultOf(entry, branch, place));
		case "bash": {
			const excludeFromContext = roll(place, 1, 4) === 0;
			const run = { command: `ls ${said}`, output: "", exitCode: 1, cancelled: false };
			return say({ role: "bashExecution", ...run, truncated: false, excludeFromContext });
		}
		case "system":
			return place.generation === "1.6" ? say(patchOf(said, place)) : [];
		case "custom":
			return [{ type: "custom_message", customType: "plan", content: said, display: true }];
		case "summary":
			return [{ type: "branch_summary", fromId: "e0", summary: said }];
		case "compaction":
			return [compactionOf(entry)];
		case "edit":
			return editOf(entry, branch, place);
		case "record":
			return recordOf(entry.record, branch, place);
		case "other":
			return [{ type: "label", targetId: "e0", label: said }];
	}
}

const IMAGE = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" } as const;

function text(said: string): Block {
	return { type: "text", text: said };
}

function wordsOf(said: string, place: Place): string | Block[] {
	const looks = [
		said,
		[text(said)],
		[text(said), IMAGE],
		[IMAGE],
		"",
		[],
		[text(" ")],
		[text(`${said} \ud83d`), text(`\u2028${said}`)],
	];
	if (place.plain) return said;
	// most are plain
	return looks[Math.max(0, roll(place, 2, 24) - 16)] ?? said;
}

const STOPS = ["error", "aborted"] as const;

function replyOf(
	entry: Entry<string>,
	branch: readonly Entry<string>[],
	place: Place,
): Omit<PiMessage, "timestamp"> {
	const { target } = place;
	const isForeign = !place.plain && roll(place, 3, 5) === 0;
	const calls = entry.calls ?? [];
	const blocks: Block[] = [];
	if (roll(place, 4, 2) === 0) blocks.push(thoughtOf(place));
	if (calls.length === 0 || roll(place, 5, 2) === 0) blocks.push(textOf(entry.message, place));
	for (const [nth, { id, name }] of calls.entries())
		blocks.push(callOf({ id, name }, summaryOf(id, branch), nth === 0, place));
	const stop = calls.length > 0 ? "toolUse" : roll(place, 6, 6) === 0 ? "length" : "stop";
	const message = {
		role: "assistant",
		content: roll(place, 7, 30) === 0 && calls.length === 0 ? [] : blocks,
		stopReason: entry.kind === "assistant" ? stop : STOPS[roll(place, 8, STOPS.length)],
		api: target.api,
		provider: isForeign ? "another" : target.provider,
		model: isForeign ? "other-model" : target.id,
		usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 },
		...(target.compat?.["supportsMidConvoEffort"] ? { providerThinkingLevel: "high" } : {}),
	};
	return message as Omit<PiMessage, "timestamp">;
}

/** Thinking with the signature that the wire format gives it. */
function thoughtOf(place: Place): Block {
	const { at, target } = place;
	const signature = `c2lnbmF0dXJl${String(at).padStart(4, "0")}`;
	const thinking = roll(place, 9, 5) === 0 ? "" : `thought ${at}`;
	switch (target.api) {
		case "openai-responses": {
			const item = { type: "reasoning", id: `rs_${at}`, summary: [], encrypted_content: signature };
			return { type: "thinking", thinking, thinkingSignature: JSON.stringify(item) };
		}
		case "openai-completions":
			return { type: "thinking", thinking, thinkingSignature: "reasoning_content" };
		case "anthropic-messages": {
			const redacted = roll(place, 10, 6) === 0 ? { redacted: true } : {};
			return { type: "thinking", thinking, thinkingSignature: signature, ...redacted };
		}
		case "google-generative-ai":
			return { type: "thinking", thinking: `thought ${at}`, thinkingSignature: signature };
	}
}

function textOf(said: string | undefined, place: Place): Block {
	const { at, target } = place;
	const block = {
		type: "text",
		text: roll(place, 11, 9) === 0 ? " " : `reply ${said ?? at}`,
	} as const;
	if (target.api === "openai-responses" && roll(place, 12, 2) === 0)
		return { ...block, textSignature: JSON.stringify({ v: 1, id: `msg_${at}x` }) } as Block;
	return block;
}

function callOf(
	{ id, name }: { id: string; name: string },
	summary: string | undefined,
	isFirst: boolean,
	place: Place,
): Block {
	const args = summary === undefined ? { command: `ls ${id}` } : { fromStep: 1, summary };
	const call = { type: "toolCall", id: idOf(id, place), name, arguments: args } as const;
	const isSigned = place.target.api === "google-generative-ai" && isFirst;
	return isSigned ? ({ ...call, thoughtSignature: "Y2FsbHNpZ25lZA==" } as Block) : call;
}

/** What the model wrote for the record that names a call. */
function summaryOf(callId: string, branch: readonly Entry<string>[]): string | undefined {
	for (const { record } of branch)
		if (record?.kind === "fold" && record.callId === callId) return record.summary;
	return undefined;
}

/** The shapes that ids come in; one session has one. Some models give none. */
function idOf(id: string, { seed }: Place): string {
	if (id === "") return id;
	switch (seed % 4) {
		case 0:
			return `toolu_${id}`;
		case 1:
			return `functions.bash:${id}`;
		case 2:
			return `call_${id}|fc_${id}`;
		default:
			return `${id}.${"long/".repeat(20)}`;
	}
}

function resultOf(entry: Entry<string>, branch: readonly Entry<string>[], place: Place): object {
	const calls = branch.flatMap((one) => one.calls ?? []);
	const said = text(`result ${entry.message ?? ""}`);
	const looks = [[said], [said, IMAGE], [IMAGE], [], [text("")], [said, text("[step 4]")]];
	return {
		role: "toolResult",
		toolCallId: idOf(entry.callId ?? "", place),
		toolName: calls.find((call) => call.id === entry.callId)?.name ?? "bash",
		content: looks[Math.max(0, roll(place, 13, 18) - 12)] ?? [said],
		isError: entry.failed === true || roll(place, 14, 8) === 0,
	};
}

function patchOf(said: string, place: Place): object {
	const [tool] = TOOLS;
	const added = { toolsAdded: [{ ...tool, name: `tool${place.at}` }] };
	const removed = { toolsRemoved: [{ name: `tool${place.at - 1}` }] };
	const changes = roll(place, 15, 3) === 0 ? removed : roll(place, 16, 2) === 0 ? added : {};
	return { role: "system", content: "", sections: { [`part${place.at}`]: said }, ...changes };
}

function compactionOf(entry: Entry<string>): object {
	const { firstKeptEntryId, message: summary = "" } = entry;
	const systemMessage = head(`${SYSTEM} ${summary}`);
	return { type: "compaction", summary, firstKeptEntryId, tokensBefore: 9, systemMessage };
}

/** Calls stay in an edited reply: a host that drops them drops their results too. */
function editOf(entry: Entry<string>, branch: readonly Entry<string>[], place: Place): object[] {
	const { targetId } = entry;
	const at = branch.findIndex((one) => one.id === targetId);
	const target = branch[at];
	if (place.generation === "0.73" || !target || !EDITABLE.has(target.kind)) return [];
	if (entry.message === undefined) return [{ type: "context_edit", targetId, replacement: null }];
	const calls = (target.calls ?? []).map((call) =>
		callOf(call, summaryOf(call.id, branch), false, { ...place, at }),
	);
	const content = [text("edited"), ...calls];
	return [{ type: "context_edit", targetId, replacement: { content } }];
}

const EDITABLE: ReadonlySet<string> = new Set(["user", "assistant", "result", "custom"]);

/** The record as a session stores it: with ids and fields of the real form. */
function recordOf(
	record: AnyRecord | undefined,
	branch: readonly Entry<string>[],
	place: Place,
): object[] {
	if (!record || record.kind === "broken") return [];
	return [{ type: "custom", ...encode(formed(record, (id) => foldIdOf(id, branch), place)) }];
}

function formed(record: DmailRecord, named: (id: string) => string, place: Place): DmailRecord {
	switch (record.kind) {
		case "fold":
			return {
				...record,
				id: named(record.id),
				digest: "0",
				callId: record.callId === undefined ? undefined : idOf(record.callId, place),
				lands: record.lands?.map(named),
			};
		case "land":
			return { ...record, ids: record.ids.map(named) };
		case "open":
		case "shut":
		case "drop": {
			const inner = record.inner ? { inner: record.inner.map(named) } : {};
			return { ...record, id: named(record.id), ...inner };
		}
		default:
			return record;
	}
}

/** Hex digits; a record of another extension has none, and its entry's id serves. */
function foldIdOf(id: string, branch: readonly Entry<string>[]): string {
	const plain = branch.find(
		({ record }) => record?.kind === "fold" && record.v === 0 && record.id === id,
	);
	return plain ? plain.id : id.replace(/^f(?=\d)/, "f000");
}
