// Lays the view out, message by message: what is hidden, where chips stand, who carries which marker.
// Works left to right and never goes back behind the last reply: that is the prefix law.

import { chipText, pointToChip, pointToCompaction, pointToOuter } from "./chip.ts";
import { type Entry, type Host, isCarrier, isMessage, isReply } from "./entry.ts";
import { BEFORE_ERA, type Fold, type Folds } from "./folds.ts";
import { formatStep } from "./marker.ts";
import type { Steps } from "./steps.ts";

/** Where a message of the view comes from. */
export type Source =
	| { readonly from: "entry"; readonly at: number }
	| { readonly from: "chip"; readonly fold: Fold }
	| { readonly from: "note" }
	| { readonly from: "foreign" };

/** Which of our marks a view carries. */
export interface Marks {
	/** chips and pointers; without it the view is what the host shows */
	readonly folds: boolean;
	/** `[step N]` */
	readonly markers: boolean;
}

interface Slot<M> {
	message: M;
	source: Source;
	/** the step named at its end; 0: none */
	marker: number;
	/** whether `message` has its marker already */
	done: boolean;
}

/** The state right after a reply: nothing before it changes any more unless a record says so. */
interface Checkpoint {
	readonly at: number;
	readonly length: number;
	readonly noteAt: number;
	readonly placed: number;
}

const FOREIGN: Source = { from: "foreign" };
const NOTE: Source = { from: "note" };

export class Renderer<M> {
	private readonly slots: Slot<M>[] = [];
	private readonly checkpoints: Checkpoint[] = [];
	/** tokens of the slots up to each index, settled ones only */
	private readonly sums: number[] = [];
	/** the slot that takes the next marker; -1: none since the last reply */
	private carrier = -1;
	/** where a note would stand: after the last reply's results, or after what leads the view */
	private noteAt = 0;
	/** the newest marker */
	private placed = 0;
	private inside: Fold | undefined;
	/** whether the view differs in any way from what was fed */
	private changed = false;
	private readonly steps: Steps<M>;
	private readonly folds: Folds<M>;
	private readonly host: Host<M>;
	private readonly marks: Marks;
	private pointers: ReadonlyMap<number, readonly Pointer[]> = new Map();

	constructor(steps: Steps<M>, folds: Folds<M>, host: Host<M>, marks: Marks) {
		this.steps = steps;
		this.folds = folds;
		this.host = host;
		this.marks = marks;
	}

	/** Takes over what the folds say now; call it whenever they changed. */
	refresh(): void {
		this.pointers = this.marks.folds ? pointersOf(this.folds.all) : new Map();
	}

	/**
	 * Forgets what was laid out from a position on.
	 *
	 * @returns the position to go on from; -1: from the start of the era
	 */
	rewind(position: number): number {
		while ((this.checkpoints.at(-1)?.at ?? -1) >= position) this.checkpoints.pop();
		const last = this.checkpoints.at(-1);
		this.slots.length = last?.length ?? 0;
		this.sums.length = Math.min(this.sums.length, this.slots.length);
		this.noteAt = last?.noteAt ?? 0;
		this.placed = last?.placed ?? 0;
		this.carrier = -1;
		this.inside = undefined;
		return last ? last.at + 1 : -1;
	}

	/** Lays out the entry at a position; `message` is what the host has of it, absent if it has not. */
	place(at: number, message: M | undefined): void {
		const entry = this.steps.entries[at];
		if (!entry) return;
		if (this.marks.folds && this.hide(entry, at, message)) return;
		if (isReply(entry.kind)) this.placeReply(at, message);
		else if (message !== undefined) this.placeMessage(entry, at, message);
	}

	/** Lays out a message of the newest compaction, which leads the view. */
	placeLead(message: M, at: number): void {
		this.push(message, { from: "entry", at });
		this.noteAt = this.slots.length;
	}

	/** Lays out a message that the branch does not know; `after` is the last position before it. */
	placeForeign(message: M, after: number): void {
		const kind = this.host.kind(message);
		if (kind === "result" && this.marks.folds && this.isFoldedAnswer(message, after)) {
			this.changed = true;
			return;
		}
		const leads = kind === "system" && this.noteAt === this.slots.length;
		this.push(message, FOREIGN);
		if (kind === "result" || leads) this.noteAt = this.slots.length;
	}

