// What the long search tries, by name.

import fc from "fast-check";
import { anyBytes, anyDamagedSession, checkFile } from "./damaged-file.ts";
import { anySessionWorld, checkWorld } from "./session-world.ts";

/** A property and its share of all cases. */
export interface Searched {
	readonly share: number;
	readonly property: fc.IPropertyWithHooks<unknown>;
}

/** Every property of the search. The shares add up to 1. */
export const SEARCHED: Readonly<Record<string, Searched>> = {
	world: { share: 0.8, property: of(anySessionWorld, checkWorld) },
	damage: { share: 0.15, property: of(anyDamagedSession(), checkFile) },
	bytes: { share: 0.05, property: of(anyBytes, checkFile) },
};

function of<T>(cases: fc.Arbitrary<T>, check: (one: T) => void): fc.IPropertyWithHooks<unknown> {
	return fc.property(cases, check) as fc.IPropertyWithHooks<unknown>;
}
