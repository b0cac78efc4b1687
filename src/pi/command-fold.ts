// `/dmail fold [step] [toStep] [-- summary]`, also `/send-dmail`: the user folds. With a summary it is done at
// once; without one the cut is pinned and the model is asked for it; without steps there is a list to pick from.

import type { Replayer, Wish } from "../../fold.ts";
import type { PiMessage } from "../session/entry.ts";
import { type Answer, answering, type Call, type Command, refuse, tell } from "./command.ts";
import { completeSteps, readSteps } from "./command-steps.ts";
import { pinnedCut, type Sent, sendCut, spellSteps, withdrawCut } from "./cut.ts";
import type { CutSteps } from "./cut-queue.ts";
import { SEND_TOOL } from "./dmail.ts";
import { foldNow, previewFold } from "./folding.ts";
import { readLog, replayLog } from "./log.ts";
import { pick, readChoices, rowText } from "./picker-dialog.ts";
import type { Choices } from "./picker-rows.ts";
import { priceLines } from "./price-text.ts";
import { askGit } from "./receipt.ts";
import { effectLines, foretell } from "./send-answer.ts";
import { landingLines } from "./timing-text.ts";

export const FOLD: Command = {
	name: "fold",
	help: "fold steps, or pin a cut for the model: [step] [toStep] [-- summary]",
	bare: "choose the steps from a list",
	enough: "from there to now",
	complete: completeSteps,
	run: answering(fold),
};

async function fold(call: Call): Promise<Answer> {
	const words = readSteps(call.argument, "fold");
	if (typeof words === "string") return refuse(words);
	if (!call.dmail.mode.enabled)
		return refuse("is off, nothing was folded; switch it on with /dmail on");
	const { fromStep, toStep, summary } = words;
	if (fromStep === undefined) return foldPicked(call, summary);
	const steps = { fromStep, toStep };
	return summary === undefined ? pinCut(call, steps) : foldByUser(call, steps, summary);
}

async function foldPicked(call: Call, summary: string | undefined): Promise<Answer> {
	const { pi, dmail, ctx } = call;
	const choices = readChoices(pi, ctx);
	if (choices.rows.length === 0) return refuse("nothing can be folded: no step is finished yet");
	if (!ctx.hasUI) return refuse(listed(choices));
	const asksModel = summary === undefined && dmail.isToolActive();
	const picked = await pick(ctx, choices, asksModel);
	if (!picked) return tell(UNCHANGED);
	const meant = entriesOf(choices.replayer, picked);
	if (picked.author === "model")
		return meant === entriesNow(call, picked) ? pinCut(call, picked) : refuse(LEFT);
	const written = summary ?? (await ctx.ui.editor(`Summary of ${spellSteps(picked)}`, ""));
	return written === undefined ? tell(UNCHANGED) : foldByUser(call, picked, written.trim(), meant);
}

/** Which replies steps are. While somebody writes, the user may go elsewhere in the tree: others are there. */
function entriesOf({ steps }: Replayer<PiMessage>, { fromStep, toStep }: CutSteps): string {
	const ids = [fromStep, toStep ?? 0].map(
		(step) => steps.entries[steps.positionOfStep(step) ?? -1]?.id ?? "",
	);
	return ids.join(" ");
}

function entriesNow({ ctx }: Call, steps: CutSteps): string {
	return entriesOf(replayLog(readLog(ctx)), steps);
}

const LEFT =
	"nothing was folded: the branch was left meanwhile, and its steps are other ones here; pick them anew";

const UNCHANGED = "nothing was folded";

/** As many as a person reads who has no list to scroll in. */
const LISTED = 20;

function listed(choices: Choices): string {
	const rows = choices.rows.slice(0, LISTED).map((row) => rowText(choices, row, undefined));
	return ["name a step, /dmail fold STEP; what a fold from there to now would save:", ...rows].join(
		"\n",
	);
}

/** @param meant which replies the steps were when they were chosen */
async function foldByUser(
	call: Call,
	steps: CutSteps,
	summary: string,
	meant = entriesNow(call, steps),
): Promise<Answer> {
	const { pi, dmail, ctx } = call;
	const git = await askGit(ctx, wishOf(ctx, steps));
	if (meant !== entriesNow(call, steps)) return refuse(LEFT);
	const { timing } = dmail.settings;
	const cut = pinnedCut(call);
	const made = foldNow(pi, ctx, { wish: wishOf(ctx, steps), summary, by: "user", timing, git });
	if (!made.ok) return refuse(made.reason);
	if (cut) withdrawCut(call, cut, "folded");
	dmail.recount(ctx);
	const [head = "", ...rest] = landingLines(made.id, made, made.timing);
	const said = `${head.charAt(0).toLowerCase()}${head.slice(1)}`;
	return tell([said, ...rest, ...effectLines(made)].join("\n"));
}

/** While git was asked, a run may have begun or ended. */
function wishOf(ctx: Call["ctx"], { fromStep, toStep }: CutSteps): Wish {
	return { fromStep, toStep, live: !ctx.isIdle() };
}

function pinCut(call: Call, { fromStep, toStep }: CutSteps): Answer {
	const { pi, dmail, ctx } = call;
	if (!dmail.isToolActive()) return refuse(NO_TOOL);
	const cut = { fromStep, toStep };
	const { timing } = dmail.settings;
	const preview = previewFold(pi, ctx, { wish: wishOf(ctx, cut), by: "user", timing });
	if (!preview.ok) return refuse(preview.reason);
	const sent = sendCut(call, cut);
	const head = `pinned a cut: ${spellSteps(cut)}; ${SENT[sent]}`;
	const lines = preview.under === undefined ? priceLines(preview.quote) : foretell(preview);
	return tell([head, ...lines].join("\n"));
}

const SENT: Record<Sent, string> = {
	now: "the model is asked to fold now",
	"in this run": "the model is asked with its next request",
	"with the next prompt": "the model is asked with your next prompt",
};

const NO_TOOL = `${SEND_TOOL} is not offered to the model, so it cannot be asked; fold with a summary of your own: /dmail fold STEP -- SUMMARY`;
