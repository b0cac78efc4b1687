// Pairs a list of messages in hand with the messages that pi shows of a branch: monotone, by what a
// message is, never by place alone. What a message says may differ: another extension may have edited it.

import { callsOf } from "./branch.ts";
import {
	type AssistantMessage,
	type Block,
	blocksOf,
	type Content,
	type PiMessage,
} from "./entry.ts";
import { countMarkers, unmark } from "./message.ts";

/** A key that more than this many known messages share is paired by order, to stay linear. */
const MANY = 32;
/** How far around its place by order a message with such a key is looked for. */
const REACH = 8;

/**
 * For each message of `list` the index of the one in `known` that it is, or -1. The indices increase.
 *
 * Two messages are the same by role, call ids and timestamp; a command by what was run too, a custom
 * message by its type and content, a summary by its text. Where neither has a usable timestamp the
 * content stands in for it; where only one has, call ids alone decide, or the content. The time of a custom
 * message only tells equals apart.
 *
 * Another extension may have given messages another time. So what is left between two that are matched is looked
 * at once more without it: a reply by its calls or what it says, a result by its call, what the user said by its
 * words. First go those that only one of each side is like.
 *
 * @param mayBe whether a message of the list can be one of `known` as far as is known otherwise, by their indices
 */
export function match(
	known: readonly PiMessage[],
	list: readonly PiMessage[],
	mayBe?: (found: number, listed: number) => boolean,
): number[] {
	const matches = list.map(() => -1);
	const shorter = Math.min(known.length, list.length);
	let head = 0;
	while (head < shorter && isSame(known[head], list[head])) {
		matches[head] = head;
		head++;
	}
	const shift = known.length - list.length;
	let tail = list.length;
	while (tail > head && tail + shift > head && isSame(known[tail + shift - 1], list[tail - 1])) {
		tail--;
		matches[tail] = tail + shift;
	}
	const middle = { known: [head, tail + shift], list: [head, tail] } as const;
	if (isEmpty(middle)) return matches;
	pair(known, list, { ...middle, keyOf, mayPair: mayBe, matches });
	const left = gapsOf(matches, middle);
	if (left.length === 0) return matches;
	const isRedated = redating(known, list, matches);
	const mayBeRedated = (found: number, listed: number) =>
		isRedated(found, listed) && (mayBe?.(found, listed) ?? true);
	for (const gap of left)
		pair(known, list, { ...gap, keyOf: ownKeyOf, mayPair: mayBeRedated, isUnique: true, matches });
	const mayPair = (found: number, listed: number) =>
		(isUntimed(known[found]) || isUntimed(list[listed]) || isRedated(found, listed)) &&
		(mayBe?.(found, listed) ?? true);
	for (const gap of gapsOf(matches, middle)) {
		const next = list[gap.list[1]];
		// a list that was cut short: what is left of it is near to what comes next; so is the call of a result
		const takesLast = next !== undefined && (gap.list[0] === 0 || next.role === "toolResult");
		pair(known, list, { ...gap, keyOf: looseKeyOf, mayPair, takesLast, matches });
	}
	return matches;
}

/** A stretch of both lists; half-open. */
interface Stretch {
	readonly known: readonly [from: number, to: number];
	readonly list: readonly [from: number, to: number];
}

interface Pairing extends Stretch {
	/** what two messages must have in common; absent: it pairs with none */
	readonly keyOf: (message: PiMessage) => string | undefined;
	readonly mayPair?: ((found: number, listed: number) => boolean) | undefined;
	/** whether of equals the last ones pair */
	readonly takesLast?: boolean;
	/** whether only messages pair whose key no other has, on either side */
	readonly isUnique?: boolean;
	readonly matches: number[];
}

function isEmpty({ known, list }: Stretch): boolean {
	return known[0] >= known[1] || list[0] >= list[1];
}

/** The stretches of a stretch in which nothing is matched on either side. */
function gapsOf(matches: readonly number[], middle: Stretch): Stretch[] {
	const gaps: Stretch[] = [];
	let [knownFrom] = middle.known;
	let [listFrom] = middle.list;
	const [first, last] = middle.list;
	for (const [nth, found] of [...matches.slice(first, last), middle.known[1]].entries()) {
		if (found < 0) continue;
		const index = first + nth;
		const gap: Stretch = { known: [knownFrom, found], list: [listFrom, index] };
		if (!isEmpty(gap)) gaps.push(gap);
		knownFrom = found + 1;
		listFrom = index + 1;
	}
	return gaps;
}

interface Link {
	readonly listed: number;
	readonly found: number;
	readonly before: Link | undefined;
}

