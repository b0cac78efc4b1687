// Other extensions for random tests: what each of them does to the list of a request. Plain functions of
// the list.

import { blocksOf, type PiMessage } from "../../../src/session/entry.ts";

/** What a neighbour does. */
export type Deed =
	| "edit results"
	| "shorten results"
	| "append"
	| "remove"
	| "summarise"
	| "set status"
	| "throw"
	| "thin out";

/** Those of neighbours that mean well, and leave a call and its results together. */
export const DEEDS: readonly Deed[] = [
	"edit results",
	"shorten results",
	"append",
	"remove",
	"summarise",
	"set status",
	"throw",
];

/** What a neighbour writes into a result, at the tail, and in place of what it summarised. */
export const STAMP = "(checked by a neighbour)";
export const REMINDER = "(a reminder by a neighbour)";
export const RECAP = "(what happened before, by a neighbour)";

/** The list after a neighbour had it; the host goes on with the old one where a neighbour throws. */
export function meddle(list: readonly PiMessage[], deed: Deed): readonly PiMessage[] {
	switch (deed) {
		case "edit results":
			return list.map((message) => withResult(message, (blocks) => [...blocks, text(STAMP)]));
		case "shorten results":
			return list.map((message) => withResult(message, () => [text(STAMP)]));
		case "append":
			return [...list, said(REMINDER)];
		case "remove":
			return withoutFirstStep(list);
		case "summarise":
			return summarised(list);
		case "thin out":
			// by place, whatever stands there: a call may lose its results, and results their call
			return list.filter((message, at) => message.role === "system" || at % 4 !== 1);
		case "set status":
		case "throw":
			return list;
	}
}

function text(words: string) {
	return { type: "text", text: words } as const;
}

function said(words: string): PiMessage {
	return { role: "custom", customType: "neighbour", content: words, display: false, timestamp: 5 };
}

function withResult(
	message: PiMessage,
	edit: (blocks: ReturnType<typeof blocksOf>) => ReturnType<typeof blocksOf>,
): PiMessage {
	if (message.role !== "toolResult") return message;
	return { ...message, content: edit(blocksOf(message.content)) };
}

/** Leaves the oldest reply out, with what answers it right behind. */
function withoutFirstStep(list: readonly PiMessage[]): readonly PiMessage[] {
	const from = list.findIndex((message) => message.role === "assistant");
	if (from < 0) return list;
	return list.filter((_, at) => at < from || at >= endOfStep(list, from));
}

/** Puts a recap in the place of the older half, from the first message that is no system message. */
function summarised(list: readonly PiMessage[]): readonly PiMessage[] {
	const from = list.findIndex((message) => message.role !== "system");
	let to = Math.floor(list.length / 2);
	while (list[to]?.role === "toolResult") to++;
	if (from < 0 || to <= from) return list;
	const kept = list.slice(from, to).filter((message) => message.role === "system");
	return [...list.slice(0, from), said(RECAP), ...kept, ...list.slice(to)];
}

function endOfStep(list: readonly PiMessage[], from: number): number {
	let end = from + 1;
	while (list[end]?.role === "toolResult") end++;
	return end;
}
