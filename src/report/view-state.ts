// Where somebody is in the view, and where a key takes him. Pure: nothing here draws or waits.

import type { Measured } from "../profile/measure.ts";
import type { FoldRow } from "../profile/profile.ts";

/** What is looked at. */
export type Subject = Measured;

type Pane = "chart" | "request" | "folds" | "fold";

/** How the list of folds is sorted. */
export const SORTS = ["order", "size", "state", "paid"] as const;
export type Sort = (typeof SORTS)[number];

/** What is on the screen. */
export interface ViewState {
	readonly pane: Pane;
	/** position of the request under the cursor, from 0 */
	readonly request: number;
	/** position in the sorted list of folds, from 0 */
	readonly fold: number;
	readonly sort: Sort;
	/** lines that a text is scrolled by */
	readonly scroll: number;
}

export type Move =
	| "left"
	| "right"
	| "up"
	| "down"
	| "pageUp"
	| "pageDown"
	| "first"
	| "last"
	| "enter"
	| "back"
	| "folds"
	| "sort"
	| "quit";

/** How far a page goes in the chart and in lists. */
const PAGE = 10;

/** The same with only the newest `last` requests to walk along; absent: all. Sums and folds stay those of all. */
export function showNewest(subject: Subject, last?: number): Subject {
	const { requests } = subject.profile;
	const from = last === undefined ? 0 : Math.max(0, requests.length - last);
	if (from === 0) return subject;
	const shown = { length: requests.length - from, at: (at: number) => requests.at(from + at) };
	return { ...subject, profile: { ...subject.profile, requests: shown } };
}

/** The newest request, in the chart. */
export function startState({ profile }: Subject): ViewState {
	const request = Math.max(0, profile.requests.length - 1);
	return { pane: "chart", request, fold: 0, sort: "order", scroll: 0 };
}

/** Where a key leads; undefined: out of the view. */
export function follow(state: ViewState, move: Move, subject: Subject): ViewState | undefined {
	switch (move) {
		case "quit":
			return undefined;
		case "back":
			return { ...state, pane: outOf(state.pane), scroll: 0 };
		case "enter":
			return enter(state, subject);
		case "folds":
			return { ...state, pane: state.pane === "folds" ? "chart" : "folds", scroll: 0 };
		case "sort":
			return state.pane === "folds" ? sortAnew(state, subject) : state;
		default:
			return step(state, move, subject);
	}
}

/** Positions of the folds of a profile in the order of a list. */
export function sortFolds(folds: readonly FoldRow[], sort: Sort): number[] {
	const positions = folds.map((_, at) => at);
	const by = KEYS[sort];
	return positions.sort((a, b) => {
		const [first, second] = [folds[a], folds[b]];
		return (first && second && by(first, second)) || a - b;
	});
}

const KEYS: Readonly<Record<Sort, (a: FoldRow, b: FoldRow) => number>> = {
	order: () => 0,
	size: (a, b) => (b.removedTokens ?? -1) - (a.removedTokens ?? -1),
	state: (a, b) => (a.state < b.state ? -1 : a.state > b.state ? 1 : 0),
	paid: (a, b) => rankOf(a) - rankOf(b),
};

function rankOf({ measured }: FoldRow): number {
	if (!measured || measured.paid === null) return 2;
	return measured.paid ? 0 : 1;
}

/** The list by the next order, the cursor still on its fold. */
function sortAnew(state: ViewState, { profile: { folds } }: Subject): ViewState {
	const sort = SORTS[(SORTS.indexOf(state.sort) + 1) % SORTS.length] ?? "order";
	const chosen = sortFolds(folds, state.sort)[state.fold] ?? 0;
	return { ...state, sort, fold: Math.max(0, sortFolds(folds, sort).indexOf(chosen)) };
}

function outOf(pane: Pane): Pane {
	return pane === "fold" ? "folds" : "chart";
}

function enter(state: ViewState, { profile }: Subject): ViewState {
	if (state.pane === "chart" && profile.requests.length > 0)
		return { ...state, pane: "request", scroll: 0 };
	if (state.pane === "folds" && profile.folds.length > 0)
		return { ...state, pane: "fold", scroll: 0 };
	return state;
}

const DISTANCES: Readonly<Partial<Record<Move, number>>> = {
	left: -1,
	right: 1,
	up: -1,
	down: 1,
	pageUp: -PAGE,
	pageDown: PAGE,
	first: Number.NEGATIVE_INFINITY,
	last: Number.POSITIVE_INFINITY,
};

/** Moves along the requests, down the list, or through a text; left and right change what is open. */
function step(state: ViewState, move: Move, { profile }: Subject): ViewState {
	const distance = DISTANCES[move] ?? 0;
	const sideways = move === "left" || move === "right";
	const { requests, folds } = profile;
	switch (state.pane) {
		case "chart":
			return { ...state, request: within(state.request + distance, requests.length) };
		case "folds":
			return { ...state, fold: within(state.fold + distance, folds.length) };
		case "request":
			return sideways
				? { ...state, request: within(state.request + distance, requests.length), scroll: 0 }
				: { ...state, scroll: Math.max(0, state.scroll + distance) };
		case "fold":
			return sideways
				? { ...state, fold: within(state.fold + distance, folds.length), scroll: 0 }
				: { ...state, scroll: Math.max(0, state.scroll + distance) };
	}
}

function within(position: number, length: number): number {
	return Math.max(0, Math.min(position, length - 1));
}
