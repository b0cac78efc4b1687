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

/**
 * Adds a range. One equal to an older range goes around it: the newer absorbs.
 *
 * @returns `undefined` if it was added, else the range that it would have cut through; then nothing changed
 */
export function insert<T extends Range>(forest: Tree<T>[], value: T): T | undefined {
	let level = forest;
	for (;;) {
		const first = firstEndingAfter(level, value.from);
		const last = firstStartingAt(level, value.to);
		const outer = level[first];
		if (outer && last - first === 1 && holds(outer.value, value) && !holds(value, outer.value)) {
			level = outer.children;
			continue;
		}
		for (const at of [first, last - 1]) {
			const edge = level[at];
			if (edge && first < last && !holds(value, edge.value)) return edge.value;
		}
		const children = level.slice(first, last);
		level.splice(first, last - first, { value, children });
		return undefined;
	}
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

function holds(outer: Range, inner: Range): boolean {
	return outer.from <= inner.from && inner.to <= outer.to;
}
