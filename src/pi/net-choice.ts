// Chooses what the net folds and writes its record: of the stretches that may be folded the one that frees
// most, and of that as many of its oldest steps as the aim needs. Promises nothing that does not hold, and
// appends nothing itself.

import {
	type FoldRecord,
	foldContext,
	propose,
	type Range,
	type Replayer,
	type View,
	weigh,
} from "../../fold.ts";
import { netSummary } from "../notes/net.ts";
import type { PiMessage } from "../session/entry.ts";
import { piHost } from "../session/message.ts";
import { formatCount } from "./badge.ts";
import { land } from "./compaction-pressure.ts";
import { draft, type Refused } from "./folding.ts";
import { type Log, replayLog } from "./log.ts";
import { stretchesOf, type Unit } from "./net-stretch.ts";
import { notesIn } from "./receipt.ts";

/** What a net is asked for; sizes in tokens. */
export interface NetWish {
	/** folds that are held: they land with the net, in its one record */
	readonly lands: readonly string[];
	/** the next request as it would be without the net, everything held landed */
	readonly next: number;
	/** what an estimated token is worth at most */
	readonly scale: number;
	/** the next request is wanted no larger than this */
	readonly aim: number;
	/** a net that leaves it larger than this is not made */
	readonly most: number;
	/** the newest messages, left alone */
	readonly spare: number;
	/** whether a run is live */
	readonly live: boolean;
}

/** A net that can be made. */
export interface Net {
	readonly ok: true;
	readonly record: FoldRecord;
	/** the range that it names */
	readonly range: Range;
	readonly fromStep: number;
	readonly toStep: number;
	/** the next request with it */
	readonly next: number;
	/** tokens that it takes out of the next request */
	readonly freed: number;
}

/** Chooses a net, or says why there is none. */
export function chooseNet(log: Log, wish: NetWish): Net | Refused {
	const caster = new Caster(log, wish);
	const best = caster.best();
	if (!best) return { ok: false, reason: caster.tellNone() };
	const net = caster.cast(caster.least(best));
	if (!net) return { ok: false, reason: caster.tellUseless(best) };
	if (net.next <= wish.most) return net;
	const left = Math.ceil(net.next);
	return { ok: false, reason: `folding would leave ~${left} tokens, more than ${wish.most}` };
}

/** The units that a net would take, with the summary that stands for them. */
interface Take {
	readonly units: readonly Unit[];
	readonly summary: string;
	/** what the units take in the view now, in tokens, estimated */
	readonly replaced: number;
	/** tokens that it frees, estimated */
	readonly freed: number;
}

/** Weighs takes of one branch against each other; all that they share is reckoned once. */
class Caster {
	private readonly log: Log;
	private readonly wish: NetWish;
	private readonly replayer: Replayer<PiMessage>;
	private readonly view: View<PiMessage>;

	constructor(log: Log, wish: NetWish) {
		this.log = log;
		this.wish = wish;
		this.replayer = replayLog(log);
		land(this.replayer, wish.lands);
		this.view = this.replayer.view({ asking: true });
	}

	/** All that can be taken of the stretch that frees most. */
	best(): Take | undefined {
		const takes = stretchesOf(this.replayer, this.view, this.wish.spare).flatMap(
			(stretch) => this.take(stretch, stretch.length) ?? [],
		);
		return takes.reduce<Take | undefined>(
			(best, take) => (best && best.freed >= take.freed ? best : take),
			undefined,
		);
	}

	/** As few units of a take, from its beginning on, as reach the aim; all of them if they do not. */
	least(all: Take): Take {
		if (this.after(all) > this.wish.aim) return all;
		let least = all;
		for (let low = 1, high = all.units.length - 1; low <= high; ) {
			const middle = (low + high) >>> 1;
			const take = this.take(all.units, middle);
			if (take && this.after(take) <= this.wish.aim) {
				least = take;
				high = middle - 1;
			} else low = middle + 1;
		}
		return least;
	}

