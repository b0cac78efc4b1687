// Sums: the active branch, and the whole file. Money is what the session recorded, never a price list.

import { ratesAt, savedUsd } from "../price/rate.ts";
import { isUnpriced, promptTokens } from "../price/usage.ts";
import type { Intake } from "./intake.ts";
import { sumMisses } from "./miss.ts";
import type { FoldRow, Spend, Totals } from "./profile.ts";
import type { Walk } from "./replay.ts";
import type { Replies } from "./replies.ts";

/** The active branch, summed. Call it when savings and misses have been entered. */
export function sumBranch(intake: Intake, walk: Walk, folds: readonly FoldRow[]): Totals {
	const { requests } = walk;
	const { unmeasured, ...used } = sumUsage(intake.replies, requests.reply);
	const prompt = promptTokens(used);
	return {
		requests: requests.length,
		...countBranch(intake, walk),
		prompt,
		...used,
		unmeasured,
		cacheHit: prompt > 0 ? used.cacheRead / prompt : null,
		foldedTokens: sum(requests.folded),
		rawTokens: sum(requests.raw),
		savedTokens: sum(requests.saved),
		savedUsd: sumSaved(intake.replies, walk),
		folds: {
			recorded: folds.filter((fold) => fold.state !== "elsewhere").length,
			applied: walk.isOn ? (walk.folded?.visible.length ?? 0) : 0,
			skipped: folds.filter((fold) => fold.state === "skipped").length,
		},
		miss: sumMisses(requests),
	};
}

/** Every reply of the file, summed, and what other entries used beside them. */
export function sumFile({ replies, other }: Intake): Spend {
	const { unmeasured: _, ...used } = sumUsage(replies, range(replies.length));
	return { requests: replies.length, ...used, other: { ...other } };
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

function sumUsage(replies: Replies, numbers: Iterable<number>): Used {
	const used: Used = {
		input: 0,
		cacheRead: 0,
		cacheWrite: 0,
		output: 0,
		costUsd: 0,
		unpriced: 0,
		unmeasured: 0,
	};
	for (const number of numbers) {
		const usage = replies.usageOf(number);
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

type Counts = Pick<
	Totals,
	"steps" | "userMessages" | "toolCalls" | "unansweredCalls" | "orphanResults" | "compactions"
>;

function countBranch(intake: Intake, { path, raw: { steps } }: Walk): Counts {
	const counts = {
		steps: steps.count,
		userMessages: 0,
		toolCalls: 0,
		unansweredCalls: 0,
		orphanResults: 0,
		compactions: 0,
	};
	for (const [position, at] of path.entries()) {
		const node = intake.tree.nodes[at];
		if (node?.kind === "user") counts.userMessages++;
		else if (node?.kind === "compaction") counts.compactions++;
		else if (node?.kind === "result" && steps.answeredBy(position) < 0) counts.orphanResults++;
		counts.toolCalls += node?.calls?.length ?? 0;
		counts.unansweredCalls += steps.openCalls(position);
	}
	return counts;
}

/** Null where no request has a price: unknown, not nothing. */
function sumSaved(replies: Replies, { requests }: Walk): Totals["savedUsd"] {
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
		low = (low ?? 0) + saved.low;
		high = (high ?? 0) + saved.high;
	}
	return { low, high };
}

function sum(values: Iterable<number>): number {
	let total = 0;
	for (const value of values) total += value;
	return total;
}

function* range(length: number): Generator<number> {
	for (let i = 0; i < length; i++) yield i;
}
