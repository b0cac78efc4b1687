// `npm run kill [-- --cuts N] [--seed N]`: 200 power cuts on each host. Prints the seed and a line for each cut;
// exits 1 at the first after which something is lost.

import process from "node:process";
import { parseArgs } from "node:util";
import { HOSTS } from "../support/real-pi.ts";
import { countEvents, cutAt, drawCuts, nameCut } from "./power-cut.ts";

const { values } = parseArgs({
	options: {
		cuts: { type: "string", default: "200" },
		seed: { type: "string", default: `${Date.now() % 1_000_000_000}` },
	},
});

console.log(`seed ${values.seed}`);
for (const host of HOSTS) {
	const cuts = drawCuts(await countEvents(host), Number(values.cuts), Number(values.seed));
	for (const [index, cut] of cuts.entries()) {
		const label = `${host}, ${index + 1} of ${cuts.length}, ${nameCut(cut)}`;
		try {
			const { entries, folds } = await cutAt(host, cut);
			console.log(`${label}: ${entries} entries, ${folds} folds, goes on`);
		} catch (error) {
			console.error(`${label}: LOST`, error);
			process.exit(1);
		}
	}
}
