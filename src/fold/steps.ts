// The shape of a branch: which entry is which step, which result answers which call, where the era begins.
// Grows with the branch; nothing in it is ever renumbered.

import { type Entry, isMessage, isReply, type Kind } from "./entry.ts";
import { Stacks } from "./stacks.ts";

/** What pi still shows of a branch, as positions. */
export interface Era {
	/** the first position in view; an earlier one was compacted away */
	readonly start: number;
	/** the position of the newest compaction; -1 without one */
	readonly compaction: number;
}

/** A call without an id is answered before the next reply and the user's next message, or never. */
const NO_ID = "";

/** A branch, read entry by entry. Positions count from 0, steps from 1. */
export class Steps<M> {
	readonly entries: Entry<M>[] = [];
	/** by position: what the entry is, apart from the entries: passes over a long branch ask for nothing else */
	private readonly kinds: Kind[] = [];
	era: Era = { start: 0, compaction: -1 };
	/** position of step n at index n - 1 */
	private readonly replies: number[] = [];
	/** by position: the step that a reply at or after it would be */
	private readonly upcoming: number[] = [];
	/** by position: for a result the position of the reply that it answers, else -1 */
	private readonly answers: number[] = [];
	/** by position: where the last result of the reply there is so far; its own place without one */
	private readonly lastResults: number[] = [];
	/** by position: how many calls of the reply there have no result so far */
	private readonly unanswered: number[] = [];
	private readonly positions = new Map<string, number>();
	/** by call id: the replies whose call has no result so far */
	private readonly open = new Stacks();
	/** by call id: the replies that made such a call */
	private readonly called = new Stacks();
	/** by position: the first result at or after it whose call stands before it; -1: none so far */
	private readonly strays: number[] = [];
	/** by position: a position not after it down to which all strays are known */
	private readonly known: number[] = [];
	private newestReply = -1;
	private newestUser = -1;

	/** whether an edit left a message out: then what answers what is not always as a provider sees it */
	hasGaps = false;

	/** Adds the next entry of the branch and returns its position. */
	push(entry: Entry<M>): number {
		const at = this.entries.length;
		this.entries.push(entry);
		this.kinds.push(entry.kind);
		this.upcoming.push(this.count + 1);
		this.lastResults.push(at);
		this.unanswered.push(0);
		this.strays.push(-1);
		this.known.push(at);
		this.answers.push(entry.kind === "result" ? this.answer(entry.callId ?? NO_ID, at) : -1);
		if (entry.id !== "" && !this.positions.has(entry.id)) this.positions.set(entry.id, at);
		if (isReply(entry.kind)) this.reply(entry, at);
		else if (entry.kind === "user") this.request(at);
		else if (entry.kind === "compaction") this.era = this.eraFrom(entry.firstKeptEntryId, at);
		return at;
	}

	/** How many steps the branch has. */
	get count(): number {
		return this.replies.length;
	}

	/** The position of the newest message of the user; -1 without one. */
	get user(): number {
		return this.newestUser;
	}

	/** The position of the newest reply, counted or not; -1 without one. */
	get newest(): number {
		return this.newestReply;
	}

	/** What the entry at a position is; `other`, which is no message, where there is none. */
	kindAt(position: number): Kind {
		return this.kinds[position] ?? "other";
	}

	/** The message of the entry at a position, as its edits leave it. */
	messageAt(position: number): M | undefined {
		return this.entries[position]?.message;
	}

	/** The id of the entry at a position; `""` where there is none, or it is not stored yet. */
	idAt(position: number): string {
		return this.entries[position]?.id ?? "";
	}

	positionOf(id: string): number | undefined {
		return this.positions.get(id);
	}

	/** The position of a step; `undefined` if there is no such step. */
	positionOfStep(step: number): number | undefined {
		return this.replies[step - 1];
	}

	/** The number that a reply at this position has, or the next one after it would get. */
	stepAt(position: number): number {
		return this.upcoming[position] ?? this.count + 1;
	}

	/** Whether the host shows a position of the era: system messages of the kept range are the compaction's own. */
	isShownAt(position: number): boolean {
		const { compaction } = this.era;
		return !(position < compaction && this.kindAt(position) === "system");
	}

