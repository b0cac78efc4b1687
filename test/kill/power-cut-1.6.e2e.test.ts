// Ten power cuts of pi 1.6.0. A file for each host, so that they run side by side.

import { test } from "node:test";
import { seed } from "../support/cases.ts";
import { countEvents, cutAt, drawCuts, nameCut } from "./power-cut.ts";

test("1.6.0: after ten power cuts each fold is whole or not there, and the session goes on", async (t) => {
	for (const cut of drawCuts(await countEvents("1.6.0"), 10, seed().seed)) {
		const { entries, folds } = await cutAt("1.6.0", cut);
		t.diagnostic(`${nameCut(cut)}: ${entries} entries, ${folds} folds`);
	}
});
