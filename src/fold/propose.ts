// Decides whether a range of steps may be folded, and freezes it. Says no with the rule, the values and
// what would work instead.

import type { Host } from "./entry.ts";
import type { Fold, FoldState } from "./folds.ts";
import type { Range } from "./forest.ts";
import type { FoldRecord } from "./record.ts";
import { textOfChip } from "./render.ts";
import type { Replayer, View } from "./replay.ts";
import type { Steps } from "./steps.ts";

/** What somebody would like to fold. */
export interface Wish {
	/** 1-based */
	readonly fromStep: number;
	/** 1-based, folded too; without it the last completed step */
	readonly toStep?: number | undefined;
	/** the call that asks: the step that it belongs to is in progress */
	readonly callId?: string | undefined;
	/** whether a run is live */
	readonly live: boolean;
}

/** A range that may be folded, as its record will name it. */
export interface Proposal {
	readonly ok: true;
	readonly range: Range;
	readonly fromEntryId: string;
	readonly toEntryId: string | null;
	readonly fromStep: number;
	/** the last step inside */
	readonly toStep: number;
	/** the request that stays a message of its own */
	readonly keep?: string | undefined;
}

/** Why not. `rule` is for code, `reason` for the reader: rule, values, way out. */
export interface Refusal {
	readonly ok: false;
	readonly rule:
		| "nothing"
		| "no-such-step"
		| "in-progress"
		| "backwards"
		| "compacted"
		| "inside"
		| "parted"
		| "pinned";
	readonly reason: string;
}

/**
 * Whether these steps may be folded now.
 *
 * Says yes exactly when replaying the range keeps laws 4 to 8 and it covers no pin.
 */
export function propose<M>(replayer: Replayer<M>, wish: Wish): Proposal | Refusal {
	const { steps } = replayer;
	const last = lastCompleted(steps, wish);
	const first = steps.stepAt(steps.era.start);
	const refused = checkSteps(wish, first, last, steps.count);
	if (refused) return refused;
	const toStep = wish.toStep ?? last;
	const from = steps.positionOfStep(wish.fromStep) ?? 0;
	const to = steps.endOf(from, steps.positionOfStep(toStep) ?? from);
	const range = { from, to };
	return (
		checkCalls(replayer, range, wish, last) ??
		checkFolds(replayer, range) ??
		checkPins(replayer, range) ??
		proposal(steps, range, wish)
	);
}

/** Sizes that decide whether a fold is worth its chip, in tokens, of what is sent. */
export interface Weight {
	/** what the range takes in the view now, without what stays */
	readonly replaced: number;
	readonly chip: number;
	/** how much of the chip is the user's words */
	readonly quoted: number;
	/** messages of the user that the range covers, the kept one not counted */
	readonly userMessages: number;
}

/** A fold about to be recorded: its record, and the range that `propose` gave. */
export interface Draft {
	readonly record: FoldRecord;
	readonly range: Range;
}

/**
 * Weighs a fold before it is recorded.
 *
 * @param view the view as it is sent now
 */
export function weigh<M>(
	replayer: Replayer<M>,
	view: View<M>,
	{ record, range }: Draft,
	host: Host<M>,
): Weight {
	const { steps } = replayer;
	const fold: Fold = { ...range, record, at: steps.entries.length, caller: -1, state: "landed" };
	let userMessages = 0;
	const text = textOfChip(fold, steps, host, (_at, own) => own);
	const chip = host.tokens(host.chip(text, record.id));
	const bare = textOfChip(fold, steps, { ...host, words: () => undefined }, (_at, own) => own);
	const quoted = chip - host.tokens(host.chip(bare, record.id));
	for (let at = range.from; at < range.to; at++) {
		const entry = steps.entries[at];
		if (entry?.kind === "user" && entry.id !== record.keep) userMessages++;
	}
	return { replaced: replacedTokens(replayer, view, fold, host), chip, quoted, userMessages };
}

function replacedTokens<M>(
	replayer: Replayer<M>,
	view: View<M>,
	fold: Fold,
	host: Host<M>,
): number {
	const keep = fold.record.keep === undefined ? -1 : replayer.steps.positionOf(fold.record.keep);
	let total = 0;
	for (const [index, source] of view.sources.entries()) {
		const at = source.from === "entry" ? source.at : source.from === "chip" ? source.fold.from : -1;
		const message = view.messages[index];
		if (at < fold.from || at >= fold.to || at === keep || message === undefined) continue;
		total += host.tokens(message);
	}
	return total;
}

/** The step in progress is never folded: the one that asks, or one whose calls are still open. */
function lastCompleted<M>(steps: Steps<M>, wish: Wish): number {
	const { newest } = steps;
	if (wish.callId !== undefined) {
		const caller = steps.callBefore(wish.callId, steps.entries.length);
		return caller < 0 ? steps.count : steps.stepAt(caller) - 1;
	}
	if (!wish.live || newest < 0 || steps.openCalls(newest) === 0) return steps.count;
	const answered = steps.user > newest;
	return answered ? steps.count : steps.stepAt(newest) - 1;
}

