// Walks the active branch as it was sent, with its folds: the folded size of each request, which chips it
// had, and where a fold changed what had been sent before.

import { ALL_MARKS, type Fold, firstNudgeAt, Replayer } from "../../fold.ts";
import { type BranchWalk, type Companion, type Walking, walkBranch } from "./branch-walk.ts";
import { FLAG } from "./history.ts";
import type { Intake, Mode, Node } from "./intake.ts";
import { createSizedHost, quartersIn, type Sized, type SizedHost } from "./sized.ts";

/** A fold whose chip came into view. Sizes are plain estimates in tokens. */
export interface Landing {
	readonly fold: Fold;
	/** what the view had in the range's place */
	readonly removed: number;
	readonly chip: number;
	/** position of the first request that was sent with it; -1: none was */
	request: number;
	/** position of the first request after its range came back into view; -1: it did not */
	until: number;
}

/** The folds of a branch that was walked. */
export interface FoldWalk {
	/** every fold record of the branch, as it stands at the end */
	readonly folds: readonly Fold[];
	readonly landings: readonly Landing[];
	/** chips in view at the end */
	readonly applied: number;
}

/** A request as it went out. */
interface Sent {
	/** plain estimate of what stands before the earliest change that it was the first to see */
	readonly kept: number;
	/** whether the change is the switch of the extension, and the file has no system prompt to tell it by */
	readonly switched: boolean;
	readonly pending: Landing[];
	readonly size: number;
	readonly folds: number;
}

/** Nothing was ever folded. */
const UNFOLDED: FoldWalk = { folds: [], landings: [], applied: 0 };

/** A branch that was walked with its folds. */
export interface FoldedWalk {
	readonly walk: BranchWalk;
	readonly found: FoldWalk;
}

/**
 * Walks the active branch of a file, enters the folded sizes into its requests, and the changes that folds made
 * into its history. Without a switch record folding was on, with nudges, from the beginning.
 */
export function walkFolded(intake: Intake): FoldedWalk {
	if (!intake.hasRecords) return { walk: walkBranch(intake), found: UNFOLDED };
	let walker: Walker | undefined;
	const walk = walkBranch(intake, (walking) => {
		walker = new Walker(intake, walking, true);
		return walker;
	});
	// markers with and without nudges are two views: each fills in the requests that were sent so
	if (intake.modes.some(({ nudge }) => !nudge)) {
		walker = new Walker(intake, walk, false);
		walker.run();
	}
	return { walk, found: walker?.found() ?? UNFOLDED };
}

class Walker implements Companion {
	readonly replayer: Replayer<Sized>;
	private readonly intake: Intake;
	private readonly walk: Walking;
	private readonly nudge: boolean;
	private readonly host: SizedHost = createSizedHost();
	private readonly landings: Landing[] = [];
	/** landings of chips in view */
	private readonly landed = new Map<Fold, Landing>();
	/** those of them that no request was sent with yet */
	private pending: Landing[] = [];
	private visible: readonly Fold[] = [];
	private mode: Mode = { entry: -1, enabled: true, nudge: true };
	private nextMode = 0;
	private position = 0;
	/** plain estimate of what stands before the earliest change since the newest measured request */
	private kept = Number.POSITIVE_INFINITY;
	/** whether folding was turned on or off since then, where the file has no system prompt to tell it by */
	private switched = false;
	/** the request that is on its way, where something is recorded before its reply */
	private sent: Sent | undefined;

	constructor(intake: Intake, walk: Walking, nudge: boolean) {
		this.intake = intake;
		this.walk = walk;
		this.nudge = nudge;
		const nudgeAt = nudge ? firstNudgeAt(undefined) : undefined;
		this.replayer = new Replayer<Sized>(this.host, { ...ALL_MARKS, nudgeAt });
	}

	/** Walks a branch that was walked before. */
	run(): void {
		for (const at of this.walk.path) {
			const node = this.intake.tree.nodes[at];
			if (!node) continue;
			if (this.intake.replyOf(at) >= 0) this.request(at);
			this.before(at);
			this.replayer.push(node);
			this.after(node);
		}
	}

	/** What there is to tell at the end of the branch. */
	found(): FoldWalk {
		this.switchMode(Number.POSITIVE_INFINITY);
		const { landings, replayer, visible } = this;
		return { folds: replayer.folds, landings, applied: this.mode.enabled ? visible.length : 0 };
	}

	before(at: number): void {
		if (this.intake.late.has(at)) this.sent ??= this.send(at);
	}

