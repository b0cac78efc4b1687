// Numbers of the same kind kept side by side: a session of a million entries in a few typed arrays.

/** A list of numbers that grows; 8 bytes each. `NaN` stands for unknown. */
export class Column {
	private numbers = new Float64Array(64);
	length = 0;

	push(value: number): void {
		if (this.length === this.numbers.length) {
			const more = new Float64Array(this.length * 2);
			more.set(this.numbers);
			this.numbers = more;
		}
		this.numbers[this.length++] = value;
	}

	/** The value at a position; `NaN` beyond the last. */
	at(position: number): number {
		return position < this.length ? (this.numbers[position] ?? Number.NaN) : Number.NaN;
	}

	set(position: number, value: number): void {
		if (position < this.length) this.numbers[position] = value;
	}

	/** The values in order; the column must not grow meanwhile. */
	*[Symbol.iterator](): Generator<number> {
		for (let i = 0; i < this.length; i++) yield this.numbers[i] ?? Number.NaN;
	}
}

/** The value, or null where a column does not know it. */
export function known(value: number): number | null {
	return Number.isNaN(value) ? null : value;
}

/** Texts that repeat, by number: each is kept once. */
export class Names {
	private readonly numbers = new Map<string, number>();
	private readonly texts: string[] = [];

	/** The number of a text; -1 for none. */
	numberOf(text: string | undefined): number {
		if (text === undefined) return -1;
		const found = this.numbers.get(text);
		if (found !== undefined) return found;
		const number = this.texts.push(text) - 1;
		this.numbers.set(text, number);
		return number;
	}

	/** The text of a number; null for -1. */
	textOf(number: number): string | null {
		return this.texts[number] ?? null;
	}
}
