// Says where on the branch each message of a list in hand stands, and which of them the branch does not
// have yet. What an earlier pass of ours left in the list is taken out of it first. Never edits a message.

import type { Entry, Fold } from "../../fold.ts";
import { messageEntry, type Shown } from "./branch.ts";
import { blocksOf, type PiMessage } from "./entry.ts";
import { match } from "./match.ts";
import { countMarkers, foldOfChip, isNote, unmark } from "./message.ts";

/** How a list is to be read. */
export interface Alignment {
	/** whether the branch may lag behind the messages, as on 0.73 */
	readonly lag: boolean;
	/** how many entries the branch has */
	readonly length: number;
	/** folds whose chip is in view; without them no chip in the list is taken for ours */
	readonly folds?: readonly Pick<Fold, "record" | "from" | "to">[] | undefined;
}

/** A list in hand, matched with its branch: `foldContext([...branch, ...live], piHost, { hand: aligned })`. */
export interface Aligned {
	/** the list as given, without what an earlier pass of ours had put there */
	readonly list: readonly PiMessage[];
	/** for each message its position on the branch followed by `live`; -1: the branch does not know it */
	readonly at: readonly number[];
	/** by fold: chips of an earlier pass */
	readonly chips: ReadonlyMap<string, PiMessage>;
	/** messages that the branch does not have yet, in order */
	readonly live: readonly Entry<PiMessage>[];
}

/**
 * Aligns a list with what pi shows of a branch.
 *
 * The order of `at` is that of `projection`. A message whose content was edited is still the same, and
 * stays as it is in hand. Without lag a message that the projection does not have is foreign; with it
 * such a message is live if nothing after it is matched: the branch has not got to it yet.
 *
 * Ours applied to its own output changes nothing: a marker at the end of a message is taken off where
 * the branch's own message has fewer, a note is left out, and a chip stands for its range again.
 */
export function align(
	projection: readonly Shown[],
	list: readonly PiMessage[],
	alignment: Alignment,
): Aligned {
	const known = projection.map((shown) => shown.message);
	const aligner = new Aligner(projection, match(known, list), alignment);
	aligner.look(list);
	for (const [index, message] of list.entries()) aligner.take(message, index);
	const { at, chips, live } = aligner;
	return { list: aligner.isSame(list) ? list : aligner.list, at, chips, live };
}

type Span = Pick<Fold, "from" | "to">;

/** Goes through one list, left to right. */
class Aligner {
	readonly list: PiMessage[] = [];
	readonly at: number[] = [];
	readonly chips = new Map<string, PiMessage>();
	readonly live: Entry<PiMessage>[] = [];
	private readonly projection: readonly Shown[];
	private readonly matches: readonly number[];
	private readonly alignment: Alignment;
	private readonly folds: ReadonlyMap<string, Span>;
	/** the position of what leads the projection: no range hides it; -1: nothing leads */
	private readonly lead: number;
	/** the index of the last message that stands for something on the branch */
	private lastKnown = -1;
	/** the newest message of the projection that the list has so far */
	private reached = -1;
	/** where in the list the next matched message was looked for last */
	private next = 0;
	/** whether an earlier pass of ours is known to have had the list */
	private passed = false;

	constructor(projection: readonly Shown[], matches: readonly number[], alignment: Alignment) {
		this.projection = projection;
		this.matches = matches;
		this.alignment = alignment;
		this.folds = new Map(alignment.folds?.map((fold) => [fold.record.id, fold]));
		const leads = projection.find((shown) => shown.message.role === "compactionSummary");
		this.lead = leads?.at ?? -1;
	}

	/** Sees where the branch ends in a list that is about to be taken. */
	look(list: readonly PiMessage[]): void {
		this.lastKnown = list.findLastIndex(
			(message, index) => (this.matches[index] ?? -1) >= 0 || this.chipOf(message) !== undefined,
		);
	}

	/** The fold in view whose chip a message is. */
	private chipOf(message: PiMessage): string | undefined {
		const fold = foldOfChip(message);
		return fold !== undefined && this.folds.has(fold) ? fold : undefined;
	}

	isSame(list: readonly PiMessage[]): boolean {
		return !this.passed && list.length === this.list.length;
	}

	take(message: PiMessage, index: number): void {
		const found = this.matches[index] ?? -1;
		const shown = this.projection[found];
		if (shown) {
			this.reached = found;
			this.add(this.unmarked(message, shown.message), shown.at);
			return;
		}
		const fold = this.chipOf(message);
		if (fold !== undefined) this.takeChip(message, fold, index);
		else if (isNote(message)) this.passed = true;
		else if (this.isLive(message, index)) this.addLive(message);
		else this.add(message, -1);
	}

	/**
	 * Lets a chip stand at the first message of its range that the list has passed without having it.
	 * Where there is none, the range's own messages are in the list and bring the chip themselves.
	 */
	private takeChip(message: PiMessage, fold: string, index: number): void {
		this.passed = true;
		const plain = unmark(message, countMarkers(message));
		if (!this.chips.has(fold)) this.chips.set(fold, plain);
		const place = this.placeIn(this.folds.get(fold), this.nextMatchAfter(index));
		const shown = this.projection[place];
		if (!shown) return;
		this.reached = place;
		this.add(plain, shown.at);
	}

	private placeIn(range: Span | undefined, end: number): number {
		if (!range) return -1;
		for (let place = this.reached + 1; place < end; place++) {
			const shown = this.projection[place];
			if (!shown || shown.at === this.lead || shown.message.role === "system") continue;
			if (shown.at >= range.to) break;
			if (shown.at >= range.from) return place;
		}
		return -1;
	}

	private nextMatchAfter(index: number): number {
		this.next = Math.max(this.next, index + 1);
		while ((this.matches[this.next] ?? 0) < 0) this.next++;
		return this.matches[this.next] ?? this.projection.length;
	}

	private add(message: PiMessage, at: number): void {
		this.list.push(message);
		this.at.push(at);
	}

	private unmarked(message: PiMessage, own: PiMessage): PiMessage {
		const marked = countMarkers(message);
		const surplus = marked === 0 ? 0 : marked - countMarkers(own);
		if (surplus <= 0) return message;
		this.passed = true;
		return unmark(message, surplus);
	}

	/** A summary of a compaction is stored before anybody sees it: one that is not there is not pi's. */
	private isLive(message: PiMessage, index: number): boolean {
		return this.alignment.lag && index > this.lastKnown && message.role !== "compactionSummary";
	}

	private addLive(message: PiMessage): void {
		const at = this.alignment.length + this.live.length;
		const plain = this.isMarked(message) ? unmark(message, 1) : message;
		if (plain !== message) this.passed = true;
		this.live.push(messageEntry("", plain, "0.73"));
		this.add(plain, at);
	}

	/**
	 * There is nothing to compare a live message with, and a tool may end its output with what looks
	 * like a marker: so it is ours only if the list shows elsewhere that it went through us. What the
	 * user writes is one block, so a second one is proof enough.
	 */
	private isMarked(message: PiMessage): boolean {
		if (countMarkers(message) === 0) return false;
		return this.passed || (message.role === "user" && blocksOf(message.content).length > 1);
	}
}
