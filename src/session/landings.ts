// The landings of a branch: which request first went out with which folds, what their records expected of them,
// and what lies between the two requests around each. The extension and the profiler read them here alike; it
// knows no prices.

import {
	BEFORE_ERA,
	type Effect,
	type Entry,
	type Fold,
	formatStep,
	isMessage,
	pointToChip,
} from "../../fold.ts";
import { RunningMedian } from "./median.ts";
import { estimateText } from "./size.ts";

/** What is asked of a reply whose usage was measured. */
export interface Measurement {
	/** who made it; only replies of one model are compared */
	readonly model: string;
	/** size of its prompt in tokens, as measured */
	readonly prompt: number;
}

/** A branch as it is read. Positions are those of the branch, from 0. */
export interface Readable<R extends Measurement> {
	/** root first */
	readonly branch: Iterable<Entry<unknown>>;
	/** every fold record of the branch, as it stands at the end */
	readonly folds: readonly Fold[];
	positionOf(id: string, before: number): number | undefined;
	/** the reply at a position; `undefined` where its usage is not known */
	replyAt(position: number): R | undefined;
	/** whether the reply at a position was asked for when this record had been stored */
	knew(reply: number, record: number): boolean;
	/** the thinking level that the entry at a position sets; `undefined`: it sets none */
	levelAt(position: number): string | number | undefined;
}

/** A measured reply and its position. */
export interface Placed<R> {
	readonly at: number;
	readonly reply: R;
}

/** A record that landed folds, and what it expected of all of them together; `null` where it does not say. */
export interface LandingPart {
	readonly folds: readonly Fold[];
	readonly predicted: Effect | null;
}

/** Folds that were sent for the first time in one request. */
export interface Landing<R> {
	readonly folds: readonly Fold[];
	/** the records that landed them, in order; each of `folds` is in one */
	readonly parts: readonly LandingPart[];
	/** those of them that were never held: their summaries were written for this landing */
	readonly own: readonly Fold[];
	/** the last measured request before it; absent: there is none to compare with */
	readonly before?: Placed<R> | undefined;
	/** the first measured request with the folds in place; absent: it is not back */
	readonly after?: Placed<R> | undefined;
	/** measured requests after that one that were sent without anything of what it folded */
	readonly requestsSince: number;
	/** tokens that came to the conversation between the two, at the scale that the usage before it shows */
	readonly grown: number;
	/** tokens of the summaries that the model wrote for it */
	readonly written: number;
	/** whether the reply before it did nothing but make its folds */
	readonly ownTurn: boolean;
	/** whether system prompt or tools changed between the two; and the thinking level */
	readonly changed: { readonly system: boolean; readonly level: boolean };
}

/** The landings of a branch, oldest first. One pass. */
export function readLandings<R extends Measurement>(source: Readable<R>): Landing<R>[] {
	if (source.folds.length === 0) return [];
	const reader = new Reader(source);
	let at = 0;
	for (const entry of source.branch) reader.read(entry, at++);
	return reader.end();
}

/** What was expected of a landing: what its records expected, added up; `null` where none says. */
export function predictedOf({ parts }: Pick<Landing<unknown>, "parts">): Effect | null {
	return parts.reduce<Effect | null>((sum, { predicted }) => addEffects(sum, predicted), null);
}

function addEffects(one: Effect | null, other: Effect | null): Effect | null {
	if (!one || !other) return one ?? other;
	const add = (a: number | null, b: number | null) => (a === null || b === null ? null : a + b);
	const [first, second] = [one.requestsToPay, other.requestsToPay];
	return {
		removedTokens: add(one.removedTokens, other.removedTokens),
		onceUsd: add(one.onceUsd, other.onceUsd),
		perRequestTokens: add(one.perRequestTokens, other.perRequestTokens),
		requestsToPay: first === null || second === null ? null : Math.max(first, second),
		paid: null,
	};
}

/** A measured reply as the reader passed it. */
interface Seen<R> extends Placed<R> {
	/** tokens of all messages before it */
	readonly sum: number;
	/** system messages before it */
	readonly systems: number;
	readonly level: string | number | undefined;
	/** whether it did nothing but fold */
	readonly onlyFolds: boolean;
}

/** A landing while the branch is read. */
interface Open<R> {
	/** the position of its first record */
	readonly at: number;
	readonly folds: Fold[];
	readonly parts: LandingPart[];
	readonly own: Fold[];
	before?: Seen<R> | undefined;
	after?: Seen<R> | undefined;
	/** how far tokens were from estimates by then */
	scale: number;
	/** how many of its folds are lifted */
	lifted: number;
	/** requests after it that were counted, but for the stretch that goes on */
	counted: number;
	/** how many requests there had been when that stretch began */
	since: number;
}

/** So many stretches between two replies of a model say how far its tokens are from the estimates. */
const ENOUGH = 4;
/** Factors beyond these come from noise, not from a tokeniser. */
const LEAST_SCALE = 0.25;
const MOST_SCALE = 4;

