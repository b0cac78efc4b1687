// Ten power cuts of pi 0.73.1. A file for each host, so that they run side by side.

import { test } from "node:test";
import { seed } from "../support/cases.ts";
import { cutAt, drawCuts, timeRun } from "./power-cut.ts";

test("0.73.1: after ten power cuts each fold is whole or not there, and the session goes on", async (t) => {
	for (const afterMs of drawCuts(await timeRun("0.73.1"), 10, seed().seed)) {
		const { entries, folds } = await cutAt("0.73.1", afterMs);
		t.diagnostic(`cut after ${Math.round(afterMs)} ms: ${entries} entries, ${folds} folds`);
	}
});
