// Which keys of the view lead where. Pure: what a terminal sent goes in, moves come out.

import type { Key } from "ink";
import type { Move } from "./view-state.ts";

/** Characters as a terminal sends them, several at once where keys come fast. */
const CHARACTERS: Readonly<Record<string, Move>> = {
	q: "quit",
	f: "folds",
	s: "sort",
	h: "left",
	l: "right",
	k: "up",
	j: "down",
	g: "first",
	G: "last",
	"\r": "enter",
	"\n": "enter",
	"\t": "folds",
	"\b": "back",
	"\u007f": "back",
	// ctrl+c, which ink hears only where it comes alone
	"\u0003": "quit",
};

/** The moves that some input asks for, in its order: a key with a name is one, a run of characters one for each. */
export function movesOf(input: string, key: Key): Move[] {
	const named = namedMove(key);
	if (named) return [named];
	// the rest of an escape sequence that has no name: its letters are no keys
	if (input.length > 1 && /^[[O]/.test(input)) return [];
	return [...input].flatMap((character) => CHARACTERS[character] ?? []);
}

function namedMove(key: Key): Move | undefined {
	if (key.leftArrow) return "left";
	if (key.rightArrow) return "right";
	if (key.upArrow) return "up";
	if (key.downArrow) return "down";
	if (key.pageUp) return "pageUp";
	if (key.pageDown) return "pageDown";
	if (key.home) return "first";
	if (key.end) return "last";
	if (key.return) return "enter";
	if (key.escape || key.backspace) return "back";
	return key.tab ? "folds" : undefined;
}