/** Reads a branch entry by entry. */
class Reader<R extends Measurement> {
	private readonly source: Readable<R>;
	private readonly folds: ReadonlyMap<number, Fold>;
	private readonly held = new Map<string, Fold>();
	private readonly landings: Open<R>[] = [];
	private open: Open<R> | undefined;
	private newest: Seen<R> | undefined;
	/** folds whose source is sent again: opened, taken back, or out of the era */
	private readonly lifted = new Set<Fold>();
	private readonly byId = new Map<string, Fold>();
	private isOn = true;
	/** the newest compaction or edit since the newest reply; -1: there is none */
	private cutAt = -1;
	/** where the era begins */
	private start = 0;
	private sum = 0;
	private systems = 0;
	private level: string | number | undefined;
	/** whether nothing but messages came since the newest reply */
	private isPlain = true;
	/** by model: what prompts grew by, relative to the estimate of what came in */
	private readonly scales = new Map<string, RunningMedian>();
	/** the landing of each fold that landed */
	private readonly byFold = new Map<Fold, Open<R>>();
	/** measured requests so far */
	private requests = 0;

	constructor(source: Readable<R>) {
		this.source = source;
		this.folds = new Map(source.folds.map((fold) => [fold.at, fold]));
	}

	read(entry: Entry<unknown>, at: number): void {
		const { kind, record, message, tokens = 0 } = entry;
		this.level = this.source.levelAt(at) ?? this.level;
		if (kind === "compaction") this.compact(entry, at);
		else if (kind === "edit") this.cut(at);
		else if (record) this.record(record, at);
		else if (kind === "assistant" && this.isOn) this.answer(entry, at);
		if (kind === "system") this.systems++;
		// of a reply that failed nothing is sent, nor of a command that the user kept to himself
		else if (isMessage(kind) && kind !== "attempt" && message !== undefined) this.sum += tokens;
	}

	end(): Landing<R>[] {
		this.leaveLifted();
		return this.landings.map((landing) => this.landing(landing));
	}

	private record(record: NonNullable<Entry<unknown>["record"]>, at: number): void {
		this.isPlain = false;
		switch (record.kind) {
			case "mode":
				this.turn(record.enabled);
				break;
			case "fold":
				this.fold(at);
				break;
			case "land":
				this.land(at, record.ids, record.predicted);
				break;
			case "open":
			case "shut":
			case "drop":
				for (const id of [record.id, ...(record.inner ?? [])]) this.lift(id, record.kind);
				break;
			default:
				break;
		}
	}

	/** The prompt is another one from here on, whatever landed: nothing before can be compared with it. */
	private turn(isOn: boolean): void {
		this.isOn = isOn;
		this.newest = undefined;
		if (this.open) this.open.before = undefined;
	}

	/** What was sent before is another prompt from here on: requests before and after it are not compared. */
	private cut(at: number): void {
		this.newest = undefined;
		this.cutAt = at;
	}

	private compact({ firstKeptEntryId }: Entry<unknown>, at: number): void {
		this.cut(at);
		const kept =
			firstKeptEntryId === undefined ? undefined : this.source.positionOf(firstKeptEntryId, at);
		this.start = kept !== undefined && kept < at ? kept : at;
	}

	/** What was recorded or folded before the era is not replayed any more: it saves nothing from here on. */
	private leaveEra(): void {
		for (const { folds } of this.landings)
			for (const fold of folds) if (fold.at < this.start || fold.to <= this.start) this.raise(fold);
	}

	private lift(id: string, verb: "open" | "shut" | "drop"): void {
		const fold = this.byId.get(id);
		if (!fold) return;
		if (verb !== "shut") this.raise(fold);
		else this.lower(fold);
		// nothing is said of one that was taken back after that
		if (verb === "drop") this.byId.delete(id);
	}

	/** The source of a fold is sent again. */
	private raise(fold: Fold): void {
		if (this.lifted.has(fold)) return;
		this.lifted.add(fold);
		const landing = this.byFold.get(fold);
		if (!landing) return;
		landing.counted = this.countOf(landing);
		landing.lifted++;
	}

	/** It is hidden again. */
	private lower(fold: Fold): void {
		if (!this.lifted.delete(fold)) return;
		const landing = this.byFold.get(fold);
		if (!landing) return;
		landing.lifted--;
		landing.since = this.requests;
	}

	/** Measured requests after a landing that were sent without anything of what it folded. */
	private countOf({ after, counted, lifted, since }: Open<R>): number {
		return counted + (after && lifted === 0 ? this.requests - since : 0);
	}

	private fold(at: number): void {
		const fold = this.folds.get(at);
		if (!fold || isNeverReplayed(fold)) return;
		const { id, held, lands = [], predicted } = fold.record;
		this.byId.set(id, fold);
		if (held) this.held.set(id, fold);
		else this.land(at, lands, predicted, fold);
	}

