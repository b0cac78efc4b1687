// Lets calls of one batch prepare side by side and decide one after the other, in the order in which they
// were made: what one of them records, the next one sees.

/** A queue of decisions. Nothing that fails in one of them holds up the next. */
export class Turns {
	private last: Promise<unknown> = Promise.resolve();

	/**
	 * Starts to prepare at once, and decides when all earlier calls have decided. `decide` runs in one
	 * synchronous tick; what it throws reaches the caller alone.
	 */
	take<P, R>(prepare: () => Promise<P>, decide: (prepared: P) => R): Promise<R> {
		const before = this.last;
		const prepared = prepare();
		const decided = Promise.allSettled([prepared, before]).then(async () => decide(await prepared));
		this.last = decided;
		return decided;
	}
}
