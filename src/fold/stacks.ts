// Stacks of positions by key. Nearly every key has one position only, and a long branch has very many keys:
// a list is made where a second position comes.

export class Stacks {
	private readonly held = new Map<string, number | number[]>();

	/** Puts a position on a stack; it must not be below the one on top. */
	push(key: string, position: number): void {
		const held = this.held.get(key);
		if (held === undefined) this.held.set(key, position);
		else if (typeof held === "number") this.held.set(key, [held, position]);
		else held.push(position);
	}

	/** Takes the newest position off a stack; `undefined` if it has none. An empty stack takes no room. */
	pop(key: string): number | undefined {
		const held = this.held.get(key);
		if (held === undefined) return undefined;
		const position = typeof held === "number" ? held : held.pop();
		if (typeof held === "number" || held.length === 0) this.held.delete(key);
		return position;
	}

	/** The newest position of a stack; `undefined` if it has none. */
	top(key: string): number | undefined {
		const held = this.held.get(key);
		return typeof held === "object" ? held.at(-1) : held;
	}

	/** The newest position of a stack before a limit; -1 if there is none. */
	before(key: string, limit: number): number {
		const held = this.held.get(key);
		if (typeof held === "object") return held[countBelow(held, limit) - 1] ?? -1;
		return held !== undefined && held < limit ? held : -1;
	}

	/** Forgets a stack. */
	clear(key: string): void {
		this.held.delete(key);
	}
}

/** How many numbers of a rising list are below a limit. */
function countBelow(list: readonly number[], limit: number): number {
	let low = 0;
	let high = list.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		const one = list[middle];
		if (one !== undefined && one < limit) low = middle + 1;
		else high = middle;
	}
	return low;
}
