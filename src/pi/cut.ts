// The cut that the user pins: a message to the model that asks it to fold certain steps. Whether one is open
// is read from the branch each time; no state of it is kept anywhere else.

import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import { type Proposal, propose, type Refusal, type Replayer, type Wish } from "../../fold.ts";
import type { PiMessage } from "../session/entry.ts";
import { SEND_TOOL } from "./dmail.ts";
import { append, generationOf, type Log } from "./log.ts";

/** The `customType` of the message. */
export const CUT = "dmail.cut";

/** What the user pinned, in steps; without an end the model chooses it. */
export interface CutSteps {
	readonly fromStep: number;
	readonly toStep?: number | undefined;
}

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
 * The newest cut of the era, unless it was answered or taken back: a fold by model or user, or a drop, that
 * came after it closes it.
 */
export function openCut(log: Log, replayer: Replayer<PiMessage>): OpenCut | undefined {
	const { start } = replayer.steps.era;
	for (let at = log.stored.length - 1; at >= start; at--) {
		const record = log.branch[at]?.record;
		if (record?.kind === "drop" || (record?.kind === "fold" && record.by !== "auto"))
			return undefined;
		const entry = log.stored[at];
		if (entry?.type !== "custom_message" || entry.customType !== CUT) continue;
		const steps = stepsIn(entry.details);
		return steps && { ...steps, entryId: entry.id };
	}
	return undefined;
}

/** Takes an open cut back: a drop of its entry, which no fold has for its id. */
export function takeCutBack(pi: ExtensionAPI, { entryId }: OpenCut): void {
	append(pi, { kind: "drop", id: entryId });
}

/** The steps that a cut's message names; `undefined` for details that are not ours. */
export function stepsIn(details: unknown): CutSteps | undefined {
	const { fromStep, toStep } = (details ?? {}) as { fromStep?: unknown; toStep?: unknown };
	if (typeof fromStep !== "number") return undefined;
	return typeof toStep === "number" ? { fromStep, toStep } : { fromStep };
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
 * @param policy what the system prompt has to have, or a run would not know what a fold is: a run that
 *   0.73 starts for such a message keeps the prompt of the run before
 */
export function sendCut(
	pi: ExtensionAPI,
	ctx: ExtensionContext,
	steps: CutSteps & { readonly replaces: boolean },
	policy: string,
): Sent {
	const { fromStep, toStep } = steps;
	const message = {
		customType: CUT,
		content: cutText(steps),
		display: true,
		details: { v: 1, fromStep, ...(toStep === undefined ? {} : { toStep }) },
	};
	const idle = ctx.isIdle();
	const knows = generationOf(ctx) === "1.6" || ctx.getSystemPrompt().includes(policy);
	// a print run ends with its command, and would not wait for the reply
	const triggerTurn = !idle || (knows && ctx.hasUI);
	pi.sendMessage(message, { triggerTurn, deliverAs: "steer" });
	if (!idle) return "in this run";
	return triggerTurn ? "now" : "with the next prompt";
}

/** What the model reads. It names no marker: only markers look like markers. */
function cutText(steps: CutSteps & { readonly replaces: boolean }): string {
	const { fromStep, toStep, replaces } = steps;
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
