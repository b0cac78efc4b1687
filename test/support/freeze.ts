// Holds code to its word that it changes nothing that is handed to it.

/** Freezes a value and all that it holds; gives it back. */
export function freeze<T>(value: T): T {
	if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
	Object.freeze(value);
	for (const inner of Object.values(value)) freeze(inner);
	return value;
}
