// Makes a fold: checks the wish, freezes the range, weighs the chip, appends the record. One place for
// the tool, the commands and whatever else folds.

import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import {
	type FoldRecord,
	isPointer,
	type Proposal,
	pointToChip,
	type Range,
	type Replayer,
	SUMMARY_LIMIT,
	type Weight,
	type Wish,
	weigh,
	weighCalls,
	weighChip,
} from "../../fold.ts";
import type { Receipt } from "../notes/receipt.ts";
import { expected } from "../price/cost.ts";
import { digestOf, foldId } from "../session/digest.ts";
import type { PiMessage } from "../session/entry.ts";
import { piHost } from "../session/message.ts";
import { estimateText } from "../session/size.ts";
import { type CutOutcome, chooseRange, openCut } from "./cut.ts";
import { SEND_TOOL } from "./dmail.ts";
import { append, type Log, readLog, replayLog, sha256 } from "./log.ts";
import { callsOutside, type Scene } from "./moment.ts";
import { ASSUMED_SUMMARY, placeCut, pricingOf, type Quote } from "./price.ts";
import { type GitChanges, notesIn, receiptFor } from "./receipt.ts";
import type { Settings } from "./settings.ts";
import { type Thrift, thriftOf } from "./thrift.ts";
import { type Made as Placing, type Timing, timeFold } from "./timing.ts";
import type { Behind } from "./timing-text.ts";

/** What somebody wants folded, and the words that shall stand for it. */
export interface FoldRequest {
	readonly wish: Wish;
	readonly summary: string;
	readonly by: "model" | "user" | "auto";
	/** when folds land: where it costs least, or at once */
	readonly timing: Settings["timing"];
	/** what git said of these steps, where it was asked */
	readonly git?: GitChanges | undefined;
}

/** The same, asked without doing it; a summary that is not there yet is taken to be of a usual length. */
export interface PreviewRequest {
	readonly wish: Wish;
	readonly summary?: string | undefined;
	readonly by: "model" | "user";
	readonly timing: Settings["timing"];
}

/** A fold that could be made: its steps, and what the next request weighs before and after, in tokens. */
export interface Weighed {
	readonly ok: true;
	readonly fromStep: number;
	readonly toStep: number;
	readonly weight: Weight;
	/** the chip is no smaller with a summary of the usual length, only with one under so many tokens */
	readonly under?: number | undefined;
	/** estimated size of the conversation in the next request as it is now */
	readonly tokensBefore: number;
	/** the same with the fold, once it has landed */
	readonly tokensAfter: number;
	/** what it costs and saves if it lands now, together with what it takes along */
	readonly quote: Quote;
	/** whether it lands now, or waits */
	readonly timing: Timing;
	/** folds that stand for some of its steps as long as it has not landed */
	readonly behind?: Behind | undefined;
	/** it frees little, or follows the last fold closely */
	readonly thrift: Thrift | undefined;
	/** what a cut that the user had pinned did to it */
	readonly cut?: CutOutcome | undefined;
	/** records of folds on this branch that are not applied */
	readonly skipped: number;
}

/** A fold that was made. */
export interface Folded extends Weighed {
	readonly id: string;
	/** what its entries prove, as the record has it */
	readonly notes: readonly string[];
	readonly receipt: Receipt;
}

/** Why nothing was folded: rule, values, way out. */
export interface Refused {
	readonly ok: false;
	readonly reason: string;
}

/** Folds now: one record is appended, or nothing is and the reason says why. Synchronous throughout. */
export function foldNow(
	pi: ExtensionAPI,
	ctx: ExtensionContext,
	request: FoldRequest,
): Folded | Refused {
	const refused = checkSummary(request.summary);
	if (refused) return refused;
	const made = makeFold(pi, ctx, request);
	if (!made.ok) return made;
	const { log, replayer, range, weighed } = made;
	const record = seal(log, replayer, range, made.record);
	append(pi, record);
	const receipt = receiptFor(log, range, record, request.git);
	return { ...weighed, id: record.id, notes: record.notes ?? [], receipt };
}

/** What folding would change, without folding. */
export function previewFold(
	pi: ExtensionAPI,
	ctx: ExtensionContext,
	request: PreviewRequest,
): Weighed | Refused {
	const { summary } = request;
	const refused = summary === undefined ? undefined : checkSummary(summary);
	if (refused) return refused;
	const asked = summary === undefined ? "assumed" : "preview";
	const made = makeFold(pi, ctx, { ...request, summary: summary ?? PLACEHOLDER }, asked);
	return made.ok ? made.weighed : made;
}

