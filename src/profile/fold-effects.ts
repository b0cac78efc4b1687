// What was expected of each fold and what the usage around its landing shows: the same landings, measured by the
// same function, as the extension's `status` tells them, with the prices that the session itself shows.

import { type Effect, type Fold, isMessage } from "../../fold.ts";
import { isWritten, type Measured, measureLanding } from "../price/landing.ts";
import { ratesAt, uncached } from "../price/rate.ts";
import { promptTokens, type Usage } from "../price/usage.ts";
import {
	type Landing,
	type LandingPart,
	type Measurement,
	type Placed,
	readLandings,
} from "../session/landings.ts";
import type { BranchWalk } from "./branch-walk.ts";
import type { FoldWalk } from "./fold-walk.ts";
import type { Intake } from "./intake.ts";
import type { Maker } from "./replies.ts";
import { OWN } from "./what-if-terms.ts";

/** What was expected of a fold and what came of it; `null` where unknown. */
export interface FoldEffects {
	readonly predicted: Effect | null;
	readonly measured: Effect | null;
}

/** A reply whose usage was measured. */
interface MeasuredReply extends Measurement {
	/** its number in the file */
	readonly number: number;
	readonly usage: Usage;
	readonly maker: Maker;
}

/** Sizes of a fold when its chip came into view, in tokens. */
interface Size {
	readonly removed: number;
	readonly chip: number;
}

/**
 * The effects of the folds that landed. Folds of one landing have one effect together: tokens and money are shared
 * by what each freed, so that they add up to it; when it pays, and whether it has, is the landing's.
 */
export function effectsOfFolds(
	intake: Intake,
	walk: Pick<BranchWalk, "path">,
	{ folds, sizes }: { folds: FoldWalk["folds"]; sizes: ReadonlyMap<Fold, Size> },
): ReadonlyMap<Fold, FoldEffects> {
	const effects = new Map<Fold, FoldEffects>();
	for (const landing of landingsOf(intake, walk, folds)) {
		const measured = measure(landing, intake, sizes);
		const shares = sharesOf(landing.folds, sizes);
		for (const part of landing.parts) {
			const predicted = predictedIn(part, sizes);
			for (const fold of part.folds) {
				const chip = sizes.get(fold)?.chip ?? 0;
				const own = measured && shareOf(measured, shares.get(fold) ?? 0);
				effects.set(fold, {
					predicted: predicted(fold),
					measured: own && { ...own, removedTokens: own.perRequestTokens + chip },
				});
			}
		}
	}
	return effects;
}

function landingsOf(
	intake: Intake,
	{ path }: Pick<BranchWalk, "path">,
	folds: readonly Fold[],
): Landing<MeasuredReply>[] {
	const { tree, replies } = intake;
	const fileAt = (position: number) => path[position] ?? -1;
	const models = new Map<Maker, string>();
	const modelOf = (maker: Maker) => {
		const known = models.get(maker) ?? `${maker.provider}/${maker.model}`;
		models.set(maker, known);
		return known;
	};
	return readLandings<MeasuredReply>({
		branch: branchOf(intake, path),
		folds,
		positionOf(id, before) {
			for (let position = before - 1; position >= 0; position--)
				if (tree.nodes[fileAt(position)]?.id === id) return position;
			return undefined;
		},
		replyAt(position) {
			const number = intake.replyOf(fileAt(position));
			const usage = replies.usageOf(number);
			const maker = replies.makerOfReply(number);
			if (!usage || !maker) return undefined;
			return { number, usage, maker, model: modelOf(maker), prompt: promptTokens(usage) };
		},
		knew(reply, record) {
			if (!intake.late.has(fileAt(record))) return true;
			// late for the message right after it alone
			for (let at = record + 1; at < reply; at++)
				if (isMessage(tree.nodes[fileAt(at)]?.kind ?? "other")) return true;
			return false;
		},
		// by the entries that set it, as in pi
		levelAt(position) {
			const at = fileAt(position);
			const level = intake.replyOf(at) < 0 ? intake.thinkingOf(at) : -1;
			return level < 0 ? undefined : level;
		},
	});
}

function* branchOf({ tree }: Intake, path: readonly number[]) {
	for (const at of path) {
		const node = tree.nodes[at];
		if (node) yield node;
	}
}

function measure(
	landing: Landing<MeasuredReply>,
	intake: Intake,
	sizes: ReadonlyMap<Fold, Size>,
): Measured | null {
	const { before, after, folds, written, ownTurn, changed, grown, requestsSince } = landing;
	if (!before || !after || before.reply.model !== after.reply.model) return null;
	const { usage, prompt, maker } = after.reply;
	const rates = ratesAt(maker.prices, prompt, maker.hourly);
	const cache = OWN.rules(maker);
	return measureLanding(
		{
			before: before.reply.usage,
			after: usage,
			grown,
			S: folds.reduce((sum, fold) => sum + (sizes.get(fold)?.chip ?? 0), 0),
			s: written,
			...(ownTurn ? { ownTurn: before.reply.prompt } : {}),
			cold: isWritten(cache, idleMs(intake, before, after), changed),
			requestsSince,
		},
		cache.kind === "none" ? uncached(rates) : rates,
	);
}

/** How long nobody had used the cache before a reply was asked for, in ms. */
function idleMs(
	{ replies, warmings }: Intake,
	before: Placed<MeasuredReply>,
	after: Placed<MeasuredReply>,
): number {
	const asked = replies.startOf(after.reply.number);
	let used = replies.toldDoneOf(before.reply.number);
	for (const { at } of warmings) if (at <= asked) used = Math.max(used, at);
	return asked - used;
}

/** By fold its share of what a landing freed; equal ones where that is not known. */
function sharesOf(
	folds: readonly Fold[],
	sizes: ReadonlyMap<Fold, Size>,
): ReadonlyMap<Fold, number> {
	const freed = folds.map((fold) => {
		const { removed, chip } = sizes.get(fold) ?? { removed: 0, chip: 0 };
		return Math.max(0, removed - chip);
	});
	const all = freed.reduce((sum, one) => sum + one, 0);
	return new Map(
		folds.map((fold, i) => [fold, all > 0 ? (freed[i] ?? 0) / all : 1 / folds.length]),
	);
}

/** A record that landed several folds expected something of all of them. */
function predictedIn({ folds, predicted }: LandingPart, sizes: ReadonlyMap<Fold, Size>) {
	const shares = sharesOf(folds, sizes);
	return (fold: Fold) => predicted && shareOf(predicted, shares.get(fold) ?? 0);
}

function shareOf<E extends Effect>(effect: E, share: number): E {
	if (share === 1) return effect;
	const part = (amount: number | null) => amount && amount * share;
	return {
		...effect,
		removedTokens: round(part(effect.removedTokens)),
		onceUsd: part(effect.onceUsd),
		perRequestTokens: round(part(effect.perRequestTokens)),
	};
}

function round(tokens: number | null): number | null {
	return tokens === null ? null : Math.round(tokens);
}
