// Replays a branch and its records into the view that is sent. One replayer serves everyone: the hook
// feeds it a branch and a list in hand, the profiler advances it request by request.

import { keptOf, type LookUp } from "./contents.ts";
import type { Entry, Host } from "./entry.ts";
import { type Fold, Folds, type Unreadable } from "./folds.ts";
import type { Range } from "./forest.ts";
import { Nudges } from "./nudge.ts";
import { Raw } from "./raw.ts";
import { type Marks, Renderer } from "./render.ts";
import type { Source } from "./sheet.ts";
import { Steps } from "./steps.ts";

/** A list of messages that the host hands in, matched with the branch. */
export interface Hand<M> {
	readonly list: readonly M[];
	/** for each message its position on the branch; -1: the branch does not know it */
	readonly at: readonly number[];
	/** chips that stood in the list already, from an earlier pass, by the position of their fold's record */
	readonly chips?: ReadonlyMap<number, M> | undefined;
}

/** What is sent. */
export interface View<M> {
	readonly messages: readonly M[];
	/** for each message where it came from */
	readonly sources: readonly Source[];
	/** the step that the next reply is, 1-based */
	readonly next: number;
}

/** What a view is asked for. */
export interface Asked<M> {
	/** whether a reply is asked for: then its marker is in the view */
	readonly asking?: boolean | undefined;
	/** the list to lay out; without it, what the branch shows */
	readonly hand?: Hand<M> | undefined;
}

/** Chips, pointers and markers: D-Mail is on. */
export const ALL_MARKS: Marks = { folds: true, markers: true };

/**
 * The view of a branch.
 *
 * Laws of every view, each a property test with these words; the others stand with the function that keeps them:
 *
 * 1. Without records and markers the view is the same array.
 * 2. Same branch and records, same bytes; no input is ever mutated.
 * 3. Prefix: appending an entry that is neither a record, nor a compaction, nor a context edit only appends
 *    to the view; and a view asked for a reply is a prefix of the view once that reply or attempt is in.
 * 4. A record changes no byte before its range, a landing none before the earliest range it lands; a held
 *    record or a pin changes no byte.
 * 7. Nothing vanishes: every message of the host's projection is shown, or lies under exactly one visible chip.
 */
export function foldContext<M>(
	branch: readonly Entry<M>[],
	host: Host<M>,
	asked: Asked<M> & { readonly marks?: Marks | undefined } = {},
): View<M> {
	const replayer = new Replayer(host, asked.marks ?? ALL_MARKS);
	for (const entry of branch) replayer.push(entry);
	return replayer.view(asked);
}

/**
 * Replays entries as they come.
 *
 * 16. The replayer equals the slow, obvious oracle; advancing it request by request equals starting anew.
 * 17. Linear: a view costs O(entries + records · log records), one more only what came in since.
 */
export class Replayer<M> {
	readonly steps = new Steps<M>();
	private readonly folding = new Folds<M>(this.steps);
	private readonly host: Host<M>;
	private readonly marks: Marks;
	private readonly renderer: Renderer<M>;
	private readonly nudges: Nudges<M> | undefined;
	private readonly raw: Raw<M>;
	/** the next position to lay out; -1: the start of the era */
	private next = -1;
	/** the earliest position whose own message changed since */
	private edited = Number.POSITIVE_INFINITY;

	constructor(host: Host<M>, marks: Marks = ALL_MARKS) {
		this.host = host;
		this.marks = marks;
		if (marks.markers && marks.nudgeAt !== undefined)
			this.nudges = new Nudges(this.steps, this.folding, marks.nudgeAt);
		this.raw = new Raw(this.steps, host);
		this.renderer = this.newRenderer((at) => this.steps.messageAt(at));
	}

	/** Takes the next entry of the branch in. */
	push(entry: Entry<M>): void {
		if (entry.targetId !== undefined) this.edit(entry.targetId, entry.message);
		const at = this.steps.push(entry);
		if (entry.kind === "record") this.folding.push(entry, at);
		else if (entry.kind === "compaction") this.folding.moveEra();
		this.nudges?.push(entry, at);
	}

	/** Every fold record of the branch in order, with what became of it. */
	get folds(): readonly Fold[] {
		this.settle();
		return this.folding.all;
	}

	/** Folds whose chip is in view, in branch order. */
	get visible(): readonly Fold[] {
		this.settle();
		return this.folding.visible;
	}

