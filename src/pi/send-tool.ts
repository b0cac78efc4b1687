// The tool `send_dmail`: the model folds finished steps of its own. What decides is read and appended in
// one synchronous tick, call by call, so those of one batch see each other and pi may run them in parallel.

import type {
	AgentToolResult,
	ExtensionAPI,
	ExtensionContext,
} from "@mariozechner/pi-coding-agent";
import { Type } from "@sinclair/typebox";
import { tellReceipt } from "../notes/receipt.ts";
import { formatCount } from "./badge.ts";
import { spellSteps } from "./cut.ts";
import { type Dmail, SEND_TOOL } from "./dmail.ts";
import { type Folded, foldNow, type PreviewRequest, previewFold, type Weighed } from "./folding.ts";
import { readLog } from "./log.ts";
import { ASSUMED_SUMMARY } from "./price.ts";
import { priceLines } from "./price-text.ts";
import { askGit } from "./receipt.ts";
import { sameRefusal } from "./refused-before.ts";
import { renderSendCall, renderSendResult } from "./render.ts";
import { thriftLine } from "./thrift.ts";
import { landingLines, previewLines } from "./timing-text.ts";

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
interface SendDetails {
	readonly id?: string;
	/** `user`: he pinned the cut */
	readonly by: "model" | "user";
	/** it waits to land */
	readonly held?: boolean;
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
					const { timing } = dmail.settings;
					const request = { wish, by: "model" as const, timing };
					const again = (reason: string) => sameRefusal(readLog(ctx), toolCallId, reason);
					if (preview) return previewed(pi, ctx, { ...request, summary: params.summary }, again);
					return answer(foldNow(pi, ctx, { ...request, summary, git }), foldText, again);
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
	request: PreviewRequest,
	again: (reason: string) => string,
): Result {
	const preview = previewFold(pi, ctx, request);
	return answer(preview, (fold) => previewText(fold, request.summary !== undefined), again);
}

/** A refusal becomes a tool error: the model is told, and can act on it; `again`: in the words of the last time. */
function answer<T extends Weighed>(
	result: T | { ok: false; reason: string },
	text: (result: T) => string,
	again: (reason: string) => string,
): Result {
	if (!result.ok) throw new Error(again(result.reason));
	const { fromStep, toStep, tokensBefore, tokensAfter, quote } = result;
	const { perRequestTokens, requestsToPay } = quote;
	const sizes = { tokensBefore, tokensAfter, perRequestTokens, requestsToPay };
	const by = result.cut?.kind === "followed" ? "user" : "model";
	const id = "id" in result ? { id: String(result.id) } : {};
	const held = result.timing.lands ? {} : { held: true };
	return {
		content: [{ type: "text", text: text(result) }],
		details: { ...id, by, ...held, preview: !("id" in result), fromStep, toStep, ...sizes },
	};
}

function foldText(fold: Folded): string {
	return [
		...landingLines(fold.id, spellSteps(fold), fold.timing),
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
		...previewLines(fold.timing),
		...cutLines(fold),
		...effectLines(fold),
	].join("\n");
}

/** What folding changes, in words; the same in a preview, a command and the result of a fold. */
export function effectLines(fold: Weighed): string[] {
	const { tokensBefore, tokensAfter, quote, timing, thrift } = fold;
	const sizes = [tokensAfter, tokensBefore].map(formatCount);
	const when = timing.lands ? "Next request" : "If it landed now";
	return [
		`${when}: ~${sizes[0]} tokens of conversation instead of ~${sizes[1]}.`,
		...priceLines(quote),
		...(thrift ? [thriftLine(thrift)] : []),
		...userLines(fold),
	];
}

function cutLines({ cut }: Weighed): string[] {
	if (cut?.kind === "followed")
		return ["On the user's behalf: the cut was pinned, so it wins over the steps that you named."];
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