/** The chip of a fold whose summary is still to be written, in tokens: as a preview has it. */
export function weighAssumed(
	log: Log,
	replayer: Replayer<PiMessage>,
	{ range, keep }: Pick<Proposal, "range" | "keep">,
): number {
	const { steps } = replayer;
	const { first: fromStep, last: toStep } = steps.span(range);
	const ends = { fromEntryId: steps.idAt(range.from), toEntryId: steps.idAt(range.to) || null };
	const cut = { range, keep, fromStep, toStep, ...ends };
	const record = outline(log, cut, { summary: PLACEHOLDER, by: "user", wish: {} });
	return weighChip(replayer, { record, range }, piHost);
}

/** Stands for a summary that is still to be written; of its length. */
const PLACEHOLDER = "0".repeat(4 * ASSUMED_SUMMARY);

/** 0.73 lets the user move in the tree while a tool runs. */
const LEFT =
	"nothing was folded: the branch that this call stands on was left, and steps are other ones here";

interface Made {
	readonly ok: true;
	readonly log: Log;
	readonly replayer: Replayer<PiMessage>;
	readonly range: Range;
	/** still without digest and id */
	readonly record: FoldRecord;
	readonly weighed: Weighed;
}

/** Whether a fold is made, or previewed: with its summary, or with one that is yet to be written. */
type Asked = "made" | "preview" | "assumed";

/** A record and what it would do; nothing is appended. */
function makeFold(
	pi: ExtensionAPI,
	ctx: ExtensionContext,
	request: FoldRequest,
	asked: Asked = "made",
): Made | Refused {
	const log = readLog(ctx);
	const replayer = replayLog(log);
	const { callId } = request.wish;
	if (callId !== undefined && replayer.steps.callBefore(callId, log.branch.length) < 0)
		return refuse(LEFT);
	const pinned = request.by === "model" ? openCut(log, replayer) : undefined;
	const { proposal, cut } = chooseRange(replayer, request.wish, pinned);
	if (!proposal.ok) return cut?.kind === "void" ? alsoVoid(proposal.reason, cut.reason) : proposal;
	const view = replayer.view({ asking: true });
	const drafted = { ...outline(log, proposal, request), ...answering(cut) };
	const weight = weigh(replayer, view, { record: drafted, range: proposal.range }, piHost);
	const least = weight.chip - (asked === "assumed" ? ASSUMED_SUMMARY : 0);
	if (least >= weight.replaced) return refuse(tooSmall({ ...weight, chip: least }));
	const under = weight.chip >= weight.replaced ? weight.replaced - least : undefined;
	const pricing = pricingOf(pi, ctx, { log, replayer, view });
	const { range, fromStep, toStep } = proposal;
	const scene = { log, replayer, view, pricing };
	const fold = placeFold(scene, { proposal, drafted, chip: weight.chip }, asked);
	const timing = timeFold(scene, fold, request.timing);
	const thrift = thriftOf(pricing, replayer, fold);
	const quote = asked === "made" ? timing.quote : timing.whole;
	const predicted = expected(timing.quote);
	const landed = { ...drafted, ...(timing.lands ? landing(timing.others) : {}), predicted };
	const tokensBefore = replayer.size(true);
	const behind = foldsIn(replayer, proposal);
	replayer.push({ id: "", kind: "record", record: landed });
	const sizes = { tokensBefore, tokensAfter: replayer.size(true) };
	const skipped = countSkipped(replayer);
	const effect = { weight, under, ...sizes, quote, timing, behind };
	return {
		ok: true,
		log,
		replayer,
		range,
		record: timing.lands ? landed : { ...landed, held: true },
		weighed: { ok: true, fromStep, toStep, ...effect, thrift, cut, skipped },
	};
}

/** A fold that is being made where it stands, and the calls that its landing changes. */
function placeFold(
	{ replayer, view, pricing }: Scene,
	made: { readonly proposal: Proposal; readonly drafted: FoldRecord; readonly chip: number },
	asked: Asked,
): Placing {
	const { proposal, drafted, chip } = made;
	const { id, by, callId, summary } = drafted;
	const { range, keep } = proposal;
	const shifts = weighCalls(replayer, view, { record: drafted, range }, piHost);
	const calls = shifts.filter(({ isOwn }) => !isOwn);
	const written = by === "model" || callId !== undefined || asked === "assumed";
	const tokens = estimateText(summary);
	const placed = placeCut(pricing, {
		...{ range, keeps: keep !== undefined, chip, written, summary: tokens },
		c: callsOutside({ calls }, []),
	});
	const ownCall = shifts.find(({ isOwn }) => isOwn)?.tokens ?? 0;
	// the call of a preview is not the one that would fold
	const toCome = written ? Math.max(0, tokens - estimateText(pointToChip(id))) : 0;
	const own = asked === "made" ? ownCall : toCome;
	return { id, range, placed, calls, own, ownTurn: isOwnTurn(replayer, callId) };
}

