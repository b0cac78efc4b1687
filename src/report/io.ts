// What a command of the shell works with, so that a test can stand in for the process. Nothing in this
// room touches `process`; profile.ts does.

import { type ParseArgsConfig, parseArgs } from "node:util";
import type { Unread } from "../session/file-place.ts";
import { printable } from "./printable.ts";
import type { Paper } from "./table.ts";

/** The world of a command. */
export interface Io {
	/** what the command is called: every refusal begins with it */
	readonly name: string;
	/** writes to standard output */
	out(text: string): void;
	/** writes to standard error */
	err(text: string): void;
	/** what standard output is */
	readonly paper: Paper;
	/** whether somebody watches standard error */
	readonly watched: boolean;
	/** whether somebody looks and can press keys */
	readonly interactive: boolean;
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly cwd: string;
}

/** Runs with the arguments after its name and answers with the exit code. */
export type Command = (args: readonly string[], io: Io) => number | Promise<number>;

/** Exit codes. */
export const OK = 0;
/** a session cannot be read */
export const UNREADABLE = 1;
/** the arguments do not say what to do */
const USAGE = 2;

/** Says what is wrong with the arguments. */
export function refuseUsage(io: Io, message: string): number {
	io.err(`${io.name}: ${message}\nTry: pi-dmail --help (from a clone: node profile.ts --help)\n`);
	return USAGE;
}

/** Says what could not be read, and why, a line each. */
export function tellUnread(io: Io): Unread {
	return (path, reason) => io.err(`${io.name}: ${printable(path)}: ${printable(reason)}\n`);
}

type Options = NonNullable<ParseArgsConfig["options"]>;
type Parsed<O extends Options> = ReturnType<
	typeof parseArgs<{ options: O; allowPositionals: true; strict: true }>
>;

/** Every option that some command takes. */
const KNOWN: readonly string[] = [
	...["last", "verify", "json", "csv", "view", "list", "all", "deep"],
	...["offset", "limit", "force", "fold", "ignore-case", "i", "context"],
	...["policy", "rates", "refresh", "summary-ratio", "keep", "foldable", "window"],
];

/**
 * The options and positionals of a command, or what is wrong with them.
 *
 * @param command what the options have to go with, in the words of a refusal
 */
export function readArguments<O extends Options>(
	command: string,
	args: readonly string[],
	options: O,
): Parsed<O> | string {
	const joined = withNumbers(args, options);
	try {
		return parseArgs({ args: joined, options, allowPositionals: true, strict: true });
	} catch (error) {
		if (!(error instanceof TypeError)) throw error;
		return foreignIn(command, joined, options) ?? misusedIn(joined, options) ?? error.message;
	}
}

/** Whether some command takes an option of this name. */
export function isOption(name: string): boolean {
	return KNOWN.includes(name);
}

/** The arguments with `--last -1` as `--last=-1`: a number below 0 is refused as a number, not as an option. */
function withNumbers(args: readonly string[], options: Options): string[] {
	const joined: string[] = [];
	for (const [i, argument] of args.entries()) {
		if (argument === "--") return [...joined, ...args.slice(i)];
		const last = joined.at(-1) ?? "";
		const takes = last.startsWith("--") && options[last.slice(2)]?.type === "string";
		if (takes && /^-\.?\d/.test(argument)) joined[joined.length - 1] = `${last}=${argument}`;
		else joined.push(argument);
	}
	return joined;
}

function optionsIn(args: readonly string[], options: Options) {
	const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
	return tokens.filter((token) => token.kind === "option");
}

/** What is said of the first option that a command does not take. */
function foreignIn(command: string, args: readonly string[], options: Options): string | undefined {
	const shorts = Object.values(options).map(({ short }) => short);
	const foreign = optionsIn(args, options).find(
		({ name }) => !Object.hasOwn(options, name) && !shorts.includes(name),
	);
	if (!foreign) return undefined;
	const { name, rawName } = foreign;
	if (isOption(name)) return `${rawName} does not go with ${command}`;
	const said = args[foreign.index] ?? rawName;
	const way = /[/\\]|\.jsonl$/.test(said) ? "; before a path that begins so put -- or ./" : "";
	return `there is no option ${printable(rawName)}${way}`;
}

/** What is said of the first option with a value that is missing, or is none for it. */
function misusedIn(args: readonly string[], options: Options): string | undefined {
	for (const { name, rawName, value, inlineValue } of optionsIn(args, options)) {
		const said = printable(value ?? "");
		if (options[name]?.type === "boolean" && value !== undefined)
			return `${rawName} takes no value, so not ${JSON.stringify(said)}`;
		if (options[name]?.type !== "string") continue;
		if (value === undefined) return `${rawName} takes a value; write ${rawName}=VALUE`;
		if (!inlineValue && value.startsWith("-"))
			return `${rawName} takes a value, and ${said} looks like an option; if it is meant, write ${rawName}=${said}`;
	}
	return undefined;
}

/** A whole number from `least` on; what is wrong with it, if it is none. */
export function readNumber(name: string, value: string, least: number): number | string {
	const number = Number(value);
	if (/^\d+$/.test(value) && Number.isSafeInteger(number) && number >= least) return number;
	return `--${name} takes a whole number from ${least} on, not ${JSON.stringify(value)}`;
}

/** Writes pieces of text in larger ones: a write each would take longer than all the rest. */
export function writeAll(pieces: Iterable<string>, out: (text: string) => void): void {
	let text = "";
	for (const piece of pieces) {
		text += piece;
		if (text.length < 1 << 16) continue;
		out(text);
		text = "";
	}
	if (text !== "") out(text);
}
