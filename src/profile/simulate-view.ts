// What a simulated request carries: the tape's messages with chips in the place of folded ranges. Sizes and
// offsets only; what it costs is reckoned elsewhere.

import type { Request, Tape } from "./what-if-tape.ts";

/** A simulated fold. Ranges are items, `to` is out. */
export interface Laid {
	readonly id: string;
	readonly from: number;
	readonly to: number;
	/** F: tokens that leave the view */
	readonly tokens: number;
	/** S: tokens of the chip, with what the call and its result leave in the view */
	readonly chip: number;
	/** s: tokens of the summary, that stand in the call while the fold is held */
	readonly summary: number;
	/** the first item after the record */
	readonly made: number;
}

/** Positions that a look-up reads before the breakpoint's own (cache model: breakpoints). */
const LOOKBACK = 20;

/** The view of one played session; it changes as folds land and the era moves. */
export class View {
	/** folds in view, by place */
	landed: Laid[] = [];
	/** folds that wait */
	held: Laid[] = [];
	private readonly tape: Tape;

	constructor(tape: Tape) {
		this.tape = tape;
	}

	/** Lets a held or a new fold land; what it covers is absorbed. */
	land(fold: Laid): void {
		this.held = this.held.filter((other) => other !== fold);
		const outside = this.landed.filter(({ from, to }) => from < fold.from || to > fold.to);
		this.landed = [...outside, fold].sort((a, b) => a.from - b.from);
	}

	/**
	 * Moves the era's beginning to a request's first item: folds before it are gone, one that straddles it
	 * stands at its beginning, one whose record lies before it is no longer replayed.
	 */
	compact({ from }: Request): void {
		this.landed = this.landed
			.filter((fold) => fold.to > from && fold.made >= from)
			.map((fold) => (fold.from >= from ? fold : this.cutOff(fold, from)));
		this.held = [];
	}

	private cutOff(fold: Laid, from: number): Laid {
		return { ...fold, from, tokens: this.goes(from, fold.to) };
	}

	/** Tokens of the prompt. */
	sizeOf(request: Request): number {
		const held = this.held.reduce((sum, fold) => sum + fold.summary, 0);
		return request.prompt + held - savedBy(this.landed);
	}

	/** Tokens of the prompt before an item. */
	offsetOf(request: Request, item: number): number {
		const { items } = this.tape;
		const raw = (items[item]?.offset ?? 0) - (items[request.from]?.offset ?? 0);
		const before = this.landed.filter(({ to }) => to <= item);
		return Math.max(0, request.base + raw - savedBy(before));
	}

	/** The offset that a place of the unfolded prompt has in this view; inside a fold: where its chip begins. */
	offsetOfRaw(request: Request, raw: number): number {
		const first = this.tape.items[request.from]?.offset ?? 0;
		let offset = raw;
		for (const { from, to, tokens, chip } of this.landed) {
			const start = request.base + (this.tape.items[from]?.offset ?? 0) - first;
			const end = request.base + (this.tape.items[to]?.offset ?? 0) - first;
			if (end <= raw) offset -= tokens - chip;
			else if (start < raw) offset -= raw - start;
		}
		return Math.max(0, offset);
	}

	/** Cache positions from an item's place to the end of the prompt; a chip is one. */
	positionsAfter(request: Request, item: number): number {
		let positions = this.positionsIn(item, request.to);
		for (const { from, to } of this.landed)
			if (to > item) positions -= this.positionsIn(Math.max(from, item), to) - 1;
		return positions;
	}

	private positionsIn(from: number, to: number): number {
		const { items } = this.tape;
		return (items[to]?.position ?? 0) - (items[from]?.position ?? 0);
	}

	/** A look-up from the prompt's end finds entries behind this offset only. */
	reachOf(request: Request): number {
		let low = request.from;
		let high = request.to;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (this.positionsAfter(request, middle) > LOOKBACK) low = middle + 1;
			else high = middle;
		}
		return this.offsetOf(request, low) - 1;
	}

	/** Tokens of a range of items that none of these folds covers. */
	unfolded(folds: readonly Laid[], from: number, to: number): number {
		const { items } = this.tape;
		let covered = from;
		let tokens = 0;
		for (const fold of folds.toSorted((a, b) => a.from - b.from)) {
			const start = Math.min(to, fold.from);
			if (start > covered) tokens += (items[start]?.offset ?? 0) - (items[covered]?.offset ?? 0);
			covered = Math.max(covered, Math.min(to, fold.to));
		}
		return tokens + (items[to]?.offset ?? 0) - (items[covered]?.offset ?? 0);
	}

	/** Tokens of a range of items that a fold takes out: all but what stays. */
	goes(from: number, to: number): number {
		const first = this.tape.items[from];
		const last = this.tape.items[to];
		return first && last ? last.offset - last.stays - (first.offset - first.stays) : 0;
	}
}

function savedBy(folds: readonly Laid[]): number {
	return folds.reduce((sum, { tokens, chip }) => sum + tokens - chip, 0);
}
