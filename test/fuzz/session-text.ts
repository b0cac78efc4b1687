// A woven session as the text of pi's file, and a branch of such a file as the notation's host has it: what is
// written here is what the laws are tried on once it was read back.

import { type Entry, encode } from "../../fold.ts";
import type { PiMessage, SessionEntry } from "../../src/session/entry.ts";
import type { Node } from "../support/weaver.ts";

const START = Date.UTC(2026, 0, 5, 9, 0, 0);

/** The file: a header and a line for each entry. */
export function writeSession(entries: readonly SessionEntry[]): string {
	const header = { type: "session", version: 3, id: "s", timestamp: timeAt(0), cwd: "/project" };
	const lines = [header, ...entries];
	return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** The entries as pi stores them. */
export function storedEntries(nodes: readonly Node[]): SessionEntry[] {
	return nodes.map(({ entry, parentId }, at) => {
		const base = { id: entry.id, parentId, timestamp: timeAt(at + 1) };
		const stored = { ...fieldsOf(entry, START + (at + 1) * 1_000), ...base };
		return JSON.parse(JSON.stringify(stored)) as SessionEntry;
	});
}

/** A branch read from such a file, its messages as the strings that they were woven from. */
export function sketch(branch: readonly Entry<PiMessage>[]): Entry<string>[] {
	return branch.map(({ message, head, ...entry }) => ({
		...entry,
		...(message === undefined ? {} : { message: textOf(message) }),
		...(head === undefined ? {} : { head: textOf(head) }),
	}));
}

function timeAt(second: number): string {
	return new Date(START + second * 1_000).toISOString();
}

function fieldsOf(entry: Entry<string>, timestamp: number): object {
	const { kind, message: text = "" } = entry;
	switch (kind) {
		case "user":
		case "assistant":
		case "attempt":
		case "result":
		case "bash":
		case "system":
			return { type: "message", message: { ...messageOf(entry), timestamp } };
		case "custom":
			return { type: "custom_message", customType: "note", content: text, display: true };
		case "summary":
			return { type: "branch_summary", summary: text, fromId: "e0" };
		case "compaction": {
			const system = entry.head && { role: "system", content: entry.head, timestamp };
			const { firstKeptEntryId } = entry;
			return {
				type: kind,
				summary: text,
				firstKeptEntryId,
				tokensBefore: 9,
				systemMessage: system,
			};
		}
		case "edit": {
			const replacement = entry.message === undefined ? null : { content: text };
			return { type: "context_edit", targetId: entry.targetId, replacement };
		}
		case "record":
			return { type: "custom", ...recordOf(entry) };
		case "other":
			return { type: "model_change", provider: "p", modelId: "m" };
	}
}

function messageOf({ kind, message: text = "", calls = [], callId, failed }: Entry<string>) {
	const said = { type: "text", text };
	switch (kind) {
		case "result": {
			const answers = { toolCallId: callId, toolName: "bash", isError: failed === true };
			return { role: "toolResult", ...answers, content: [said] };
		}
		case "bash":
			return { role: "bashExecution", command: text, output: "", exitCode: 0, cancelled: false };
		case "assistant":
		case "attempt": {
			const made = calls.map((call) => ({
				type: "toolCall",
				...call,
				arguments: { summary: "s" },
			}));
			const stopReason = kind === "attempt" ? "error" : calls.length > 0 ? "toolUse" : "stop";
			const maker = { provider: "p", model: "m", usage: { input: 9, output: 1 } };
			return { role: "assistant", ...maker, content: [said, ...made], stopReason };
		}
		default:
			return { role: kind, content: [said] };
	}
}

function recordOf({ record }: Entry<string>): object {
	if (!record || record.kind === "broken") return { customType: "dmail.fold", data: null };
	if (record.kind !== "fold" || record.v === 0) return encode(record);
	return encode({ ...record, digest: "0", by: record.by ?? "user" });
}

function textOf(message: PiMessage): string {
	if ("summary" in message) return message.summary;
	if (message.role === "bashExecution") return message.command;
	const { content } = message;
	if (typeof content === "string") return content;
	return (content ?? []).map((block) => (block.type === "text" ? block.text : "")).join("");
}