	/** The position of the reply that a result answers; -1 if it answers none. */
	answeredBy(position: number): number {
		return this.answers[position] ?? -1;
	}

	/**
	 * The position of the reply that a provider takes a result to answer, which knows only what is shown; -1 if there
	 * is none: one shown right before it, with nothing but results in between and a call of its id without one.
	 */
	takenBy(position: number, isShown: (at: number) => boolean): number {
		if (this.kindAt(position) !== "result") return -1;
		const callId = this.entries[position]?.callId ?? NO_ID;
		let answered = 0;
		let at = position - 1;
		for (; at >= this.era.start; at--) {
			const kind = this.kindAt(at);
			if (!isMessage(kind) || !this.isShownAt(at) || !isShown(at)) continue;
			if (kind !== "result") break;
			if ((this.entries[at]?.callId ?? NO_ID) === callId) answered++;
		}
		const calls = this.kindAt(at) === "assistant" ? (this.entries[at]?.calls ?? []) : [];
		return calls.filter(({ id }) => id === callId).length > answered ? at : -1;
	}

	/** How many calls of a reply have no result yet. */
	openCalls(position: number): number {
		return this.unanswered[position] ?? 0;
	}

	/**
	 * The position of the nearest reply before a position that made this call; -1 if none did. Without an id only a
	 * call of the newest reply is known, while nothing of the user stands after it.
	 */
	callBefore(callId: string, position: number): number {
		return this.called.before(callId, position);
	}

	/**
	 * Where a range that begins at `from` and reaches at least through the reply at `through` ends: the
	 * first message after the last result of every reply inside it; the length of the branch if none.
	 */
	endOf(from: number, through: number): number {
		let last = through;
		for (let at = from; at <= last; at++) last = Math.max(last, this.lastResults[at] ?? at);
		let end = last + 1;
		while (end < this.entries.length && !isMessage(this.kindAt(end))) end++;
		return end;
	}

	/** The first result inside a range whose call stands before it; -1 if there is none. */
	resultWithoutCall(from: number, to: number): number {
		const stray = this.strays[from] ?? -1;
		return stray < to ? stray : -1;
	}

	/** The first and the last step of a range; the last before the first where it holds none. */
	span(range: { readonly from: number; readonly to: number }): { first: number; last: number } {
		return { first: this.stepAt(range.from), last: this.stepAt(range.to) - 1 };
	}

	private request(at: number): void {
		this.newestUser = at;
		this.forgetNameless();
	}

	private reply(entry: Entry<M>, at: number): void {
		this.newestReply = at;
		if (entry.kind === "assistant") this.replies.push(at);
		this.forgetNameless();
		for (const { id } of entry.calls ?? []) {
			this.unanswered[at] = this.openCalls(at) + 1;
			this.open.push(id, at);
			this.called.push(id, at);
		}
	}

	private forgetNameless(): void {
		this.open.clear(NO_ID);
		this.called.clear(NO_ID);
	}

	private answer(callId: string, at: number): number {
		// ids repeat from turn to turn with some models: the nearest call that is still open is meant
		const open = this.open.pop(callId);
		const call = open ?? this.called.top(callId);
		if (call === undefined) return -1;
		if (open !== undefined) this.unanswered[open] = this.openCalls(open) - 1;
		this.lastResults[call] = at;
		this.stray(call, at);
		return call;
	}

	/** A range that starts after the call and holds the result parts them: so each start in between learns. */
	private stray(call: number, result: number): void {
		for (let from = this.unknown(result); from > call; from = this.unknown(from)) {
			this.strays[from] = result;
			this.known[from] = from - 1;
		}
	}

	/** The last position up to this one whose first stray is not known; each look shortens the next. */
	private unknown(position: number): number {
		let at = position;
		for (let next = this.knownAt(at); next !== at; next = this.knownAt(at)) {
			this.known[at] = this.knownAt(next);
			at = next;
		}
		return at;
	}

	private knownAt(at: number): number {
		return this.known[at] ?? at;
	}

	private eraFrom(firstKeptEntryId: string | undefined, compaction: number): Era {
		return { start: this.positions.get(firstKeptEntryId ?? "") ?? compaction, compaction };
	}
}
