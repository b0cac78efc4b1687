// What one word of `/dmail` is.

import type { ExtensionAPI, ExtensionCommandContext } from "@mariozechner/pi-coding-agent";
import type { Dmail } from "./dmail.ts";

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
	/** ways to complete the argument typed so far */
	complete?(dmail: Dmail, argument: string): Completion[];
	/** answers by `say`; throws only on a bug */
	run(call: Call): void | Promise<void>;
}
