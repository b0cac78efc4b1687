// Ten power cuts of pi 0.73.1. A file for each host, so that they run side by side.

import { test } from "node:test";
import { seed } from "../support/cases.ts";
import { countEvents, cutAt, drawCuts, nameCut } from "./power-cut.ts";

test("0.73.1: after ten power cuts each fold is whole or not there, and the session goes on", async (t) => {
	for (const cut of drawCuts(await countEvents("0.73.1"), 10, seed().seed)) {
		const { entries, folds } = await cutAt("0.73.1", cut);
		t.diagnostic(`${nameCut(cut)}: ${entries} entries, ${folds} folds`);
	}
});