/** The folds in view that lie in a range, and whether they have all of its steps. */
function foldsIn(
	{ visible, steps }: Replayer<PiMessage>,
	{ range, fromStep, toStep }: Proposal,
): Behind | undefined {
	const inside = visible.filter((fold) => range.from <= fold.from && fold.to <= range.to);
	if (inside.length === 0) return undefined;
	const spans = inside.map((fold) => steps.span(fold));
	const hidden = spans.reduce((sum, { first, last }) => sum + Math.max(0, last - first + 1), 0);
	const ids = inside.map(({ record }) => record.id);
	return { ids, isAll: hidden === toStep - fromStep + 1 };
}

function landing(others: readonly string[]): Partial<FoldRecord> {
	return others.length > 0 ? { lands: others } : {};
}

/** How many records of folds are not applied, whatever the reason: each is still readable. */
export function countSkipped(replayer: Replayer<PiMessage>): number {
	const skipped = replayer.folds.filter(({ state }) => state === "skipped");
	return skipped.length + replayer.unreadable.filter(({ of }) => of === "fold").length;
}

function answering(cut: CutOutcome | undefined): Partial<FoldRecord> {
	return cut?.kind === "followed" ? { by: "user", cutEntryId: cut.entryId } : {};
}

function alsoVoid(reason: string, cutReason: string): Refused {
	return refuse(`${reason} (the cut that the user pinned does not hold either: ${cutReason})`);
}

/** Whether a reply did nothing but fold: then all of the context is read once more for it. */
function isOwnTurn({ steps }: Replayer<PiMessage>, callId: string | undefined): boolean {
	if (callId === undefined) return false;
	const calls = steps.entries[steps.callBefore(callId, steps.entries.length)]?.calls ?? [];
	return calls.length > 0 && calls.every((call) => call.name === SEND_TOOL);
}

function checkSummary(summary: string): Refused | undefined {
	if (summary.trim() === "")
		return refuse("the summary is empty; it is all that stays of the steps in your context");
	if (summary.length > SUMMARY_LIMIT)
		return refuse(
			`the summary has ${summary.length} characters, the limit is ${SUMMARY_LIMIT}; shorten it`,
		);
	if (isPointer(summary))
		return refuse(
			"the summary only points at another fold; write out what that fold's chip says, and what came since",
		);
	return undefined;
}

/** The record of a fold as it would be appended; nothing is. */
export function draft(
	log: Log,
	replayer: Replayer<PiMessage>,
	proposal: Proposal,
	request: Omit<FoldRequest, "timing">,
): FoldRecord {
	return seal(log, replayer, proposal.range, outline(log, proposal, request));
}

/** What of a request its record has. */
type Outlined = Pick<FoldRequest, "summary" | "by" | "git"> & {
	readonly wish: Pick<Wish, "callId">;
};

/** A record without proof and name: enough to weigh it, and no hash over all of its source. */
function outline(
	log: Log,
	{ range, fromEntryId, toEntryId, fromStep, toStep, keep }: Omit<Proposal, "ok">,
	{ summary, by, wish, git }: Outlined,
): FoldRecord {
	const { callId } = wish;
	const notes = notesIn(log, range, git);
	return {
		kind: "fold",
		v: 1,
		id: "0000",
		fromEntryId,
		toEntryId,
		fromStep,
		toStep,
		summary,
		by,
		...(callId ? { callId } : {}),
		...(keep === undefined ? {} : { keep }),
		...(notes.length === 0 ? {} : { notes }),
	};
}

/** The record with the digest of its source, and with the id that this gives it. */
function seal(
	log: Log,
	replayer: Replayer<PiMessage>,
	range: Range,
	record: FoldRecord,
): FoldRecord {
	const { fromEntryId, toEntryId, summary, callId } = record;
	const digest = digestOf(log.stored.slice(range.from, range.to), sha256);
	const taken = (id: string) => replayer.find(id) !== undefined;
	const id = foldId({ fromEntryId, toEntryId, digest, summary, callId }, taken, sha256);
	return { ...record, id, digest };
}

function tooSmall({ chip, replaced, quoted }: Weight): string {
	const words = quoted > 0 ? `, ${quoted} of them the user's own words` : "";
	return `the chip would not be smaller than what it replaces: ~${chip} tokens${words}, instead of ~${replaced}; fold more steps, or shorten the summary`;
}

function refuse(reason: string): Refused {
	return { ok: false, reason };
}
