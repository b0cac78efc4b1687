// `/dmail list`: the folds of the branch, oldest first, each with what became of it.

import type { Fold, Replayer } from "../../fold.ts";
import { formatCount } from "./badge.ts";
import { type Answer, answering, type Call, type Command, tell } from "./command.ts";
import { type Log, readLog, replayLog } from "./log.ts";
import { firstLine } from "./picker-label.ts";

export const LIST: Command = {
	name: "list",
	help: "the folds of this branch, and what became of them",
	run: answering(list),
};

function list({ ctx }: Call): Answer {
	const log = readLog(ctx);
	const replayer = replayLog(log);
	const { folds, unreadable } = replayer;
	if (folds.length + unreadable.length === 0) return tell("there are no folds on this branch");
	const rows = folds.map((fold) => [
		fold.record.id,
		stepsOf(replayer, fold),
		`~${formatCount(sizeOf(log, fold))}`,
		stateOf(fold),
		fold.record.by ?? "unverified",
		firstLine(fold.record.summary).slice(0, 60),
	]);
	const broken = unreadable.map(
		({ of, reason }) => `a record (dmail.${of}) is not read: ${reason}`,
	);
	return tell(["the folds of this branch:", ...align(rows), ...broken].join("\n"));
}

function stepsOf({ steps }: Replayer<unknown>, fold: Fold): string {
	if (fold.to <= fold.from) return "no steps";
	const { first, last } = steps.span(fold);
	if (last < first) return "no steps";
	return last === first ? `step ${first}` : `steps ${first}–${last}`;
}

/** Tokens of the range as stored. */
function sizeOf({ branch }: Log, { from, to }: Fold): number {
	return branch.slice(from, to).reduce((sum, entry) => sum + (entry.tokens ?? 0), 0);
}

function stateOf({ state, reason, absorbedBy }: Fold): string {
	if (state === "skipped") return `skipped: ${reason ?? "unknown"}`;
	return absorbedBy ? `absorbed by ${absorbedBy.record.id}` : state;
}

/** Columns as wide as their widest cell; the last one is left as it is. */
function align(rows: readonly string[][]): string[] {
	const widths = (rows[0] ?? []).map((_, column) =>
		Math.max(...rows.map((row) => row[column]?.length ?? 0)),
	);
	return rows.map((row) =>
		row
			.map((cell, column) => (column < row.length - 1 ? cell.padEnd(widths[column] ?? 0) : cell))
			.join("  "),
	);
}
