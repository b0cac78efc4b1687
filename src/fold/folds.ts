// The fold records of a branch, reduced left to right to what each of them is now.

import type { Entry } from "./entry.ts";
import { holds, insert, locate, overlaps, type Range, type Tree } from "./forest.ts";
import type { AnyRecord, FoldRecord } from "./record.ts";
import { callerOf, flawOf, resolve } from "./resolve.ts";
import type { Steps } from "./steps.ts";

/** What a fold is on the branch as it stands; where several fit, the first of this list. */
export type FoldState = "dropped" | "skipped" | "absorbed" | "open" | "held" | "landed";

/** A fold record of the branch and what became of it. */
export interface Fold extends Range {
	readonly record: FoldRecord;
	/** the position of the record's own entry */
	readonly at: number;
	/** the position of the reply whose call made it; -1 if no call did */
	readonly caller: number;
	/** whether it waits no more, also where its chip is not in view */
	readonly landed: boolean;
	readonly state: FoldState;
	/** why it is skipped */
	readonly reason?: string | undefined;
	/** why it could never be replayed, whatever its state; absent: it could */
	readonly flaw?: string | undefined;
	/** the fold whose chip hides it */
	readonly absorbedBy?: Fold | undefined;
}

/** A record of ours that could not be read. */
export interface Unreadable {
	/** the position of its entry */
	readonly at: number;
	readonly of: string;
	readonly reason: string;
}

export const BEFORE_ERA = "before the era";

const NO_FOLDS: readonly Fold[] = [];

/** A fold while records come in: what they say of it, and what follows from that. */
interface Replayed extends Fold {
	landed: boolean;
	opened: boolean;
	dropped: boolean;
	state: FoldState;
	reason?: string | undefined;
	absorbedBy?: Fold | undefined;
}

/**
 * Keeps every fold's state while records come in. Ask `settle` before reading any of it.
 *
 * 9. Alone: a record that cannot be applied is skipped with a reason and counted; all others stand.
 * 12. Held then landed is the same as landed at once; open and shut are inverse.
 */
export class Folds<M> {
	readonly all: Replayed[] = [];
	readonly unreadable: Unreadable[] = [];
	pins: Range[] = [];
	/** folds whose chip is in view, in branch order */
	visible: readonly Fold[] = [];
	/** replayed folds by range, held and open ones too */
	private forest: Tree<Replayed>[] = [];
	private readonly byId = new Map<string, Replayed>();
	/** by the position of the reply whose call made them */
	private readonly byCaller = new Map<number, Replayed[]>();
	private planted = 0;
	private replant = false;
	private changedFrom = Number.POSITIVE_INFINITY;
	private readonly steps: Steps<M>;

	constructor(steps: Steps<M>) {
		this.steps = steps;
	}

	/** Takes the record of the entry at `at` in. */
	push(entry: Entry<M>, at: number): void {
		const { record } = entry;
		if (record) this.reduce(record, at);
	}

	/** A compaction moved the era: which records are replayed must be decided anew. */
	moveEra(): void {
		this.replant = true;
		this.changedFrom = 0;
	}

	/**
	 * Brings states and visible folds up to date.
	 *
	 * @returns the first position from which the view may have changed; `Infinity` if it has not
	 */
	settle(): number {
		if (this.changedFrom === Number.POSITIVE_INFINITY) return this.changedFrom;
		const before = this.visible;
		this.plant();
		this.visible = this.cover();
		const changed = Math.min(this.changedFrom, firstDifference(before, this.visible));
		this.changedFrom = Number.POSITIVE_INFINITY;
		return changed;
	}

	/** The fold whose chip hides a position, by binary search. */
	covering(position: number): Fold | undefined {
		let low = 0;
		let high = this.visible.length;
		while (low < high) {
			const middle = (low + high) >>> 1;
			const fold = this.visible[middle];
			if (fold && fold.to > position) high = middle;
			else low = middle + 1;
		}
		const fold = this.visible[low];
		return fold && fold.from <= position ? fold : undefined;
	}

	/** The outermost landed fold around a range, else the first that it would cut through. */
	clash(range: Range): Fold | undefined {
		const { around, cut } = locate(this.forest, range);
		return around.find((fold) => fold.state === "landed") ?? cut;
	}

	/** The newest fold with this id. */
	find(id: string): Fold | undefined {
		return this.byId.get(id);
	}

	/** The folds that calls of the reply at a position made, in order. */
	madeBy(position: number): readonly Fold[] {
		return this.byCaller.get(position) ?? NO_FOLDS;
	}

