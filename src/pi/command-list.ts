// `/dmail list`: the folds of the branch, oldest first, each with what became of it.

import { formatCount } from "./badge.ts";
import { type Answer, answering, type Call, type Command, tell } from "./command.ts";
import { pinnedCut } from "./cut.ts";
import { keptFolds, tellCut, tellPins, tellState, tellSteps } from "./keep.ts";
import { readLog, replayLog } from "./log.ts";
import { firstLine } from "./picker-label.ts";
import { pricingOf } from "./price.ts";
import { reportHeld, reportLandings } from "./timing-report.ts";

export const LIST: Command = {
	name: "list",
	help: "the folds of this branch, what became of them, and what is pinned",
	alone: true,
	run: answering(list),
};

function list({ pi, dmail, ctx }: Call): Answer {
	const log = readLog(ctx);
	const replayer = replayLog(log);
	const view = replayer.view({ asking: true });
	const rows = keptFolds(log, replayer).map((fold) => [
		fold.record.id,
		tellSteps(fold),
		fold.tokens > 0 ? `~${formatCount(fold.tokens)}` : "",
		tellState(fold),
		fold.record.by ?? "unverified",
		firstLine(fold.record.summary).slice(0, 60),
	]);
	const broken = replayer.unreadable
		.filter(({ of }) => of !== "fold")
		.map(({ of, reason }) => `a record (dmail.${of}) is not read: ${reason}`);
	const pins = tellPins(replayer);
	const pinned = pins === "" ? [] : [`kept from folding: ${pins}`];
	const head = rows.length > 0 ? "the folds of this branch:" : "there are no folds on this branch";
	const scene = { log, replayer, view, pricing: pricingOf(pi, ctx, { log, replayer, view }) };
	const { enabled, why } = dmail.mode;
	const off = enabled ? [] : [`is off (${why}): everything is sent as it is stored`];
	const held = enabled ? reportHeld(scene, dmail.settings.timing) : [];
	const landings = [...held, ...reportLandings(scene)];
	const cut = tellCut(pinnedCut({ ctx, dmail }, { log, replayer }));
	return tell([...off, head, ...align(rows), ...broken, ...landings, ...cut, ...pinned].join("\n"));
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
