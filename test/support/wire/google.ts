// Google's rules for a request, read in its documentation: "Generating content" (API reference), "Function
// calling" and "Thought signatures". Judges a payload as the SDK would send it.

import { type Finding, type Json, listIn, loneSurrogates, nameOfId, textIn } from "./finding.ts";

/** A turn as the API reads it: consecutive contents of the user are one. */
interface Turn {
	readonly role: string;
	readonly parts: readonly Json[];
}

/**
 * What the API would refuse of a payload.
 *
 * - Generating content: the first and the last content are the user's; no content is without parts, no part
 *   without data; the model does not speak twice in a row
 * - Function calling: the turn after a function call answers it, with one response for each call, by name
 *   (and id, where the model wants them), and begins with the responses; there is no other response
 * - Thought signatures: from Gemini 3 on, the first call of each step since the user's last words carries one
 */
export function checkGoogle(payload: Json): Finding[] {
	const contents = listIn(payload["contents"]);
	const turns = turnsOf(contents);
	const signed = /^gemini-[3-9]/.test(textIn(payload["model"]));
	return [
		...contents.flatMap(checkContent),
		...checkEnds(turns),
		...checkCalls(turns),
		...(signed ? checkSignatures(turns) : []),
		...loneSurrogates(payload),
	];
}

/** The replies of a payload as they stand in it, one text each. */
export function googleReplies(payload: Json): string[] {
	return listIn(payload["contents"])
		.filter((content) => content["role"] === "model")
		.map((content) => JSON.stringify(content));
}

function turnsOf(contents: readonly Json[]): Turn[] {
	const turns: { role: string; parts: Json[] }[] = [];
	for (const content of contents) {
		const role = textIn(content["role"]);
		const parts = listIn(content["parts"]);
		const last = turns.at(-1);
		if (role === "user" && last?.role === role) last.parts.push(...parts);
		else turns.push({ role, parts: [...parts] });
	}
	return turns;
}

function checkContent(content: Json): Finding[] {
	const role = textIn(content["role"]);
	const parts = listIn(content["parts"]);
	if (parts.length === 0) return [{ rule: "no parts", of: role }];
	const empty = parts.filter((part) => part["text"] === "" && !part["thoughtSignature"]);
	return empty.map(() => ({ rule: "empty text", of: role }));
}

function checkEnds(turns: readonly Turn[]): Finding[] {
	const twice = turns.filter(
		(turn, at) => turn.role === "model" && turns[at - 1]?.role === "model",
	);
	return [
		...(turns[0]?.role === "user" ? [] : [{ rule: "first content", of: "" }]),
		...(turns.at(-1)?.role === "user" ? [] : [{ rule: "last content", of: "" }]),
		...twice.map(() => ({ rule: "model twice in a row", of: "" })),
	];
}

function checkCalls(turns: readonly Turn[]): Finding[] {
	const findings: Finding[] = [];
	let open: string[] = [];
	for (const { role, parts } of turns) {
		let isBehind = false;
		for (const part of role === "user" ? parts : []) {
			const response = part["functionResponse"];
			if (!response) {
				isBehind = true;
				continue;
			}
			const name = nameOf(response);
			const at = open.indexOf(name);
			if (at < 0) findings.push({ rule: "orphan response", of: name });
			else if (isBehind) findings.push({ rule: "response not first", of: name });
			if (at >= 0) open.splice(at, 1);
		}
		findings.push(...open.map((of) => ({ rule: "unanswered call", of })));
		open = role === "model" ? callsOf(parts) : [];
	}
	return [...findings, ...open.map((of) => ({ rule: "unanswered call", of }))];
}

function callsOf(parts: readonly Json[]): string[] {
	return parts.flatMap((part) => (part["functionCall"] ? [nameOf(part["functionCall"])] : []));
}

/** A call and its response have these in common. */
function nameOf(call: unknown): string {
	const { name, id } = call as Json;
	return `${textIn(name)} ${nameOfId(textIn(id))}`;
}

function checkSignatures(turns: readonly Turn[]): Finding[] {
	const words = turns.findLastIndex(
		(turn) => turn.role === "user" && turn.parts.some((part) => part["text"] !== undefined),
	);
	return turns.slice(words + 1).flatMap(({ parts }) => {
		const first = parts.find((part) => part["functionCall"]);
		if (!first || first["thoughtSignature"]) return [];
		return [{ rule: "call without signature", of: nameOf(first["functionCall"]) }];
	});
}
