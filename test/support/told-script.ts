// A scripted model that answers as the prompt tells it to, so that one pi can be led through many sessions.

import type { Script, Turn } from "./scripted-provider.ts";

/** The prompt that makes the model answer with these turns, one per request. Every prompt must be another. */
export function promptFor(label: string, turns: readonly (Turn | string)[]): string {
	return `As told, ${label}: ${JSON.stringify(turns)}`;
}

/** Answers the newest such prompt; past its last turn the model says that it is done. */
export const AS_TOLD: Script = (request) => {
	if (request.kind === "summary") return "A summary of the conversation.";
	// the host loads this function anew with every session; how far a prompt was answered must outlast that
	const memory = globalThis as { answered?: Record<string, number> };
	memory.answered ??= {};
	const said = request.messages.findLast(
		({ role, content }) => role === "user" && (content[0]?.text ?? "").startsWith("As told, "),
	);
	const prompt = said?.content[0]?.text ?? "";
	const count = memory.answered[prompt] ?? 0;
	memory.answered[prompt] = count + 1;
	const turns = JSON.parse(prompt.slice(prompt.indexOf("[")) || "[]");
	return turns[count] ?? "That is done.";
};
