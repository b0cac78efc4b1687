// Random worlds, each tried on every law: sessions of several branches in files that break off, read as both
// hosts show them, with neighbours of every kind.

import { test } from "node:test";
import fc from "fast-check";
import { cases } from "../support/cases.ts";
import { anySessionWorld, checkWorld } from "./session-world.ts";

/** Times the usual 300: 9,000 worlds. */
const SHARE = 30;

test("every law holds of every world", (t) => {
	const { numRuns } = cases(SHARE);
	fc.assert(fc.property(anySessionWorld, checkWorld), cases(SHARE));
	t.diagnostic(`${numRuns} cases: random worlds, each tried on every law`);
});
