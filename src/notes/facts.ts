// What the entries of a stretch prove: files changed and read, commands and how they ended, other tools,
// errors, images, messages of extensions. Counts and names, never contents.

import { blocksOf, type SessionEntry } from "../session/entry.ts";
import { type Action, actionsOf, countImages, type Ending, messageIn } from "./action.ts";
import { onOneLine, placeOf } from "./place.ts";

/** A name and how often it occurred; lists of them are sorted by count, then by first occurrence. */
export interface Tally {
	readonly name: string;
	readonly count: number;
}

/** A command of a shell tool, as told on one line. */
export interface Command {
	readonly text: string;
	readonly ending: Ending;
	/** how often it ended this way */
	readonly count: number;
}

/** What is known of a stretch of a session. */
export interface Facts {
	/** files that an edit or write changed; failed calls do not count */
	readonly changed: readonly Tally[];
	/** files that were read */
	readonly read: readonly Tally[];
	/** how many commands were run */
	readonly commands: number;
	/** commands that did not end well, the newest first */
	readonly failures: readonly Command[];
	readonly lastCommand?: Command | undefined;
	/** other tools than those, by name */
	readonly others: readonly Tally[];
	/** failed calls of other tools than shells, by name */
	readonly failed: readonly Tally[];
	/** calls without a result, by name */
	readonly unanswered: readonly Tally[];
	/** images in tool results and messages of extensions */
	readonly images: number;
	/** messages of extensions, by type; our own are not listed */
	readonly customs: readonly Tally[];
}

/** Shell tools of pi (`powershell` on 1.6) and of hosts built on it (`exec`). */
const SHELLS: ReadonlySet<string> = new Set(["bash", "powershell", "exec"]);
const OURS = /^dmail\.|^(?:send|read)_dmail$/;

/** The facts of these entries. `cwd` is the session's working directory, where it is known. */
export function factsOf(entries: readonly SessionEntry[], cwd?: string): Facts {
	const actions = actionsOf(entries).filter(({ name }) => !OURS.test(name));
	const commands = actions.filter((action) => commandOf(action) !== undefined);
	const files = actions.filter((action) => pathOf(action) !== undefined);
	const rest = actions.filter((action) => commandOf(action) === undefined);
	const ok = files.filter(({ ending }) => ending.how === "ok");
	return {
		changed: tally(ok.filter(changes).map((action) => placeOf(pathOf(action) ?? "", cwd))),
		read: tally(ok.filter(reads).map((action) => placeOf(pathOf(action) ?? "", cwd))),
		commands: commands.length,
		failures: failuresOf(commands, cwd),
		lastCommand: lastOf(commands, cwd),
		others: tally(rest.filter((action) => !isFile(action)).map(({ name }) => name)),
		failed: tally(rest.filter(({ ending }) => hasFailed(ending)).map(({ name }) => name)),
		unanswered: tally(
			actions.filter(({ ending }) => ending.how === "unknown").map(({ name }) => name),
		),
		images: imagesOf(entries),
		customs: customsOf(entries),
	};
}

/** The command of a shell call; `undefined` for any other call. */
export function commandOf({ name, args }: Action): string | undefined {
	const command = args["command"];
	return SHELLS.has(name) && typeof command === "string" ? command : undefined;
}

/** The file that an edit, a write or a read is about; both hosts take either argument. */
export function pathOf({ name, args }: Action): string | undefined {
	if (name !== "edit" && name !== "write" && name !== "read") return undefined;
	const path = args["path"] ?? args["file_path"];
	return typeof path === "string" && path !== "" ? onOneLine(path) : undefined;
}

/** Whether it is a call that changes a file, and not one that failed or is unanswered. */
export function hasChanged(action: Action): boolean {
	return changes(action) && action.ending.how === "ok" && pathOf(action) !== undefined;
}

/** Whether a call is known to have ended badly. */
export function hasFailed(ending: Ending): boolean {
	return ending.how !== "ok" && ending.how !== "unknown";
}

