// The folds of a session as readers and commands find them: each with what became of it, and in words.
// Also those that are out of view for good: a compacted, dropped or damaged fold can still be read.

import {
	BEFORE_ERA,
	type Fold,
	type FoldRecord,
	type FoldState,
	type Replayer,
} from "../../fold.ts";
import type { PiMessage } from "../session/entry.ts";
import { findFold, listFolds } from "../session/source-list.ts";
import { formatCount } from "./badge.ts";
import { spellSteps } from "./cut.ts";
import type { CutSteps } from "./cut-queue.ts";
import { supersededHeld } from "./held.ts";
import type { Log } from "./log.ts";

/** A fold of the branch in hand. */
export interface Kept {
	readonly record: FoldRecord;
	/** the position of the record's own entry */
	readonly at: number;
	readonly state: FoldState | "unreadable";
	/** why it is skipped, or what is wrong with its record */
	readonly reason?: string | undefined;
	/** the fold whose chip hides it */
	readonly absorbedBy?: string | undefined;
	/** the held fold around it that lands in its place, while it is held itself */
	readonly supersededBy?: string | undefined;
	/** how many folds its own chip hides */
	readonly hides: number;
	/** its steps, 1-based, both in; absent where the range is not known or holds none */
	readonly steps?: { readonly first: number; readonly last: number } | undefined;
	/** size of its entries as stored, in tokens; 0 where the range is not known */
	readonly tokens: number;
	/** the replayed fold, where its record could be read */
	readonly fold?: Fold | undefined;
}

/** Every fold of the branch, oldest first. */
export function keptFolds(log: Log, replayer: Replayer<PiMessage>): Kept[] {
	const byRecord = new Map(replayer.folds.map((fold) => [fold.at, fold]));
	const superseded = supersededHeld(replayer.folds);
	const hides = new Map<Fold, number>();
	for (const { absorbedBy } of replayer.folds)
		if (absorbedBy) hides.set(absorbedBy, (hides.get(absorbedBy) ?? 0) + 1);
	return listFolds(log.stored).map(({ record, at, damage }) => {
		const fold = byRecord.get(at);
		const { fromStep, toStep = fromStep } = record;
		const told = fromStep && toStep ? { first: fromStep, last: toStep } : undefined;
		const plain = { record, at, steps: told, tokens: 0, hides: 0 };
		if (!fold) return { ...plain, state: "unreadable", reason: damage };
		const span = fold.from < fold.to ? replayer.steps.span(fold) : undefined;
		return {
			...plain,
			state: fold.state,
			reason: fold.reason,
			absorbedBy: fold.absorbedBy?.record.id,
			supersededBy: superseded.get(fold)?.record.id,
			steps: span && span.first <= span.last ? span : told,
			tokens: tokensIn(log, fold),
			hides: hides.get(fold) ?? 0,
			fold,
		};
	});
}

/** A fold that was asked for, or why there is none. */
export type Choice =
	| { readonly ok: true; readonly fold: Kept }
	| { readonly ok: false; readonly reason: string };

/** The fold with this id; where there is none, which ones there are. */
export function chooseFold(folds: readonly Kept[], id: string): Choice {
	const fold = findFold(folds, id);
	if (fold) return { ok: true, fold };
	const ids = folds.map(({ record }) => record.id);
	const newest = ids.slice(-IDS_SHOWN).reverse().join(", ");
	const more = ids.length > IDS_SHOWN ? ` and ${ids.length - IDS_SHOWN} older ones` : "";
	const wayOut = ids.length > 0 ? `the folds are ${newest}${more}` : "nothing is folded yet";
	return { ok: false, reason: `there is no fold "${id}"; ${wayOut}` };
}

const IDS_SHOWN = 12;

/** `steps 3–9`, `step 4`, or that none are known. */
export function tellSteps({ steps }: Pick<Kept, "steps">): string {
	if (!steps) return "no steps";
	return steps.first === steps.last ? `step ${steps.first}` : `steps ${steps.first}–${steps.last}`;
}

/** The pinned steps, in branch order; empty where there are none. */
export function tellPins({ pins, steps }: Replayer<PiMessage>): string {
	const sorted = [...pins].sort((a, b) => a.from - b.from);
	return sorted.map((pin) => tellSteps({ steps: steps.span(pin) })).join(", ");
}

/** The cut that the user pinned and the model has not answered, on a line; nothing where there is none. */
export function tellCut(cut: CutSteps | undefined): string[] {
	return cut ? [`a cut is pinned: ${spellSteps(cut)}; the model has not folded it yet`] : [];
}

/** What is in view again where the fold's own chip is gone. */
export function tellShown(fold: Kept): string {
	const { hides, tokens } = fold;
	const inside = hides === 1 ? "the fold inside it" : `the ${hides} folds inside it`;
	return `${tellSteps(fold)} (~${formatCount(tokens)} tokens) from the next request on${hides > 0 ? `, but for ${inside}` : ""}`;
}

/** A fold on one line: id, steps, size, what became of it, the first line of its summary. */
export function tellFold(fold: Kept): string {
	const { record, tokens } = fold;
	const size = tokens > 0 ? [`~${formatCount(tokens)} tokens`] : [];
	const parts = [record.id, tellSteps(fold), ...size, tellState(fold)];
	return `${parts.join(" · ")} · ${firstLine(record.summary)}`;
}

/** What became of a fold, with the reason where there is one. */
export function tellState({ state, reason, absorbedBy, supersededBy }: Kept): string {
	if (supersededBy !== undefined) return `${state}, superseded by ${supersededBy}`;
	if (absorbedBy !== undefined) return `${state} by ${absorbedBy}`;
	if (reason === undefined) return state;
	return `${state}: ${reason === BEFORE_ERA ? "before pi's compaction" : reason}`;
}

const LINE_LIMIT = 100;

function firstLine(text: string): string {
	const line = text.trim().split("\n", 1)[0] ?? "";
	const points = Array.from(line);
	return points.length > LINE_LIMIT ? `${points.slice(0, LINE_LIMIT).join("")}…` : line;
}

function tokensIn({ branch }: Log, { from, to }: Fold): number {
	let tokens = 0;
	for (let at = from; at < to; at++) tokens += branch[at]?.tokens ?? 0;
	return tokens;
}
