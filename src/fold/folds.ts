// The fold records of a branch, reduced left to right to what each of them is now.

import { type Entry, isMessage } from "./entry.ts";
import { insert, locate, type Range, type Tree } from "./forest.ts";
import type { AnyRecord, FoldRecord } from "./record.ts";
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

type Mutable = {
	-readonly [K in keyof Fold]: Fold[K];
} & { opened: boolean; dropped: boolean; invalid: string | undefined };

/** Keeps every fold's state while records come in. Ask `settle` before reading any of it. */
export class Folds<M> {
	readonly all: Fold[] = [];
	readonly unreadable: Unreadable[] = [];
	readonly pins: Range[] = [];
	/** folds whose chip is in view, in branch order */
	visible: readonly Fold[] = [];
	/** replayed folds by range, held and open ones too */
	forest: Tree<Fold>[] = [];
	private readonly byId = new Map<string, Mutable>();
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
		if (this.changedFrom === Number.POSITIVE_INFINITY && !this.replant) return this.changedFrom;
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
			if ((this.visible[middle]?.to ?? 0) > position) high = middle;
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
				this.pin(record.kind, this.resolve(record.fromEntryId, record.toEntryId, at));
				break;
			case "broken":
				this.unreadable.push({ at, of: record.of, reason: record.reason });
				break;
			case "mode":
				break;
		}
	}

	private fold(record: FoldRecord, at: number): void {
		const range = this.resolve(record.fromEntryId, record.toEntryId, at);
		const invalid = typeof range === "string" ? range : this.refusal(record, range, at);
		const { from, to } = typeof range === "string" ? { from: at, to: at } : range;
		const fold: Mutable = {
			record,
			at,
			caller: this.callerOf(record.callId, from),
			from,
			to,
			state: "landed",
			landed: !record.held,
			opened: false,
			dropped: false,
			invalid,
		};
		this.all.push(fold);
		this.byId.set(record.id, fold);
		if (invalid !== undefined) this.skip(fold, invalid);
		this.touch(fold);
		if (record.lands && !record.held && invalid === undefined) this.land(record.lands);
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
		if (verb === "pin") this.pins.push(range);
		else remove(this.pins, (pin) => pin.from < range.to && range.from < pin.to);
	}

	private resolve(fromId: string, toId: string | null, at: number): Range | string {
		const from = this.steps.positionOf(fromId);
		if (from === undefined) return `its first entry ${fromId} is not on this branch`;
		const to = toId === null ? at : this.steps.positionOf(toId);
		if (to === undefined) return `its end ${toId} is not on this branch`;
		if (to > at) return "it ends after its own record";
		if (to <= from) return "its range is empty";
		return { from, to };
	}

	/**
	 * Call ids repeat: the one meant is in the nearest reply before the record, or nowhere. A call before the
	 * range cannot have asked for it, and a pointer there would change bytes before the range.
	 */
	private callerOf(callId: string | undefined, from: number): number {
		const reply = this.steps.newest;
		if (callId === undefined || reply < from) return -1;
		return this.steps.entries[reply]?.calls?.some((call) => call.id === callId) ? reply : -1;
	}

	/** Why a record could never be replayed as it stands, whatever comes later. */
	private refusal(record: FoldRecord, range: Range, at: number): string | undefined {
		if (!this.holdsMessage(range)) return "its range is empty";
		if (range.to <= this.steps.era.start) return "its range was compacted away before";
		if (this.steps.resultWithoutCall(range.from, range.to) >= 0)
			return "it parts a result from its call";
		const reply = this.steps.newest;
		const inside = reply >= range.from && reply < range.to;
		// our own fold up to its own record is made while nothing runs: no answer is on its way then
		const idle = record.toEntryId === null && record.v === 1;
		if (!idle && inside && this.isBeingAnswered(reply, at))
			return "its last step is still being answered";
		return undefined;
	}

	private holdsMessage(range: Range): boolean {
		for (let at = range.from; at < range.to; at++)
			if (isMessage(this.steps.entries[at]?.kind ?? "other")) return true;
		return false;
	}

	/** Whether results of the newest reply may still come: nothing but results of it has come since. */
	private isBeingAnswered(reply: number, at: number): boolean {
		if (this.steps.openCalls(reply) === 0) return false;
		for (let i = reply + 1; i < at; i++) {
			const kind = this.steps.entries[i]?.kind ?? "other";
			if (isMessage(kind) && this.steps.answeredBy(i) !== reply) return false;
		}
		return true;
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
		for (; this.planted < this.all.length; this.planted++) {
			const fold = this.all[this.planted] as Mutable;
			this.plantOne(fold);
		}
	}

	private plantOne(fold: Mutable): void {
		fold.reason = undefined;
		fold.absorbedBy = undefined;
		if (fold.dropped) {
			fold.state = "dropped";
			return;
		}
		fold.state = "landed";
		const reason = this.hindrance(fold);
		if (reason !== undefined) this.skip(fold, reason);
	}

	/** Why a fold is not replayed; if nothing hinders it, it is in the forest now. */
	private hindrance(fold: Mutable): string | undefined {
		const { start } = this.steps.era;
		if (fold.at < start) return BEFORE_ERA;
		if (fold.invalid !== undefined) return fold.invalid;
		if (fold.to <= start) return BEFORE_ERA;
		const cut = insert<Fold>(this.forest, fold);
		return cut && `it cuts through fold ${cut.record.id}`;
	}

	private skip(fold: Mutable, reason: string): void {
		fold.state = "skipped";
		fold.reason = reason;
	}

	/** Walks the forest outside in: what hides what. A stack of our own, since folds nest deep. */
	private cover(): Fold[] {
		const visible: Fold[] = [];
		const stack: { tree: Tree<Fold>; cover: Fold | undefined }[] = [];
		const descend = (level: readonly Tree<Fold>[], cover: Fold | undefined) => {
			for (let i = level.length - 1; i >= 0; i--) {
				const tree = level[i];
				if (tree) stack.push({ tree, cover });
			}
		};
		descend(this.forest, undefined);
		for (let next = stack.pop(); next; next = stack.pop()) {
			const fold = next.tree.value as Mutable;
			fold.state = stateUnder(fold, next.cover);
			fold.absorbedBy = next.cover;
			if (fold.state === "landed") visible.push(fold);
			descend(next.tree.children, next.cover ?? (fold.state === "landed" ? fold : undefined));
		}
		return visible;
	}
}

function stateUnder(fold: Mutable, cover: Fold | undefined): FoldState {
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

function remove<T>(list: T[], matches: (one: T) => boolean): void {
	for (let i = list.length - 1; i >= 0; i--) {
		const one = list[i];
		if (one !== undefined && matches(one)) list.splice(i, 1);
	}
}
