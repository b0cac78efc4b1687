// Loads what few sessions need when it is needed first. pi compiles every file of an extension at each start,
// so what is loaded at once costs every user time, whether he folds or not.

/**
 * Loads once. All who ask get the same promise, so they go on in the order in which they asked.
 */
export function onDemand<T>(load: () => Promise<T>): () => Promise<T> {
	let loaded: Promise<T> | undefined;
	return () => {
		loaded ??= load();
		return loaded;
	};
}