/** How a call ended, in words; `undefined` where that is not known. */
export function tellEnding(ending: Ending): string | undefined {
	switch (ending.how) {
		case "ok":
			return "ok";
		case "failed":
			return ending.exit === undefined ? "failed" : `exit ${ending.exit}`;
		case "timeout":
			return "timed out";
		case "aborted":
			return "aborted";
		case "unknown":
			return undefined;
	}
}

/**
 * A command on one line of at most `limit` characters, cut between words only, so that no path is cut,
 * not even one with spaces in quotes; the first word stays whatever its length. A step into `cwd` before
 * it is left out, one into another directory where there is no room for it.
 */
export function tellCommand(command: string, cwd: string | undefined, limit: number): string {
	const [first = "", ...more] = withoutStep(command.trim(), cwd, limit).split("\n");
	const words = onOneLine(first).match(WORD) ?? [];
	let told = words[0] ?? "";
	let at = 1;
	for (; at < words.length; at++) {
		const longer = `${told} ${words[at]}`;
		if (longer.length > limit) break;
		told = longer;
	}
	return at < words.length || more.length > 0 ? `${told} …` : told;
}

/** Names by how often they occur, then by first occurrence. */
export function tally(names: readonly string[]): Tally[] {
	const counts = new Map<string, number>();
	for (const name of names) if (name !== "") counts.set(name, (counts.get(name) ?? 0) + 1);
	return [...counts].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count);
}

const COMMAND_LIMIT = 60;
/** A word of a shell: no space outside quotes. A quote that is never closed reaches to the end. */
const WORD = /(?:"(?:\\.|[^"\\])*(?:"|$)|'[^']*(?:'|$)|\\.|[^\s"'])+/g;

/** What many models put before each command. */
const STEP = /^cd +("[^"\n]+"|'[^'\n]+'|[^\s"']+) *&& *(?=\S)/;

function changes({ name }: Action): boolean {
	return name === "edit" || name === "write";
}

function reads({ name }: Action): boolean {
	return name === "read";
}

function isFile(action: Action): boolean {
	return pathOf(action) !== undefined;
}

function failuresOf(commands: readonly Action[], cwd: string | undefined): Command[] {
	const found = new Map<string, Command>();
	for (const action of commands.filter(({ ending }) => hasFailed(ending)).reverse()) {
		const one = tellOne(action, cwd);
		const key = `${tellEnding(one.ending)} ${one.text}`;
		found.set(key, { ...one, count: (found.get(key)?.count ?? 0) + 1 });
	}
	return [...found.values()];
}

function lastOf(commands: readonly Action[], cwd: string | undefined): Command | undefined {
	const last = commands.at(-1);
	return last && tellOne(last, cwd);
}

function tellOne(action: Action, cwd: string | undefined): Command {
	const text = tellCommand(commandOf(action) ?? "", cwd, COMMAND_LIMIT);
	return { text, ending: action.ending, count: 1 };
}

function withoutStep(command: string, cwd: string | undefined, limit: number): string {
	const step = STEP.exec(command);
	if (!step) return command;
	const directory = step[1]?.replace(/^(['"])(.*)\1$/, "$2");
	return directory === cwd || command.length > limit ? command.slice(step[0].length) : command;
}

function imagesOf(entries: readonly SessionEntry[]): number {
	let images = 0;
	for (const entry of entries) {
		const message = messageIn(entry);
		if (message?.role === "toolResult") images += countImages(message.content);
		else if (entry.type === "custom_message") images += countImages(entry.content);
	}
	return images;
}

function customsOf(entries: readonly SessionEntry[]): Tally[] {
	const types: string[] = [];
	for (const entry of entries) {
		if (entry.type !== "custom_message" || blocksOf(entry.content).length === 0) continue;
		if (typeof entry.customType === "string" && !OURS.test(entry.customType))
			types.push(onOneLine(entry.customType));
	}
	return tally(types);
}
