// When folds land: asks the one decision for a fold that is being made and before every request, and makes
// the record that carries it out. Appends nothing itself, and keeps nothing: what is held stands in the session.

import type { LandRecord, Range } from "../../fold.ts";
import { expected } from "../price/cost.ts";
import { type Candidate, decide, type Why } from "../price/timing.ts";
import {
	type Held,
	heldFolds,
	momentOf,
	placeTogether,
	type Scene,
	type Stands,
	toDecide,
} from "./moment.ts";
import { type Quote, quotePlaced } from "./price.ts";
import type { Settings } from "./settings.ts";

/** What a fold costs and saves. */
interface Priced {
	/**
	 * Of a fold that lands: all of it, against not folding. Of one that waits: landing now, against waiting; what
	 * was spent on writing its summary is spent in any case.
	 */
	readonly quote: Quote;
	/** all of it, against not folding */
	readonly whole: Quote;
}

/** A fold lands with the next request, and these held ones with it, which are in its price. */
interface Lands extends Priced {
	readonly lands: true;
	readonly why: Why;
	readonly others: readonly string[];
}

/** A fold waits. */
interface Waits extends Priced {
	readonly lands: false;
	/** about how many more requests until its rent is due; `null`: never by rent */
	readonly requestsLeft: number | null;
}

export type Timing = Lands | Waits;

/** A fold that is about to be recorded. */
export interface Made extends Stands {
	readonly id: string;
	/** tokens that the summary takes in its own call for as long as the fold is held */
	readonly own: number;
	readonly ownTurn: boolean;
}

/**
 * Whether a fold that is being made lands at once. That is weighed against holding it, with its summary in the
 * call as well; the price of one that lands is told against the requests before, which had no such call.
 */
export function timeFold(scene: Scene, made: Made, timing: Settings["timing"]): Timing {
	const { id, placed, range, own, ownTurn } = made;
	const { pricing } = scene;
	// one inside another is no cut of its own; the next request decides about what this one leaves
	const held = heldFolds(scene).filter(
		({ fold }) => fold.to <= range.from || range.to <= fold.from,
	);
	const c = (placed.sizes.c ?? 0) + own;
	const waiting = { ...placed, sizes: { ...placed.sizes, s: 0, c } };
	const candidate: Candidate = { id, ...waiting };
	const { lands, holds } = decide(
		momentOf(scene, timing),
		held.map((one) => toDecide(one, scene, [range, ...rangesBeside(one, held)])),
		candidate,
	);
	const why = lands.find((one) => one.id === id)?.why;
	if (why === undefined) {
		const requestsLeft = holds.find((one) => one.id === id)?.requestsLeft ?? null;
		const whole = quotePlaced(pricing, placed, ownTurn);
		return { lands: false, requestsLeft, quote: quotePlaced(pricing, waiting), whole };
	}
	const others = held.filter(({ fold }) => lands.some((one) => one.id === fold.record.id));
	const quote = quotePlaced(pricing, placeTogether([made, ...others]), ownTurn);
	const ids = others.map(({ fold }) => fold.record.id);
	return { lands: true, why, others: ids, quote, whole: quote };
}

/** Where the other held folds are: a call there goes with them. */
function rangesBeside(one: Held, held: readonly Held[]): Range[] {
	return held.flatMap(({ range }) => (range === one.range ? [] : [range]));
}

/** The record that lands what is due with the next request; `undefined`: nothing is. */
export function landingDue(scene: Scene, timing: Settings["timing"]): LandRecord | undefined {
	const held = heldFolds(scene);
	const { lands } = decide(
		momentOf(scene, timing),
		held.map((one) => toDecide(one, scene, rangesBeside(one, held))),
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
	const [first, ...others] = held;
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
	const held = heldFolds(scene);
	const { lands, holds } = decide(
		momentOf(scene, timing),
		held.map((one) => toDecide(one, scene, rangesBeside(one, held))),
	);
	const left = holds.flatMap(({ requestsLeft }) => requestsLeft ?? []);
	return {
		due: lands.map(({ id }) => id),
		requestsLeft: left.length > 0 ? Math.max(1, Math.min(...left)) : null,
	};
}
