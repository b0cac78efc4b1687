// What recorded sessions would have cost under policies that fold: reads each session once, plays it under
// every policy, and puts the results side by side. Decides nothing and prints nothing.

import { blocksOf, type SessionEntry } from "../session/entry.ts";
import { readSessionInto } from "../session/file.ts";
import { hindsight } from "./hindsight.ts";
import { Intake } from "./intake.ts";
import { nameOf, type Policy } from "./policy.ts";
import { type Played, play } from "./simulate.ts";
import { noSurprises, type Surprises, surprisesOf } from "./simulate-till.ts";
import { Lexicon, type Tax } from "./tax.ts";
import { compactedAt, compactions, uncompacted } from "./what-if-era.ts";
import { type Tape, tapeOf } from "./what-if-tape.ts";
import { OWN, type Terms } from "./what-if-terms.ts";

/** One policy over one session. Money is null where no request has a price. */
export interface PolicyRow {
	readonly policy: string;
	/** in US dollars */
	readonly billUsd: number | null;
	/** in tokens of uncached input: what is compared where there is no money */
	readonly bill: number;
	/** share of the bill of `none`, 0–1; below 0 where it is dearer */
	readonly saving: number;
	/** share of what the oracle saves; null where that saves nothing */
	readonly ofOracle: number | null;
	/** the largest prompt, in tokens */
	readonly peak: number;
	readonly folds: number;
	/** requests before which folds landed */
	readonly landings: number;
	/** requests from the first one that was dearer or cheaper until all were cheaper together; null: never */
	readonly requestsToProfit: number | null;
	/** compactions that its context would not have called for */
	readonly avoided: number;
	/** tokens that a compaction took and no fold keeps readable for the model */
	readonly lost: number;
	readonly tax: Tax;
}

/** One session under all policies. */
export interface SessionRows {
	readonly file: string;
	readonly id: string | null;
	readonly requests: number;
	/** left out for want of usage */
	readonly unmeasured: number;
	/** whether sizes are estimates alone, since nothing was measured */
	readonly estimated: boolean;
	readonly compactions: number;
	/** requests that the provider served less, or more, than the cache model explains */
	readonly misses: number;
	readonly hits: number;
	/** what the session recorded, in US dollars */
	readonly recordedUsd: number | null;
	/** what `none` would cost if the provider had always served as the cache model says; in US dollars */
	readonly modelUsd: number | null;
	/** what shares are shares of */
	readonly bounds: Bounds;
	readonly rows: readonly PolicyRow[];
	/** the cheapest policy; the bounds do not count */
	readonly best: string;
}

/** The bills between which policies lie. */
export interface Bounds {
	/** whether they are US dollars; else tokens of uncached input */
	readonly inUsd: boolean;
	readonly none: number;
	readonly oracle: number;
	/** what the best folds would have left of it, for one who knew the rest (`hindsight`); null: not searched */
	readonly hindsight: number | null;
}

/** A session's rows, or why there are none. */
export type Outcome =
	| { readonly session: SessionRows; readonly refusal?: undefined }
	| { readonly session?: undefined; readonly refusal: string };

/** A session that was read for playing. */
interface Recording {
	readonly tape: Tape;
	readonly lexicon: Lexicon;
	readonly summaries: ReadonlyMap<string, string>;
	readonly id: string | null;
}

/**
 * Plays the session of a file under policies. Never throws for what a file is.
 *
 * @param progress is told the bytes read so far
 */
export function playFile(
	file: string,
	policies: readonly Policy[],
	terms: Terms,
	progress?: (bytes: number) => void,
): Outcome {
	const recording = record(file, progress);
	if (typeof recording === "string") return { refusal: recording };
	const { tape } = recording;
	const surprises = surprisesOf(tape, { ...terms, ...OWN });
	const none = play(tape, { kind: "none" }, terms, surprises);
	const oracle = play(tape, { kind: "oracle" }, terms, surprises);
	const bounds = boundsOf(none, oracle);
	const saved = hindsight(tape, terms, surprises, bounds.inUsd);
	const rows = policies.map((policy) => {
		const { played, on } = playOne(policy, tape, terms, surprises);
		return rowOf(policy, played, { none, bounds, tax: taxOf(recording, on, policy, played) });
	});
	return {
		session: {
			file,
			id: recording.id,
			requests: tape.requests.length,
			unmeasured: tape.unmeasured,
			estimated: tape.requests.every(({ usage }) => usage === undefined),
			compactions: compactions(tape).length,
			misses: surprises.misses,
			hits: surprises.hits,
			recordedUsd: recordedUsd(tape),
			modelUsd: total(play(tape, { kind: "none" }, terms, noSurprises(tape)).usd),
			bounds: { ...bounds, hindsight: saved === null ? null : bounds.none - saved },
			rows,
			best: bestOf(rows),
		},
	};
}

