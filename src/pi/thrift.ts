// Too much folding: a fold that frees little, or follows the last one closely, is made all the same, but its
// result says what that costs and what a larger one would do. Only words; nothing is refused here.

import type { Replayer } from "../../fold.ts";
import { payWords } from "../price/words.ts";
import type { PiMessage } from "../session/entry.ts";
import { formatCount } from "./badge.ts";
import { type Placed, type Pricing, type Quote, quotePlaced } from "./price.ts";
import { costWords, writingWords } from "./price-text.ts";

/** A fold that frees less than this with every request, in tokens, is a small one. */
const SMALL = 1_000;

/** A fold within so many steps of the last one comes soon. */
const SOON = 2;

/** What the result of a small or hasty fold has to tell. */
export interface Thrift {
	/** steps since the last fold, where it came soon after that */
	readonly soon: number | null;
	readonly quote: Quote;
	/** the same fold with so much more in its range, in tokens */
	readonly more: number;
	readonly larger: Quote;
}

/** The larger fold that a small one is held against has so many tokens more in its range. */
const MORE = 10_000;

/** Says whether a fold is small or hasty; `undefined`: neither. */
export function thriftOf(
	pricing: Pricing,
	replayer: Replayer<PiMessage>,
	{ placed, ownTurn }: { readonly placed: Placed; readonly ownTurn: boolean },
): Thrift | undefined {
	const quote = quotePlaced(pricing, placed, ownTurn);
	const soon = stepsSinceLast(replayer);
	const isSoon = soon !== null && soon <= SOON;
	if (quote.perRequestTokens >= SMALL && !isSoon) return undefined;
	const sizes = { ...placed.sizes, F: placed.sizes.F + MORE };
	const larger = quotePlaced(pricing, { ...placed, sizes }, ownTurn);
	return { soon: isSoon ? soon : null, quote, more: MORE, larger };
}

/** Steps since the newest fold by model or user was made; `null` where none was. */
function stepsSinceLast({ folds, steps }: Replayer<PiMessage>): number | null {
	const last = folds.findLast(({ record, state }) => record.by !== "auto" && state !== "skipped");
	return last ? steps.count + 1 - steps.stepAt(last.at) : null;
}

/** What is told, in a line. */
export function thriftLine({ soon, quote, more, larger }: Thrift): string {
	const freed = formatCount(Math.max(0, quote.perRequestTokens));
	const costs = `${costWords(quote)}${writingWords(quote)}`;
	const pays = `frees ~${freed} tokens a request, ${costs}, and ${payWords(quote.requestsToPay)}`;
	return `${reasonOf(soon)} ${pays}. ${betterOf(payWords(quote.requestsToPay), payWords(larger.requestsToPay), more)}`;
}

function reasonOf(soon: number | null): string {
	if (soon === null) return "This fold is small: it";
	if (soon === 0) return "The last fold was made in this very step: this one";
	return `The last fold was made ${soon === 1 ? "1 step" : `${soon} steps`} ago: this one`;
}

function betterOf(now: string, larger: string, more: number): string {
	if (now === larger)
		return "Fewer, larger folds cost less: what follows a fold is written anew with each.";
	return `Fewer, larger folds pay better: with ~${formatCount(more)} tokens more in it, this one ${larger}.`;
}
