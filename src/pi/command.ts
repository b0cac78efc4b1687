// What one word of `/dmail` is.

import type { ExtensionAPI, ExtensionCommandContext } from "@mariozechner/pi-coding-agent";
import { type Dmail, say } from "./dmail.ts";

/** A word as the user typed it, and all that it may need. */
export interface Call {
	readonly pi: ExtensionAPI;
	readonly dmail: Dmail;
	readonly ctx: ExtensionCommandContext;
	/** what follows the word, without space around it */
	readonly argument: string;
}

/** One way to go on typing. */
export interface Completion {
	/** takes the argument's place; the word itself is put before it by the caller */
	readonly value: string;
	readonly label: string;
	readonly description?: string;
}

export interface Command {
	readonly name: string;
	/** one line for the list of words */
	readonly help: string;
	/** what it does without an argument; absent: it needs one, or takes none */
	readonly bare?: string;
	/** what it does without another word behind a first one that it could do with more of */
	readonly enough?: string;
	/** it takes none: with one it is refused before it runs */
	readonly alone?: true;
	/** ways to complete the argument typed so far */
	complete?(dmail: Dmail, argument: string): Completion[];
	/** answers by `say`; throws only on a bug */
	run(call: Call): void | Promise<void>;
}

/** What a command has to say. */
export interface Answer {
	readonly text: string;
	/** `error`: it was refused, and nothing changed */
	readonly level: "info" | "error";
}

/** An answer to what was done or asked. */
export function tell(text: string): Answer {
	return { text, level: "info" };
}

/** An answer that refuses: rule; values; way out. */
export function refuse(text: string): Answer {
	return { text, level: "error" };
}

/** A command that answers once, when it is done. */
export function answering(
	decide: (call: Call) => Answer | Promise<Answer>,
): (call: Call) => Promise<void> {
	return async (call) => {
		const { text, level } = await decide(call);
		say(call.ctx, text, level);
	};
}
