// One scale for all that the view says of tokens: what the provider counts. Plain estimates are brought to it
// by the session's own usage; what was measured is on it already.

import type { Calibration, FoldRow } from "../profile/profile.ts";
import { nameScale } from "./sum.ts";

/** The whole prompt, in tokens, around a conversation of so many by the plain estimate. */
export function promptAround(conversation: number, { overhead, k }: Calibration): number {
	return Math.round(overhead + k * conversation);
}

/** The same fold with its sizes on that scale; unknown stays unknown. */
export function foldScaled(fold: FoldRow, { k }: Calibration): FoldRow {
	const scaled = (estimate: number | null) => (estimate === null ? null : Math.round(k * estimate));
	const { removedTokens, summaryTokens } = fold;
	return {
		...fold,
		removedTokens: scaled(removedTokens),
		summaryTokens: scaled(summaryTokens),
	};
}

/** Which scale that is: `scaled ×1.10 to usage`; without usage there is none to bring anything to. */
export function sayScale(calibration: Calibration): string {
	return nameScale(calibration).replace(/^, /, "") || "not scaled: no usage";
}