/**
 * Longest common subsequence by key, after Hunt and Szymanski: linear where keys are mostly unique. Of equals
 * the first are taken, or the last: then both are gone through from the end.
 */
function pair(known: readonly PiMessage[], list: readonly PiMessage[], pairing: Pairing): void {
	const [from, to] = pairing.list;
	const sign = pairing.takesLast ? -1 : 1;
	const candidates = candidatesOf(known, list, pairing);
	// the last link of the best chain of each length; chains end ever later in `known`
	const chains: Link[] = [];
	for (let nth = 0; nth < to - from; nth++) {
		const listed = pairing.takesLast ? to - 1 - nth : from + nth;
		// from the last on, so that no chain takes two of them
		for (const found of candidates.get(listed)?.toSorted((a, b) => sign * (b - a)) ?? []) {
			const length = firstEndingAtOrAfter(chains, found, sign);
			chains[length] = { listed, found, before: chains[length - 1] };
		}
	}
	for (let link = chains.at(-1); link; link = link.before)
		pairing.matches[link.listed] = link.found;
}

function firstEndingAtOrAfter(chains: readonly Link[], found: number, sign: 1 | -1): number {
	let low = 0;
	let high = chains.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		const link = chains[middle];
		if (link && sign * (link.found - found) >= 0) high = middle;
		else low = middle + 1;
	}
	return low;
}

/** For each message of the list which known messages it may be, in order. */
function candidatesOf(
	known: readonly PiMessage[],
	list: readonly PiMessage[],
	{ keyOf, mayPair, isUnique, ...stretch }: Pairing,
): Map<number, readonly number[]> {
	const candidates = new Map<number, readonly number[]>();
	const placesOf = indexByKey(known, stretch.known, keyOf);
	for (const [key, listedAt] of indexByKey(list, stretch.list, keyOf)) {
		const places = placesOf.get(key);
		if (!places || (isUnique && places.length + listedAt.length > 2)) continue;
		for (const [rank, listed] of listedAt.entries()) {
			const near = nearest(places, rank, listedAt.length);
			candidates.set(listed, mayPair ? near.filter((place) => mayPair(place, listed)) : near);
		}
	}
	return candidates;
}

function indexByKey(
	messages: readonly PiMessage[],
	[from, to]: readonly [number, number],
	keyOf: Pairing["keyOf"],
): Map<string, number[]> {
	const places = new Map<string, number[]>();
	for (let at = from; at < to; at++) {
		const message = messages[at];
		const key = message && keyOf(message);
		if (key === undefined) continue;
		const list = places.get(key);
		if (list) list.push(at);
		else places.set(key, [at]);
	}
	return places;
}

/** All places if they are few, else those around the `rank`th of `count` by order, from either end. */
function nearest(places: readonly number[], rank: number, count: number): readonly number[] {
	if (places.length <= MANY) return places;
	const fromEnd = places.length - count + rank;
	const first = Math.max(0, Math.min(rank, fromEnd));
	const second = Math.max(rank, fromEnd);
	const seam = first + REACH + 1;
	return [
		...places.slice(Math.max(0, first - REACH), seam),
		...places.slice(Math.max(seam, second - REACH), second + REACH + 1),
	];
}

/** The same as equal keys, without making any: most lists differ nowhere. */
function isSame(a: PiMessage | undefined, b: PiMessage | undefined): boolean {
	if (!a || !b || a.role !== b.role) return false;
	if ("summary" in a && "summary" in b) return a.summary === b.summary;
	const time = timeOf(a);
	if (time !== timeOf(b)) return false;
	if (a.role === "custom" && b.role === "custom")
		return a.customType === b.customType && isSameContent(a.content, b.content);
	if (a.role === "toolResult" && b.role === "toolResult") return a.toolCallId === b.toolCallId;
	if (a.role === "assistant" && b.role === "assistant" && !isSameCalls(a, b)) return false;
	return time !== undefined && a.role !== "bashExecution" ? true : keyOf(a) === keyOf(b);
}

/** Whether two replies make calls of the same ids, in the same order. */
function isSameCalls(a: AssistantMessage, b: AssistantMessage): boolean {
	// block by block, without a list of either's calls: this is asked for each reply of each request
	const others = blocksOf(b.content);
	let at = 0;
	for (const block of blocksOf(a.content)) {
		if (block.type !== "toolCall") continue;
		at = nextCall(others, at);
		const other = others[at++];
		if (other?.type !== "toolCall" || textOf(other.id) !== textOf(block.id)) return false;
	}
	return nextCall(others, at) === others.length;
}

