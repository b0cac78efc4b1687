// The summary of a net: a fold that the extension makes without a model, so that pi need not compact. One
// line for each raw step, the summaries that it absorbs word for word between them, and every changed file
// by name. A pure function of the stored entries.

import { type FoldRecord, SUMMARY_LIMIT } from "../../fold.ts";
import type { AssistantMessage, SessionEntry } from "../session/entry.ts";
import { estimateTokens } from "../session/size.ts";
import { isStepEntry } from "../session/source-text.ts";
import { type Action, actionsOf, messageIn } from "./action.ts";
import { factsOf } from "./facts.ts";
import { Lines, type Room } from "./net-fit.ts";
import { type Told, tellStep } from "./net-line.ts";

/** All lines together are at most this long, in UTF-16 units. */
export const LINES_LIMIT = 12_000;
/** Lines for more raw steps than this, in tokens, are at most a tenth of them. */
const LARGE = 30_000;

/** A stretch of finished steps that a net could fold. */
export interface NetStretch {
	/** in branch order; the first one is a step's reply or where a fold among `folds` begins */
	readonly entries: readonly SessionEntry[];
	/** the number of the first step among the entries, 1-based */
	readonly firstStep: number;
	/** folds in the stretch that are neither dropped nor skipped, absorbed ones and nets among them */
	readonly folds: readonly NetFold[];
	readonly cwd?: string | undefined;
}

/** A fold and where it lies among the entries of a stretch; `from` is in, `to` is out. */
export interface NetFold {
	readonly from: number;
	readonly to: number;
	readonly record: FoldRecord;
}

/** A net's summary and how far it reaches. */
export interface NetSummary {
	/** at most `SUMMARY_LIMIT` long */
	readonly summary: string;
	/** the last step that it stands for, 1-based: up to it a fold may be proposed */
	readonly toStep: number;
	/** how many of the entries it stands for */
	readonly reaches: number;
}

/**
 * Writes the summary of a stretch, or of as much of it from its beginning as one record can hold: it stops
 * before an absorbed summary that would take it over. Lines of the oldest steps are shortened first.
 *
 * @returns `undefined` where not even the first step or summary fits
 */
export function netSummary(stretch: NetStretch): NetSummary | undefined {
	const units = unitsOf(stretch);
	let best: NetSummary | undefined;
	// more units never take less room: all of them as a rule, else the largest number by halving
	for (let low = 1, high = units.length; low <= high; ) {
		const middle = high === units.length ? high : (low + high) >>> 1;
		const found = write(stretch, units.slice(0, middle));
		if (found === undefined) high = middle - 1;
		else {
			best = found;
			low = middle + 1;
		}
	}
	return best && best.toStep >= stretch.firstStep ? best : undefined;
}

/** A raw step, or the summary of several. */
interface Unit {
	readonly fromStep: number;
	readonly toStep: number;
	/** the position after it, among the entries of the stretch */
	readonly to: number;
	/** of a raw step: what its line tells, and its size in tokens */
	readonly told?: Told | undefined;
	readonly tokens: number;
	/** of absorbed steps: their summary, word for word */
	readonly summary?: string | undefined;
}

function unitsOf(stretch: NetStretch): Unit[] {
	const { entries } = stretch;
	const summaries = outermost(stretch.folds.filter(({ record }) => record.by !== "auto"));
	const actions = groupByReply(actionsOf(entries));
	const units: Unit[] = [];
	let step = stretch.firstStep;
	for (let at = 0; at < entries.length; ) {
		const fold = summaries.find(({ from }) => from === at);
		const to = fold ? fold.to : nextUnit(entries, summaries, at);
		const inside = entries.slice(at, to);
		const steps = inside.filter(isStepEntry).length;
		const toStep = step + steps - 1;
		if (fold)
			units.push({ fromStep: step, toStep, to, tokens: 0, summary: quoted(fold, step, toStep) });
		else units.push(rawUnit(inside, { step, to }, actions.get(at) ?? []));
		step = toStep + 1;
		at = to;
	}
	return units;
}

/** Where the unit that begins at a raw entry ends: at the next step, or where a summary begins. */
function nextUnit(
	entries: readonly SessionEntry[],
	summaries: readonly NetFold[],
	at: number,
): number {
	let to = at + 1;
	while (
		to < entries.length &&
		!isStepEntry(entries[to] as SessionEntry) &&
		!summaries.some(({ from }) => from === to)
	)
		to++;
	return to;
}

