// The median of numbers that keep coming. Adding one costs a logarithm of how many there are: a long branch asks
// after each of its landings, and sorting them all each time would make it quadratic.

/** Numbers as they come in, and their median. */
export class RunningMedian {
	/** the lower half, negated, so that its largest comes first */
	private readonly low = new Heap();
	/** the upper half; of an odd number it has one more */
	private readonly high = new Heap();

	get size(): number {
		return this.low.size + this.high.size;
	}

	/** The middle one, of an even number the upper of the two; `undefined` without any. */
	get value(): number | undefined {
		return this.high.least;
	}

	/** Takes a number in; it must not be `NaN`. */
	add(value: number): void {
		if (this.low.size < this.high.size) this.low.push(-this.high.replaceIfMore(value));
		else this.high.push(-this.low.replaceIfMore(-value));
	}
}

/** Numbers of which the least is at hand. */
class Heap {
	private readonly items: number[] = [];

	get size(): number {
		return this.items.length;
	}

	get least(): number | undefined {
		return this.items[0];
	}

	push(value: number): void {
		let at = this.items.push(value) - 1;
		while (at > 0) {
			const parent = (at - 1) >> 1;
			if (this.at(parent) <= value) break;
			this.items[at] = this.at(parent);
			at = parent;
		}
		this.items[at] = value;
	}

	/** Gives back the lesser of the least and a value, and keeps the other. */
	replaceIfMore(value: number): number {
		const { least } = this;
		if (least === undefined || value <= least) return value;
		let at = 0;
		for (let child = 1; child < this.size; child = 2 * at + 1) {
			const lesser = this.at(child + 1) < this.at(child) ? child + 1 : child;
			if (value <= this.at(lesser)) break;
			this.items[at] = this.at(lesser);
			at = lesser;
		}
		this.items[at] = value;
		return least;
	}

	private at(position: number): number {
		return this.items[position] ?? Number.POSITIVE_INFINITY;
	}
}
