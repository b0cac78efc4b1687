// Landings in words: what a fold that was made waits for, what is held, and what landings were expected to do
// beside what they did. Knows no session; it is given what there is to say.

import type { Effect } from "../../fold.ts";
import type { Measured } from "../price/landing.ts";
import { landingWords, payWords } from "../price/words.ts";
import { formatCount } from "./badge.ts";
import { spellSteps } from "./cut.ts";
import type { Quote } from "./price.ts";
import { costWords, formatUsd } from "./price-text.ts";
import type { Outlook, Timing } from "./timing.ts";

/** The first and the last step of a fold, and the folds that stand for some of its steps now. */
interface Ends {
	readonly fromStep: number;
	readonly toStep: number;
	readonly behind?: Behind | undefined;
}

/** Folds that a fold is about to hide, and whether they have all of its steps. */
export interface Behind {
	readonly ids: readonly string[];
	readonly isAll: boolean;
}

/** What happens to a fold of these steps, in the first lines of what is said about it. */
export function landingLines(id: string, ends: Ends, timing: Timing): string[] {
	const { fromStep, toStep } = ends;
	const steps = spellSteps({ fromStep, toStep });
	const isOne = fromStep === toStep;
	if (!timing.lands)
		return [
			`Recorded ${steps} as fold ${id}, and held it: ${waitReason(timing)}.`,
			`${waitsFor(timing.requestsLeft)} Until then ${untilThen(ends)}; do not fold ${isOne ? "it" : "them"} again.`,
		];
	const head = `Folded ${steps} as fold ${id}; your summary takes ${isOne ? "its" : "their"} place from the next request on.`;
	return [head, ...othersLine(timing.others)];
}

/** How the steps of a held fold are sent while it waits. */
function untilThen({ fromStep, toStep, behind }: Ends): string {
	const isOne = fromStep === toStep;
	if (!behind) return isOne ? "this step is sent as it is" : "these steps are sent as they are";
	const { ids, isAll } = behind;
	const [folds, stand] = ids.length === 1 ? ["fold", "stands"] : ["folds", "stand"];
	const what = isAll ? (isOne ? "this step" : "these steps") : "some of these steps";
	const rest = isAll ? "" : ", and the others are sent as they are";
	return `${folds} ${ids.join(", ")} ${stand} for ${what}${rest}`;
}

/** What would happen to it. */
export function previewLines(timing: Timing): string[] {
	if (!timing.lands)
		return [
			`It would be recorded and held: with the summary written, ${waitReason(timing)}. ${waitsFor(timing.requestsLeft)}`,
		];
	return othersLine(timing.others);
}

function othersLine(others: readonly string[]): string[] {
	if (others.length === 0) return [];
	const what = others.length === 1 ? "1 held fold lands" : `${others.length} held folds land`;
	return [`${what} with it: ${others.join(", ")}.`];
}

/** Why a fold does not land now: `landing now costs $0.11 once and pays after 17 requests`. */
function waitReason({ quote }: Timing): string {
	return `landing now ${costWords(quote)} and ${payWords(quote.requestsToPay)}`;
}

/** When what is held lands, as briefly as a model needs it. */
function waitsFor(requestsLeft: number | null): string {
	const left = requestsLeft === null ? "" : `, else in about ${counted(requestsLeft)}`;
	return `It lands by itself when that costs little: on a cold cache, with a fold that starts before it, in a window nearly full${left}.`;
}

/** `when the cache is cold, with a deeper fold, …, or in about 6 requests`. */
function waitWords(requestsLeft: number | null): string {
	const events =
		"when the prompt cache is cold or the model changes, with a fold that starts before it, at 80% of the window or before a price tier, at compaction";
	if (requestsLeft === null) return `${events}, or by /dmail land`;
	return `${events}, by /dmail land, or in about ${counted(requestsLeft)}`;
}

function counted(requests: number): string {
	return requests <= 1 ? "1 request" : `${requests} requests`;
}

/** A fold that is held, named. */
export interface HeldName {
	readonly id: string;
	readonly steps: string;
}

/** What is held, and what it waits for; nothing where nothing is. */
export function heldLines(
	held: readonly HeldName[],
	quote: Quote | undefined,
	{ due, requestsLeft }: Outlook,
): string[] {
	if (held.length === 0 || !quote) return [];
	const names = held.map(({ id, steps }) => `${id} (${steps})`).join(", ");
	const waiting = held.filter(({ id }) => !due.includes(id));
	const lands = waiting.length === 1 ? "lands" : "land together";
	return [
		`held: ${names}; landing now ${costWords(quote)} and ${payWords(quote.requestsToPay)}`,
		...(due.length > 0 ? [`  ${due.join(", ")}: with the next request`] : []),
		...(waiting.length > 0 ? [`  ${lands} ${waitWords(requestsLeft)}`] : []),
	];
}

/** A landing's expectation beside what was measured of it. */
export interface LandingWords {
	readonly ids: readonly string[];
	readonly predicted: Effect | null;
	readonly measured: Measured | null;
	/** whether the request with it is back */
	readonly isBack: boolean;
}

/** `fold ab12: predicted …; measured …; has paid`. */
export function landingLine({ ids, predicted, measured, isBack }: LandingWords): string {
	const what = ids.length === 1 ? `fold ${ids[0]}` : `folds ${ids.join(", ")}`;
	const seen = measured
		? `measured ${effectWords(measured)}; ${measured.paid ? "has paid" : "has not paid yet"}`
		: isBack
			? "not measured"
			: "its first request is not back yet";
	const said = predicted ? `predicted ${effectWords(predicted)}; ` : "";
	return `${what}: ${said}${seen}`;
}

/** `−1.9k tokens a request, costs $0.012 once, pays after 4 requests`. */
function effectWords({ perRequestTokens, onceUsd, requestsToPay }: Effect): string {
	const tokens =
		perRequestTokens === null
			? []
			: [
					`${perRequestTokens > 0 ? "−" : "+"}${formatCount(Math.abs(perRequestTokens))} tokens a request`,
				];
	const landing =
		onceUsd === null
			? payWords(requestsToPay)
			: landingWords(onceUsd, formatUsd(Math.abs(onceUsd)), requestsToPay);
	return [...tokens, landing].join(", ");
}
