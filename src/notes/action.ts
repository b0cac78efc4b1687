// What the tools did in a stretch of a session: each call with the result that answers it, and how it
// ended. Reads stored entries only; what they do not say is left open, never guessed.

import { isStep } from "../session/branch.ts";
import {
	type AssistantMessage,
	blocksOf,
	type PiMessage,
	type SessionEntry,
	type ToolCallBlock,
	type ToolResultMessage,
} from "../session/entry.ts";

/** A call's arguments as stored; some models send something else than an object. */
type Arguments = Readonly<Record<string, unknown>>;

/**
 * How a call ended.
 *
 * - `ok`: its result is not an error, and no exit code other than 0 was recorded
 * - `failed`: with the exit code where one was recorded
 * - `timeout`, `aborted`: the shell tools of both hosts say so in words
 * - `unknown`: no result is stored, or it was still running when its parent ended
 */
export type Ending =
	| { readonly how: "ok" | "timeout" | "aborted" | "unknown" }
	| { readonly how: "failed"; readonly exit?: number | undefined };

/** One call of a tool. */
export interface Action {
	/** position of the reply that made it, among the entries given */
	readonly at: number;
	readonly name: string;
	readonly args: Arguments;
	readonly ending: Ending;
	/** length of the text that came back, in UTF-16 units */
	readonly returned: number;
	/** images that came back */
	readonly images: number;
	/** made by another tool while it ran (1.6); its result is not stored */
	readonly nested: boolean;
}

/**
 * The calls of these entries in the order in which they were made; those made by a tool follow the call
 * of that tool. A result answers the nearest open call with its id, since ids repeat; an empty id is no
 * id. Of two results for one call an error gives way to the later one.
 */
export function actionsOf(entries: readonly SessionEntry[]): Action[] {
	const made: Open[] = [];
	const byId = new Map<string, Open[]>();
	entries.forEach((entry, at) => {
		const message = messageIn(entry);
		if (message?.role === "assistant") call(message, at, made, byId);
		else if (message?.role === "toolResult") answer(message, byId);
	});
	return made.flatMap(close);
}

/** The message of an entry, where it has one that can be read. */
export function messageIn(entry: SessionEntry): PiMessage | undefined {
	if (entry.type !== "message") return undefined;
	const { message } = entry;
	return typeof message === "object" && message !== null ? message : undefined;
}

/** The text of a content, its blocks joined by newlines. */
export function textOf(content: unknown): string {
	const texts: string[] = [];
	for (const block of blocksOf(content))
		if (block.type === "text" && typeof block.text === "string") texts.push(block.text);
	return texts.join("\n");
}

/** How many images a content has. */
export function countImages(content: unknown): number {
	return blocksOf(content).filter((block) => block.type === "image").length;
}

interface Open {
	readonly at: number;
	readonly block: ToolCallBlock;
	result?: ToolResultMessage;
}

function call(
	message: AssistantMessage,
	at: number,
	made: Open[],
	byId: Map<string, Open[]>,
): void {
	for (const block of blocksOf(message.content)) {
		if (block.type !== "toolCall") continue;
		const open: Open = { at, block };
		// a failed attempt may hold a call that was never run: it is one only once it is answered
		if (isStep(message.stopReason)) made.push(open);
		if (typeof block.id !== "string" || block.id === "") continue;
		const same = byId.get(block.id);
		if (same) same.push(open);
		else byId.set(block.id, [open]);
	}
}

function answer(result: ToolResultMessage, byId: Map<string, Open[]>): void {
	const calls = byId.get(result.toolCallId) ?? [];
	const open = calls.findLast((one) => !one.result);
	if (open) {
		open.result = result;
		return;
	}
	const last = calls.at(-1);
	if (last?.result?.isError) last.result = result;
}

function close({ at, block, result }: Open): Action[] {
	const name = typeof block.name === "string" ? block.name : "";
	const own: Action = {
		at,
		name,
		args: argumentsOf(block.arguments),
		ending: result ? endingOf(result) : { how: "unknown" },
		returned: result ? textOf(result.content).length : 0,
		images: result ? countImages(result.content) : 0,
		nested: false,
	};
	return [own, ...nestedIn(result, at)];
}

const ENDED = /(?:^|\n)Command exited with code (-?\d{1,10})$/;
const TIMED_OUT = /(?:^|\n)Command timed out after [^\n]*$/;
const ABORTED = /(?:^|\n)(?:Command|Operation) aborted$/;

/**
 * Both hosts put a shell command's fate in the last line of an error result, and nowhere else; hosts
 * built on pi keep an `exitCode` in the details of a result that they do not call an error. The words
 * alone prove nothing: any output may end with them.
 */
function endingOf(result: ToolResultMessage): Ending {
	const code = field(result.details, "exitCode");
	if (!result.isError) {
		if (field(result.details, "timedOut") === true) return { how: "timeout" };
		return typeof code === "number" && code !== 0 ? { how: "failed", exit: code } : { how: "ok" };
	}
	const said = textOf(result.content).trimEnd();
	const exit = ENDED.exec(said)?.[1];
	if (exit !== undefined) return { how: "failed", exit: Number(exit) };
	if (TIMED_OUT.test(said)) return { how: "timeout" };
	if (ABORTED.test(said)) return { how: "aborted" };
	return typeof code === "number" && code !== 0 ? { how: "failed", exit: code } : { how: "failed" };
}

/** 1.6 keeps a bounded list of the calls that a tool made, without what came back. */
function nestedIn(result: ToolResultMessage | undefined, at: number): Action[] {
	const calls = field(field(result, "nestedCalls"), "calls");
	if (!Array.isArray(calls)) return [];
	return calls.map((one: unknown) => ({
		at,
		name: text(field(one, "name")),
		args: argumentsOf(field(one, "arguments")),
		ending: nestedEnding(one),
		returned: 0,
		images: 0,
		nested: true,
	}));
}

function nestedEnding(nested: unknown): Ending {
	switch (field(nested, "status")) {
		case "ok":
			return { how: "ok" };
		case "error": {
			const exit = ENDED.exec(text(field(nested, "error")).trimEnd())?.[1];
			return exit === undefined ? { how: "failed" } : { how: "failed", exit: Number(exit) };
		}
		default:
			return { how: "unknown" };
	}
}

function argumentsOf(value: unknown): Arguments {
	return typeof value === "object" && value !== null && !Array.isArray(value)
		? (value as Arguments)
		: {};
}

function field(value: unknown, key: string): unknown {
	return typeof value === "object" && value !== null ? (value as Arguments)[key] : undefined;
}

function text(value: unknown): string {
	return typeof value === "string" ? value : "";
}
