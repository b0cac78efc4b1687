// Lays the view out, message by message: what is hidden, where chips stand, who carries which marker.
// Works left to right and never goes back behind the last reply: that is the prefix law.

import { keptOf, type LookUp, textOfChip } from "./contents.ts";
import {
	type Entry,
	type Host,
	isCarrier,
	isFoldable,
	isMessage,
	isReply,
	type Kind,
} from "./entry.ts";
import type { Fold, Folds } from "./folds.ts";
import { formatStep } from "./marker.ts";
import { Multiset } from "./multiset.ts";
import type { Nudges } from "./nudge.ts";
import { pointersOf } from "./pointers.ts";
import { type Put, Sheet, type Source } from "./sheet.ts";
import type { Steps } from "./steps.ts";

/** Which of our marks a view carries. */
export interface Marks {
	/** chips and pointers; without it the view is what the host shows */
	readonly folds: boolean;
	/** `[step N]` */
	readonly markers: boolean;
	/** tokens at which a marker first says that there is much to fold (`firstNudgeAt`); absent: none does */
	readonly nudgeAt?: number | undefined;
}

/** What a view is made from. */
export interface Scene<M> {
	readonly steps: Steps<M>;
	readonly folds: Folds<M>;
	readonly host: Host<M>;
	readonly marks: Marks;
	readonly nudges: Nudges<M> | undefined;
	readonly lookUp: LookUp<M>;
	/** chips that there are already, by the position of their fold's record */
	readonly chips: ReadonlyMap<number, M> | undefined;
}

/** The state right after a reply: nothing before it changes any more unless a record says so. */
interface Checkpoint {
	/** the position of the reply */
	readonly at: number;
	/** how many messages were laid out up to it */
	readonly length: number;
	readonly named: number;
	readonly open: readonly string[];
}

const NONE = -1;
const START: Checkpoint = { at: NONE, length: 0, named: 0, open: [] };
const FOREIGN: Source = { from: "foreign" };

export class Renderer<M> {
	private readonly scene: Scene<M>;
	private readonly sheet: Sheet<M>;
	private readonly checkpoints: Checkpoint[] = [];
	/** the message that takes the next marker: the last that can since the last reply */
	private carrier = NONE;
	/** its position; -1 where it is a chip, or a message that a fold keeps */
	private carrierAt = NONE;
	/** where the marker stands on its own if none can: after the last reply and its results, or at the head */
	private noteAt = 0;
	/** how many messages there are without those of others at the end: what is not there stands before these */
	private firm = 0;
	/** how many messages lead the view: a compaction's, and system messages that nothing stands before; -1: none more */
	private leads = 0;
	/** the step that the newest marker names */
	private named = 0;
	/** calls of the last reply, and of attempts since, that have no result so far; a chip of steps answers for them */
	private open = new Multiset();
	/** the fold that the last position under a chip was under, and whether the chip is laid out */
	private fold: Fold | undefined;
	private hasChip = false;

	constructor(scene: Scene<M>) {
		this.scene = scene;
		this.sheet = new Sheet(scene.host);
	}

	/**
	 * Forgets what was laid out from a position on.
	 *
	 * @returns the position to go on from; -1: from the start of the era
	 */
	rewind(position: number): number {
		while ((this.checkpoints.at(-1)?.at ?? NONE) >= position) this.checkpoints.pop();
		const { at, length, named, open } = this.checkpoints.at(-1) ?? START;
		this.sheet.cut(length);
		this.carrier = NONE;
		this.carrierAt = NONE;
		this.noteAt = length;
		this.firm = length;
		this.named = named;
		this.open = new Multiset(open);
		this.leads = 0;
		this.fold = undefined;
		return at === NONE ? NONE : at + 1;
	}

	/** Lays out the entry at a position; `message` is what the host has of it, absent if it has not. */
	place(at: number, message: M | undefined): void {
		const entry = this.scene.steps.entries[at];
		if (!entry || !isMessage(entry.kind)) return;
		if (this.scene.marks.folds && this.hide(entry, at, message)) return;
		if (isReply(entry.kind)) this.placeReply(entry, at, message);
		else if (message !== undefined) {
			// one that is not there answers nothing: another may come that a provider takes for the answer
			if (entry.kind === "result") this.open.delete(entry.callId ?? "");
			this.placeMessage(entry.kind, at, message);
		}
	}

	/** Lays out a message of the newest compaction, which leads the view. */
	placeLead(message: M, at: number): void {
		this.push(message, at);
		this.lead();
	}

