// Every view that a test makes is checked on the way: against the laws that hold for all of them, against the
// oracle, and against a replayer that took the branch in entry by entry.

import assert from "node:assert/strict";
import { type Asked, foldContext, type Marks, Replayer, type View } from "../../fold.ts";
import { ask, branch, print, textHost } from "../support/notation.ts";
import { type Branch, projection } from "./branch.ts";
import { checkView } from "./integrity.ts";
import { nameSource, oracle } from "./oracle.ts";

const OFF: Marks = { folds: false, markers: false };

/** The view of a branch asked for a reply, checked. */
export function viewOf(entries: Branch, asking = true): View<string> {
	const replayer = new Replayer(textHost);
	for (const entry of entries) replayer.push(entry);
	const view = replayer.view({ asking });
	checkView(entries, view, replayer.visible);
	assert.deepEqual(foldContext(entries, textHost, { asking }).messages, view.messages);
	equalsOracle(entries, replayer, { asking });
	const off = foldContext(entries, textHost, { marks: OFF, asking });
	assert.deepEqual(
		off.messages,
		projection(entries).map(({ message }) => message),
		"off is what the host shows",
	);
	return view;
}

/** Checks a replayer's view, its size and the states of its folds against the oracle. */
export function equalsOracle(
	entries: Branch,
	replayer: Replayer<string>,
	asked: Asked<string>,
	marks?: Marks,
): void {
	const view = replayer.view(asked);
	const slow = oracle(entries, textHost, {
		asking: asked.asking ?? false,
		hand: asked.hand,
		...(marks ? { marks } : {}),
	});
	assert.deepEqual(view.messages, slow.messages);
	assert.deepEqual(view.sources.map(nameSource), slow.sources);
	if (!asked.hand) assert.equal(replayer.size(asked.asking), sizeOf(slow.messages));
	const raw = oracle(entries, textHost, { asking: false, marks: { folds: false, markers: false } });
	assert.equal(replayer.rawSize(), sizeOf(raw.messages));
	const states = replayer.folds.map(({ record, state, from, to }) => ({ record, state, from, to }));
	assert.deepEqual(
		states,
		slow.folds.map(({ record, state, from, to }) => ({ record, state, from, to })),
	);
}

function sizeOf(messages: readonly string[]): number {
	return messages.reduce((sum, message) => sum + textHost.tokens(message), 0);
}

/** The branch of a line gives this view when a reply is asked for. */
export function same(line: string, view: string): void {
	assert.equal(print(viewOf(branch(line))), view);
}

/** The branch of a line gives this view while nothing is asked for. */
export function sameAtRest(line: string, view: string): void {
	assert.equal(print(viewOf(branch(line), false)), view);
}

/** A wish after the branch of a line is refused, with this reason. */
export function refused(line: string, wish: string, reason: RegExp): void {
	const answer = ask(line, wish);
	assert.ok(!answer.ok, `${wish} was allowed`);
	assert.match(answer.reason, reason);
}