	/** The view as it stands; with `asking` the marker of the reply that is asked for is in it. */
	finish(asking: boolean): { messages: M[]; sources: Source[]; changed: boolean } {
		const messages = this.slots.map((slot) => this.settle(slot));
		const sources = this.slots.map((slot) => slot.source);
		const pending = asking && this.marks.markers ? this.steps.count + 1 : 0;
		if (pending === 0) return { messages, sources, changed: this.changed };
		const marker = formatStep(pending);
		const carrier = messages[this.carrier];
		if (carrier !== undefined) messages[this.carrier] = this.host.mark(carrier, marker);
		else if (this.placed !== pending) {
			messages.splice(this.noteAt, 0, this.host.note(marker));
			sources.splice(this.noteAt, 0, NOTE);
		}
		return { messages, sources, changed: true };
	}

	/** Size of the view in tokens, without laying it out anew. */
	size(asking: boolean): number {
		const settled = this.checkpoints.at(-1)?.length ?? 0;
		for (let i = this.sums.length; i < settled; i++)
			this.sums.push((this.sums[i - 1] ?? 0) + this.tokensAt(i));
		let total = this.sums[settled - 1] ?? 0;
		for (let i = settled; i < this.slots.length; i++) total += this.tokensAt(i);
		return asking && this.marks.markers ? total + this.pendingTokens() : total;
	}

	private tokensAt(index: number): number {
		const slot = this.slots[index];
		return slot ? this.host.tokens(this.settle(slot)) : 0;
	}

	private pendingTokens(): number {
		const pending = this.steps.count + 1;
		const marker = formatStep(pending);
		const carrier = this.slots[this.carrier];
		if (carrier) {
			const plain = this.settle(carrier);
			return this.host.tokens(this.host.mark(plain, marker)) - this.host.tokens(plain);
		}
		return this.placed === pending ? 0 : this.host.tokens(this.host.note(marker));
	}

	private settle(slot: Slot<M>): M {
		if (slot.done || slot.marker === 0) return slot.message;
		slot.message = this.host.mark(slot.message, formatStep(slot.marker));
		slot.done = true;
		return slot.message;
	}

	/** Whether a position is under a chip; lays the chip out where its first message is. */
	private hide(entry: Entry<M>, at: number, message: M | undefined): boolean {
		const fold = this.folds.covering(at);
		if (fold && entry.kind !== "system") {
			if (message !== undefined && this.inside !== fold) this.placeChip(fold);
			if (message !== undefined) this.changed = true;
			return true;
		}
		const answers = this.steps.answeredBy(at);
		if (answers < 0 || !this.folds.covering(answers)) return false;
		this.changed = true;
		return true;
	}

	private isFoldedAnswer(message: M, after: number): boolean {
		const callId = this.host.callId(message);
		if (!callId) return false;
		const call = this.steps.callBefore(callId, after + 1);
		return call >= 0 && this.folds.covering(call) !== undefined;
	}

	private placeReply(at: number, message: M | undefined): void {
		this.ask(this.steps.stepAt(at), message !== undefined);
		if (message === undefined) return;
		this.push(this.pointed(at, message), { from: "entry", at });
		this.noteAt = this.slots.length;
		this.checkpoint(at);
	}

	private placeMessage(entry: Entry<M>, at: number, message: M): void {
		const leads = entry.kind === "system" && this.noteAt === this.slots.length;
		if (isCarrier(entry.kind)) this.carrier = this.slots.length;
		this.push(message, { from: "entry", at });
		if (entry.kind === "result" || leads) this.noteAt = this.slots.length;
	}

	private placeChip(fold: Fold): void {
		this.inside = fold;
		const first = this.firstStep(fold);
		if (first > 0) this.ask(first, true);
		this.carrier = this.slots.length;
		this.push(this.chip(fold), { from: "chip", fold });
		this.noteAt = this.slots.length;
		for (const at of keptOf(fold, this.steps)) {
			const entry = this.steps.entries[at];
			const message = at < this.steps.era.start ? undefined : this.inHand(at);
			if (entry && message !== undefined) this.placeMessage(entry, at, message);
		}
	}

	/** The message that there is for a position. A view of a list in hand looks there. */
	inHand: (at: number) => M | undefined = (at) => this.steps.entries[at]?.message;
	/** Chips that there are already, by fold. */
	chips: ReadonlyMap<string, M> | undefined;