function checkSteps(wish: Wish, first: number, last: number, count: number): Refusal | undefined {
	const { fromStep } = wish;
	const toStep = wish.toStep ?? last;
	const can =
		last < first ? "no step can be folded yet" : `steps ${span(first, last)} can be folded`;
	if (count === 0 || last === 0)
		return refuse("nothing", "there is no finished step yet; nothing can be folded");
	for (const step of [fromStep, toStep])
		if (!Number.isSafeInteger(step) || step < 1 || step > count)
			return refuse("no-such-step", `there is no step ${step}; ${can}`);
	for (const step of [fromStep, toStep])
		if (step > last) return refuse("in-progress", `step ${step} is still in progress; ${can}`);
	if (toStep < fromStep)
		return refuse(
			"backwards",
			`step ${toStep} comes before step ${fromStep}; end at ${fromStep} or later`,
		);
	if (fromStep < first)
		return refuse(
			"compacted",
			`step ${fromStep} was compacted away and is no longer in view; ${can}`,
		);
	return undefined;
}

function checkCalls<M>(
	replayer: Replayer<M>,
	range: Range,
	wish: Wish,
	last: number,
): Refusal | undefined {
	const { steps } = replayer;
	const stray = steps.resultWithoutCall(range.from, range.to);
	if (stray >= 0) {
		const owner = steps.stepAt(steps.answeredBy(stray));
		return refuse(
			"parted",
			`a call of step ${owner} is answered inside these steps; start at step ${owner} or earlier, or end before the answer`,
		);
	}
	const reached = steps.stepAt(range.to) - 1;
	if (reached <= last) return undefined;
	return refuse(
		"in-progress",
		`a call of steps ${span(wish.fromStep, wish.toStep ?? last)} is answered in step ${reached}, which is still in progress; fold it when that step is finished`,
	);
}

/** Folds that stand in nobody's way; an absorbed one lies inside another that does. */
const HIDDEN: ReadonlySet<FoldState> = new Set(["dropped", "skipped", "absorbed"]);

function checkFolds<M>(replayer: Replayer<M>, range: Range): Refusal | undefined {
	const { steps } = replayer;
	for (const fold of replayer.folds) {
		if (HIDDEN.has(fold.state)) continue;
		const disjoint = range.to <= fold.from || fold.to <= range.from;
		if (disjoint || holds(range, fold)) continue;
		const inside = holds(fold, range);
		if (inside && fold.state !== "landed") continue;
		return refuseFold(steps, fold, range, inside);
	}
	return undefined;
}

function refuseFold<M>(steps: Steps<M>, fold: Fold, range: Range, inside: boolean): Refusal {
	const [first, last] = stepsOf(steps, fold);
	const named = `fold ${fold.record.id} (steps ${span(first, last)})`;
	const starts = `start at step ${first} or earlier, or at step ${last + 1} or later`;
	const ends = `end at step ${first - 1} or earlier, or at step ${last} or later`;
	const [from, to] = stepsOf(steps, range);
	const startInside = range.from > fold.from && range.from < fold.to;
	const endInside = range.to > fold.from && range.to < fold.to;
	if (inside) return refuse("inside", `steps ${span(from, to)} lie inside ${named}; ${starts}`);
	if (startInside) return refuse("inside", `step ${from} lies inside ${named}; ${starts}`);
	return refuse("inside", `step ${to} lies inside ${named}; ${endInside ? ends : starts}`);
}

function checkPins<M>(replayer: Replayer<M>, range: Range): Refusal | undefined {
	const pin = replayer.pins.find((one) => one.from < range.to && range.from < one.to);
	if (!pin) return undefined;
	const [first, last] = stepsOf(replayer.steps, pin);
	return refuse(
		"pinned",
		`steps ${span(first, last)} are pinned by the user; end before step ${first}, or start after step ${last}`,
	);
}

function proposal<M>(steps: Steps<M>, range: Range, wish: Wish): Proposal {
	const { from, to } = range;
	const [fromStep, toStep] = stepsOf(steps, range);
	const end = steps.entries[to];
	const kept = steps.user >= from && steps.user < to ? steps.user : -1;
	const keep = wish.live || toStep < steps.count ? steps.entries[kept]?.id : undefined;
	return {
		ok: true,
		range,
		fromEntryId: steps.entries[from]?.id ?? "",
		toEntryId: end ? end.id : null,
		fromStep,
		toStep,
		keep,
	};
}

/** The first and the last step of a range. */
function stepsOf<M>(steps: Steps<M>, range: Range): [number, number] {
	const first = steps.stepAt(range.from);
	return [first, Math.max(first, steps.stepAt(range.to) - 1)];
}

function span(first: number, last: number): string {
	return first === last ? `${first}` : `${first}–${last}`;
}

function holds(outer: Range, inner: Range): boolean {
	return outer.from <= inner.from && inner.to <= outer.to;
}

function refuse(rule: Refusal["rule"], reason: string): Refusal {
	return { ok: false, rule, reason };
}
