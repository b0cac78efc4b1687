// The commands a user types: finds the word, hands the rest to it. Each word answers in words of its own,
// in a terminal, over RPC and, on stderr, in print mode.

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import type { Call, Command, Completion } from "./command.ts";
import { DROP } from "./command-drop.ts";
import { FOLD } from "./command-fold.ts";
import { LAND } from "./command-land.ts";
import { LIST } from "./command-list.ts";
import type { CommandName, Typed } from "./command-names.ts";
import { NET } from "./command-net.ts";
import { OPEN, SHUT } from "./command-open.ts";
import { PIN, UNPIN } from "./command-pin.ts";
import { PRICE } from "./command-price.ts";
import { RETURN } from "./command-return.ts";
import { STATUS } from "./command-status.ts";
import { OFF, ON, turn } from "./command-switch.ts";
import { type Dmail, say } from "./dmail.ts";

/** In the order in which they are offered: what is used most first. */
const COMMANDS: readonly Command[] = [
	...[FOLD, PRICE, LIST, STATUS, OPEN, SHUT, DROP],
	...[RETURN, PIN, UNPIN, LAND, NET, ON, OFF],
];

/** What pi's commands of ours do, by name; the names are those of `registerCommands`. */
export function makeCommands(pi: ExtensionAPI, dmail: Dmail): Record<CommandName, Typed> {
	return {
		dmail: {
			complete: (prefix) => complete(dmail, prefix),
			run: (text, ctx) => inSession(dmail, () => run({ pi, dmail, ctx, argument: text })),
		},
		"send-dmail": {
			complete: (prefix) => {
				const typed = prefix.trimStart();
				const found = someOf(FOLD.complete?.(dmail, typed) ?? [], typed);
				return withBare(FOLD, typed, prefix, found);
			},
			run: (text, ctx) =>
				inSession(dmail, () => FOLD.run({ pi, dmail, ctx, argument: text.trim() })),
		},
	};
}

/**
 * Runs a command. It may wait for an answer of the user, or for git, until its session is gone: pi then refuses
 * whatever it would still do or say, and there is nobody to tell that.
 */
async function inSession(dmail: Dmail, run: () => void | Promise<void>): Promise<void> {
	try {
		await run();
	} catch (error) {
		if (!dmail.isOver) throw error;
	}
}

function run(typed: Call): void | Promise<void> {
	const [name, rest] = split(typed.argument);
	const call = { ...typed, argument: rest.trimEnd() };
	const command = COMMANDS.find((one) => one.name === name);
	if (command?.alone && call.argument !== "") say(call.ctx, tooMuch(command, call), "error");
	else if (command) return command.run(call);
	else if (name === "") turn(call, !call.dmail.mode.enabled);
	else say(call.ctx, unknownWord(name), "error");
}

/**
 * pi shows no list for `null`. Nor must it show one where all is typed already: Enter would take the completion
 * up once more instead of running the command.
 */
function someOf(found: Completion[], typed: string): Completion[] | null {
	const isDone = found.length === 0 || found.some((one) => one.value === typed);
	return isDone ? null : found;
}

/** The first word, in lower case, and what follows it. */
function split(text: string): [string, string] {
	const [, name = "", argument = ""] = /^\s*(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
	return [name.toLowerCase(), argument];
}

function tooMuch({ name }: Command, { argument }: Call): string {
	return `nothing was done: ${name} takes nothing after it, not "${argument}"; write /dmail ${name}`;
}

function unknownWord(name: string): string {
	const list = COMMANDS.map((command) => `  ${command.name.padEnd(8)} ${command.help}`);
	return [`there is no "${name}"; the words are`, ...list].join("\n");
}

/** pi asks with everything typed after the command's name, and puts a chosen value in its place. */
function complete(dmail: Dmail, prefix: string): Completion[] | null {
	const [name, argument] = split(prefix);
	if (!/^\s*\S+\s/.test(prefix)) {
		const words = COMMANDS.filter((one) => one.name.startsWith(name));
		return someOf(words.map(asCompletion), name);
	}
	const command = COMMANDS.find((one) => one.name === name);
	const found = command?.complete?.(dmail, argument) ?? [];
	const whole = found.map((one) => ({ ...one, value: `${name} ${one.value}` }));
	return withBare(command, argument, prefix, someOf(whole, `${name} ${argument}`));
}

/**
 * Puts what a command does without more first, while no other word is begun: pi takes Enter for the first line
 * of its list, and a second Enter must not do more than was typed.
 */
function withBare(
	command: Command | undefined,
	argument: string,
	prefix: string,
	found: Completion[] | null,
): Completion[] | null {
	if (!found || /\S$/.test(argument)) return found;
	const label = argument === "" ? command?.bare : command?.enough;
	return label === undefined ? found : [{ value: prefix, label: `(${label})` }, ...found];
}

function asCompletion({ name, help }: Command): Completion {
	return { value: name, label: name, description: help };
}
