// Anthropic's rules for a request, read in its documentation: "Messages" (API reference), "Handle tool calls",
// "Extended thinking", "Prompt caching". Judges a payload as the SDK would send it.

import {
	type Finding,
	type Json,
	listIn,
	loneSurrogates,
	nameOfId,
	OpenCalls,
	textIn,
} from "./finding.ts";

/** A turn as the API reads it: consecutive messages of one role are one. */
interface Turn {
	readonly role: string;
	readonly blocks: readonly Json[];
}

/**
 * What the API would refuse of a payload.
 *
 * - Messages: the first message is the user's; no message is empty, no text block is blank; the last one is
 *   not the assistant's (with thinking no reply can be begun for it)
 * - Handle tool calls: every `tool_use` is answered in the very next user turn, results come first in it, and
 *   none is there that no call asked for; ids are unique and of `^[a-zA-Z0-9_-]+$`, at most 64 long
 * - Extended thinking: a thinking block has its signature, a redacted one its data
 * - Prompt caching: at most 4 breakpoints, none on thinking
 */
export function checkAnthropic(payload: Json): Finding[] {
	const turns = turnsOf(listIn(payload["messages"]));
	return [
		...checkMessages(listIn(payload["messages"])),
		...checkEnds(turns),
		...checkCalls(turns),
		...checkBreakpoints(payload),
		...loneSurrogates(payload),
	];
}

/** The replies of a payload as they stand in it, one text each, breakpoints aside. */
export function anthropicReplies(payload: Json): string[] {
	return listIn(payload["messages"])
		.filter((message) => message["role"] === "assistant")
		.map((message) => JSON.stringify(message));
}

function turnsOf(messages: readonly Json[]): Turn[] {
	const turns: { role: string; blocks: Json[] }[] = [];
	for (const message of messages) {
		const role = textIn(message["role"]);
		const last = turns.at(-1);
		if (last?.role === role) last.blocks.push(...blocksOf(message));
		else turns.push({ role, blocks: [...blocksOf(message)] });
	}
	return turns;
}

function blocksOf({ content }: Json): readonly Json[] {
	return typeof content === "string" ? [{ type: "text", text: content }] : listIn(content);
}

function checkMessages(messages: readonly Json[]): Finding[] {
	return messages.flatMap((message) => {
		const role = textIn(message["role"]);
		const blocks = blocksOf(message);
		// a `system` message may set the effort of what follows and say nothing
		const isEmpty = blocks.length === 0 && !message["output_config"];
		const empty = isEmpty ? [{ rule: "empty message", of: role }] : [];
		return [...empty, ...blocks.flatMap(checkBlock)];
	});
}

function checkBlock(block: Json): Finding[] {
	const { type } = block;
	if (type === "text" && textIn(block["text"]).trim() === "")
		return [{ rule: "blank text", of: "" }];
	if (type === "thinking" && textIn(block["signature"]) === "")
		return [{ rule: "thinking without signature", of: textIn(block["thinking"]) }];
	if (type === "redacted_thinking" && textIn(block["data"]) === "")
		return [{ rule: "redacted thinking without data", of: "" }];
	const id = textIn(block["id"]);
	if (type === "tool_use" && !/^[a-zA-Z0-9_-]{1,64}$/.test(id))
		return [{ rule: "id shape", of: nameOfId(id) }];
	return [];
}

function checkEnds(turns: readonly Turn[]): Finding[] {
	const spoken = turns.filter((turn) => turn.role !== "system");
	return [
		...(spoken[0]?.role === "user" ? [] : [{ rule: "first message", of: "" }]),
		...(spoken.at(-1)?.role === "user" ? [] : [{ rule: "last message", of: "" }]),
	];
}

function checkCalls(turns: readonly Turn[]): Finding[] {
	const findings: Finding[] = [];
	const seen = new Set<string>();
	let calls = new OpenCalls();
	for (const { role, blocks } of turns) {
		if (role === "user") findings.push(...checkResults(blocks, calls));
		findings.push(...calls.close());
		calls = new OpenCalls();
		if (role !== "assistant") continue;
		const ids = blocks.filter((block) => block["type"] === "tool_use").map((b) => textIn(b["id"]));
		for (const id of ids) {
			if (seen.has(id)) findings.push({ rule: "id used twice", of: nameOfId(id) });
			seen.add(id);
		}
		calls = new OpenCalls(ids);
	}
	return [...findings, ...calls.close()];
}

function checkResults(blocks: readonly Json[], calls: OpenCalls): Finding[] {
	const findings: Finding[] = [];
	let isBehind = false;
	for (const block of blocks) {
		const id = textIn(block["tool_use_id"]);
		if (block["type"] !== "tool_result") isBehind = true;
		else {
			const refused = calls.answer(id);
			// one that answers nothing is at fault wherever it stands
			if (isBehind && refused.length === 0)
				findings.push({ rule: "result not first", of: nameOfId(id) });
			findings.push(...refused);
		}
	}
	return findings;
}

function checkBreakpoints(payload: Json): Finding[] {
	const blocks = [
		...listIn(payload["tools"]),
		...listIn(payload["system"]),
		...listIn(payload["messages"]).flatMap(blocksOf),
	].filter((block) => block["cache_control"]);
	const thinking = blocks.filter((block) => textIn(block["type"]).includes("thinking"));
	return [
		...(blocks.length > 4 ? [{ rule: "more than 4 breakpoints", of: "" }] : []),
		...thinking.map(() => ({ rule: "breakpoint on thinking", of: "" })),
	];
}
