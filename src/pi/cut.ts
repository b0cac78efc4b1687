// The cut that the user pins: a message to the model that asks it to fold certain steps. Whether one is open
// is read from the branch each time; only one that pi still holds for a run is known otherwise.

import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import { type Proposal, propose, type Refusal, type Replayer, type Wish } from "../../fold.ts";
import type { PiMessage } from "../session/entry.ts";
import { CUT, type CutSteps, stepsIn } from "./cut-queue.ts";
import { type Dmail, SEND_TOOL } from "./dmail.ts";
import { append, generationOf, type Log, readLog, replayLog } from "./log.ts";

/** A cut that was not answered yet. */
interface OpenCut extends CutSteps {
	/** the entry of its message */
	readonly entryId: string;
}

/** What an open cut did to a fold: it took the place of the range asked for, or it no longer holds. */
export type CutOutcome =
	| { readonly kind: "followed"; readonly entryId: string }
	| { readonly kind: "void"; readonly steps: CutSteps; readonly reason: string };

/** A range to fold, and what an open cut had to do with it. */
export interface Choice {
	readonly proposal: Proposal | Refusal;
	readonly cut?: CutOutcome | undefined;
}

/**
 * The newest cut of the era, unless it was answered or taken back: a fold by model or user, a drop of its
 * entry or a message that takes it back closes it.
 */
export function openCut(log: Log, replayer: Replayer<PiMessage>): OpenCut | undefined {
	const { start } = replayer.steps.era;
	const dropped = new Set<string>();
	for (let at = log.stored.length - 1; at >= start; at--) {
		const record = log.branch[at]?.record;
		if (record?.kind === "fold" && record.by !== "auto") return undefined;
		if (record?.kind === "drop") dropped.add(record.id);
		const entry = log.stored[at];
		if (entry?.type !== "custom_message" || entry.customType !== CUT) continue;
		const steps = stepsIn(entry.details);
		return steps && !dropped.has(entry.id) ? { ...steps, entryId: entry.id } : undefined;
	}
	return undefined;
}

/** Who a cut is pinned and taken back with. */
interface Parties {
	readonly pi: ExtensionAPI;
	readonly ctx: ExtensionContext;
	readonly dmail: Dmail;
}

/** A branch that was read. */
interface Branch {
	readonly log: Log;
	readonly replayer: Replayer<PiMessage>;
}

/** The steps of the cut that is pinned now, be it on the branch or still on its way into the run. */
export function pinnedCut(
	{ ctx, dmail }: Pick<Parties, "ctx" | "dmail">,
	{ log, replayer }: Branch = readBranch(ctx),
): CutSteps | undefined {
	return dmail.cuts.steps(log, ctx.isIdle()) ?? openCut(log, replayer);
}

function readBranch(ctx: ExtensionContext): Branch {
	const log = readLog(ctx);
	return { log, replayer: replayLog(log) };
}

/** Why the model need not fold any more: the user took the cut back, or made a fold without it. */
type Withdrawal = "taken back" | "folded";

/**
 * Takes the pinned cut back. The model is told so, since it may have read of the cut: what was sent stays in
 * its context. A drop of the message's entry, which no fold has for its id, closes it at once.
 */
export function withdrawCut({ pi, ctx, dmail }: Parties, steps: CutSteps, why: Withdrawal): void {
	const { log, replayer } = readBranch(ctx);
	const open = openCut(log, replayer);
	const what = `the pinned cut of ${spellSteps(steps)}`;
	const text =
		why === "folded"
			? `The user made a fold without you. That settles ${what}: do not fold because of it.`
			: `The user took ${what} back: do not fold because of it.`;
	dmail.cuts.send(pi, { text }, { log, idle: ctx.isIdle(), wakes: false });
	if (open) append(pi, { kind: "drop", id: open.entryId });
}

/** Chooses the range: the open cut's, if it still holds, else the one that the wish names. */
export function chooseRange(
	replayer: Replayer<PiMessage>,
	wish: Wish,
	cut: OpenCut | undefined,
): Choice {
	if (!cut) return { proposal: propose(replayer, wish) };
	const { entryId, fromStep } = cut;
	const end = (wish.toStep ?? 0) >= fromStep ? wish.toStep : undefined;
	const pinned = propose(replayer, { ...wish, fromStep, toStep: cut.toStep ?? end });
	if (pinned.ok) return { proposal: pinned, cut: { kind: "followed", entryId } };
	const { reason } = pinned;
	return { proposal: propose(replayer, wish), cut: { kind: "void", steps: cut, reason } };
}

/** How the message went out: the model is asked now, with its next request, or with the next prompt. */
export type Sent = "now" | "in this run" | "with the next prompt";

/**
 * Sends the message that asks the model for the fold.
 *
 * The policy has to be in the system prompt, or a run would not know what a fold is: a run that 0.73 starts for
 * such a message keeps the prompt of the run before.
 */
export function sendCut({ pi, ctx, dmail }: Parties, steps: CutSteps): Sent {
	const { log, replayer } = readBranch(ctx);
	const replaces = openCut(log, replayer) !== undefined;
	const idle = ctx.isIdle();
	const knows = generationOf(ctx) === "1.6" || ctx.getSystemPrompt().includes(dmail.policy);
	// a print run ends with its command, and would not wait for the reply
	const wakes = knows && ctx.hasUI;
	dmail.cuts.send(pi, { text: cutText(steps, replaces), steps }, { log, idle, wakes });
	if (!idle) return "in this run";
	return wakes ? "now" : "with the next prompt";
}

/** What the model reads. It names no marker: only markers look like markers. */
function cutText(steps: CutSteps, replaces: boolean): string {
	const { fromStep, toStep } = steps;
	const call =
		toStep === undefined
			? `${SEND_TOOL} with fromStep ${fromStep} and your summary`
			: `${SEND_TOOL} with fromStep ${fromStep}, toStep ${toStep} and your summary`;
	const instead = replaces ? ", instead of the one before" : "";
	return `The user pinned a cut${instead}: fold ${spellSteps(steps)} now. Call ${call}, then go on with what you were asked to do; if nothing is left to do, say so in a word.`;
}

/** `step 3`, `steps 3–7`, `step 3 onward`. */
export function spellSteps({ fromStep, toStep }: CutSteps): string {
	if (toStep === undefined) return `step ${fromStep} onward`;
	return toStep === fromStep ? `step ${fromStep}` : `steps ${fromStep}–${toStep}`;
}
