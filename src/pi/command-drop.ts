// `/dmail drop [ID]`: takes a fold back for good. Its record stays in the session, answered by a later one.
// While a cut is pinned, that is what it takes back.

import { type Answer, answering, type Call, type Command, refuse, tell } from "./command.ts";
import { pinnedCut, spellSteps, withdrawCut } from "./cut.ts";
import { type Choice, chooseFold, type Kept, keptFolds, tellShown, tellSteps } from "./keep.ts";
import { completingFolds } from "./keep-complete.ts";
import { changeFold, hindrance } from "./keep-state.ts";
import { readLog, replayLog } from "./log.ts";

export const DROP: Command = {
	name: "drop",
	help: "take back a pinned cut, or a fold for good: [ID], else the newest in view",
	bare: "the pinned cut, else the newest fold in view",
	complete: completingFolds((fold) => hindrance("drop", fold) === undefined),
	run: answering(drop),
};

async function drop(call: Call): Promise<Answer> {
	const { pi, dmail, ctx, argument } = call;
	const log = readLog(ctx);
	const replayer = replayLog(log);
	const cut = argument === "" ? pinnedCut(call, { log, replayer }) : undefined;
	if (cut) {
		withdrawCut(call, cut, "taken back");
		return tell(`the cut that was pinned, ${spellSteps(cut)}, is taken back; no fold was touched`);
	}
	const folds = keptFolds(log, replayer);
	const choice = argument === "" ? newestInView(folds) : chooseFold(folds, argument);
	if (!choice.ok) return refuse(choice.reason);
	const { id } = choice.fold.record;
	const isPossible = hindrance("drop", choice.fold) === undefined;
	if (isPossible && !(await isConfirmed(ctx, choice.fold)))
		return tell(`fold ${id} stays; nothing changed`);
	const dropped = changeFold(pi, ctx, "drop", id);
	if (!dropped.ok) return refuse(dropped.reason);
	dmail.recount(ctx);
	return tell(`fold ${id} is taken back: ${effectOf(dropped.fold)}`);
}

function newestInView(folds: readonly Kept[]): Choice {
	const fold = folds.findLast(({ state }) => state === "landed");
	return fold
		? { ok: true, fold }
		: { ok: false, reason: "no fold is in view; name one: /dmail drop ID" };
}

function effectOf(fold: Kept): string {
	if (fold.state !== "landed") return "what is in view stays as it is";
	return `the conversation has ${tellShown(fold)}`;
}

const KEEP = "No, it stays";
const TAKE_BACK = "Yes, take it back";

async function isConfirmed(ctx: Call["ctx"], fold: Kept): Promise<boolean> {
	if (!isTerminal(ctx)) return true;
	const title = `Take back fold ${fold.record.id}, ${tellSteps(fold)}? This cannot be undone; /dmail open shows the steps for a while.`;
	// not pi's own question: that one has Yes chosen, and a second Enter would be an answer
	return (await ctx.ui.select(title, [KEEP, TAKE_BACK])) === TAKE_BACK;
}

/** Clients over RPC have asked for what they send; 0.73 does not say whether there is a terminal. */
function isTerminal(ctx: Call["ctx"]): boolean {
	const { mode } = ctx as { mode?: string };
	return mode === undefined ? ctx.hasUI && process.stdout.isTTY === true : mode === "tui";
}