	/** The record of a take, if it is one that may be made and frees what it promises. */
	cast({ units, summary }: Take): Net | undefined {
		const { log, replayer, wish } = this;
		const asked = { ...stepsOf(units), live: wish.live };
		const proposal = propose(replayer, asked);
		if (!proposal.ok || proposal.range.to !== units.at(-1)?.to) return undefined;
		const drafted = draft(log, replayer, proposal, { wish: asked, summary, by: "auto" });
		const record = wish.lands.length > 0 ? { ...drafted, lands: wish.lands } : drafted;
		const folded = foldContext([...log.branch, { id: "", kind: "record", record }], piHost, {
			asking: true,
		});
		const freed = wish.scale * (sizeOf(this.view) - sizeOf(folded));
		if (freed <= 0) return undefined;
		const { range, fromStep, toStep } = proposal;
		return { ok: true, record, range, fromStep, toStep, freed, next: wish.next - freed };
	}

	/** Why there is nothing to take. */
	tellNone(): string {
		const all = formatCount(sizeOf(this.view));
		return `no finished step that may be folded lies before ${this.spared()}; the conversation has ~${all} in all`;
	}

	/** Why a take is no use. */
	tellUseless({ units, replaced }: Take): string {
		const { fromStep, toStep } = stepsOf(units);
		const [steps, take] =
			fromStep === toStep ? [`step ${fromStep}`, "takes"] : [`steps ${fromStep}–${toStep}`, "take"];
		return `before ${this.spared()}, ${steps} ${take} ~${formatCount(replaced)}, and a record of them would take no fewer`;
	}

	private spared(): string {
		return `the newest ~${formatCount(this.wish.spare)} tokens, which are left alone`;
	}

	private after(take: Take): number {
		return this.wish.next - this.wish.scale * take.freed;
	}

	/** The first so many units of a stretch, or as many of them as one summary can stand for. */
	private take(stretch: readonly Unit[], count: number): Take | undefined {
		for (let units = endingClean(stretch.slice(0, count)); units.length > 0; ) {
			const summed = this.sum(units);
			if (!summed) return undefined;
			const reached = endingClean(units.filter((unit) => unit.toStep <= summed.toStep));
			if (reached.length === units.length)
				return { units, summary: summed.summary, ...this.weigh(units, summed.summary) };
			units = reached;
		}
		return undefined;
	}

	private sum(units: readonly Unit[]) {
		const from = units[0]?.from ?? 0;
		const folds = units.flatMap(({ fold }) =>
			fold ? [{ from: fold.from - from, to: fold.to - from, record: fold.record }] : [],
		);
		return netSummary({
			entries: this.log.stored.slice(from, units.at(-1)?.to),
			firstStep: units[0]?.fromStep ?? 1,
			folds,
			cwd: this.log.cwd,
		});
	}

	private weigh(units: readonly Unit[], summary: string): { replaced: number; freed: number } {
		const range = { from: units[0]?.from ?? 0, to: units.at(-1)?.to ?? 0 };
		const record: FoldRecord = {
			kind: "fold",
			v: 1,
			id: "0000",
			fromEntryId: "",
			toEntryId: "",
			...stepsOf(units),
			summary,
			by: "auto",
			notes: notesIn(this.log, range, undefined),
		};
		const { replaced, chip } = weigh(this.replayer, this.view, { record, range }, piHost);
		return { replaced, freed: replaced - chip };
	}
}

function stepsOf(units: readonly Unit[]): { fromStep: number; toStep: number } {
	return { fromStep: units[0]?.fromStep ?? 1, toStep: units.at(-1)?.toStep ?? 1 };
}

function endingClean(units: readonly Unit[]): readonly Unit[] {
	return units.slice(0, units.findLastIndex((unit) => unit.canEnd) + 1);
}

function sizeOf(view: View<PiMessage>): number {
	return view.messages.reduce((sum, message) => sum + piHost.tokens(message), 0);
}
