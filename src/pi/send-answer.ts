// What a call of `send_dmail` does. What decides is read and appended in one synchronous tick, call by call, so
// those of one batch see each other and pi may run them in parallel.

import type {
	AgentToolResult,
	ExtensionAPI,
	ExtensionContext,
} from "@mariozechner/pi-coding-agent";
import { tellReceipt } from "../notes/receipt.ts";
import { formatCount } from "./badge.ts";
import { spellSteps } from "./cut.ts";
import type { Dmail } from "./dmail.ts";
import { type Folded, foldNow, type PreviewRequest, previewFold, type Weighed } from "./folding.ts";
import { readLog } from "./log.ts";
import { ASSUMED_SUMMARY } from "./price.ts";
import { priceLines } from "./price-text.ts";
import { askGit } from "./receipt.ts";
import { sameRefusal } from "./refused-before.ts";
import { thriftLine } from "./thrift.ts";
import { landingLines, previewLines } from "./timing-text.ts";

/** What the model passes. */
export interface SendParams {
	readonly fromStep: number;
	readonly summary?: string;
	readonly toStep?: number;
	readonly preview?: boolean;
}

/** One call. */
export interface SendCall extends SendParams {
	readonly callId: string;
}

/** Where a call is answered. */
interface Place {
	readonly pi: ExtensionAPI;
	readonly dmail: Dmail;
	readonly ctx: ExtensionContext;
}

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

export type SendResult = AgentToolResult<SendDetails>;

/** Asks git for what the receipt tells, before anything is decided; nothing where nothing may be folded. */
export async function askBefore(dmail: Dmail, ctx: ExtensionContext, call: SendCall) {
	return dmail.mode.enabled && !call.preview ? askGit(ctx, wishOf(call)) : undefined;
}

/** Folds or previews in this very tick; a refusal is thrown, as pi wants it of a tool. */
export function answerSend(
	{ pi, dmail, ctx }: Place,
	call: SendCall,
	git: Awaited<ReturnType<typeof askBefore>>,
): SendResult {
	if (!dmail.mode.enabled) throw new Error(OFF);
	const { summary = "", preview = false, callId } = call;
	const { timing } = dmail.settings;
	const request = { wish: wishOf(call), by: "model" as const, timing };
	const again = (reason: string) => sameRefusal(readLog(ctx), callId, reason);
	if (preview) return previewed(pi, ctx, { ...request, summary: call.summary }, again);
	return answer(foldNow(pi, ctx, { ...request, summary, git }), foldText, again);
}

const OFF = "D-Mail is off, nothing was folded; the user can switch it on with /dmail on";

function wishOf({ fromStep, toStep, callId }: SendCall) {
	return { fromStep, toStep, callId, live: true };
}

function previewed(
	pi: ExtensionAPI,
	ctx: ExtensionContext,
	request: PreviewRequest,
	again: (reason: string) => string,
): SendResult {
	const preview = previewFold(pi, ctx, request);
	return answer(preview, (fold) => previewText(fold, request.summary !== undefined), again);
}

/** A refusal becomes a tool error: the model is told, and can act on it; `again`: in the words of the last time. */
function answer<T extends Weighed>(
	result: T | { ok: false; reason: string },
	text: (result: T) => string,
	again: (reason: string) => string,
): SendResult {
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
		...landingLines(fold.id, fold, fold.timing),
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
		...foretell(fold),
	].join("\n");
}

/** What a fold would do, in words; where its summary would have to be shorter than usual, only that. */
export function foretell(fold: Weighed): string[] {
	const { under, weight } = fold;
	if (under === undefined) return [...previewLines(fold.timing), ...effectLines(fold)];
	const sizes = `~${weight.chip} tokens, instead of ~${weight.replaced}`;
	return [
		`It would be refused: the chip would not be smaller than what it replaces: ${sizes}. It would be only with a summary under ~${under} tokens, or with more steps.`,
	];
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
