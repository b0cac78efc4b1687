// What the view says in single lines: the request under the cursor, and the keys. Text out, no wider than told
// as long as the most important part fits.

import type { Calibration, RequestRow } from "../profile/profile.ts";
import { estimated, formatCount, formatShare, formatUsd } from "./number.ts";
import { joinFitting, type Part } from "./part.ts";
import { printable } from "./printable.ts";
import { promptAround, sayScale } from "./view-scale.ts";
import type { Subject, ViewState } from "./view-state.ts";

/** The request under the cursor in two lines: what the provider said of it, and what is estimated. */
export function captionOf({ profile }: Subject, { request }: ViewState, columns: number): string[] {
	const row = profile.requests.at(request);
	return [joinFitting(factsOf(row), columns), estimatesOf(row, profile.calibration, columns)];
}

function factsOf(row: RequestRow): Part[] {
	const step = row.step === null ? `attempt (${row.stop ?? "?"})` : `step ${row.step}`;
	const misses = row.miss.map(({ cause, tokens }) => `${estimated(formatCount(tokens))}: ${cause}`);
	return [
		{ text: `#${row.index}`, rank: 0 },
		{ text: printable(step), rank: 3 },
		{ text: `prompt ${formatCount(row.prompt)}`, rank: 1 },
		{ text: `hit ${formatShare(row.cacheHit)}`, rank: 4 },
		...(row.costUsd === null ? [] : [{ text: formatUsd(row.costUsd), rank: 5 }]),
		...(misses.length === 0 ? [] : [{ text: `missed ${misses.join(", ")}`, rank: 2 }]),
	];
}

/** Whole prompts on the scale of the chart: what was sent and saved adds up to what would have been sent. */
function estimatesOf(row: RequestRow, calibration: Calibration, columns: number): string {
	const { unfolded, folds, rawTokens, foldedTokens, savedTokens } = row;
	const size = (tokens: number) => estimated(formatCount(promptAround(tokens, calibration)));
	const parts: Part[] = [
		{ text: unfolded ? "sent unfolded" : `sent ${size(foldedTokens)}`, rank: 0 },
		{ text: `raw ${size(rawTokens)}`, rank: 2 },
	];
	if (!unfolded && folds > 0)
		parts.push({ text: `saved ${estimated(formatCount(savedTokens))}`, rank: 3 });
	return joinFitting([...parts, { text: sayScale(calibration), rank: 1 }], columns);
}

const QUIT: Part = { text: "q quit", rank: 0 };
const BACK: Part = { text: "esc back", rank: 1 };
const FOLDS: Part = { text: "f folds", rank: 2 };
const SCROLL: Part = { text: "↑↓ scroll", rank: 4 };

/** The keys that do something where one is. */
export function keysOf({ profile }: Subject, { pane }: ViewState, columns: number): string {
	const { requests, folds } = profile;
	switch (pane) {
		case "chart":
			return joinFitting(requests.length === 0 ? [FOLDS, QUIT] : CHART_KEYS, columns);
		case "request":
			return joinFitting(REQUEST_KEYS, columns);
		case "folds":
			return joinFitting(folds.length === 0 ? [BACK, QUIT] : LIST_KEYS, columns);
		case "fold":
			return joinFitting([{ text: "←→ fold", rank: 3 }, SCROLL, BACK, QUIT], columns);
	}
}

const CHART_KEYS: readonly Part[] = [
	{ text: "←→ move", rank: 3 },
	{ text: "PgUp PgDn by ten", rank: 4 },
	{ text: "Home End", rank: 5 },
	{ text: "⏎ open request", rank: 1 },
	FOLDS,
	QUIT,
];
const REQUEST_KEYS: readonly Part[] = [{ text: "←→ request", rank: 3 }, SCROLL, BACK, FOLDS, QUIT];
const LIST_KEYS: readonly Part[] = [
	{ text: "↑↓ move", rank: 4 },
	{ text: "⏎ open fold", rank: 2 },
	{ text: "s sort", rank: 3 },
	BACK,
	QUIT,
];
