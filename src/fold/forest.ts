// Folds by range: a laminar family, kept as a forest. Two ranges in it are disjoint or nested.

/** A half-open range of branch positions, 0-based. */
export interface Range {
	readonly from: number;
	readonly to: number;
}

/** A range and those inside it, sorted by position. */
export interface Tree<T extends Range> {
	readonly value: T;
	children: Tree<T>[];
}

/** Where a range belongs in a forest. */
interface Spot<T extends Range> {
	/** the ranges around it, outermost first */
	readonly around: readonly T[];
	readonly level: Tree<T>[];
	/** the trees of the level that it would hold: from `first` up to, not including, `last` */
	readonly first: number;
	readonly last: number;
	/** the first range of the level that it would cut through */
	readonly cut: T | undefined;
}

/**
 * Adds a range.
 *
 * 6. Laminar: two ranges are disjoint or nested, and one that would cut through another is not added. One equal
 *    to an older range goes around it: the newer absorbs.
 *
 * @returns `undefined` if it was added, else the range that it would have cut through; then nothing changed
 */
export function insert<T extends Range>(forest: Tree<T>[], value: T): T | undefined {
	const { level, first, last, cut } = locate(forest, value);
	if (cut) return cut;
	const children = level.slice(first, last);
	level.splice(first, last - first, { value, children });
	return undefined;
}

/** Finds the place of a range, level by level: a binary search on each. */
export function locate<T extends Range>(forest: Tree<T>[], range: Range): Spot<T> {
	const around: T[] = [];
	let place = placeOn(forest, range);
	while (place.outer) {
		around.push(place.outer.value);
		place = placeOn(place.outer.children, range);
	}
	const { level, first, last } = place;
	return { around, level, first, last, cut: cutOf(level.slice(first, last), range) };
}

/** What a range touches on a level, and the one tree there that it lies in, if it does. */
function placeOn<T extends Range>(level: Tree<T>[], range: Range) {
	const first = firstEndingAfter(level, range.from);
	const last = firstStartingAt(level, range.to);
	const only = last - first === 1 ? level[first] : undefined;
	const isInside = only && holds(only.value, range) && !holds(range, only.value);
	return { level, first, last, outer: isInside ? only : undefined };
}

/** Only the outermost two of those that a range touches can stick out of it. */
function cutOf<T extends Range>(touched: readonly Tree<T>[], range: Range): T | undefined {
	return [touched[0], touched.at(-1)].find((edge) => edge && !holds(range, edge.value))?.value;
}

/** The index of the first tree of a level that ends after a position. */
function firstEndingAfter(level: readonly Tree<Range>[], position: number): number {
	return search(level, (range) => range.to > position);
}

/** The index of the first tree of a level that starts at or after a position. */
function firstStartingAt(level: readonly Tree<Range>[], position: number): number {
	return search(level, (range) => range.from >= position);
}

function search(level: readonly Tree<Range>[], holdsFrom: (range: Range) => boolean): number {
	let low = 0;
	let high = level.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		const tree = level[middle];
		if (tree && holdsFrom(tree.value)) high = middle;
		else low = middle + 1;
	}
	return low;
}

/** Whether two ranges have a position in common. */
export function overlaps(some: Range, other: Range): boolean {
	return some.from < other.to && other.from < some.to;
}

/** Whether one range lies in another, or equals it. */
export function holds(outer: Range, inner: Range): boolean {
	return outer.from <= inner.from && inner.to <= outer.to;
}
