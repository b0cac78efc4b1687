// When folds land: asks the one decision for a fold that is being made and before every request, and makes
// the record that carries it out. Appends nothing itself, and keeps nothing: what is held stands in the session.

import type { LandRecord, Range } from "../../fold.ts";
import { expected } from "../price/cost.ts";
import { type Candidate, decide, type Why } from "../price/timing.ts";
import { type Held, heldFolds, momentOf, placeTogether, type Scene, toDecide } from "./moment.ts";
import { type Placed, type Quote, quotePlaced } from "./price.ts";
import type { Settings } from "./settings.ts";

/** A fold lands with the next request, and these held ones with it. */
interface Lands {
	readonly lands: true;
	readonly why: Why;
	readonly others: readonly string[];
	/** what the whole landing costs and saves */
	readonly quote: Quote;
}

/** A fold waits. */
interface Waits {
	readonly lands: false;
	/** about how many more requests until its rent is due; `null`: never by rent */
	readonly requestsLeft: number | null;
	/** what landing at once would cost and save */
	readonly quote: Quote;
}

export type Timing = Lands | Waits;

/** A fold that is about to be recorded. */
export interface Made {
	readonly id: string;
	readonly placed: Placed;
	readonly range: Range;
	readonly ownTurn: boolean;
}

/** Whether a fold that is being made lands at once. */
export function timeFold(scene: Scene, made: Made, timing: Settings["timing"]): Timing {
	const { id, placed, range, ownTurn } = made;
	// one inside another is no cut of its own; the next request decides about what this one leaves
	const held = heldFolds(scene).filter(
		({ fold }) => fold.to <= range.from || range.to <= fold.from,
	);
	const candidate: Candidate = { id, ...placed };
	const { lands, holds } = decide(
		momentOf(scene, timing),
		held.map((one) => toDecide(one, scene)),
		candidate,
	);
	const why = lands.find((one) => one.id === id)?.why;
	if (why === undefined) {
		const requestsLeft = holds.find((one) => one.id === id)?.requestsLeft ?? null;
		return { lands: false, requestsLeft, quote: quotePlaced(scene.pricing, placed, ownTurn) };
	}
	const others = held.filter(({ fold }) => lands.some((one) => one.id === fold.record.id));
	const all = placeTogether([placed, ...others.map((one) => one.placed)]);
	const quote = quotePlaced(scene.pricing, all, ownTurn);
	return { lands: true, why, others: others.map(({ fold }) => fold.record.id), quote };
}

/** The record that lands what is due with the next request; `undefined`: nothing is. */
export function landingDue(scene: Scene, timing: Settings["timing"]): LandRecord | undefined {
	const held = heldFolds(scene);
	const { lands } = decide(
		momentOf(scene, timing),
		held.map((one) => toDecide(one, scene)),
	);
	const due = held.filter(({ fold }) => lands.some(({ id }) => id === fold.record.id));
	return landRecord(scene, due);
}

/** The record that lands these folds together; `undefined` where there is none to land. */
export function landRecord(scene: Scene, due: readonly Held[]): LandRecord | undefined {
	const quote = quoteTogether(scene, due);
	if (!quote) return undefined;
	const ids = due.map(({ fold }) => fold.record.id);
	return { kind: "land", ids, predicted: expected(quote) };
}

/** What landing these folds together now costs and saves; the summaries are paid for already. */
export function quoteTogether({ pricing }: Scene, held: readonly Held[]): Quote | undefined {
	const [first, ...others] = held.map(({ placed }) => placed);
	return first && quotePlaced(pricing, placeTogether([first, ...others]));
}

/** What is to be expected of the folds that are held. */
export interface Outlook {
	/** those that land with the next request, if nothing changes before it */
	readonly due: readonly string[];
	/** about how many more requests until the others land by rent, the nearest first; `null`: never */
	readonly requestsLeft: number | null;
}

/** Looks ahead, without landing anything. */
export function outlook(scene: Scene, timing: Settings["timing"]): Outlook {
	const held = heldFolds(scene).map((one) => toDecide(one, scene));
	const { lands, holds } = decide(momentOf(scene, timing), held);
	const left = holds.flatMap(({ requestsLeft }) => requestsLeft ?? []);
	return {
		due: lands.map(({ id }) => id),
		requestsLeft: left.length > 0 ? Math.max(1, Math.min(...left)) : null,
	};
}