	private land(
		at: number,
		ids: readonly string[],
		predicted: Effect | undefined,
		own?: Fold,
	): void {
		const landed: Fold[] = [];
		for (const id of ids) {
			const fold = this.held.get(id);
			// an id that comes twice lands once
			if (this.held.delete(id) && fold) landed.push(fold);
		}
		if (own) landed.push(own);
		if (landed.length === 0) return;
		if (!this.open) {
			const none = { folds: [], parts: [], own: [], scale: 1, lifted: 0, counted: 0, since: 0 };
			this.open = { ...none, at, before: this.newest };
			this.landings.push(this.open);
		}
		this.open.folds.push(...landed);
		for (const fold of landed) {
			this.byFold.set(fold, this.open);
			if (this.lifted.has(fold)) this.open.lifted++;
		}
		this.open.parts.push({ folds: landed, predicted: predicted ?? null });
		if (own) this.open.own.push(own);
	}

	private answer({ calls = [] }: Entry<unknown>, at: number): void {
		const reply = this.source.replyAt(at);
		if (!reply || !(reply.prompt > 0)) return;
		const { sum, systems, level } = this;
		const onlyFolds = calls.every(({ name }) => name === "send_dmail");
		const seen = { at, reply, sum, systems, level, onlyFolds };
		// a compaction may be recorded while the reply is on its way, too: then it is for the next one
		const isCut = this.cutAt >= 0 && this.source.knew(at, this.cutAt);
		const isCutNext = this.cutAt >= 0 && !isCut;
		if (isCut) this.leaveEra();
		if (isCut && this.open && this.open.at < this.cutAt) this.open.before = undefined;
		this.requests++;
		this.scale(seen);
		this.newest = isCutNext ? undefined : seen;
		this.isPlain = true;
		this.cutAt = -1;
		this.send(seen);
		if (isCutNext) this.leaveEra();
	}

	/** A landing of which nothing is left to send is none: no request will show what it did. */
	private leaveLifted(): void {
		if (!this.open || this.open.lifted < this.open.folds.length) return;
		this.landings.pop();
		this.open = undefined;
	}

	/** Sends what has landed with the request of a reply, if that knew of it. */
	private send(seen: Seen<R>): void {
		this.leaveLifted();
		if (!this.open) return;
		// recorded while the reply was on its way: its request is the last one without
		if (!this.source.knew(seen.at, this.open.at)) {
			this.open.before = this.newest;
			this.isPlain = false;
		} else {
			this.open.after = seen;
			this.open.since = this.requests;
			this.open.scale = this.scaleOf(seen.reply.model);
			this.open = undefined;
		}
	}

	/** Where the prompt only grew since the reply before, by how much more than was estimated. */
	private scale({ reply, sum, systems }: Seen<R>): void {
		const before = this.newest;
		if (!before || !this.isPlain || before.systems !== systems) return;
		if (before.reply.model !== reply.model || sum <= before.sum) return;
		const scales = this.scales.get(reply.model) ?? new RunningMedian();
		this.scales.set(reply.model, scales);
		scales.add((reply.prompt - before.reply.prompt) / (sum - before.sum));
	}

	private scaleOf(model: string): number {
		const { size = 0, value = 1 } = this.scales.get(model) ?? {};
		return size < ENOUGH ? 1 : Math.min(MOST_SCALE, Math.max(LEAST_SCALE, value));
	}

	private landing(open: Open<R>): Landing<R> {
		const { folds, parts, own, before, after } = open;
		const byModel = own.filter(({ record }) => record.by === "model");
		const called = own.filter(({ caller }) => caller === before?.at);
		const came = (after?.sum ?? 0) - (before?.sum ?? 0) + MARKER - shrunkBy(called);
		return {
			...{ folds, parts, own, before, after },
			requestsSince: this.countOf(open),
			grown: before && after ? Math.round(came * open.scale) : 0,
			written: sizeOf(byModel),
			ownTurn: before?.onlyFolds === true && called.length > 0,
			changed: {
				system: before?.systems !== after?.systems,
				level: before?.level !== after?.level,
			},
		};
	}
}

/** Whether no chip of it was ever in view; one that lies before the era now may well have had one. */
function isNeverReplayed({ state, reason, flaw }: Fold): boolean {
	return flaw !== undefined || (state === "skipped" && reason !== BEFORE_ERA);
}

/** Tokens of the marker that asks for the reply after a landing: no message of the branch has it. */
const MARKER = estimateText(formatStep(10));

/** By how many tokens the calls of folds are smaller with pointers for their summaries. */
function shrunkBy(folds: readonly Fold[]): number {
	const pointed = (sum: number, { record }: Fold) => sum + estimateText(pointToChip(record.id));
	return sizeOf(folds) - folds.reduce(pointed, 0);
}

/** Tokens of summaries. */
function sizeOf(folds: readonly Fold[]): number {
	return folds.reduce((sum, { record }) => sum + estimateText(record.summary), 0);
}
