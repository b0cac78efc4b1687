// Loads what few sessions need when it is needed first. pi compiles every file of an extension at each start,
// so what is loaded at once costs every user time, whether he folds or not. Nothing else in the extension
// may import a file at run time.

/** The load that was asked for last. */
let newest: Promise<unknown> = Promise.resolve();

/**
 * Loads once, when it is first asked for. Loads never overlap: pi's loader hands out a file that is still
 * being loaded as far as it is, also to those that only share it.
 */
export function onDemand<T>(load: () => Promise<T>): () => Promise<T> {
	let loaded: Promise<T> | undefined;
	return () => {
		if (!loaded) {
			loaded = newest.then(load);
			newest = loaded.catch(() => undefined);
		}
		return loaded;
	};
}
