// A bag of texts: how often each is in it. Takes one out without going through the others.

export class Multiset {
	/** how many texts are in it */
	size = 0;
	private readonly counts = new Map<string, number>();

	constructor(texts: readonly string[] = []) {
		this.size = texts.length;
		for (const text of texts) this.counts.set(text, (this.counts.get(text) ?? 0) + 1);
	}

	/** Takes one of this text out, if there is one. */
	delete(text: string): void {
		const count = this.counts.get(text) ?? 0;
		if (count === 0) return;
		this.size--;
		this.counts.set(text, count - 1);
	}

	/** Every text, as often as it is in it. */
	*values(): Iterable<string> {
		for (const [text, count] of this.counts) for (let nth = 0; nth < count; nth++) yield text;
	}
}