	/** Lays out a message that the branch does not know; `after` is the last position before it. */
	placeForeign(message: M, after: number): void {
		const kind = this.scene.host.kind(message);
		if (kind === "result" && this.isFoldedAnswer(message, after)) return;
		if (kind === "result") this.open.delete(this.scene.host.callId(message) ?? "");
		const leads = kind === "system" && this.isHead();
		this.sheet.push(message, FOREIGN);
		if (leads) this.lead();
		else if (kind === "result") this.noteAt = this.sheet.length;
	}

	/** The view as it stands; with `asking` the marker of the reply that is asked for is in it. */
	finish(asking: boolean): { messages: M[]; sources: Source[] } {
		return this.sheet.read(this.pending(asking));
	}

	/** Size of `finish(asking)` in tokens, without laying it out anew. */
	size(asking: boolean): number {
		return this.sheet.tokens(this.checkpoints.at(-1)?.length ?? 0, this.pending(asking));
	}

	/**
	 * Whether a position is under a chip; lays the chip out where the first message of its range is.
	 *
	 * 5. Closed: a call and all its results are shown together or folded together.
	 */
	private hide(entry: Entry<M>, at: number, message: M | undefined): boolean {
		const { folds } = this.scene;
		if (entry.kind === "system") return false;
		const fold = folds.covering(at);
		if (!fold) return folds.visible.length > 0 && this.goesWithFolded(at);
		if (this.fold !== fold) this.enter(fold);
		if (message !== undefined && !this.hasChip) this.placeChip(fold);
		return true;
	}

	/** Whether a result answers a reply that went under a chip, by the branch or, if an edit left some out, as sent. */
	private goesWithFolded(at: number): boolean {
		const { steps } = this.scene;
		if (this.isFoldedCall(steps.answeredBy(at))) return true;
		return steps.hasGaps && this.isTakenByFolded(at);
	}

	/** In a list that has the chip from an earlier pass no result is left to be taken for an answer to it. */
	private isTakenByFolded(at: number): boolean {
		const { chips, folds, lookUp, steps } = this.scene;
		const call = steps.takenBy(at, (other) => lookUp(other) !== undefined);
		return chips?.has(folds.covering(call)?.at ?? NONE) !== true && this.isFoldedCall(call);
	}

	private isFoldedAnswer(message: M, after: number): boolean {
		const { folds, host, marks, steps } = this.scene;
		const callId = host.callId(message);
		if (!marks.folds || !callId) return false;
		return folds.covering(steps.callBefore(callId, after + 1)) !== undefined;
	}

	/** Whether a reply went under a chip: its late results go there with it. Without a message no chip stands. */
	private isFoldedCall(at: number): boolean {
		const fold = this.scene.folds.covering(at);
		return fold !== undefined && this.hasMessage(fold, this.scene.lookUp);
	}

	/** Whether there is any message for a fold's chip to stand for. */
	private hasMessage(fold: Fold, lookUp: LookUp<M>): boolean {
		const { steps } = this.scene;
		for (let at = Math.max(fold.from, steps.era.start); at < fold.to; at++)
			if (isFoldable(steps.kindAt(at)) && lookUp(at) !== undefined) return true;
		return false;
	}

	/**
	 * A reply, also one that the host does not show: it was asked for, and its marker was sent. A step that a
	 * neighbour took out of the list gets no note, or a list cut short would begin with one for each of them.
	 */
	private placeReply(entry: Entry<M>, at: number, message: M | undefined): void {
		const isTakenOut = message === undefined && entry.message !== undefined;
		this.ask(at, !isTakenOut || entry.kind === "attempt");
		if (message !== undefined) this.push(this.pointed(at, message), at);
		this.noteAt = Math.max(this.noteAt, this.firm);
		// where nothing of it is sent, what answers the reply before it still stands right behind that
		const calls = message === undefined ? [] : (entry.calls ?? []).map(({ id }) => id);
		const isOver = message !== undefined && entry.kind === "assistant";
		const open = isOver ? calls : [...this.open.values(), ...calls];
		this.open = new Multiset(open);
		this.checkpoints.push({ at, length: this.sheet.length, named: this.named, open });
	}

	private placeMessage(kind: Kind, at: number, message: M): void {
		const leads = kind === "system" && this.isHead();
		const index = this.push(message, at);
		if (leads) this.lead();
		if (!isCarrier(kind)) return;
		this.carrier = index;
		this.carrierAt = at;
	}

