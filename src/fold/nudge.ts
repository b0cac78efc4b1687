// When a marker also says that there is much to fold, and what it says then. What stands with a message that
// can carry a marker is settled when that message comes in: nothing that comes later changes a word of it.

import { type Entry, isCarrier } from "./entry.ts";
import type { Folds } from "./folds.ts";
import { overlaps, type Range } from "./forest.ts";
import type { AnyRecord } from "./record.ts";
import type { Steps } from "./steps.ts";

/** Tokens of finished steps at which the first nudge of a stretch is due, in a window that has room. */
const FIRST_AT = 20_000;

/** In a small window the first nudge is due when the steps fill so much of it. */
const WINDOW_SHARE = 0.25;

/** So many nudges without a fold, and there are no more until the user's next message. */
const LIMIT = 3;

const TOOL = "send_dmail";

/**
 * At how many tokens of finished steps the first nudge is due.
 *
 * @param window the window in tokens of the model that is asked; 0 or absent where it is unknown. A cache is
 *   one model's own, so a change of model may change the words: nothing of that model's cache is lost by it
 */
export function firstNudgeAt(window: number | undefined): number {
	return window ? Math.min(FIRST_AT, window * WINDOW_SHARE) : FIRST_AT;
}

/** Finished steps in a row that no fold covers and no pin holds, as positions. */
interface Stretch extends Range {
	/** tokens of its replies and results, as stored */
	readonly tokens: number;
}

/** What lies before the last stretch, the one that still grows. */
interface Closed {
	/** the largest of the stretches that something ends */
	readonly largest: Stretch;
	/** where the last one begins */
	readonly end: number;
}

/**
 * The nudges of a branch, read entry by entry.
 *
 * - one is due where the largest stretch of finished steps reaches a threshold: `first`, then its double, and
 *   so on; what a fold or a compaction leaves behind is not named again before it has grown to the next one
 * - a fold covers its range from its own record on, held or landed, whatever becomes of it later
 * - after a refused fold the steps before that call are named no more: the model has tried
 */
export class Nudges<M> {
	private readonly steps: Steps<M>;
	private readonly folds: Folds<M>;
	private readonly first: number;
	/** by position of a message that can carry a marker */
	private readonly texts = new Map<number, string>();
	/** tokens of replies and results before each position, and of all there are */
	private readonly sums: number[] = [];
	private total = 0;
	/** what folds cover, in order and disjoint */
	private readonly covered: Range[] = [];
	/** absent: to be found anew */
	private closed: Closed | undefined;
	private declined = 0;
	private threshold: number;
	private count = 0;
	/** the stretch that the marker of the next reply names; absent: it names none */
	private offered: Stretch | undefined;

	/** @param first tokens at which the first one is due (`firstNudgeAt`) */
	constructor(steps: Steps<M>, folds: Folds<M>, first: number) {
		this.steps = steps;
		this.folds = folds;
		this.first = first;
		this.threshold = first;
	}

	/** Takes in the entry at a position, after steps and folds have. */
	push(entry: Entry<M>, at: number): void {
		const { kind, tokens = 0 } = entry;
		this.sums.push(this.total);
		if (kind === "assistant" || kind === "result") this.total += tokens;
		if (entry.kind === "user") this.count = 0;
		else if (entry.kind === "assistant" || entry.kind === "attempt") this.settle();
		else if (entry.kind === "compaction") this.compact(at);
		else if (entry.record) this.record(entry.record, at);
		else if (this.isRefusal(entry, at)) this.decline(at);
		if (isCarrier(entry.kind) && entry.message !== undefined) this.offer(entry, at);
	}

	/** What the marker on the message at a position says beside its step; `undefined`: nothing. */
	at(position: number): string | undefined {
		return this.texts.get(position);
	}

	/** A marker may come to stand on this message: what it says is settled now. */
	private offer(entry: Entry<M>, at: number): void {
		this.offered = undefined;
		if (this.count >= LIMIT) return;
		const end = this.finishedBefore(entry, at);
		const stretch = this.largest(end);
		if (stretch.tokens < this.threshold) return;
		this.offered = stretch;
		this.texts.set(at, textOf(stretch, this.steps.span(stretch), stretch.to === end));
	}

	/** A reply came: the marker that was offered has been sent. */
	private settle(): void {
		if (!this.offered) return;
		this.count++;
		this.threshold = this.above(this.offered.tokens);
		this.offered = undefined;
	}

