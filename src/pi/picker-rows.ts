// What the picker offers: one row per step and one per fold in view, newest first. A row is priced only
// when it is looked at, so that a long session opens as fast as a short one.

import { type Fold, lastCompleted, type Range, type Replayer, requestIn } from "../../fold.ts";
import { payCell } from "../price/words.ts";
import type { PiMessage } from "../session/entry.ts";
import { formatCount } from "./badge.ts";
import { spellSteps } from "./cut.ts";
import { firstLine, stepLabel } from "./picker-label.ts";
import { ASSUMED_SUMMARY, type Pricing, type Quote, quoteCut } from "./price.ts";

/** A step, or the steps of a fold. */
export interface Row {
	readonly first: number;
	readonly last: number;
	/** the position where a cut that starts here begins */
	readonly from: number;
	/** the fold that hides the steps */
	readonly fold?: Fold | undefined;
	/** the position of the step's reply; of a fold its start */
	readonly at: number;
}

/** A branch to choose from. */
export interface Choices {
	readonly rows: readonly Row[];
	readonly replayer: Replayer<PiMessage>;
	readonly pricing: Pricing;
	/** a run is live: the newest request stays behind a fold */
	readonly live: boolean;
	/** tokens of a chip over a range with a summary of the usual length; `keep` is the request that stays */
	chipOf(range: Range, keep: string | undefined): number;
}

/** The rows of a branch: finished steps that are in view, folds for those that are not. */
export function rowsOf(replayer: Replayer<PiMessage>, live: boolean): Row[] {
	const { steps, visible } = replayer;
	const first = steps.stepAt(steps.era.start);
	const rows: Row[] = [];
	let fold = visible.length - 1;
	for (let step = lastCompleted(steps, { live }); step >= first; step--) {
		const at = steps.positionOfStep(step) ?? 0;
		while ((visible[fold]?.from ?? -1) > at) fold--;
		const cover = visible[fold];
		if (!cover || cover.to <= at) rows.push({ first: step, last: step, from: at, at });
		else {
			rows.push(foldRow(replayer, cover));
			step = steps.span(cover).first;
		}
	}
	return rows;
}

function foldRow({ steps }: Replayer<PiMessage>, fold: Fold): Row {
	const { first, last } = steps.span(fold);
	return { first, last, from: fold.from, fold, at: fold.from };
}

/** The price of a cut from one row to another; without an end up to the newest row. */
export function quoteRows(choices: Choices, start: Row, end: Row | undefined): Quote {
	const { replayer, pricing, live } = choices;
	const range = rangeOf(choices, start, end);
	const keep = requestIn(replayer.steps, range, live);
	return quoteCut(pricing, {
		range,
		keeps: keep !== undefined,
		summary: ASSUMED_SUMMARY,
		chip: choices.chipOf(range, keep),
		written: true,
	});
}

function rangeOf({ replayer, rows }: Choices, start: Row, end: Row | undefined): Range {
	const { steps } = replayer;
	const last = end ?? rows[0] ?? start;
	if (last.fold) return { from: start.from, to: last.fold.to };
	return { from: start.from, to: steps.endOf(start.from, last.at) };
}

/** `step 12`, or `steps 3–9 ab12` for a fold. */
export function rowName({ first, last, fold }: Row): string {
	const steps = spellSteps({ fromStep: first, toStep: last });
	return fold ? `${steps} ${fold.record.id}` : steps;
}

/** What the step did, or what the fold's summary says first; before it what stands around the step. */
export function rowLabel({ replayer }: Choices, { at, fold }: Row): string {
	if (fold) return `◆ ${firstLine(fold.record.summary)}`;
	const label = stepLabel(replayer.steps.entries[at]?.message);
	return `${pinMark(replayer, at)}${foldMark(replayer, at)}${label}`;
}

function pinMark({ pins }: Replayer<PiMessage>, at: number): string {
	return pins.some((pin) => pin.from <= at && at < pin.to) ? "(pinned) " : "";
}

/** A fold that does not hide the step: one that waits to land, or that is open. */
function foldMark({ folds }: Replayer<PiMessage>, at: number): string {
	const around = folds.find(
		({ state, from, to }) => (state === "held" || state === "open") && from <= at && at < to,
	);
	return around ? `(${around.state} ${around.record.id}) ` : "";
}

/** What a cut at a row would take out of each request, and after how many that has paid: two short cells. */
export function rowPrice(quote: Quote): { readonly saves: string; readonly pays: string } {
	const { perRequestTokens } = quote;
	if (perRequestTokens <= 0) return { saves: "−0", pays: "saves nothing" };
	// within how many requests it does not is left to the whole sentence below the list
	const pays = payCell(quote.requestsToPay).replace(/ within .*$/, "");
	return { saves: `−${formatCount(perRequestTokens)}`, pays };
}
