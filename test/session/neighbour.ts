// What other extensions do to a list before ours gets it: random acts of ones that mean well.

import fc from "fast-check";
import type { PiMessage } from "../../src/session/entry.ts";
import { Chat } from "../support/chat.ts";

/** What another extension does to the list before ours gets it. */
export interface Neighbour {
	readonly does: (typeof ACTS)[number];
	readonly where: number;
}

const ACTS = ["edit", "remove", "append", "pair", "insert", "untime", "redate", "trim"] as const;

/** One act of a neighbour. */
export const neighbour: fc.Arbitrary<Neighbour> = fc.record({
	does: fc.constantFrom(...ACTS),
	where: fc.nat({ max: 60 }),
});

/** A user message that no branch has. */
export const foreign = (value = "be brief"): PiMessage => ({
	role: "user",
	content: [{ type: "text", text: value }],
	timestamp: 5,
});

/** The list after an act. */
export function meddle(list: readonly PiMessage[], { does, where }: Neighbour): PiMessage[] {
	const at = where % (list.length + 1);
	const message = list[at];
	switch (does) {
		case "edit":
			return message && "content" in message && message.role !== "custom"
				? list.with(at, edited(message))
				: [...list];
		case "remove":
			return withoutStep(list, at);
		case "append":
			return [...list, foreign("at the tail")];
		case "insert":
			return isInside(list, at) ? [...list] : list.toSpliced(at, 0, foreign("in the middle"));
		case "pair":
			return isInside(list, at) ? [...list] : list.toSpliced(at, 0, ...foreignPair());
		case "untime":
			// a result with neither a time nor the id of its call is nobody's to tell
			return message && !isNameless(message)
				? list.with(at, { ...message, timestamp: Number.NaN })
				: [...list];
		case "redate":
			return redated(list, where);
		case "trim":
			return list.slice(isInside(list, at) ? 0 : at);
	}
}

/** The list with new times for all messages, or for those of one role: one time for all, or ever later ones. */
function redated(list: readonly PiMessage[], where: number): PiMessage[] {
	const role = [undefined, "toolResult", "user"][where % 3];
	return list.map((message, at) =>
		(role ?? message.role) === message.role && !isNameless(message)
			? { ...message, timestamp: 8 + (where % 2) * at }
			: message,
	);
}

function isNameless(message: PiMessage): boolean {
	return message.role === "toolResult" && message.toolCallId === "";
}

function edited(message: PiMessage): PiMessage {
	const text = { type: "text", text: "pruned by a neighbour" } as const;
	if (message.role !== "assistant") return { ...message, content: [text] } as PiMessage;
	const calls = (message.content as readonly { type: string }[]).filter(
		(b) => b.type === "toolCall",
	);
	return { ...message, content: [text, ...calls] } as PiMessage;
}

/** A reply and its result that no branch has. */
export function foreignPair(): PiMessage[] {
	const [, call, result] = new Chat().user().step("foreign").list();
	return call && result
		? [
				{ ...call, timestamp: 6 },
				{ ...result, timestamp: 7 },
			]
		: [];
}

/** Whether a place is between a call and its results, where nobody who means well puts anything. */
function isInside(list: readonly PiMessage[], at: number): boolean {
	return list[at]?.role === "toolResult";
}

function withoutStep(list: readonly PiMessage[], at: number): PiMessage[] {
	let from = at;
	while (list[from]?.role === "toolResult") from--;
	let to = from + 1;
	while (list[to]?.role === "toolResult") to++;
	return list.filter((_, index) => index < from || index >= to);
}
