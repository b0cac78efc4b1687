// Decides which range a pin or its release names. A pin forbids folding; it never stands under a fold, so
// that no chip can hide what it protects.

import type { Fold } from "./folds.ts";
import { holds, overlaps, type Range } from "./forest.ts";
import { rangeOf, type Span, spanOf } from "./obstacle.ts";
import type { Replayer } from "./replay.ts";
import type { Steps } from "./steps.ts";

/** A range to pin or to release, as its record will name it. */
export interface PinProposal {
	readonly ok: true;
	readonly fromEntryId: string;
	readonly toEntryId: string | null;
	/** the steps that are pinned, or released, one span for each pin */
	readonly spans: readonly Span[];
	/** the pins that a new one takes in */
	readonly takenIn: readonly Span[];
}

/** Why nothing would change, or may: rule; values; way out. */
export interface PinRefusal {
	readonly ok: false;
	readonly reason: string;
}

/** Whether these steps may be pinned: they must be in view, under no fold of any state, and not pinned. */
export function proposePin<M>(replayer: Replayer<M>, span: Span): PinProposal | PinRefusal {
	const { steps } = replayer;
	const refused = checkSpan(span, steps.count);
	if (refused) return refused;
	const first = steps.stepAt(steps.era.start);
	if (span.first < first)
		return refuse(
			`step ${span.first} was compacted away; steps ${first}–${steps.count} can be pinned`,
		);
	const range = rangeOf(steps, span);
	if (replayer.pins.some((pin) => hasSteps(steps.span(pin), span)))
		return refuse(`${tell(span)} ${are(span)} pinned already`);
	const fold = foldOver(replayer, range);
	if (fold) return refuse(inFold(steps, fold));
	const takenIn = replayer.pins.filter((pin) => holds(range, pin));
	return { ...propose(replayer, range, [span]), takenIn: takenIn.map((pin) => spanOf(steps, pin)) };
}

/** Which pins a release of these steps takes off: every one that overlaps; without steps all. */
export function proposeUnpin<M>(
	replayer: Replayer<M>,
	span: Span | undefined,
): PinProposal | PinRefusal {
	const { steps, pins } = replayer;
	const refused = span && checkSpan(span, steps.count);
	if (refused) return refused;
	if (pins.length === 0) return refuse("no step is pinned");
	const range = span ? rangeOf(steps, span) : around(pins);
	const released = pins.filter((pin) => overlaps(pin, range)).map((pin) => spanOf(steps, pin));
	if (span && released.length === 0) {
		const all = pins.map((pin) => tell(spanOf(steps, pin))).join(", ");
		return refuse(
			`${tell(span)} ${are(span)} not pinned; pinned ${pins.length > 1 ? "are" : "is"} ${all}`,
		);
	}
	return propose(replayer, range, released);
}

function propose<M>({ steps }: Replayer<M>, range: Range, spans: readonly Span[]): PinProposal {
	return {
		ok: true,
		fromEntryId: steps.idAt(range.from),
		// what is not stored yet has no id; the record will stand behind it all the same
		toEntryId: steps.idAt(range.to) || null,
		spans,
		takenIn: [],
	};
}

/** A fold that has some of these steps: first one whose chip is in view. */
function foldOver<M>({ folds }: Replayer<M>, range: Range): Fold | undefined {
	const over = folds.filter(
		(fold) => fold.state !== "dropped" && fold.state !== "skipped" && overlaps(fold, range),
	);
	return over.find(({ state }) => state === "landed") ?? over[0];
}

function inFold<M>(steps: Steps<M>, fold: Fold): string {
	const folded = spanOf(steps, fold);
	return `${tell(folded)} ${are(folded)} in fold ${fold.record.id} (${fold.state}); drop that fold first, or pin other steps`;
}

/** By steps and not by positions: a pin of the newest step ends at its record, the same one asked for later does not. */
function hasSteps(pinned: Span, { first, last }: Span): boolean {
	return pinned.first <= first && last <= pinned.last;
}

function around(ranges: readonly Range[]): Range {
	return {
		from: Math.min(...ranges.map(({ from }) => from)),
		to: Math.max(...ranges.map(({ to }) => to)),
	};
}

function checkSpan({ first, last }: Span, count: number): PinRefusal | undefined {
	const wayOut = count > 0 ? `the steps are 1–${count}` : "there are no steps yet";
	for (const step of [first, last])
		if (!Number.isSafeInteger(step) || step < 1 || step > count)
			return refuse(`there is no step ${step}; ${wayOut}`);
	if (last < first)
		return refuse(`step ${last} comes before step ${first}; write ${last}-${first}`);
	return undefined;
}

function tell({ first, last }: Span): string {
	return first === last ? `step ${first}` : `steps ${first}–${last}`;
}

function are({ first, last }: Span): string {
	return first === last ? "is" : "are";
}

function refuse(reason: string): PinRefusal {
	return { ok: false, reason };
}
