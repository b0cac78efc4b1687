// Says where on the branch each message of a list in hand stands, and which of them the branch does not
// have yet. What an earlier pass of ours left in the list is taken out of it first. Never edits a message.

import type { Entry, Replayer } from "../../fold.ts";
import { messageEntry, type Shown } from "./branch.ts";
import { chipsIn, pairUp } from "./chips.ts";
import { type Block, blocksOf, type PiMessage } from "./entry.ts";
import { countMarkers, isNote, lastMarker, piHost, unmark } from "./message.ts";

/** How a list is to be read. */
export interface Alignment {
	/** whether the branch may lag behind the messages, as on 0.73 */
	readonly lag: boolean;
	/** how many entries the branch has */
	readonly length: number;
	/** the branch, replayed; without it no chip in the list is taken for ours */
	readonly replayer?: Replayer<PiMessage> | undefined;
}

/** A list in hand, matched with its branch: `foldContext([...branch, ...live], piHost, { hand: aligned })`. */
export interface Aligned {
	/** the list as given, without what an earlier pass of ours had put there */
	readonly list: readonly PiMessage[];
	/** for each message its position on the branch followed by `live`; -1: the branch does not know it */
	readonly at: readonly number[];
	/** chips of an earlier pass, by the position of their fold's record */
	readonly chips: ReadonlyMap<number, PiMessage>;
	/** messages that the branch does not have yet, in order */
	readonly live: readonly Entry<PiMessage>[];
	/** whether next to no reply or result of the list is one that the branch has: then nothing is known of it */
	readonly isStrange: boolean;
}

/**
 * Aligns a list with what pi shows of a branch.
 *
 * The order of `at` is that of `projection`. A message whose content was edited is still the same, and
 * stays as it is in hand. Without lag a message that the projection does not have is foreign; with it
 * such a message is live if nothing after it is matched: the branch has not got to it yet. In a strange list none
 * is: another extension made its messages others, and all that the branch has would count once more.
 *
 * Ours applied to its own output changes nothing: a marker at the end of a message is taken off where
 * the branch's own message has fewer, a note is left out, and a chip stands for its range again. Not to the
 * byte where messages are in hand that the branch does not have: of those only markers tell, and others can
 * imitate them.
 */
export function align(
	projection: readonly Shown[],
	list: readonly PiMessage[],
	alignment: Alignment,
): Aligned {
	const found = chipsIn(list, alignment.replayer);
	const pairs = pairUp(projection, list, found);
	const aligner = new Aligner(
		alignment,
		new Map(found.chips.map(({ message, fold }) => [message, fold])),
	);
	const last = pairs.findLastIndex((shown) => shown !== undefined);
	for (const [index, message] of list.slice(0, last + 1).entries())
		aligner.take(message, pairs[index]);
	const isStrange = found.chips.length === 0 && isOfAnother(projection, list, pairs);
	const live = alignment.lag && !isStrange ? aligner.startOfLive(list, last + 1) : list.length;
	for (const message of list.slice(last + 1, live)) aligner.take(message, undefined);
	for (const message of list.slice(live)) aligner.takeLive(message);
	return { ...aligner.finish(list), isStrange };
}

/** Of this many replies and results at least one is found in a list that others only edited. */
const SPARSE = 4;

function isOfAnother(
	projection: readonly Shown[],
	list: readonly PiMessage[],
	pairs: readonly (Shown | undefined)[],
): boolean {
	const given = list.filter(isWork).length;
	const found = list.filter((message, index) => pairs[index] && isWork(message)).length;
	// most lists are done with here
	if (found * SPARSE >= given) return false;
	const known = projection.filter(({ message }) => isWork(message)).length;
	return found * SPARSE < known;
}

/** A failed reply is none: 0.73 takes it out of the list when it tries again. */
function isWork(message: PiMessage): boolean {
	const kind = piHost.kind(message);
	return kind === "assistant" || kind === "result";
}

/** Takes one list in, message by message. */
class Aligner {
	private readonly list: PiMessage[] = [];
	private readonly at: number[] = [];
	private readonly live: Entry<PiMessage>[] = [];
	private readonly plainChips = new Map<number, PiMessage>();
	private readonly alignment: Alignment;
	private readonly chips: ReadonlyMap<PiMessage, number>;
	/** whether an earlier pass of ours is known to have had the list */
	private hasPassed: boolean;

	/** @param chips by message: the position of the record of the fold whose chip it is */
	constructor(alignment: Alignment, chips: ReadonlyMap<PiMessage, number>) {
		this.alignment = alignment;
		this.chips = chips;
		this.hasPassed = chips.size > 0;
	}