	after({ kind }: Node): void {
		if (kind === "record" || kind === "compaction") this.look();
	}

	request(at: number): void {
		const sent = this.sent ?? this.send(at);
		this.sent = undefined;
		const { requests, history } = this.walk;
		const position = this.position++;
		history.lower(position, { cause: sent.switched ? "system" : "fold", kept: sent.kept });
		if (sent.switched) history.flag(position, FLAG.system);
		if (Number.isNaN(requests.promptAt(position))) {
			this.kept = Math.min(this.kept, sent.kept);
			this.switched ||= sent.switched;
		}
		if (!this.mode.enabled) {
			this.pending.unshift(...sent.pending);
			return;
		}
		for (const landing of sent.pending) landing.request = position;
		if (this.mode.nudge !== this.nudge) return;
		requests.folded.set(position, sent.size);
		requests.folds.set(position, sent.folds);
	}

	/** What a request takes along that did not know an entry any more; what is recorded later is for the next. */
	private send(at: number): Sent {
		this.switchMode(at);
		const { kept, switched, pending } = this;
		this.kept = Number.POSITIVE_INFINITY;
		this.switched = false;
		this.pending = [];
		const { length: folds } = this.visible;
		return { kept, switched, pending, size: this.replayer.size(true), folds };
	}

	/** Brings the switch to where it was when an entry was asked for. */
	private switchMode(at: number): void {
		const { modes } = this.intake;
		const before = this.mode;
		for (let mode = modes[this.nextMode]; mode && mode.entry < at; mode = modes[this.nextMode]) {
			this.mode = mode;
			this.nextMode++;
		}
		// chips and markers come or go from the first message on
		const changed = this.mode.enabled !== before.enabled || this.mode.nudge !== before.nudge;
		if (!changed || this.position === 0) return;
		this.kept = 0;
		// the policy and the tools come and go with the switch
		if (this.mode.enabled !== before.enabled && !this.intake.hasSystem) this.switched = true;
	}

	/** Takes note of what the newest record, or a compaction, did to the chips in view. */
	private look(): void {
		const { replayer } = this;
		const before = this.visible;
		if (replayer.visible === before) return;
		replayer.size();
		this.visible = replayer.visible;
		const old = new Set(before);
		let from = Number.POSITIVE_INFINITY;
		for (const fold of this.visible)
			if (!old.delete(fold)) {
				from = Math.min(from, fold.from);
				this.land(fold, before);
			}
		for (const fold of old) {
			from = Math.min(from, fold.from);
			this.lift(fold);
		}
		if (from < Number.POSITIVE_INFINITY)
			this.kept = Math.min(this.kept, this.sizeBefore(from, before));
	}

	private land(fold: Fold, before: readonly Fold[]): void {
		const chip = this.host.chips.get(fold.at) ?? 0;
		const removed = this.sizeOf(fold.from, fold.to, before);
		const landing = { fold, removed, chip, request: -1, until: -1 };
		this.landings.push(landing);
		this.pending.push(landing);
		this.landed.set(fold, landing);
	}

	private lift(fold: Fold): void {
		const landing = this.landed.get(fold);
		this.landed.delete(fold);
		this.pending = this.pending.filter((one) => one !== landing);
		// what an outer fold absorbed stays out of the view
		if (landing && fold.state !== "absorbed") landing.until = this.position + (this.sent ? 1 : 0);
	}

	/** Plain estimate of the view before a position, with these chips in it. */
	private sizeBefore(position: number, visible: readonly Fold[]): number {
		const { start, compaction } = this.replayer.steps.era;
		const lead = this.replayer.steps.entries[compaction];
		const head = quartersIn(lead?.head ?? 0) + quartersIn(lead?.message ?? 0);
		return head / 4 + this.sizeOf(start, position, visible);
	}

	/** Plain estimate of what a view with these chips has in a range of positions. */
	private sizeOf(from: number, to: number, visible: readonly Fold[]): number {
		let size = this.stored(from, to);
		for (const fold of visible)
			if (fold.from >= from && fold.to <= to)
				size += (this.host.chips.get(fold.at) ?? 0) - this.stored(fold.from, fold.to);
		return size;
	}

	/** Tokens of the messages of a range as stored, of those still in view. */
	private stored(from: number, to: number): number {
		const { sums } = this.walk;
		const first = Math.max(from, this.replayer.steps.era.start);
		return to <= first ? 0 : sums.at(to) - sums.at(first);
	}
}