	/** The marker of a fold's first reply stays where it was sent, whatever the host still shows of the range. */
	private enter(fold: Fold): void {
		this.fold = fold;
		this.hasChip = false;
		const first = this.firstOf(fold);
		const { steps } = this.scene;
		if (fold.from < steps.era.start || !isReply(steps.kindAt(first))) return;
		const isShown = this.hasMessage(fold, (at) => steps.messageAt(at));
		this.ask(first, !isShown || this.hasMessage(fold, this.scene.lookUp));
		this.noteAt = Math.max(this.noteAt, this.firm);
		// behind a reply nothing leads the view, also where neither the reply nor a chip is there
		this.leads = NONE;
	}

	private placeChip(fold: Fold): void {
		const { lookUp, steps } = this.scene;
		this.hasChip = true;
		const chip = this.chipOf(fold);
		const index = this.push(chip, { from: "chip", fold });
		if (this.firstOf(fold) !== NONE) {
			this.open = new Multiset();
			this.carrier = index;
			this.noteAt = this.sheet.length;
		}
		for (const at of keptOf(fold, steps, lookUp)) {
			const message = lookUp(at);
			// of a chip that the list has already, it has nothing else here
			if (message !== undefined && message !== chip)
				this.placeMessage(steps.kindAt(at), at, message);
		}
		if (this.carrier >= index) this.carrierAt = NONE;
	}

	private chipOf(fold: Fold): M {
		const { chips, host, lookUp, steps } = this.scene;
		const { at, record } = fold;
		return (
			chips?.get(at) ?? host.chip(textOfChip(fold, steps, host, lookUp), { id: record.id, at })
		);
	}

	/**
	 * The first position of a fold that has to do with markers. A reply: its marker stands before the chip. A
	 * message that carries one: then the marker stood inside. -1: neither, and the chip carries none either,
	 * or a message before the range would lose its marker to it. Messages before the era are no longer there.
	 */
	private firstOf(fold: Fold): number {
		const { lookUp, steps } = this.scene;
		for (let at = fold.from; at < fold.to; at++) {
			const kind = steps.kindAt(at);
			if (isReply(kind)) return at;
			if (isCarrier(kind) && at >= steps.era.start && lookUp(at) !== undefined) return at;
		}
		return NONE;
	}

	/** Lays out a message that is not another extension's, and returns its index. */
	private push(message: M, source: Source | number): number {
		const index = this.sheet.push(message, source);
		this.firm = this.sheet.length;
		return index;
	}

	/** Whether nothing was laid out but what leads the view. */
	private isHead(): boolean {
		return this.checkpoints.length === 0 && this.sheet.length === this.leads;
	}

	/** A message that leads the view was laid out: a note never stands before it. */
	private lead(): void {
		this.leads = this.sheet.length;
		this.noteAt = this.sheet.length;
	}

	/** Puts the marker of the reply at a position where it was when that reply was asked for. */
	private ask(at: number, mayNote: boolean): void {
		const step = this.scene.steps.stepAt(at);
		const marker = this.markerOf(step);
		if (marker && (mayNote || !marker.isNew)) {
			this.sheet.put(marker);
			if (marker.isNew) this.firm = Math.max(this.firm, marker.index) + 1;
			this.named = step;
		}
		this.carrier = NONE;
	}

	/** The marker of a reply that is asked for now. */
	private pending(asking: boolean): Put<M> | undefined {
		const { steps } = this.scene;
		return asking ? this.markerOf(steps.count + 1) : undefined;
	}

	/**
	 * Where the marker of a reply goes, and what stands there then; `undefined`: it is there already, or it would
	 * be a message of its own behind a call whose result may still come, and would part the two.
	 */
	private markerOf(step: number): Put<M> | undefined {
		const { host, marks } = this.scene;
		if (!marks.markers) return undefined;
		const carrier = this.sheet.at(this.carrier);
		if (carrier !== undefined)
			return { index: this.carrier, message: host.mark(carrier, this.label(step)), isNew: false };
		if (this.named === step || this.open.size > 0) return undefined;
		return { index: this.noteAt, message: host.note(formatStep(step)), isNew: true };
	}

	/**
	 * The words of the marker that the carrier takes. They depend on the entries and records before it only, or
	 * bytes that were sent would change.
	 */
	private label(step: number): string {
		const nudge = this.scene.nudges?.at(this.carrierAt);
		return nudge === undefined ? formatStep(step) : `${formatStep(step)} ${nudge}`;
	}

	private pointed(at: number, message: M): M {
		const { folds, host, marks } = this.scene;
		const made = marks.folds ? folds.madeBy(at) : [];
		let result = message;
		if (made.length > 0)
			for (const { callId, text } of pointersOf(made)) result = host.point(result, callId, text);
		return result;
	}
}