function record(file: string, progress?: (bytes: number) => void): Recording | string {
	const intake = new Intake();
	const lexicon = new Lexicon();
	const blocks: number[] = [];
	const reading = readSessionInto(
		file,
		{
			header: (header) => intake.header(header),
			problem: (problem) => intake.problem(problem),
			entry(entry, line) {
				blocks.push(plainBlocks(entry));
				lexicon.push(entry);
				intake.entry(entry, line);
			},
		},
		progress,
	);
	if (reading.refusal !== undefined) return reading.refusal;
	const summaries = new Map<string, string>();
	for (const { record } of intake.tree.nodes)
		if (record?.kind === "fold") summaries.set(record.id, record.summary);
	return { tape: tapeOf(intake, blocks), lexicon, summaries, id: intake.head?.id || null };
}

/** Blocks of text or thinking: each is a position of a cache's look-up. */
function plainBlocks(entry: SessionEntry): number {
	if (entry.type !== "message" || !("content" in entry.message)) return 1;
	const { content } = entry.message;
	if (!Array.isArray(content)) return 1;
	return blocksOf(content).filter(({ type }) => type === "text" || type === "thinking").length;
}

/** The net and pi's compaction have eras of their own. */
function playOne(policy: Policy, tape: Tape, terms: Terms, surprises: Surprises) {
	const on =
		policy.kind === "net"
			? uncompacted(tape)
			: policy.kind === "compact"
				? compactedAt(tape, terms.limits(tape))
				: tape;
	return { on, played: play(on, policy, terms, surprises) };
}

function taxOf(
	{ lexicon, summaries }: Recording,
	tape: Tape,
	policy: Policy,
	{ folds }: Played,
): Tax {
	const isRecorded = policy.kind === "recorded";
	return lexicon.taxOf(
		tape,
		folds.map(({ id, from, to, made }) => ({
			from,
			to,
			seen: made,
			summary: isRecorded ? (summaries.get(id) ?? "") : undefined,
		})),
	);
}

function boundsOf(none: Played, oracle: Played): Omit<Bounds, "hindsight"> {
	const [noneUsd, oracleUsd] = [total(none.usd), total(oracle.usd)];
	if (noneUsd !== null && oracleUsd !== null)
		return { inUsd: true, none: noneUsd, oracle: oracleUsd };
	return { inUsd: false, none: total(none.bills) ?? 0, oracle: total(oracle.bills) ?? 0 };
}

function rowOf(
	policy: Policy,
	played: Played,
	{ none, bounds, tax }: { none: Played; bounds: Omit<Bounds, "hindsight">; tax: Tax },
): PolicyRow {
	const billUsd = total(played.usd);
	const bill = total(played.bills) ?? 0;
	return {
		policy: nameOf(policy),
		billUsd,
		bill,
		...sharesOf((bounds.inUsd ? billUsd : bill) ?? 0, bounds),
		peak: Math.round(played.peak),
		folds: played.folds.length,
		landings: played.landings,
		requestsToProfit: requestsToProfit(played.bills, none.bills),
		avoided: played.avoided,
		lost: Math.round(played.lost),
		tax,
	};
}

/** A bill's place between the bounds. */
export function sharesOf(
	amount: number,
	{ none, oracle }: Pick<Bounds, "none" | "oracle">,
): Pick<PolicyRow, "saving" | "ofOracle"> {
	return {
		saving: none > 0 ? 1 - amount / none : 0,
		ofOracle: none - oracle > SAME ? (none - amount) / (none - oracle) : null,
	};
}

/** The sum of what is known; null if nothing is. */
function total(amounts: Float64Array): number | null {
	let sum: number | null = null;
	for (const amount of amounts) if (!Number.isNaN(amount)) sum = (sum ?? 0) + amount;
	return sum;
}

/** Amounts that differ by less are the same: sums of fractions. */
const SAME = 1e-6;

function requestsToProfit(bills: Float64Array, none: Float64Array): number | null {
	const from = bills.findIndex((bill, i) => Math.abs(bill - (none[i] ?? 0)) > SAME);
	let saved = 0;
	for (let i = from; i >= 0 && i < bills.length; i++) {
		saved += (none[i] ?? 0) - (bills[i] ?? 0);
		if (saved > SAME) return i - from + 1;
	}
	return null;
}

function recordedUsd({ requests }: Tape): number | null {
	const costs = requests.flatMap(({ usage }) => (usage?.costUsd ? [usage.costUsd] : []));
	return costs.length > 0 ? costs.reduce((sum, cost) => sum + cost, 0) : null;
}

function bestOf(rows: readonly PolicyRow[]): string {
	const real = rows.filter(({ policy }) => policy !== "oracle");
	const best = real.reduce<PolicyRow | undefined>(
		(best, row) => (best && best.saving >= row.saving - SAME ? best : row),
		undefined,
	);
	return best && best.saving > SAME ? best.policy : "none";
}
