// OpenAI's rules for a response, read in its documentation: "Responses" (API reference), "Function calling"
// and "Reasoning models" (keeping reasoning items). Judges a payload as the SDK would send it.

import {
	type Finding,
	type Json,
	listIn,
	loneSurrogates,
	nameOfId,
	OpenCalls,
	textIn,
} from "./finding.ts";

/**
 * What the API would refuse of a payload.
 *
 * - Responses: no message has an empty content; ids of items are at most 64 long, begin as their type says
 *   and stand in the input once
 * - Function calling: every `function_call` has its output behind it, no output is without a call before
 *   it; arguments are JSON
 * - Reasoning models: a reasoning item is followed by the item that it led to
 */
export function checkResponses(payload: Json): Finding[] {
	const items = listIn(payload["input"]);
	return [
		...items.flatMap(checkContent),
		...checkIds(items),
		...checkCalls(items),
		...checkReasoning(items),
		...loneSurrogates(payload),
	];
}

/** Messages without an id of the provider's get one from pi, by their place. */
const PLACED_ID = /^msg_(?:pi_)?\d+(?:_\d+)?$/;

/** What the assistant put into a payload, one text an item; ids by place are left out. */
export function responsesReplies(payload: Json): string[] {
	return listIn(payload["input"])
		.filter(isReply)
		.map((item) => JSON.stringify({ ...item, id: unplaced(item["id"]) }));
}

function unplaced(id: unknown): unknown {
	return PLACED_ID.test(textIn(id)) ? "msg" : id;
}

function isReply(item: Json): boolean {
	const { type } = item;
	return type === "reasoning" || type === "function_call" || item["role"] === "assistant";
}

function checkContent(item: Json): Finding[] {
	const { content } = item;
	const isEmpty = content === "" || (Array.isArray(content) && content.length === 0);
	return isEmpty ? [{ rule: "empty content", of: textIn(item["role"]) }] : [];
}

const PREFIXES: Readonly<Record<string, string>> = {
	message: "msg",
	function_call: "fc",
	reasoning: "rs",
};

function checkIds(items: readonly Json[]): Finding[] {
	const seen = new Set<string>();
	const findings: Finding[] = [];
	for (const item of items) {
		const callId = textIn(item["call_id"]);
		if (item["type"] === "function_call" && !isId(callId))
			findings.push({ rule: "id shape", of: nameOfId(callId) });
		if (item["id"] === undefined) continue;
		const id = textIn(item["id"]);
		const prefix = PREFIXES[textIn(item["type"])] ?? "";
		if (!isId(id) || !id.startsWith(prefix)) findings.push({ rule: "item id shape", of: id });
		if (seen.has(id)) findings.push({ rule: "item twice", of: textIn(unplaced(id)) });
		seen.add(id);
	}
	return findings;
}

function isId(id: string): boolean {
	return /^[a-zA-Z0-9_-]{1,64}$/.test(id);
}

function checkCalls(items: readonly Json[]): Finding[] {
	const findings: Finding[] = [];
	const ids = new Map<string, OpenCalls>();
	for (const item of items) {
		const id = textIn(item["call_id"]);
		if (item["type"] === "function_call") {
			findings.push(...(ids.get(id)?.close() ?? []));
			ids.set(id, new OpenCalls([id]));
			if (!isJson(textIn(item["arguments"])))
				findings.push({ rule: "arguments are no JSON", of: nameOfId(id) });
		} else if (item["type"] === "function_call_output") {
			findings.push(...(ids.get(id) ?? new OpenCalls()).answer(id));
		}
	}
	return [...findings, ...[...ids.values()].flatMap((calls) => calls.close())];
}

function isJson(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}

/** Several in a row are of one reply; the last of them must lead to something. */
function checkReasoning(items: readonly Json[]): Finding[] {
	return items.flatMap((item, at) => {
		if (item["type"] !== "reasoning") return [];
		const next = items[at + 1];
		return next && isReply(next)
			? []
			: [{ rule: "reasoning without its item", of: textIn(item["id"]) }];
	});
}