function rawUnit(
	entries: readonly SessionEntry[],
	{ step, to }: { step: number; to: number },
	actions: readonly Action[],
): Unit {
	const first = entries[0];
	const message = first && messageIn(first);
	const isStep = first !== undefined && isStepEntry(first);
	const tokens = entries.reduce((sum, entry) => {
		const stored =
			entry.type === "custom_message" ? { role: "custom", ...entry } : messageIn(entry);
		return sum + (stored ? estimateTokens(stored) : 0);
	}, 0);
	const told = isStep ? tellStep(step, message as AssistantMessage, actions) : undefined;
	return { fromStep: step, toStep: isStep ? step : step - 1, to, told, tokens };
}

function outermost(folds: readonly NetFold[]): NetFold[] {
	const sorted = [...folds].sort((a, b) => a.from - b.from || b.to - a.to);
	const kept: NetFold[] = [];
	for (const fold of sorted) if (fold.from >= (kept.at(-1)?.to ?? 0)) kept.push(fold);
	return kept;
}

function groupByReply(actions: readonly Action[]): Map<number, Action[]> {
	const groups = new Map<number, Action[]>();
	for (const action of actions) {
		const group = groups.get(action.at);
		if (group) group.push(action);
		else groups.set(action.at, [action]);
	}
	return groups;
}

function quoted({ record }: NetFold, fromStep: number, toStep: number): string {
	const whose =
		record.by === "model"
			? "Your summary"
			: record.by === "user"
				? "The user's summary"
				: "Summary";
	return `${whose} of ${stepsOf(fromStep, toStep)} (fold ${record.id}):\n${record.summary}\n(end of this summary)`;
}

function stepsOf(fromStep: number, toStep: number): string {
	return toStep > fromStep ? `steps ${fromStep}–${toStep}` : `step ${fromStep}`;
}

function write(stretch: NetStretch, units: readonly Unit[]): NetSummary | undefined {
	const summaries = units.flatMap(({ summary }) => (summary === undefined ? [] : [summary]));
	const fixed = [headOf(units), changedIn(stretch, units), ...summaries];
	const taken = fixed.reduce((sum, part) => sum + part.length + GAP.length, 0);
	const lines = new Lines(runsOf(units), stretch.cwd);
	if (!lines.fitInto(roomFor(units, SUMMARY_LIMIT - taken))) return undefined;
	const [head = "", files = ""] = fixed;
	const body = lines.texts.flatMap((text, at) =>
		at === 0 ? [text] : [summaries[at - 1] ?? "", text],
	);
	const summary = [head, ...body, files].filter((part) => part !== "").join(GAP);
	const { toStep, to } = units.at(-1) as Unit;
	return summary.length > SUMMARY_LIMIT ? undefined : { summary, toStep, reaches: to };
}

/** Between the parts of a summary. */
const GAP = "\n\n";

function roomFor(units: readonly Unit[], left: number): Room {
	const raw = units.reduce((sum, { tokens }) => sum + tokens, 0);
	return {
		characters: Math.min(LINES_LIMIT, left),
		tokens: raw > LARGE ? Math.floor(raw / 10) : Number.POSITIVE_INFINITY,
	};
}

/** The raw steps before, between and after the absorbed summaries. */
function runsOf(units: readonly Unit[]): Told[][] {
	const runs: Told[][] = [[]];
	for (const { told, summary } of units) {
		if (summary !== undefined) runs.push([]);
		else if (told) runs.at(-1)?.push(told);
	}
	return runs;
}

function headOf(units: readonly Unit[]): string {
	const steps = stepsOf(units[0]?.fromStep ?? 0, units.at(-1)?.toStep ?? 0);
	return `Record of ${steps}, made by the extension to keep the conversation within the window; no model wrote it. One line per step: what was said first, then each call, how it ended and how many characters came back.`;
}

function changedIn({ entries, cwd }: NetStretch, units: readonly Unit[]): string {
	const { changed } = factsOf(entries.slice(0, units.at(-1)?.to), cwd);
	return changed.length > 0 ? `Files changed: ${changed.map(({ name }) => name).join(", ")}` : "";
}
