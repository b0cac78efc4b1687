// Views in a line, for cases that can be read at a glance, and a session whose older steps are folded.

import type { PiMessage } from "../../src/session/entry.ts";
import { Chat } from "../support/chat.ts";

/** A block of text. */
export const text = (value: string) => ({ type: "text", text: value }) as const;

/** A view in one line: roles by letter, markers as ‹n›, chips as C, notes as m. */
export function line(messages: readonly PiMessage[]): string {
	return messages.map(word).join(" ");
}

function word(message: PiMessage): string {
	const said = JSON.stringify(message);
	const marker = /\[step (\d+)\]"\}\]/.exec(said)?.[1];
	const suffix = marker ? `‹${marker}›` : "";
	if (message.role === "custom" && message.customType === "dmail.fold") return `C${suffix}`;
	if (message.role === "custom" && message.customType === "dmail.marker") return `m${suffix}`;
	const pointed = said.includes("(in the chip of fold ") ? "*" : "";
	return LETTERS[message.role] + pointed + suffix;
}

const LETTERS: Record<PiMessage["role"], string> = {
	user: "U",
	assistant: "A",
	toolResult: "R",
	custom: "c",
	bashExecution: "!",
	branchSummary: "B",
	compactionSummary: "K",
	system: "S",
};

/** Steps 1 and 2 folded by step 3, as the model does it. */
export function folded(): Chat {
	const args = { fromStep: 1, summary: "S" };
	const call = { type: "toolCall", id: "c", name: "send_dmail", arguments: args } as const;
	const session = new Chat()
		.user()
		.step("a")
		.step("b")
		.reply(["c"])
		.amend({ content: [call] });
	return session.fold("e1", "e5", { callId: "c", fromStep: 1, toStep: 2 }).result("c");
}
