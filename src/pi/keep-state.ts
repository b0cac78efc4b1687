// Opens, shuts and drops folds: one record each, or none and the reason. Nothing else is changed; the
// record of the fold stays what it was.

import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import { BEFORE_ERA } from "../../fold.ts";
import { type Choice, chooseFold, type Kept, keptFolds } from "./keep.ts";
import { append, readLog, replayLog } from "./log.ts";

export type Verb = "open" | "shut" | "drop";

/** Appends the record if it changes anything. Synchronous: what decides is read in the same tick. */
export function changeFold(
	pi: ExtensionAPI,
	ctx: ExtensionContext,
	verb: Verb,
	id: string,
): Choice {
	const log = readLog(ctx);
	const choice = chooseFold(keptFolds(log, replayLog(log)), id);
	if (!choice.ok) return choice;
	const reason = hindrance(verb, choice.fold);
	const foldId = choice.fold.record.id;
	if (reason !== undefined)
		return { ok: false, reason: `fold ${foldId} ${reason}; nothing changed` };
	append(pi, { kind: verb, id: foldId });
	return choice;
}

/** Why a verb would change nothing; `undefined`: it would change something. */
export function hindrance(verb: Verb, fold: Kept): string | undefined {
	const { state, reason, absorbedBy } = fold;
	if (state === "dropped") return "was dropped";
	if (state === "unreadable") return `is not applied: its record is damaged (${reason})`;
	if (state === "skipped" && (verb !== "drop" || reason === BEFORE_ERA))
		return reason === BEFORE_ERA
			? "was compacted away; it can still be read"
			: `is not applied (${reason})`;
	if (verb === "drop") return undefined;
	if (verb === "shut") return state === "open" ? undefined : "is not open";
	if (state === "absorbed") return `lies inside fold ${absorbedBy}: open that one first`;
	if (state === "open") return "is open already";
	if (state === "held") return "is held: it hides nothing until it lands";
	return undefined;
}
