// The commands a user types: finds the word, hands the rest to it. Each word answers in words of its own,
// in a terminal, over RPC and, on stderr, in print mode.

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import type { Command, Completion } from "./command.ts";
import { FOLD } from "./command-fold.ts";
import { LIST } from "./command-list.ts";
import { PRICE } from "./command-price.ts";
import { STATUS } from "./command-status.ts";
import { OFF, ON, turn } from "./command-switch.ts";
import { type Dmail, say } from "./dmail.ts";
import { NET } from "./net.ts";

/** In the order in which they are offered. */
const COMMANDS: readonly Command[] = [ON, OFF, STATUS, PRICE, FOLD, LIST, NET];

export function registerCommands(pi: ExtensionAPI, dmail: Dmail): void {
	pi.registerCommand("dmail", {
		description: `Context folding: ${COMMANDS.map((command) => command.name).join(", ")}`,
		getArgumentCompletions: (prefix) => complete(dmail, prefix),
		handler: async (text, ctx) => {
			const [name, argument] = split(text);
			const command = COMMANDS.find((one) => one.name === name);
			const call = { pi, dmail, ctx, argument: argument.trimEnd() };
			if (command) await command.run(call);
			else if (name === "") turn(call, !dmail.mode.enabled);
			else say(ctx, unknownWord(name), "error");
		},
	});
	pi.registerCommand("send-dmail", {
		description: `The same as /dmail ${FOLD.name}: ${FOLD.help}`,
		getArgumentCompletions: (prefix) => someOf(FOLD.complete?.(dmail, prefix.trimStart()) ?? []),
		handler: async (text, ctx) => {
			await FOLD.run({ pi, dmail, ctx, argument: text.trim() });
		},
	});
}

/** pi shows no list for `null`. */
function someOf(found: Completion[]): Completion[] | null {
	return found.length > 0 ? found : null;
}

/** The first word, and what follows it. */
function split(text: string): [string, string] {
	const [, name = "", argument = ""] = /^\s*(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
	return [name, argument];
}

function unknownWord(name: string): string {
	const list = COMMANDS.map((command) => `  ${command.name.padEnd(8)} ${command.help}`);
	return [`there is no "${name}"; the words are`, ...list].join("\n");
}

/** pi asks with everything typed after the command's name, and puts a chosen value in its place. */
function complete(dmail: Dmail, prefix: string): Completion[] | null {
	const [name, argument] = split(prefix);
	const hasArgument = /^\s*\S+\s/.test(prefix);
	const found = hasArgument
		? (COMMANDS.find((one) => one.name === name)?.complete?.(dmail, argument) ?? [])
		: COMMANDS.filter((one) => one.name.startsWith(name)).map(asCompletion);
	return someOf(
		hasArgument ? found.map((one) => ({ ...one, value: `${name} ${one.value}` })) : found,
	);
}

function asCompletion({ name, help }: Command): Completion {
	return { value: name, label: name, description: help };
}
