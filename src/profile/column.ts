// Numbers of the same kind kept side by side: a session of a million entries in a few typed arrays.

const BLOCK_BITS = 12;
const BLOCK = 1 << BLOCK_BITS;

/** A list of numbers that grows a block at a time; 8 bytes each. `NaN` stands for unknown. */
export class Column {
	private readonly blocks: Float64Array[] = [];
	length = 0;

	push(value: number): void {
		const at = this.length++;
		let block = this.blocks[at >>> BLOCK_BITS];
		if (!block) {
			block = new Float64Array(BLOCK);
			this.blocks.push(block);
		}
		block[at & (BLOCK - 1)] = value;
	}

	/** The value at a position; `NaN` beyond the last. */
	at(position: number): number {
		if (!(position < this.length)) return Number.NaN;
		return this.blocks[position >>> BLOCK_BITS]?.[position & (BLOCK - 1)] ?? Number.NaN;
	}

	set(position: number, value: number): void {
		const block = position < this.length ? this.blocks[position >>> BLOCK_BITS] : undefined;
		if (block) block[position & (BLOCK - 1)] = value;
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
