// A call that is refused again as it was before, word for word, is answered word for word as before: nothing in
// our answers may invite a model to try the same thing in a circle.

import type { AssistantMessage, ToolCallBlock } from "../session/entry.ts";
import { blocksOf } from "../session/entry.ts";
import type { Log } from "./log.ts";

/**
 * The text of an equal call's refusal, if nothing of ours was recorded since and the reason is the same as far
 * as it does not speak of what else would work; else the reason itself.
 *
 * @param callId the call that is refused now; it is the newest reply's
 */
export function sameRefusal(log: Log, callId: string, reason: string): string {
	const { stored, branch } = log;
	const asked = callIn(log, stored.length - 1, (call) => call.id === callId);
	if (!asked) return reason;
	const wish = JSON.stringify(asked.call.arguments);
	for (let at = asked.at - 1; at >= 0; at--) {
		const record = branch[at]?.record;
		if (record && record.kind !== "mode") break;
		const entry = stored[at];
		if (entry?.type !== "message" || entry.message.role !== "toolResult") continue;
		const { isError, toolCallId, toolName, content } = entry.message;
		if (!isError || toolName !== asked.call.name) continue;
		const earlier = callIn(log, at, (call) => call.id === toolCallId);
		if (!earlier || JSON.stringify(earlier.call.arguments) !== wish) continue;
		const text = blocksOf(content).flatMap((block) => (block.type === "text" ? [block.text] : []));
		const said = text.join("\n");
		if (ruleOf(said) === ruleOf(reason)) return said;
	}
	return reason;
}

/** What stands before the first semicolon: the rule and its values, without the way out. */
function ruleOf(reason: string): string {
	return reason.split(";")[0] ?? reason;
}

/** The nearest call up to a position that matches, and the position of its reply. */
function callIn(
	{ stored }: Log,
	upTo: number,
	matches: (call: ToolCallBlock) => boolean,
): { readonly call: ToolCallBlock; readonly at: number } | undefined {
	for (let at = upTo; at >= 0; at--) {
		const entry = stored[at];
		const message = entry?.type === "message" ? entry.message : undefined;
		if (message?.role !== "assistant") continue;
		const call = callsOf(message).find(matches);
		if (call) return { call, at };
	}
	return undefined;
}

function callsOf({ content }: AssistantMessage): ToolCallBlock[] {
	return blocksOf(content).flatMap((block) => (block.type === "toolCall" ? [block] : []));
}
