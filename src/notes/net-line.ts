// One line for one step: what the assistant said first, each call with its telling argument, how it ended
// and how much came back. A line can be told shorter, and neighbours as one, where there is little room.

import { parseStep } from "../../fold.ts";
import type { AssistantMessage } from "../session/entry.ts";
import { type Action, textOf } from "./action.ts";
import {
	commandOf,
	hasChanged,
	hasFailed,
	pathOf,
	tally,
	tellCommand,
	tellEnding,
} from "./facts.ts";
import { onOneLine, placeOf } from "./place.ts";

/**
 * How much of a step a line tells.
 *
 * - 0: all of it
 * - 1: the sentence and the arguments shortened, sizes only of what failed
 * - 2: the sentence; changed files and failures as before, other calls by name
 * - 3: the beginning of the sentence, or else names of tools; always how failures ended
 */
export type Level = 0 | 1 | 2 | 3;

/** A step as its line tells it. */
export interface Told {
	/** 1-based */
	readonly step: number;
	readonly sentence: string;
	readonly actions: readonly Action[];
}

/** What a step has to tell. */
export function tellStep(
	step: number,
	message: AssistantMessage,
	actions: readonly Action[],
): Told {
	return { step, sentence: firstSentence(textOf(message.content)), actions };
}

/** The line of a step. `cwd` is the session's working directory, where it is known. */
export function lineOf(told: Told, level: Level, cwd?: string): string {
	const sentence = shorten(told.sentence, SENTENCE_LIMIT[level]);
	const shown = level === 3 && sentence !== "" ? failuresOf(told.actions) : told.actions;
	const parts = [sentence, ...callsOf(shown, level, cwd)];
	return `${told.step}. ${joined(parts) || "(nothing said)"}`;
}

/** One line for several steps that follow each other: a beginning, tools by count, how failures ended. */
export function lineOfMany(steps: readonly Told[]): string {
	const first = steps.at(0)?.step;
	const last = steps.at(-1)?.step;
	const sentence = steps.find((told) => told.sentence !== "")?.sentence ?? "";
	const parts = [
		shorten(sentence, SENTENCE_LIMIT[3]),
		byName(steps.flatMap((told) => told.actions)),
	];
	return `${first === last ? first : `${first}–${last}`}. ${joined(parts) || "(nothing said)"}`;
}

/**
 * The first sentence of a text, on one line, and the next where that is only a word or two. Headings, code
 * fences and echoed markers are passed over, list marks left out; a heading will do where there is no
 * more. Empty where nothing is said.
 */
function firstSentence(text: string): string {
	let heading = "";
	let fenced = false;
	for (const raw of text.split("\n")) {
		const line = raw.trim();
		const isFence = line.startsWith("```");
		if (isFence) fenced = !fenced;
		if (fenced || isFence || parseStep(line) !== undefined) continue;
		const plain = onOneLine(line.replace(/^(?:[#>*+-]+\s+|\d+[.)]\s+)+/, ""));
		if (!/[\p{L}\p{N}]/u.test(plain)) continue;
		if (!line.startsWith("#")) return SENTENCE.exec(plain)?.[0] ?? plain;
		heading ||= plain;
	}
	return heading;
}

/** A size in characters, for a reader: `812`, `4.1k`. */
function tellSize(characters: number): string {
	return characters < 1_000 ? `${characters}` : `${(characters / 1_000).toFixed(1)}k`;
}

/** Up to a full stop that is not among the first characters: `Done.` alone tells nothing. */
const SENTENCE = /^.{12,}?(?:[.!?…](?=\s|$)|[。！？])/u;
const SENTENCE_LIMIT: Record<Level, number> = { 0: 160, 1: 60, 2: 40, 3: 24 };
const ARGUMENT_LIMIT: Record<Level, number> = { 0: 80, 1: 40, 2: 40, 3: 0 };

function joined(parts: readonly string[]): string {
	return parts.filter((part) => part !== "").join(" · ");
}

function failuresOf(actions: readonly Action[]): Action[] {
	return actions.filter(({ ending }) => hasFailed(ending));
}

/** Arguments that tell most of what a call is about, the most telling first. */
const TELLING = [
	"path",
	"file_path",
	"command",
	"query",
	"pattern",
	"url",
	"name",
	"task",
	"action",
];

function callsOf(actions: readonly Action[], level: Level, cwd: string | undefined): string[] {
	if (level === 3) return [byName(actions)];
	const isTold = (action: Action) => level < 2 || hasChanged(action) || hasFailed(action.ending);
	const told = actions.filter(isTold).map((action) => callOf(action, level, cwd));
	return [...inGroups(told), byName(actions.filter((action) => !isTold(action)))];
}

/** Equal ones that follow each other told once, with their number. */
function inGroups(told: readonly string[]): string[] {
	const groups: { text: string; count: number }[] = [];
	for (const text of told) {
		const last = groups.at(-1);
		if (last?.text === text) last.count++;
		else groups.push({ text, count: 1 });
	}
	return groups.map(({ text, count }) => (count > 1 ? `${text} ×${count}` : text));
}

function callOf(action: Action, level: Level, cwd: string | undefined): string {
	const { name, ending, returned, images } = action;
	const call = [onOneLine(name), argumentOf(action, ARGUMENT_LIMIT[level], cwd)];
	const end: string[] = [];
	if (ending.how !== "ok") end.push(tellEnding(ending) ?? "no result");
	const isPlain = ending.how === "ok" && level > 0;
	if (!isPlain && !action.nested && ending.how !== "unknown") end.push(tellSize(returned));
	if (images > 0) end.push(images === 1 ? "1 image" : `${images} images`);
	const how = end.length > 0 ? ` → ${end.join(", ")}` : "";
	return call.filter((part) => part !== "").join(" ") + how;
}

function argumentOf(action: Action, limit: number, cwd: string | undefined): string {
	const path = pathOf(action);
	if (path !== undefined) return placeOf(path, cwd);
	const command = commandOf(action);
	if (command !== undefined) return tellCommand(command, cwd, limit);
	// its summary is long and stands elsewhere
	if (action.name === "send_dmail") return "";
	const values = Object.values(action.args);
	const telling =
		TELLING.map((key) => action.args[key]).find(isText) ??
		values.find(isText) ??
		values.find((value) => typeof value === "number" || typeof value === "boolean");
	return telling === undefined ? "" : shorten(onOneLine(String(telling)), limit);
}

function isText(value: unknown): value is string {
	return typeof value === "string" && value.trim() !== "";
}

/** `bash ×3, read, bash exit 1 ×2`: the failed ones on their own, with how they ended. */
function byName(actions: readonly Action[]): string {
	const names = actions.map(({ name, ending }) => {
		const how = hasFailed(ending) ? ` ${tellEnding(ending)}` : "";
		return onOneLine(name) + how;
	});
	return tally(names)
		.map(({ name, count }) => (count > 1 ? `${name} ×${count}` : name))
		.join(", ");
}

/** At most `limit` code points, cut after a word where there is one in the second half. */
function shorten(text: string, limit: number): string {
	if (text.length <= limit) return text;
	const points = Array.from(text);
	if (points.length <= limit) return text;
	const cut = points.slice(0, Math.max(0, limit - 1)).join("");
	const space = cut.lastIndexOf(" ");
	return `${space > cut.length / 2 ? cut.slice(0, space) : cut}…`;
}
