// Makes a fold: checks the wish, freezes the range, weighs the chip, appends the record. One place for
// the tool, the commands and whatever else folds.

import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import {
	type FoldRecord,
	foldContext,
	isPointer,
	type Proposal,
	propose,
	type Replayer,
	SUMMARY_LIMIT,
	type View,
	type Weight,
	type Wish,
	weigh,
} from "../../fold.ts";
import type { Receipt } from "../notes/receipt.ts";
import { digestOf, foldId } from "../session/digest.ts";
import type { PiMessage } from "../session/entry.ts";
import { piHost } from "../session/message.ts";
import { append, type Log, readLog, replayLog, sha256 } from "./log.ts";
import { type GitChanges, notesIn, receiptFor } from "./receipt.ts";

/** What somebody wants folded, and the words that shall stand for it. */
export interface FoldRequest {
	readonly wish: Wish;
	readonly summary: string;
	readonly by: "model" | "user" | "auto";
	/** what git said of these steps, where it was asked */
	readonly git?: GitChanges | undefined;
}

/** A fold that could be made: its steps, and what the next request weighs before and after, in tokens. */
export interface Weighed {
	readonly ok: true;
	readonly fromStep: number;
	readonly toStep: number;
	readonly weight: Weight;
	/** estimated size of the conversation in the next request as it is now */
	readonly tokensBefore: number;
	/** the same with the fold */
	readonly tokensAfter: number;
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
	const log = readLog(ctx);
	const replayer = replayLog(log);
	const proposal = propose(replayer, request.wish);
	if (!proposal.ok) return proposal;
	const record = draft(log, replayer, proposal, request);
	const weighed = weighDraft(log, replayer, record, proposal);
	if (!weighed.ok) return weighed;
	append(pi, record);
	const receipt = receiptFor(log, proposal.range, record, request.git);
	return { ...weighed, id: record.id, notes: record.notes ?? [], receipt };
}

/** What folding would change, without folding; the summary may still be missing. */
export function previewFold(
	ctx: ExtensionContext,
	wish: Wish,
	summary: string | undefined,
): Weighed | Refused {
	const refused = summary === undefined ? undefined : checkSummary(summary);
	if (refused) return refused;
	const log = readLog(ctx);
	const replayer = replayLog(log);
	const proposal = propose(replayer, wish);
	if (!proposal.ok) return proposal;
	const record = draft(log, replayer, proposal, { wish, summary: summary ?? "", by: "model" });
	return weighDraft(log, replayer, record, proposal);
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
	request: FoldRequest,
): FoldRecord {
	const { range, fromEntryId, toEntryId, fromStep, toStep, keep } = proposal;
	const { summary, by, wish, git } = request;
	const { callId } = wish;
	const notes = notesIn(log, range, git);
	const digest = digestOf(log.stored.slice(range.from, range.to), sha256);
	const taken = (id: string) => replayer.find(id) !== undefined;
	const id = foldId({ fromEntryId, toEntryId, digest, summary, callId }, taken, sha256);
	return {
		kind: "fold",
		v: 1,
		id,
		fromEntryId,
		toEntryId,
		fromStep,
		toStep,
		summary,
		digest,
		by,
		...(callId === undefined ? {} : { callId }),
		...(keep === undefined ? {} : { keep }),
		...(notes.length === 0 ? {} : { notes }),
	};
}

function weighDraft(
	log: Log,
	replayer: Replayer<PiMessage>,
	record: FoldRecord,
	proposal: Proposal,
): Weighed | Refused {
	const { range, fromStep, toStep } = proposal;
	const view = replayer.view({ asking: true });
	const weight = weigh(replayer, view, { record, range }, piHost);
	if (weight.chip >= weight.replaced) return refuse(tooSmall(weight));
	const folded = foldContext([...log.branch, { id: "", kind: "record", record }], piHost, {
		asking: true,
	});
	const tokensBefore = sizeOf(view);
	return { ok: true, fromStep, toStep, weight, tokensBefore, tokensAfter: sizeOf(folded) };
}

function tooSmall({ chip, replaced, quoted }: Weight): string {
	const words = quoted > 0 ? `, ${quoted} of them the user's own words` : "";
	return `the chip would not be smaller than what it replaces: ~${chip} tokens${words}, instead of ~${replaced}; fold more steps, or shorten the summary`;
}

function sizeOf(view: View<PiMessage>): number {
	return view.messages.reduce((sum, message) => sum + piHost.tokens(message), 0);
}

function refuse(reason: string): Refused {
	return { ok: false, reason };
}
