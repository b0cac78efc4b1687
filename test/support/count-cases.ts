// Loaded before every test file: counts the cases that its properties try, and says so when the file is
// done. A property that fails is thrown as ever.

import process from "node:process";
import fc from "fast-check";
import { seed } from "./cases.ts";

let cases = 0;
let properties = 0;

fc.configureGlobal({
	...seed(),
	reporter(run) {
		cases += run.numRuns;
		properties++;
		if (run.failed)
			throw new Error(fc.defaultReportMessage(run), { cause: run.errorInstance ?? undefined });
	},
});

process.on("exit", () => {
	if (properties > 0) console.log(`${cases} cases of ${properties} properties`);
});
