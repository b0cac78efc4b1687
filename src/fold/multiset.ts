// A bag of texts: how often each is in it. Takes one out without going through the others. Nearly every bag has
// one text or none, and a long branch has very many bags: they are counted where one of several is taken out.

export class Multiset {
	/** how many texts are in it */
	size: number;
	private readonly texts: readonly string[];
	private counts: Map<string, number> | undefined;

	constructor(texts: readonly string[] = []) {
		this.texts = texts;
		this.size = texts.length;
	}

	/** Takes one of this text out, if there is one. */
	delete(text: string): void {
		if (this.texts.length > 1) this.deleteCounted(text);
		else if (this.texts[0] === text) this.size = 0;
	}

	/** Every text, as often as it is in it. */
	*values(): Iterable<string> {
		if (this.size === this.texts.length) yield* this.texts;
		else if (this.counts)
			for (const [text, count] of this.counts) for (let nth = 0; nth < count; nth++) yield text;
	}

	private deleteCounted(text: string): void {
		this.counts ??= countEach(this.texts);
		const count = this.counts.get(text) ?? 0;
		if (count === 0) return;
		this.size--;
		this.counts.set(text, count - 1);
	}
}

function countEach(texts: readonly string[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
	return counts;
}
