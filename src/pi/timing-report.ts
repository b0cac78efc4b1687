// What `status` and `list` say about landings: what is held and waits for what, and which landings have paid.
// Reads the session; changes nothing.

import { BEFORE_ERA, type Fold, weigh } from "../../fold.ts";
import { predictedOf } from "../session/landings.ts";
import { piHost } from "../session/message.ts";
import { measure } from "./landing.ts";
import { heldFolds, type Scene } from "./moment.ts";
import type { Settings } from "./settings.ts";
import { outlook, quoteTogether } from "./timing.ts";
import { type HeldName, heldLines, type LandingWords, landingLine } from "./timing-text.ts";

/** So many landings are told one by one; of older ones only how many have paid. */
const TOLD = 3;

/** The lines of `status` about what is held. */
export function reportHeld(scene: Scene, timing: Settings["timing"]): string[] {
	const held = heldFolds(scene);
	if (held.length === 0) return [];
	const names = held.map(
		({ fold }): HeldName => ({ id: fold.record.id, steps: nameSteps(scene, fold) }),
	);
	return heldLines(names, quoteTogether(scene, held), outlook(scene, timing));
}

/** The lines of `status` about landings: the newest ones, predicted beside measured. */
export function reportLandings(scene: Scene): string[] {
	const landings = wordsOf(scene);
	if (landings.length === 0) return [];
	const measured = landings.flatMap((landing) => landing.measured ?? []);
	const paid = measured.filter((one) => one.paid).length;
	const count = landings.length === 1 ? "1 landing" : `${landings.length} landings`;
	const head = `${count}, ${measured.length} measured, ${paid} paid`;
	return [head, ...landings.slice(-TOLD).map((landing) => `  ${landingLine(landing)}`)];
}

function wordsOf({ replayer, view, pricing }: Scene): LandingWords[] {
	const { landings, stored, marketFor } = pricing;
	const chipOf = (fold: Fold) =>
		weigh(replayer, view, { record: fold.record, range: fold }, piHost).chip;
	// what was saved before a compaction is not saved now
	const current = landings.filter(({ folds }) => folds.some(({ reason }) => reason !== BEFORE_ERA));
	return current.map((landing) => ({
		ids: landing.folds.map((fold) => fold.record.id),
		predicted: predictedOf(landing),
		measured: measure(landing, { sent: stored, chipOf, marketFor }),
		isBack: landing.after !== undefined,
	}));
}

function nameSteps({ replayer }: Scene, fold: Fold): string {
	const { first, last } = replayer.steps.span(fold);
	return first >= last ? `step ${first}` : `steps ${first}–${last}`;
}