function textOf(value: unknown): string {
	return typeof value === "string" ? value : "";
}

/** The first call at or after a place; the number of blocks without one. */
function nextCall(blocks: readonly Block[], from: number): number {
	let at = from;
	while (at < blocks.length && blocks[at]?.type !== "toolCall") at++;
	return at;
}

function isSameContent(a: Content, b: Content): boolean {
	const [mine, others] = [blocksOf(a), blocksOf(b)];
	return (
		mine.length === others.length &&
		mine.every((block, at) => {
			const other = others[at];
			return other?.type === block.type && saidIn(other) === saidIn(block);
		})
	);
}

function keyOf(message: PiMessage): string {
	const time = timeOf(message);
	switch (message.role) {
		case "custom":
			return `${looseKeyOf(message)} ${time}`;
		case "branchSummary":
		case "compactionSummary":
			return `${message.role} ${message.summary}`;
		case "bashExecution":
			return `${message.role} ${time} ${message.command}`;
		case "toolResult":
			return `${message.role} ${time} ${message.toolCallId}`;
		case "assistant":
		case "user":
			return `${message.role} ${time} ${callKey(message)} ${time === undefined ? looseKeyOf(message) : ""}`;
		default:
			return `${message.role} ${time}`;
	}
}

/** What a message is without its timestamp; absent where nothing but that tells it from others. */
function looseKeyOf(message: PiMessage): string | undefined {
	switch (message.role) {
		case "user":
			// an earlier pass of ours may have put a marker at its end
			return `user ${contentKey(unmark(message, countMarkers(message)).content)}`;
		case "assistant":
			return `assistant ${callKey(message) || `says ${contentKey(message.content)}`}`;
		case "toolResult":
			return message.toolCallId ? `result ${message.toolCallId}` : undefined;
		case "bashExecution":
			return `bash ${message.command}`;
		case "custom":
			return `custom ${message.customType} ${contentKey(message.content)}`;
		default:
			return undefined;
	}
}

/**
 * Whether two messages may be one that was given another time: not where the list's own time is that of a known
 * message that is still to be found.
 *
 * @param matches what is found so far
 */
function redating(
	known: readonly PiMessage[],
	list: readonly PiMessage[],
	matches: readonly number[],
): (found: number, listed: number) => boolean {
	const taken = new Set(matches);
	const awaited = new Set(known.flatMap((one, at) => (taken.has(at) ? [] : [keyOf(one)])));
	const isOther = list.map((one, at) => matches[at] === -1 && !awaited.has(keyOf(one)));
	return (found, listed) => {
		const [one, other] = [known[found], list[listed]];
		if (!one || !other || isUntimed(one) || isUntimed(other)) return false;
		return isOther[listed] === true && isSameAnswer(one, other);
	};
}

/** Whether nothing tells two replies apart that a new time leaves alone: an attempt is no reply made again. */
function isSameAnswer(one: PiMessage, other: PiMessage): boolean {
	if (one.role !== "assistant" || other.role !== "assistant") return true;
	if (one.stopReason !== other.stopReason) return false;
	return (
		one.responseId === undefined ||
		other.responseId === undefined ||
		one.responseId === other.responseId
	);
}

/** What is likely no other message's, time aside; absent where the messages around it tell better. */
function ownKeyOf(message: PiMessage): string | undefined {
	switch (message.role) {
		case "assistant":
			return message.responseId ?? `${callKey(message)} ${JSON.stringify(message.content)}`;
		case "user":
		case "bashExecution":
			return looseKeyOf(message);
		default:
			return undefined;
	}
}

/** 0.73 gives a custom message another time when it reads the session again. */
function isUntimed(message: PiMessage | undefined): boolean {
	return message?.role === "custom" || (message !== undefined && timeOf(message) === undefined);
}

function timeOf(message: PiMessage): number | undefined {
	return Number.isFinite(message.timestamp) ? message.timestamp : undefined;
}

function callKey(message: PiMessage): string {
	if (message.role !== "assistant") return "";
	const calls = callsOf(message);
	return calls.length === 0 ? "" : JSON.stringify(calls.map((call) => call.id));
}

function contentKey(content: Content): string {
	return JSON.stringify(blocksOf(content).map((block) => [block.type, saidIn(block)]));
}

/** Of a block of another kind its type alone tells it from others. */
function saidIn(block: Block): string | undefined {
	switch (block.type) {
		case "text":
			return block.text;
		case "thinking":
			return block.thinking;
		case "image":
			return block.data;
		default:
			return undefined;
	}
}
