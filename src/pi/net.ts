// The net: where the model did not fold enough, the extension folds by itself, before pi would replace the
// history by a summary that nobody can open. One record, made without a model; the source stays readable.

import type { ExtensionContext } from "@mariozechner/pi-coding-agent";
import { formatCount } from "./badge.ts";
import type { Pressure } from "./compaction-pressure.ts";
import type { Refused } from "./folding.ts";
import type { Log } from "./log.ts";
import { chooseNet, type Net } from "./net-choice.ts";

/** So many tokens of the newest messages are left alone, in a large window. */
const SPARE = 20_000;
/** A net must leave so much of the window below the limit, or the next step would ask for another. */
const ROOM_SHARE = 0.05;

/** What the net has to go by when pi is about to compact. */
export interface Cast {
	readonly lands: readonly string[];
	readonly pressure: Pressure;
	/** in tokens */
	readonly window: number;
	/** pi compacts above so many tokens */
	readonly limit: number;
	readonly ctx: ExtensionContext;
}

/** The net that makes a compaction unnecessary, if there is one; it is not recorded yet. */
export function castNet(log: Log, { lands, pressure, window, limit, ctx }: Cast): Net | Refused {
	const most = limit - ROOM_SHARE * window;
	return chooseNet(log, {
		lands,
		next: pressure.next,
		scale: pressure.scale,
		// where pi keeps much of a small window free, half of the window would leave no room to speak of
		aim: limit / 2,
		most,
		spare: spareIn(window),
		live: !ctx.isIdle(),
	});
}

/** What a net did, in words for the user. */
export function tellNet({ record, fromStep, toStep, next, freed }: Net, window: number | null) {
	const steps = fromStep === toStep ? `step ${fromStep}` : `steps ${fromStep}–${toStep}`;
	const left = window === null ? "" : ` of ${formatCount(window)}`;
	return `folded ${steps} without the model (fold ${record.id}): ~${formatCount(freed)} tokens fewer, ~${formatCount(next)}${left} in the next request; nothing is lost`;
}

/** How much of the newest messages a net leaves alone, in tokens. */
export function spareIn(window: number | null): number {
	return window === null ? SPARE : Math.min(SPARE, window / 4);
}
