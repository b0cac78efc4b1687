// Sums: the active branch, and the whole file. Money is what the session recorded, never a price list.

import { ratesAt, savedUsd } from "../price/rate.ts";
import { isUnpriced, promptTokens } from "../price/usage.ts";
import type { BranchWalk } from "./branch-walk.ts";
import type { Column } from "./column.ts";
import type { FoldWalk } from "./fold-walk.ts";
import type { Intake } from "./intake.ts";
import { type MissSums, sumMisses } from "./miss.ts";
import type { FoldRow, Spend, Totals } from "./profile.ts";
import { isReadUnpriced, type Replies } from "./replies.ts";
import type { Requests } from "./requests.ts";

/** The active branch, summed. Call it when savings and misses have been entered. */
export function sumBranch(
	intake: Intake,
	{ requests, counts }: Pick<BranchWalk, "requests" | "counts">,
	{ applied }: FoldWalk,
	folds: readonly FoldRow[],
): { totals: Totals; leastMissUsd: MissSums["leastUsd"] } {
	const { unmeasured, ...used } = sumUsage(intake.replies, requests.length, (i) =>
		requests.reply.at(i),
	);
	const prompt = promptTokens(used);
	const { miss, leastUsd } = sumMisses(requests);
	const totals: Totals = {
		requests: requests.length,
		...counts,
		prompt,
		...used,
		unmeasured,
		cacheHit: prompt > 0 ? used.cacheRead / prompt : null,
		foldedTokens: sum(requests.folded),
		rawTokens: sum(requests.raw),
		savedTokens: sum(requests.saved),
		savedUsd: sumSaved(intake.replies, requests),
		folds: {
			recorded: folds.filter((fold) => fold.state !== "elsewhere").length,
			applied,
			skipped: folds.filter((fold) => fold.state === "skipped").length,
		},
		miss,
	};
	return { totals, leastMissUsd: leastUsd };
}

/** Every reply of the file, summed, and what other entries used beside them; and how many have no usage. */
export function sumFile({ replies, other }: Intake): { spend: Spend; unmeasured: number } {
	const { unmeasured, ...used } = sumUsage(replies, replies.length, (i) => i);
	return { spend: { requests: replies.length, ...used, other: { ...other } }, unmeasured };
}

interface Used {
	input: number;
	cacheRead: number;
	cacheWrite: number;
	output: number;
	costUsd: number;
	unpriced: number;
	unmeasured: number;
}

/** @param numberAt the number of the i-th of so many replies */
function sumUsage(replies: Replies, length: number, numberAt: (i: number) => number): Used {
	const used: Used = {
		input: 0,
		cacheRead: 0,
		cacheWrite: 0,
		output: 0,
		costUsd: 0,
		unpriced: 0,
		unmeasured: 0,
	};
	for (let i = 0; i < length; i++) {
		const usage = replies.usageOf(numberAt(i));
		if (!usage) {
			used.unmeasured++;
			continue;
		}
		used.input += usage.input;
		used.cacheRead += usage.cacheRead;
		used.cacheWrite += usage.cacheWrite;
		used.output += usage.output;
		used.costUsd += usage.costUsd ?? 0;
		if (isUnpriced(usage)) used.unpriced++;
	}
	return used;
}

/** Null where no request has a price: unknown, not nothing. */
function sumSaved(replies: Replies, requests: Requests): Totals["savedUsd"] {
	let low: number | null = null;
	let high: number | null = null;
	for (let i = 0; i < requests.length; i++) {
		const reply = requests.reply.at(i);
		const usage = replies.usageOf(reply);
		const maker = replies.makerOfReply(reply);
		if (!usage || !maker) continue;
		const rates = ratesAt(maker.prices, promptTokens(usage), maker.hourly);
		const saved = savedUsd(requests.saved.at(i), usage, rates);
		if (!saved) continue;
		// what a read costs may be nothing: then so does one that was saved
		low = (low ?? 0) + (isReadUnpriced(maker) ? Math.min(0, saved.low) : saved.low);
		high = (high ?? 0) + saved.high;
	}
	return { low, high };
}

function sum(column: Column): number {
	let total = 0;
	for (let i = 0; i < column.length; i++) total += column.at(i);
	return total;
}