	/** Records of ours that could not be read. */
	get unreadable(): readonly Unreadable[] {
		return this.folding.unreadable;
	}

	/** Ranges that may not be folded. */
	get pins(): readonly Range[] {
		return this.folding.pins;
	}

	/**
	 * The fold that stands against a range: the outermost landed one around it, else the first that it would
	 * cut through.
	 */
	clash(range: Range): Fold | undefined {
		this.settle();
		return this.folding.clash(range);
	}

	/** The newest fold with this id. */
	find(id: string): Fold | undefined {
		this.settle();
		return this.folding.find(id);
	}

	/** The positions inside a fold's range that stay as messages of their own. */
	kept(fold: Fold): readonly number[] {
		return keptOf(fold, this.steps, (at) => this.steps.messageAt(at));
	}

	/** The view as it stands, of the branch or of a list in hand. */
	view(asked: Asked<M> = {}): View<M> {
		const asking = asked.asking ?? false;
		this.settle();
		if (asked.hand) return this.viewOfHand(asked.hand, asking);
		this.layOut();
		return { ...this.renderer.finish(asking), next: this.steps.count + 1 };
	}

	/** Size of `view(…)` in tokens; a request more costs what came in since the last one. */
	size(asking = false): number {
		this.settle();
		this.layOut();
		return this.renderer.size(asking);
	}

	/** Size in tokens of the view without chips, pointers and markers, whatever marks this one has. */
	rawSize(): number {
		return this.raw.size();
	}

	private newRenderer(lookUp: LookUp<M>, chips?: ReadonlyMap<number, M>): Renderer<M> {
		const { steps, folding, host, marks, nudges } = this;
		return new Renderer({ steps, folds: folding, host, marks, nudges, lookUp, chips });
	}

	private settle(): void {
		const from = Math.min(this.folding.settle(), this.edited);
		this.edited = Number.POSITIVE_INFINITY;
		if (from === Number.POSITIVE_INFINITY) return;
		this.next = this.renderer.rewind(from);
	}

	private layOut(): void {
		if (this.next === -1) this.next = this.layOutLead(this.renderer);
		const { entries } = this.steps;
		for (; this.next < entries.length; this.next++)
			if (this.steps.isShownAt(this.next))
				this.renderer.place(this.next, this.steps.messageAt(this.next));
	}

	private layOutLead(renderer: Renderer<M>): number {
		const { start, compaction } = this.steps.era;
		const entry = this.steps.entries[compaction];
		for (const message of [entry?.head, entry?.message])
			if (message !== undefined) renderer.placeLead(message, compaction);
		return start;
	}

	private viewOfHand(hand: Hand<M>, asking: boolean): View<M> {
		const { entries, era } = this.steps;
		const renderer = this.newRenderer(lookUp(hand), hand.chips);
		let passed = era.start;
		let last = -1;
		const pass = (to: number) => {
			for (; passed < to; passed++) renderer.place(passed, undefined);
		};
		for (const [index, message] of hand.list.entries()) {
			const at = hand.at[index] ?? -1;
			const entry = entries[at];
			if (!entry) renderer.placeForeign(message, last);
			else if (at === era.compaction) renderer.placeLead(message, at);
			else {
				pass(at);
				renderer.place(at, message);
				// what a chip of an earlier pass keeps may stand before a system message of its range
				passed = Math.max(passed, at + 1);
			}
			last = Math.max(last, at);
		}
		pass(entries.length);
		const view = { ...renderer.finish(asking), next: this.steps.count + 1 };
		return isSame(view.messages, hand.list) ? { ...view, messages: hand.list } : view;
	}

	private edit(targetId: string, message: M | undefined): void {
		const at = this.steps.positionOf(targetId) ?? -1;
		const target = this.steps.entries[at];
		if (!target) return;
		this.raw.edit(at, message);
		if (message === undefined) this.steps.hasGaps = true;
		this.steps.entries[at] = { ...target, message };
		// out of view now, but a later compaction may keep from further back
		if (at >= this.steps.era.start) this.edited = Math.min(this.edited, at);
	}
}

function isSame<M>(some: readonly M[], others: readonly M[]): boolean {
	return some.length === others.length && some.every((one, i) => one === others[i]);
}

function lookUp<M>(hand: Hand<M>): LookUp<M> {
	let index: Map<number, M> | undefined;
	return (at) => {
		index ??= new Map(hand.list.map((message, i) => [hand.at[i] ?? -1, message]));
		return index.get(at);
	};
}