	private record(record: AnyRecord, at: number): void {
		if (record.kind === "pin" || record.kind === "unpin") this.closed = undefined;
		if (record.kind !== "fold") return;
		const fold = this.folds.all.at(-1);
		if (!fold || fold.state === "skipped") return;
		this.cover(fold);
		this.restart(at);
	}

	private compact(at: number): void {
		this.closed = undefined;
		this.restart(at);
	}

	/** Something was folded or compacted: what is left counts as seen. */
	private restart(at: number): void {
		// a marker that is still to be answered names what is gone: it raises no threshold
		this.offered = undefined;
		this.count = 0;
		this.threshold = this.above(this.largest(at).tokens);
	}

	private decline(at: number): void {
		this.declined = Math.max(this.declined, this.steps.answeredBy(at));
		this.closed = undefined;
		this.threshold = this.above(this.largest(at).tokens);
	}

	private isRefusal(entry: Entry<M>, at: number): boolean {
		if (!entry.failed) return false;
		const reply = this.steps.entries[this.steps.answeredBy(at)];
		return reply?.calls?.some(({ id, name }) => id === entry.callId && name === TOOL) === true;
	}

	/** The first threshold above a size. */
	private above(tokens: number): number {
		let threshold = this.first;
		while (threshold <= tokens) threshold *= 2;
		return threshold;
	}

	/** Where the finished steps end: with the user's word, a step is finished even without its results. */
	private finishedBefore(entry: Entry<M>, at: number): number {
		const { newest } = this.steps;
		return entry.kind === "result" && this.steps.openCalls(newest) > 0 ? newest : at + 1;
	}

	private largest(end: number): Stretch {
		this.closed ??= this.close();
		const open = this.stretch(this.closed.end, end);
		return this.closed.largest.tokens > open.tokens ? this.closed.largest : open;
	}

	/** Walks over what is covered or pinned: the gaps between are the stretches that cannot grow any more. */
	private close(): Closed {
		const end = Math.max(this.steps.era.start, this.declined);
		const taken = [...this.covered, ...this.folds.pins].toSorted((a, b) => a.from - b.from);
		const none: Closed = { largest: this.stretch(end, end), end };
		return taken.reduce((closed, range) => this.endAt(closed, range), none);
	}

	/** A range that begins in the last stretch ends it. */
	private endAt({ largest, end }: Closed, range: Range): Closed {
		const gap = this.stretch(end, range.from);
		return {
			largest: gap.tokens > largest.tokens ? gap : largest,
			end: Math.max(end, range.to),
		};
	}

	/** Where `to` lies before `from` it has no tokens, or less: it is never the largest. */
	private stretch(from: number, to: number): Stretch {
		return { from, to, tokens: this.tokensBefore(to) - this.tokensBefore(from) };
	}

	private tokensBefore(position: number): number {
		return this.sums[position] ?? this.total;
	}

	/** Adds a range to those covered; what it touches becomes one with it. */
	private cover({ from, to }: Range): void {
		const start = this.covered.findLastIndex((one) => one.to < from) + 1;
		let end = start;
		while ((this.covered[end]?.from ?? Number.POSITIVE_INFINITY) <= to) end++;
		// where it touches none, the next one begins after it and the one before ends before it
		const whole = {
			from: Math.min(from, this.covered[start]?.from ?? from),
			to: Math.max(to, this.covered[end - 1]?.to ?? to),
		};
		// a refold as a rule covers one in the place of one
		if (end - start === 1) this.covered[start] = whole;
		else this.covered.splice(start, end - start, whole);
		const { largest } = this.closed ?? {};
		const spoils = largest && overlaps(largest, { from, to });
		this.closed = this.closed && !spoils ? this.endAt(this.closed, { from, to }) : undefined;
	}
}

/** The words beside a marker. They lie in caches and sessions: a change of them is a change of the cache. */
function textOf(
	{ tokens }: Stretch,
	{ first, last }: { readonly first: number; readonly last: number },
	isNewest: boolean,
): string {
	const [steps, are, their, them] =
		first === last
			? [`Step ${first}`, "is finished and takes", "its", "it"]
			: [`Steps ${first}–${last}`, "are finished and take", "their", "them"];
	const size = tokens < 1_000 ? `${tokens}` : `${Math.floor(tokens / 1_000)}k`;
	const call = isNewest ? `fromStep ${first}` : `fromStep ${first}, toStep ${last}`;
	return `${steps} ${are} ~${size} tokens of every request. Unless you still need ${their} exact text, fold ${them} beside your next call: ${TOOL} with ${call} and your summary.`;
}
