// Held folds inside one another: only the outermost lands by itself. Looks at ranges; changes nothing.

import type { Fold } from "../../fold.ts";

/** Each held fold that lies inside another held one, with the outermost around it: that lands in its place. */
export function supersededHeld(folds: readonly Fold[]): ReadonlyMap<Fold, Fold> {
	const held = folds.filter(({ state }) => state === "held");
	const outermost = held.filter((fold) => !held.some((other) => isAround(other, fold)));
	return new Map(
		held.flatMap((fold) => {
			const around = outermost.find((other) => isAround(other, fold));
			return around ? [[fold, around] as const] : [];
		}),
	);
}

function isAround(outer: Fold, inner: Fold): boolean {
	if (outer === inner || outer.from > inner.from || outer.to < inner.to) return false;
	return outer.from < inner.from || outer.to > inner.to || outer.at > inner.at;
}