	private reduce(record: AnyRecord, at: number): void {
		switch (record.kind) {
			case "fold":
				this.fold(record, at);
				break;
			case "land":
				this.land(record.ids);
				break;
			case "open":
			case "shut":
			case "drop":
				for (const id of [record.id, ...(record.inner ?? [])]) this.turn(record.kind, id);
				break;
			case "pin":
			case "unpin":
				this.pin(record.kind, resolve(this.steps, record, at));
				break;
			case "broken":
				this.unreadable.push({ at, of: record.of, reason: record.reason });
				break;
			case "mode":
				break;
		}
	}

	private fold(record: FoldRecord, at: number): void {
		const range = resolve(this.steps, record, at);
		const flaw = typeof range === "string" ? range : flawOf(this.steps, record, range, at);
		const { from, to } = typeof range === "string" ? { from: at, to: at } : range;
		const fold: Replayed = {
			record,
			at,
			from,
			to,
			caller: callerOf(this.steps, record.callId, from),
			landed: !record.held,
			opened: false,
			dropped: false,
			flaw,
			reason: flaw,
			state: flaw === undefined ? "landed" : "skipped",
		};
		this.all.push(fold);
		this.byId.set(record.id, fold);
		const made = this.byCaller.get(fold.caller);
		if (made) made.push(fold);
		else if (fold.caller >= 0) this.byCaller.set(fold.caller, [fold]);
		this.touch(fold);
		if (record.lands && !record.held && flaw === undefined) this.land(record.lands);
	}

	private land(ids: readonly string[]): void {
		for (const id of ids) {
			const fold = this.byId.get(id);
			if (!fold || fold.landed) continue;
			fold.landed = true;
			this.touch(fold);
		}
	}

	private turn(verb: "open" | "shut" | "drop", id: string): void {
		const fold = this.byId.get(id);
		if (!fold) return;
		if (verb === "drop") {
			fold.dropped = true;
			this.replant = true;
		} else fold.opened = verb === "open";
		this.touch(fold);
	}

	private pin(verb: "pin" | "unpin", range: Range | string): void {
		if (typeof range === "string") return;
		if (verb === "unpin") this.pins = this.pins.filter((pin) => !overlaps(pin, range));
		// a wider pin takes the narrower ones in
		else this.pins = [...this.pins.filter((pin) => !holds(range, pin)), range];
	}

	private touch(fold: Range): void {
		this.changedFrom = Math.min(this.changedFrom, fold.from);
	}

	private plant(): void {
		if (this.replant) {
			this.forest = [];
			this.planted = 0;
			this.replant = false;
		}
		for (const fold of this.all.slice(this.planted)) this.plantOne(fold);
		this.planted = this.all.length;
	}

	private plantOne(fold: Replayed): void {
		fold.absorbedBy = undefined;
		fold.reason = fold.dropped ? undefined : this.hindrance(fold);
		// of one that is in the forest now, the cover decides
		fold.state = fold.dropped ? "dropped" : "skipped";
	}

	/** Why a fold is not replayed; if nothing hinders it, it is in the forest now. */
	private hindrance(fold: Replayed): string | undefined {
		const { start } = this.steps.era;
		if (fold.at < start) return BEFORE_ERA;
		if (fold.flaw !== undefined) return fold.flaw;
		if (fold.to <= start) return BEFORE_ERA;
		const cut = insert(this.forest, fold);
		return cut && `it cuts through fold ${cut.record.id}`;
	}

	/** Walks the forest outside in: what hides what. A stack of our own, since folds nest deep. */
	private cover(): Fold[] {
		const visible: Fold[] = [];
		const stack: { tree: Tree<Replayed>; cover: Fold | undefined }[] = [];
		const descend = (level: readonly Tree<Replayed>[], cover: Fold | undefined) => {
			for (const tree of level.toReversed()) stack.push({ tree, cover });
		};
		descend(this.forest, undefined);
		for (let next = stack.pop(); next; next = stack.pop()) {
			const { tree, cover } = next;
			const fold = tree.value;
			fold.state = stateUnder(fold, cover);
			fold.absorbedBy = cover;
			const isSeen = fold.state === "landed";
			if (isSeen) visible.push(fold);
			descend(tree.children, isSeen ? fold : cover);
		}
		return visible;
	}
}

function stateUnder(fold: Replayed, cover: Fold | undefined): FoldState {
	if (cover) return "absorbed";
	if (fold.opened) return "open";
	return fold.landed ? "landed" : "held";
}

function firstDifference(before: readonly Fold[], after: readonly Fold[]): number {
	let i = 0;
	while (i < before.length && before[i] === after[i]) i++;
	return Math.min(
		before[i]?.from ?? Number.POSITIVE_INFINITY,
		after[i]?.from ?? Number.POSITIVE_INFINITY,
	);
}
