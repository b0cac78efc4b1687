// The tool `send_dmail`: the model folds finished steps of its own. What decides is read and appended in
// one synchronous tick, call by call, so those of one batch see each other and pi may run them in parallel.

import type {
	AgentToolResult,
	ExtensionAPI,
	ExtensionContext,
} from "@mariozechner/pi-coding-agent";
import { Type } from "@sinclair/typebox";
import type { Wish } from "../../fold.ts";
import { tellReceipt } from "../notes/receipt.ts";
import { formatCount } from "./badge.ts";
import { spellSteps } from "./cut.ts";
import { type Dmail, SEND_TOOL } from "./dmail.ts";
import { type Folded, foldNow, previewFold, type Weighed } from "./folding.ts";
import { ASSUMED_SUMMARY } from "./price.ts";
import { priceLines } from "./price-text.ts";
import { askGit } from "./receipt.ts";
import { renderSendCall, renderSendResult } from "./render.ts";

const PARAMETERS = Type.Object({
	fromStep: Type.Integer({ description: "First step to fold, as in its [step N] marker" }),
	summary: Type.Optional(
		Type.String({
			description: "What must stay: done, learned, decided, open; exact paths, commands, errors",
		}),
	),
	toStep: Type.Optional(
		Type.Integer({ description: "Last step to fold; default: the last completed step" }),
	),
	preview: Type.Optional(Type.Boolean({ description: "Only say what folding would change" })),
});

/** What is stored with a result: plain JSON, since pi clones it for every request. */
export interface SendDetails {
	readonly id?: string;
	/** `user`: he pinned the cut */
	readonly by: "model" | "user";
	readonly preview: boolean;
	readonly fromStep: number;
	readonly toStep: number;
	readonly tokensBefore: number;
	readonly tokensAfter: number;
	readonly perRequestTokens: number;
	readonly requestsToPay: number | null;
}

export function sendTool(pi: ExtensionAPI, dmail: Dmail) {
	return {
		name: SEND_TOOL,
		label: "D-Mail",
		description:
			"Fold finished steps of your own out of your context: your summary takes their place from the next request on. Stored steps stay as they are. The step in progress is never folded.",
		promptSnippet: "Fold finished steps into a summary you write",
		parameters: PARAMETERS,
		// scripts of 1.6's code mode have call ids that the transcript does not know
		exposure: "model-only",
		renderCall: renderSendCall,
		renderResult: renderSendResult,
		async execute(...[toolCallId, params, signal, , ctx]: Arguments): Promise<Result> {
			const { fromStep, toStep, summary = "", preview = false } = params;
			const wish = { fromStep, toStep, callId: toolCallId, live: true };
			const mayAsk = dmail.mode.enabled && !preview;
			return dmail.turns.take(
				async () => (mayAsk ? askGit(ctx, wish) : undefined),
				(git) => {
					if (signal?.aborted) throw new Error("Operation aborted");
					if (!dmail.mode.enabled) throw new Error(OFF);
					if (preview) return previewed(pi, ctx, wish, params.summary);
					return answer(foldNow(pi, ctx, { wish, summary, by: "model", git }), foldText, false);
				},
			);
		},
	};
}

const OFF = "D-Mail is off, nothing was folded; the user can switch it on with /dmail on";

type Result = AgentToolResult<SendDetails>;

/** What pi calls a tool with; the fourth, a way to report progress, goes unused. */
type Arguments = [string, Params, AbortSignal | undefined, unknown, ExtensionContext];

interface Params {
	fromStep: number;
	summary?: string;
	toStep?: number;
	preview?: boolean;
}

function previewed(
	pi: ExtensionAPI,
	ctx: ExtensionContext,
	wish: Wish,
	summary: string | undefined,
): Result {
	const preview = previewFold(pi, ctx, { wish, summary, by: "model" });
	return answer(preview, (fold) => previewText(fold, summary !== undefined), true);
}

/** A refusal becomes a tool error: the model is told, and can act on it. */
function answer<T extends Weighed>(
	result: T | { ok: false; reason: string },
	text: (result: T) => string,
	preview: boolean,
): Result {
	if (!result.ok) throw new Error(result.reason);
	const { fromStep, toStep, tokensBefore, tokensAfter, quote } = result;
	const { perRequestTokens, requestsToPay } = quote;
	const sizes = { tokensBefore, tokensAfter, perRequestTokens, requestsToPay };
	const by = result.cut?.kind === "followed" ? "user" : "model";
	const id = "id" in result ? { id: String(result.id) } : {};
	return {
		content: [{ type: "text", text: text(result) }],
		details: { ...id, by, preview, fromStep, toStep, ...sizes },
	};
}

function foldText(fold: Folded): string {
	return [
		`Folded ${spellSteps(fold)} as fold ${fold.id}; your summary takes their place from the next request on.`,
		...cutLines(fold),
		tellReceipt(fold.receipt),
		...effectLines(fold),
		...(fold.notes.length > 0 ? ["Recorded by the tool:", ...fold.notes] : []),
		...(fold.skipped > 0 ? [`folds skipped: ${fold.skipped}`] : []),
		`To read the original: read_dmail({"fold":"${fold.id}"}).`,
	].join("\n");
}

function previewText(fold: Weighed, hasSummary: boolean): string {
	const assumed = hasSummary ? "" : ` with a summary of ~${ASSUMED_SUMMARY} tokens`;
	return [
		`Nothing was folded. Folding ${spellSteps(fold)} now${assumed}:`,
		...cutLines(fold),
		...effectLines(fold),
	].join("\n");
}

/** What folding changes, in words; the same in a preview, a command and the result of a fold. */
export function effectLines(fold: Weighed): string[] {
	const { tokensBefore, tokensAfter, quote } = fold;
	const sizes = [tokensAfter, tokensBefore].map(formatCount);
	return [
		`Next request: ~${sizes[0]} tokens of conversation instead of ~${sizes[1]}.`,
		...priceLines(quote),
		...userLines(fold),
	];
}

function cutLines({ cut }: Weighed): string[] {
	if (cut?.kind === "followed")
		return ["On the user's behalf: he pinned this cut, so it wins over the steps that you named."];
	if (cut?.kind === "void")
		return [
			`The user's cut of ${spellSteps(cut.steps)} no longer holds: ${cut.reason}. Your own range is used.`,
		];
	return [];
}

function userLines({ weight: { userMessages } }: Weighed): string[] {
	if (userMessages === 0) return [];
	return [
		userMessages === 1
			? "1 message of the user in these steps stays quoted in the chip."
			: `${userMessages} messages of the user in these steps stay quoted in the chip.`,
	];
}
