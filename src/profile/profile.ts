// What the profiler says of one session: the shape of `--json`, field by field. Data only; the schema in
// docs/profile.schema.json says the same to other programs.

import type { Effect } from "../../fold.ts";

export const CAUSES = [
	"first",
	"fold",
	"compaction",
	"branch",
	"model",
	"thinking",
	"system",
	"idle",
	"provider",
	"unexplained",
] as const;

/** Why tokens that could have come from the cache did not; the order in which causes are looked for. */
export type Cause = (typeof CAUSES)[number];

/** Derived: tokens of a request that were sent before and yet did not come from the cache. */
export interface Miss {
	readonly cause: Cause;
	readonly tokens: number;
	/**
	 * what they cost above a cache read, in US dollars; null where the session shows no price of the one or the
	 * other, of a sum also where it does so of a part
	 */
	readonly costUsd: number | null;
}

/** What is wrong with a line of a session file; the line counts from 1. */
interface Problem {
	readonly line: number;
	readonly reason: string;
}

/** The file as it was read. */
export interface SessionFacts {
	readonly file: string;
	readonly id: string | null;
	readonly cwd: string | null;
	/** ISO 8601, UTC */
	readonly startedAt: string | null;
	/** 1, 2 or 3 */
	readonly version: number;
	readonly lines: number;
	readonly bytes: number;
	readonly entries: number;
	/** how many leaves the tree has */
	readonly branches: number;
	readonly problems: readonly Problem[];
}

/** Derived: the line `actual ≈ overhead + k · estimate` through the session's own usage. */
export interface Calibration {
	readonly k: number;
	/** tokens that every request carries beside its messages: system prompt, tools */
	readonly overhead: number;
	/** requests that the line was fitted to; 0: nothing was measured and k is 1 */
	readonly requests: number;
	/** median relative error of the fit; null where there are too few requests to tell */
	readonly error: number | null;
}

/** One request: every assistant entry of the active branch. Nulls where the session has no usage. */
export interface RequestRow {
	/** from 1 */
	readonly index: number;
	readonly entryId: string;
	/** null for an attempt */
	readonly step: number | null;
	readonly time: string | null;
	readonly provider: string | null;
	readonly model: string | null;
	readonly stop: string | null;
	/** input + cacheRead + cacheWrite */
	readonly prompt: number | null;
	readonly input: number | null;
	readonly cacheRead: number | null;
	readonly cacheWrite: number | null;
	readonly output: number | null;
	/** as recorded; null where no price was */
	readonly costUsd: number | null;
	/** 0–1; null without prompt */
	readonly cacheHit: number | null;
	/** plain estimate of what was sent, in tokens */
	readonly foldedTokens: number;
	/** plain estimate of what would have been sent without folds and markers */
	readonly rawTokens: number;
	/** calibrated: raw − folded */
	readonly savedTokens: number;
	/** chips in view */
	readonly folds: number;
	/** the measured prompt fits the raw size better than the folded one */
	readonly unfolded: boolean;
	readonly miss: readonly Miss[];
}

/** Request rows, made when they are asked for: a long session is kept in columns. */
export interface RequestRows {
	readonly length: number;
	/** The row at a position from 0. Throws beyond the last. */
	at(position: number): RequestRow;
}

type FoldRowState = "landed" | "held" | "open" | "absorbed" | "dropped" | "skipped" | "elsewhere";

/** One fold record of the file and what became of it. */
export interface FoldRow {
	readonly id: string;
	readonly by: "model" | "user" | "auto" | null;
	readonly fromStep: number | null;
	readonly toStep: number | null;
	readonly fromEntryId: string;
	readonly toEntryId: string | null;
	readonly state: FoldRowState;
	readonly reason: string | null;
	readonly absorbedBy: string | null;
	/** index of the first request that was sent with its chip; null if none was */
	readonly firstRequest: number | null;
	/** derived: size of what the chip replaced when it landed */
	readonly removedTokens: number | null;
	/** derived: size of the chip */
	readonly summaryTokens: number | null;
	/** whether the digest still fits; null unless asked for, or without a digest */
	readonly verified: boolean | null;
	/** by the record that landed it, else by its own; several folds of one record share it by size */
	readonly predicted: Effect | null;
	/** from the usage around the landing, whose folds share it by size */
	readonly measured: Effect | null;
}

/** The active branch, summed. */
export interface Totals {
	readonly requests: number;
	readonly steps: number;
	readonly userMessages: number;
	readonly toolCalls: number;
	readonly unansweredCalls: number;
	readonly orphanResults: number;
	readonly compactions: number;
	readonly prompt: number;
	readonly input: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
	readonly output: number;
	/** what the session recorded; a lower bound while `unpriced` is not 0 */
	readonly costUsd: number;
	/** replies with tokens and no cost */
	readonly unpriced: number;
	/** replies without usage */
	readonly unmeasured: number;
	readonly cacheHit: number | null;
	readonly foldedTokens: number;
	readonly rawTokens: number;
	readonly savedTokens: number;
	/** `low` prices what was saved at cache read, `high` at the dearest part of the prompt */
	readonly savedUsd: { readonly low: number | null; readonly high: number | null };
	readonly folds: {
		readonly recorded: number;
		readonly applied: number;
		readonly skipped: number;
	};
	readonly miss: readonly Miss[];
}

/** The whole file, every branch, summed. */
export interface Spend {
	readonly requests: number;
	readonly input: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
	readonly output: number;
	readonly costUsd: number;
	readonly unpriced: number;
	/** usage of compactions, branch summaries, tool results and usage entries; not in the sums above */
	readonly other: { readonly entries: number; readonly costUsd: number };
}

/** What the report says beside the numbers; no part of the JSON. */
export interface Asides {
	/** replies of the whole file without usage; the sums of `spend` take them as 0 */
	readonly unmeasured: number;
	/** of causes whose misses have a price in part: what that part cost, in US dollars */
	readonly leastMissUsd: ReadonlyMap<Cause, number>;
	/** indexes of the requests whose reply says that it is done and has nothing in it, nor any usage */
	readonly emptyStops: readonly number[];
	/**
	 * by index: what was said where a request failed or was aborted, its beginning on one line; where very many
	 * did, only of the newest. Nothing in it is safe for a terminal yet.
	 */
	readonly failures: ReadonlyMap<number, string>;
	/** images of the active branch, and the bytes of their base64: some services bill or limit those */
	readonly images: { readonly count: number; readonly bytes: number };
}

/** Everything the profiler says of one session. */
export interface Profile {
	readonly version: 1;
	readonly session: SessionFacts;
	readonly calibration: Calibration;
	readonly requests: RequestRows;
	readonly folds: readonly FoldRow[];
	readonly totals: Totals;
	readonly spend: Spend;
	readonly asides: Asides;
}
