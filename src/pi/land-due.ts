// Lands held folds whose moment has come with a request. Loaded where there are any.

import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import type { Hand, Replayer } from "../../fold.ts";
import type { PiMessage } from "../session/entry.ts";
import type { Dmail } from "./dmail.ts";
import { append, type Log } from "./log.ts";
import { pricingOf } from "./price.ts";
import { landingDue } from "./timing.ts";

/** A list in hand, matched with its branch. */
export interface Matched {
	/** the branch, with the messages in hand that are not stored yet at its end */
	readonly log: Log;
	readonly replayer: Replayer<PiMessage>;
	readonly hand: Hand<PiMessage>;
	/** whether next to nothing in the list is what the session has */
	readonly isStrange: boolean;
}

/**
 * Lands what is due with this request: one record, in the same tick. Where that fails, folds that are held
 * wait for the next one.
 */
export function landDue(
	pi: ExtensionAPI,
	dmail: Dmail,
	ctx: ExtensionContext,
	{ log, replayer }: Matched,
): void {
	if (!replayer.folds.some((fold) => fold.state === "held")) return;
	try {
		const view = replayer.view({ asking: true });
		const pricing = pricingOf(pi, ctx, { log, replayer, view });
		const record = landingDue({ log, replayer, view, pricing }, dmail.settings.timing);
		if (!record) return;
		append(pi, record);
		replayer.push({ id: "", kind: "record", record });
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		dmail.tell(ctx, `held folds could not be looked at, they wait: ${reason}`);
	}
}
