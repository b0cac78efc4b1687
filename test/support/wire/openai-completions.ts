// OpenAI's rules for a chat completion, read in its documentation: "Chat Completions" (API reference) and
// "Function calling". Judges a payload as the SDK would send it.

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
 * - Chat Completions: a message has one of the known roles; a user's list of parts is not empty and no text
 *   part is; a reply says something or calls a tool; an id is not empty and at most 40 long
 * - Function calling: a reply with `tool_calls` is followed by one `tool` message for each, and nothing comes
 *   before they are all there; no `tool` message without such a call; arguments are JSON; the ids of one
 *   reply differ
 */
export function checkCompletions(payload: Json): Finding[] {
	const messages = listIn(payload["messages"]);
	return [...messages.flatMap(checkMessage), ...checkCalls(messages), ...loneSurrogates(payload)];
}

/** The replies of a payload as they stand in it, one text each. */
export function completionsReplies(payload: Json): string[] {
	return listIn(payload["messages"])
		.filter((message) => message["role"] === "assistant" && message["content"] !== BRIDGE)
		.map((message) => JSON.stringify(message));
}

/** What pi says for the assistant where a provider wants it to speak between a result and the user. */
const BRIDGE = "I have processed the tool results.";

const ROLES = ["system", "developer", "user", "assistant", "tool"];

function checkMessage(message: Json): Finding[] {
	const role = textIn(message["role"]);
	const { content } = message;
	if (!ROLES.includes(role)) return [{ rule: "unknown role", of: role }];
	if (role === "assistant") return checkReply(message);
	if (Array.isArray(content) && content.length === 0) return [{ rule: "empty content", of: role }];
	const blank = listIn(content).filter((part) => part["type"] === "text" && part["text"] === "");
	return blank.map(() => ({ rule: "empty text", of: role }));
}

function checkReply(message: Json): Finding[] {
	const { content } = message;
	const says = Array.isArray(content) ? content.length > 0 : textIn(content) !== "";
	const calls = listIn(message["tool_calls"]);
	if (calls.length === 0) return says ? [] : [{ rule: "empty reply", of: "" }];
	const ids = calls.map((call) => textIn(call["id"]));
	const shapeless = ids.filter((id) => id === "" || id.length > 40);
	const repeated = ids.filter((id, at) => ids.indexOf(id) < at);
	return [
		...shapeless.map((id) => ({ rule: "id shape", of: nameOfId(id) })),
		...repeated.map((id) => ({ rule: "id used twice", of: nameOfId(id) })),
		...calls.flatMap(checkArguments),
	];
}

function checkArguments(call: Json): Finding[] {
	const said = (call["function"] as Json | undefined)?.["arguments"];
	try {
		JSON.parse(textIn(said));
		return [];
	} catch {
		return [{ rule: "arguments are no JSON", of: nameOfId(textIn(call["id"])) }];
	}
}

function checkCalls(messages: readonly Json[]): Finding[] {
	const findings: Finding[] = [];
	let calls = new OpenCalls();
	for (const message of messages) {
		if (message["role"] === "tool") {
			findings.push(...calls.answer(textIn(message["tool_call_id"])));
			continue;
		}
		findings.push(...calls.close());
		calls = new OpenCalls(listIn(message["tool_calls"]).map((call) => textIn(call["id"])));
	}
	return [...findings, ...calls.close()];
}
