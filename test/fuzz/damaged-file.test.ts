// Random bytes and damaged sessions, into the reader and the profiler.

import { test } from "node:test";
import fc from "fast-check";
import { cases } from "../support/cases.ts";
import { anyBytes, anyDamagedSession, checkFile } from "./damaged-file.ts";

for (const { name, files } of [
	{ name: "bytes without sense", files: anyBytes },
	{ name: "a session with any damage", files: anyDamagedSession() },
])
	test(`${name}: no throw, no hang, no silent loss`, (t) => {
		fc.assert(fc.property(files, checkFile), cases(2));
		t.diagnostic(`${cases(2).numRuns} cases: ${name}`);
	});
