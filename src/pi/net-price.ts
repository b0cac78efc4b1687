// What the net costs and saves when it is cast on demand: as any other fold that lands at once, except that nobody
// writes its summary. Records nothing.

import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import { weighCalls, weighChip } from "../../fold.ts";
import { piHost } from "../session/message.ts";
import { type Log, replayLog } from "./log.ts";
import { callsOutside, heldFolds, placeTogether } from "./moment.ts";
import type { Net } from "./net-choice.ts";
import { placeCut, pricingOf, type Quote, quotePlaced } from "./price.ts";

/** Prices a net that is not recorded yet, together with the held folds that land with it. */
export function priceNet(
	pi: ExtensionAPI,
	ctx: ExtensionContext,
	log: Log,
	{ record, range }: Net,
): Quote {
	const replayer = replayLog(log);
	const view = replayer.view({ asking: true });
	const pricing = pricingOf(pi, ctx, { log, replayer, view });
	const calls = weighCalls(replayer, view, { record, range }, piHost);
	const placed = placeCut(pricing, {
		...{ range, keeps: record.keep !== undefined, summary: 0, written: false },
		chip: weighChip(replayer, { record, range }, piHost),
		c: callsOutside({ calls }, []),
	});
	// what is held inside the range goes with it
	const others = heldFolds({ log, replayer, view, pricing }).filter(
		({ fold }) =>
			record.lands?.includes(fold.record.id) && (fold.to <= range.from || range.to <= fold.from),
	);
	return quotePlaced(pricing, placeTogether([{ range, placed, calls }, ...others]));
}