	finish(given: readonly PiMessage[]): Omit<Aligned, "isStrange"> {
		const { at, live, plainChips: chips } = this;
		return { list: this.hasPassed ? this.list : given, at, chips, live };
	}

	/** A message that the branch has as `shown`, or does not have. */
	take(message: PiMessage, shown: Shown | undefined): void {
		const fold = this.chips.get(message);
		if (shown && fold !== undefined) {
			const chip = unmark(message, countMarkers(message));
			this.plainChips.set(fold, chip);
			this.add(chip, shown.at);
		} else if (shown) this.add(this.unmark(message, surplus(message, shown.message)), shown.at);
		else if (isNote(message)) this.hasPassed = true;
		else this.add(message, -1);
	}

	/** Where the live messages begin in a list of which nothing from `from` on is matched. */
	startOfLive(list: readonly PiMessage[], from: number): number {
		const steps = this.alignment.replayer?.steps.count;
		return this.hasPassed && steps !== undefined ? startOfMarked(list, from, steps) : from;
	}

	/** A message that the branch will have next. */
	takeLive(message: PiMessage): void {
		// pi stores the summary of a compaction before anybody sees it: one that is not there is not pi's
		if (isNote(message) || message.role === "compactionSummary") {
			this.take(message, undefined);
			return;
		}
		const plain = this.unmark(message, this.isMarked(message) ? 1 : 0);
		this.add(plain, this.alignment.length + this.live.length);
		this.live.push(messageEntry("", plain, "0.73"));
	}

	private add(message: PiMessage, at: number): void {
		this.list.push(message);
		this.at.push(at);
	}

	private unmark(message: PiMessage, count: number): PiMessage {
		if (count > 0) this.hasPassed = true;
		return unmark(message, count);
	}

	/**
	 * There is nothing to compare a live message with, and a tool may end its output with what looks
	 * like a marker: so it is ours only if the list shows elsewhere that it went through us. What the
	 * user writes is one block, so a second one is proof enough.
	 */
	private isMarked(message: PiMessage): boolean {
		if (countMarkers(message) === 0) return false;
		return this.hasPassed || (message.role === "user" && blocksOf(message.content).length > 1);
	}
}

/**
 * How many markers a message has at its end that the branch's own does not have. Own content that is still
 * whole is left alone, whatever it ends with: what is ours stands behind it, and behind what others added.
 */
function surplus(message: PiMessage, own: PiMessage): number {
	if (message.role !== "user" && message.role !== "toolResult") return 0;
	const marked = countMarkers(message);
	if (marked === 0 || !("content" in own)) return 0;
	const [blocks, owned] = [blocksOf(message.content), blocksOf(own.content)];
	const isWhole = owned.every((block, at) => isSameText(block, blocks[at]));
	return isWhole
		? Math.min(marked, blocks.length - owned.length)
		: Math.max(0, marked - countMarkers(own));
}

function isSameText(block: Block, other: Block | undefined): boolean {
	if (block.type !== "text") return block.type === other?.type;
	return other?.type === "text" && other.text === block.text;
}

/**
 * The same in a list that has passed us. There, messages that stood inside a range stand after its chip:
 * they are foreign, though nothing after them is matched.
 *
 * The newest marker tells how many replies the branch lacks. Live are the last that many and what comes
 * after them; before them the messages with a marker, and an attempt after which a marker is repeated.
 */
function startOfMarked(list: readonly PiMessage[], from: number, steps: number): number {
	const made = stepsIn(list);
	if (made === undefined) return from;
	let missing = made - steps;
	let start = list.length;
	let marker: number | undefined;
	for (let index = list.length - 1; index >= from; index--) {
		const message = list[index];
		const kind = message && piHost.kind(message);
		if (kind === "assistant") {
			if (missing <= 0) break;
			missing--;
			start = index;
			marker = undefined;
		} else if (kind === "attempt") {
			if (marker !== undefined && hasMarker(list.slice(0, index), marker)) start = index;
		} else {
			const step = message && lastMarker(message);
			if (step !== undefined) start = index;
			marker = step ?? marker;
		}
	}
	return start;
}

/** How many steps there were when a list passed us, by its newest marker. */
function stepsIn(list: readonly PiMessage[]): number | undefined {
	const newest = list.findLastIndex((message) => lastMarker(message) !== undefined);
	const marker = list[newest] && lastMarker(list[newest]);
	if (marker === undefined) return undefined;
	// no marker stands behind a reply whose calls still wait: then the newest one is that reply's own
	const isAnswered = list.slice(newest).some((message) => piHost.kind(message) === "assistant");
	return isAnswered ? marker : marker - 1;
}

function hasMarker(list: readonly PiMessage[], step: number): boolean {
	return list.some((message) => lastMarker(message) === step);
}