	/**
	 * The step that the marker before a chip names, which is its first one; 0 where that marker stood
	 * inside the range, or before the era.
	 */
	private firstStep(fold: Fold): number {
		if (fold.from < this.steps.era.start) return 0;
		for (let at = fold.from; at < fold.to; at++) {
			const entry = this.steps.entries[at];
			if (entry && isReply(entry.kind)) return this.steps.stepAt(at);
			if (entry?.message !== undefined && isCarrier(entry.kind)) return 0;
		}
		return 0;
	}

	private chip(fold: Fold): M {
		const { id } = fold.record;
		const text = () => textOfChip(fold, this.steps, this.host, (at, own) => this.inHand(at) ?? own);
		return this.chips?.get(id) ?? this.host.chip(text(), id);
	}

	/** Puts the marker of the reply that comes next where it was when that reply was asked for. */
	private ask(step: number, visible: boolean): void {
		if (this.marks.markers) {
			const carrier = this.slots[this.carrier];
			if (carrier) this.mark(carrier, step);
			else if (this.placed !== step && visible) this.placeNote(step);
		}
		this.carrier = -1;
	}

	private mark(slot: Slot<M>, step: number): void {
		slot.marker = step;
		this.placed = step;
		this.changed = true;
	}

	private placeNote(step: number): void {
		const message = this.host.note(formatStep(step));
		this.slots.splice(this.noteAt, 0, { message, source: NOTE, marker: 0, done: true });
		this.placed = step;
		this.changed = true;
	}

	private pointed(at: number, message: M): M {
		let result = message;
		for (const { callId, text } of this.pointers.get(at) ?? [])
			result = this.host.point(result, callId, text);
		if (result !== message) this.changed = true;
		return result;
	}

	private push(message: M, source: Source): void {
		this.slots.push({ message, source, marker: 0, done: false });
	}

	private checkpoint(at: number): void {
		const { noteAt, placed } = this;
		this.checkpoints.push({ at, length: this.slots.length, noteAt, placed });
	}
}

/**
 * The text of a fold's chip.
 *
 * @param inHand what the host has of a message whose own form is given
 */
export function textOfChip<M>(
	fold: Fold,
	steps: Steps<M>,
	host: Host<M>,
	inHand: (at: number, own: M) => M,
): string {
	const keep = keptOf(fold, steps)[0];
	const words: string[] = [];
	let tokens = 0;
	for (let at = fold.from; at < fold.to; at++) {
		const entry = steps.entries[at];
		if (!entry) continue;
		if (entry.kind !== "system" && isMessage(entry.kind)) tokens += entry.tokens ?? 0;
		if (entry.kind !== "user" && entry.kind !== "bash") continue;
		if (entry.message === undefined || at === keep || at < steps.era.start) continue;
		const said = host.words(inHand(at, entry.message));
		if (said !== undefined) words.push(said);
	}
	const keptAfterStep = keep === undefined ? undefined : steps.stepAt(keep) - 1;
	return chipText(fold.record, { tokens, words, keptAfterStep });
}

/** The positions that stay as messages of their own: the kept request and the customs right after it. */
export function keptOf<M>(fold: Fold, steps: Steps<M>): number[] {
	const keep = fold.record.keep === undefined ? undefined : steps.positionOf(fold.record.keep);
	if (keep === undefined || keep < fold.from || keep >= fold.to) return [];
	if (steps.entries[keep]?.kind !== "user") return [];
	const kept = [keep];
	for (let at = keep + 1; at < fold.to; at++) {
		const kind = steps.entries[at]?.kind ?? "other";
		if (kind === "custom") kept.push(at);
		else if (isMessage(kind)) break;
	}
	return kept;
}

interface Pointer {
	readonly callId: string;
	readonly text: string;
}

/** By position of a reply: which of its summaries read as pointers, and to what. */
function pointersOf(folds: readonly Fold[]): Map<number, Pointer[]> {
	const pointers = new Map<number, Pointer[]>();
	for (const fold of folds) {
		const { callId } = fold.record;
		const text = callId === undefined || fold.caller < 0 ? undefined : pointerOf(fold);
		if (callId === undefined || text === undefined) continue;
		const list = pointers.get(fold.caller) ?? [];
		list.push({ callId, text });
		pointers.set(fold.caller, list);
	}
	return pointers;
}

function pointerOf(fold: Fold): string | undefined {
	const { id } = fold.record;
	if (fold.state === "landed") return pointToChip(id);
	if (fold.state === "absorbed") return pointToOuter(id, fold.absorbedBy?.record.id ?? id);
	return fold.state === "skipped" && fold.reason === BEFORE_ERA ? pointToCompaction(id) : undefined;
}
