// Every fold record of a file with what became of it: where it stands now, what it replaced, and what its
// landing did to the usage that the provider reported.

import type { Effect, Fold, FoldRecord } from "../../fold.ts";
import { breakEven } from "../price/cost.ts";
import { billTokens, ratesAt, toUsd } from "../price/rate.ts";
import { promptTokens } from "../price/usage.ts";
import { estimateText } from "../session/size.ts";
import type { BranchWalk } from "./branch-walk.ts";
import type { FoldWalk, Landing } from "./fold-walk.ts";
import type { Intake } from "./intake.ts";
import type { Calibration, FoldRow } from "./profile.ts";

/** The rows in file order. */
export function rowsOfFolds(
	intake: Intake,
	walk: Omit<BranchWalk, "steps">,
	found: FoldWalk,
	calibration: Calibration,
): FoldRow[] {
	if (!intake.hasRecords) return [];
	const here = new Map(found.folds.map((fold) => [walk.path[fold.at], fold]));
	const landings = new Map(found.landings.map((landing) => [landing.fold, landing]));
	const onBranch = new Uint8Array(intake.tree.nodes.length);
	for (const at of walk.path) onBranch[at] = 1;
	const measure = new Measure(intake, walk, found, calibration);
	const rows: FoldRow[] = [];
	for (const [at, { id, record }] of intake.tree.nodes.entries()) {
		if (record?.kind === "broken" && record.of === "fold")
			rows.push(brokenRow(id, record.reason, onBranch[at] === 1));
		if (record?.kind !== "fold") continue;
		const fold = here.get(at);
		const landing = fold && landings.get(fold);
		rows.push({
			...recordFields(record),
			...stateFields(fold),
			firstRequest: landing && landing.request >= 0 ? landing.request + 1 : null,
			removedTokens: landing?.removed ?? null,
			summaryTokens: landing?.chip ?? null,
			verified: null,
			predicted: record.predicted ?? null,
			measured: landing ? measure.effectOf(landing) : null,
		});
	}
	return rows;
}

/** For each of the rows its record; undefined where that could not be read. */
export function recordsOfFolds({ tree }: Intake): (FoldRecord | undefined)[] {
	const records: (FoldRecord | undefined)[] = [];
	for (const { record } of tree.nodes)
		if (record?.kind === "fold") records.push(record);
		else if (record?.kind === "broken" && record.of === "fold") records.push(undefined);
	return records;
}

function recordFields(record: FoldRecord) {
	return {
		id: record.id,
		by: record.by ?? null,
		fromStep: record.fromStep ?? null,
		toStep: record.toStep ?? null,
		fromEntryId: record.fromEntryId,
		toEntryId: record.toEntryId,
	};
}

function stateFields(fold: Fold | undefined): Pick<FoldRow, "state" | "reason" | "absorbedBy"> {
	if (!fold) return { state: "elsewhere", reason: null, absorbedBy: null };
	return {
		state: fold.state,
		reason: fold.reason ?? null,
		absorbedBy: fold.absorbedBy?.record.id ?? null,
	};
}

/** A record that says too little to be a fold still is one that was made. */
function brokenRow(id: string, reason: string, here: boolean): FoldRow {
	return {
		id,
		by: null,
		fromStep: null,
		toStep: null,
		fromEntryId: "",
		toEntryId: null,
		state: here ? "skipped" : "elsewhere",
		reason: here ? `unreadable: ${reason}` : null,
		absorbedBy: null,
		firstRequest: null,
		removedTokens: null,
		summaryTokens: null,
		verified: null,
		predicted: null,
		measured: null,
	};
}

/** What made a cache cold that no fold did. */
const COLD: readonly string[] = ["model", "thinking", "system", "idle"];

class Measure {
	private readonly intake: Intake;
	private readonly walk: Omit<BranchWalk, "steps">;
	private readonly calibration: Calibration;
	/** by first request: plain estimate of all that its landings freed */
	private readonly freed = new Map<number, number>();

	constructor(
		intake: Intake,
		walk: Omit<BranchWalk, "steps">,
		found: FoldWalk,
		calibration: Calibration,
	) {
		this.intake = intake;
		this.walk = walk;
		this.calibration = calibration;
		for (const { request, removed, chip } of found.landings)
			this.freed.set(request, (this.freed.get(request) ?? 0) + removed - chip);
	}

	/**
	 * The effect as the usage around the landing shows it: by how much the prompt fell below what it would
	 * have grown to, and what that request cost beyond it, with the summary's share of the output before
	 * it. Folds that land together share by size. Null where either prompt is unknown, another model was
	 * asked, or a compaction came between.
	 */
	effectOf(landing: Landing): Effect | null {
		const { requests, history } = this.walk;
		const { replies } = this.intake;
		const { previous, change, grown } = history.at(landing.request);
		const reply = requests.reply.at(landing.request);
		const replyBefore = requests.reply.at(previous);
		const usage = replies.usageOf(reply);
		const before = replies.usageOf(replyBefore);
		const maker = replies.makerOfReply(reply);
		if (!usage || !before || !maker || change?.cause !== "fold") return null;
		if (replies.makerNumberOf(reply) !== replies.makerNumberOf(replyBefore)) return null;
		const { k } = this.calibration;
		const all = promptTokens(before) + k * grown - promptTokens(usage);
		const share = (landing.removed - landing.chip) / (this.freed.get(landing.request) ?? 0);
		if (!Number.isFinite(share)) return null;
		const rates = ratesAt(maker.prices, promptTokens(usage), maker.hourly);
		const w = maker.writes ? rates.w : 1;
		const isCold = requests.missAt(landing.request).some((miss) => COLD.includes(miss.cause));
		const cached = isCold ? 0 : Math.min(promptTokens(before), promptTokens(usage) + all);
		const unfolded = rates.r * cached + w * (promptTokens(usage) + all - cached);
		// the reply that folded was billed as a whole: only the summary's part of it was for the fold
		const written = rates.o * k * estimateText(landing.fold.record.summary);
		const once = (billTokens({ ...usage, output: 0 }, rates) - unfolded) * share + written;
		const requestsToPay = breakEven(once, rates.r * all * share);
		return {
			removedTokens: Math.round(all * share + k * landing.chip),
			onceUsd: toUsd(once, rates),
			perRequestTokens: Math.round(all * share),
			requestsToPay,
			paid: requestsToPay !== null && this.requestsSince(landing) >= requestsToPay,
		};
	}

	/** How many later requests were sent without what it folded. */
	private requestsSince({ request, until }: Landing): number {
		return (until < 0 ? this.walk.requests.length : until) - request - 1;
	}
}
