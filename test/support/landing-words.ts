// What the profiler says of folds that landed together, in the words that `/dmail status` has for a landing.

import type { Effect } from "../../fold.ts";
import { landingLine } from "../../src/pi/timing-text.ts";
import type { Measured } from "../../src/price/landing.ts";
import type { FoldRow } from "../../src/profile/profile.ts";

/** The line of a landing whose folds are these rows: their shares added up. */
export function lineOf(rows: readonly FoldRow[]): string {
	return landingLine({
		ids: rows.map(({ id }) => id),
		predicted: sum(rows.map((row) => row.predicted)),
		measured: sum(rows.map((row) => row.measured)) as Measured | null,
		isBack: true,
	});
}

function sum(effects: readonly (Effect | null)[]): Effect | null {
	const known = effects.flatMap((effect) => effect ?? []);
	const [first] = known;
	if (!first) return null;
	const add = (field: "removedTokens" | "perRequestTokens" | "onceUsd") =>
		known.reduce((all, effect) => all + (effect[field] ?? 0), 0);
	return {
		...first,
		removedTokens: add("removedTokens"),
		onceUsd: add("onceUsd"),
		perRequestTokens: add("perRequestTokens"),
	};
}
