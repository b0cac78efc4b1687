// How full the window is: by pi's count, which knows nothing of a fold that landed after the last reply was
// measured, and by what the next request will be. Decides what is done about it; changes nothing.

import { Replayer } from "../../fold.ts";
import { knownWhenAsked } from "../session/asked.ts";
import type { PiMessage, SessionEntry, Usage } from "../session/entry.ts";
import { piHost } from "../session/message.ts";
import type { Cause } from "./compaction-cause.ts";
import type { Log } from "./log.ts";

/** The size of the next request, in tokens. */
export interface Pressure {
	/** as pi counts it: the last measured total and the estimate of what came after it */
	readonly counted: number;
	/** what of it folds keep out that landed since that measure */
	readonly landed: number;
	/** what is left: the next request */
	readonly next: number;
	/** what an estimated token of the conversation is worth at most, by the last measure */
	readonly scale: number;
	/** the entry of the reply that was measured last; `""` where there is none */
	readonly measuredAt: string;
}

/**
 * Measures the next request.
 *
 * What landed is an estimate taken from a measured number. Where the estimate of a whole request was larger
 * than its measure, every estimate is taken down by as much: a needed compaction must never be cancelled.
 *
 * @param lands folds that are held, and land now
 * @param counted pi's own number; without it, it is reckoned as pi does
 */
export function measurePressure(log: Log, lands: readonly string[], counted?: number): Pressure {
	const folded = new Replayer(piHost);
	const raw = new Replayer(piHost, { folds: false, markers: true });
	const measure = findMeasure(log);
	let then = { raw: 0, folded: 0 };
	let kept = 0;
	let on = true;
	for (const [at, entry] of log.branch.entries()) {
		// off when it was asked for: then the request was as it is stored
		if (at === measure.asked) kept = on ? raw.size(true) - folded.size(true) : 0;
		folded.push(entry);
		raw.push(entry);
		if (entry.record?.kind === "mode" && at < measure.asked) on = entry.record.enabled;
		if (at === measure.at) then = { raw: raw.size(), folded: raw.size() - kept };
	}
	land(folded, lands);
	const now = { raw: raw.size(true), folded: folded.size(true) };
	const scale = measure.total > 0 ? Math.min(1, measure.total / Math.max(1, then.folded)) : 1;
	const landed = scale * (now.raw - then.raw - (now.folded - then.folded));
	const all = counted ?? measure.total + now.raw - then.raw;
	return { counted: all, landed, next: all - landed, scale, measuredAt: measure.id };
}

/** Lets held folds land in a replayer, as a record that is about to be appended would. */
export function land(replayer: Replayer<PiMessage>, ids: readonly string[]): void {
	if (ids.length > 0) replayer.push({ id: "", kind: "record", record: { kind: "land", ids } });
}

/** What to do about a compaction that pi is about to make. */
export type Answer =
	/** the folds have made it unnecessary */
	| "cancel"
	/** it is needed, unless something is folded now */
	| "net"
	/** let pi compact */
	| "compact";

/** A compaction that pi is about to make. */
export interface Ask {
	readonly cause: Cause;
	/** whether the user said what the summary should heed */
	readonly instructed: boolean;
	/** pi compacts above so many tokens; `null` where the window is unknown */
	readonly limit: number | null;
}

/**
 * Decides about a compaction (design: compaction, 2 and 3). Only a check of the size is ever cancelled, only
 * for folds that landed since the measure, and only where they bring the next request below the limit.
 */
export function decide({ cause, instructed, limit }: Ask, { landed, next }: Pressure): Answer {
	if (cause !== "threshold" || instructed || limit === null) return "compact";
	return landed > 0 && next < limit ? "cancel" : "net";
}

/** A reply that was measured, and how many entries its request could know. */
interface Measure {
	readonly id: string;
	readonly at: number;
	readonly asked: number;
	readonly total: number;
}

/** The newest reply with a usage; `at` is -1 and `total` 0 where pi goes by an estimate nonetheless. */
function findMeasure({ stored, generation }: Log): Measure {
	const isMeasured = (entry: SessionEntry) =>
		entry.type === "message" && totalOf(entry.message) > 0;
	const at = stored.findLastIndex(isMeasured);
	const entry = stored[at];
	const id = entry?.id ?? "";
	const asked = knownWhenAsked(stored, at);
	// what was asked before one of these was another context
	const isOld = stored
		.slice(asked)
		.some(({ type }) => type === "compaction" || (type === "context_edit" && generation === "1.6"));
	if (entry?.type !== "message" || isOld) return { id, at: -1, asked: -1, total: 0 };
	return { id, at, asked, total: totalOf(entry.message) };
}

/** The tokens of a reply and of the request for it, as pi sums them up; 0 for one that failed. */
function totalOf(message: PiMessage): number {
	if (message.role !== "assistant" || !message.usage) return 0;
	if (message.stopReason === "error" || message.stopReason === "aborted") return 0;
	return sumUsage(message.usage);
}

/** What pi takes for the size of the context after a reply with this usage. */
export function sumUsage({ totalTokens, input, output, cacheRead, cacheWrite }: Usage): number {
	return totalTokens || (input || 0) + (output || 0) + (cacheRead || 0) + (cacheWrite || 0);
}
