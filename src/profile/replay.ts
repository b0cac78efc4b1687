// Walks the active branch once, root to leaf, and notes of every request what was sent, what would have
// been sent without folding, and what happened since the one before.

import { ALL_MARKS, type Fold, isMessage, Replayer } from "../../fold.ts";
import { FIVE_MINUTES } from "../price/cache.ts";
import { Column } from "./column.ts";
import { FLAG, History } from "./history.ts";
import type { Intake, Node } from "./intake.ts";
import { type Change, Requests } from "./requests.ts";
import { createSizedHost, quartersIn, type Sized } from "./sized.ts";

const HOUR_MS = 3_600_000;

/** A fold whose chip came into view. Sizes are plain estimates in tokens. */
export interface Landing {
	readonly fold: Fold;
	/** what the view had in the range's place */
	readonly removed: number;
	readonly chip: number;
	/** position of the first request that was sent with it; -1: none was */
	request: number;
	/** position of the first request after it that its range was back in, or gone from; -1: still there */
	until: number;
}

/** One walk over a branch. Run it once, then read it. */
export class Walk {
	readonly requests: Requests;
	readonly history = new History();
	readonly landings: Landing[] = [];
	/** the branch as it is sent; undefined where the file has no record of ours */
	readonly folded: Replayer<Sized> | undefined;
	readonly raw: Replayer<Sized>;
	/** positions in the file, root first */
	readonly path: readonly number[];
	/** positions of the requests that came first after a compaction */
	readonly compactions: number[] = [];
	/** positions in the file of compactions whose first kept entry is not before them on the branch */
	readonly lost: number[] = [];
	private readonly intake: Intake;
	private readonly host = createSizedHost();
	/** by position on the branch: tokens of all messages before it, as stored */
	private readonly sums = new Column();
	private visible: readonly Fold[] = [];
	/** landings of chips in view */
	private readonly landed = new Map<Fold, Landing>();
	/** those of them that no request was sent with yet */
	private pending: Landing[] = [];
	private enabled = true;
	private nextMode = 0;
	private nextWarming = 0;
	private since: Since = { previous: -1, change: undefined, grown: 0, system: false };
	private level = -1;
	private levelBefore = -1;
	private lastReply = -1;
	private lastMeasured = -1;

	constructor(intake: Intake) {
		this.intake = intake;
		this.path = intake.tree.branchPositions();
		this.requests = new Requests(intake.replies, (entry) => intake.tree.nodes[entry]?.id ?? "");
		this.raw = new Replayer(createSizedHost(), { folds: false, markers: false });
		this.folded = intake.hasRecords ? new Replayer(this.host, ALL_MARKS) : undefined;
	}

	run(): this {
		this.sums.push(0);
		for (const at of this.path) {
			const node = this.intake.tree.nodes[at];
			if (!node) continue;
			const reply = this.intake.replyOf(at);
			if (reply >= 0) this.request(at, node, reply);
			this.take(at, node);
		}
		this.switchMode(Number.POSITIVE_INFINITY);
		return this;
	}

	private request(at: number, node: Node, reply: number): void {
		this.switchMode(at);
		const raw = this.raw.size();
		const sent = this.enabled ? this.folded : undefined;
		const position = this.requests.length;
		if (sent) this.settleLandings(position);
		this.requests.push({
			entry: at,
			reply,
			step: node.kind === "assistant" ? this.raw.steps.count + 1 : 0,
			folded: sent ? sent.size(true) : raw,
			raw,
			folds: sent ? this.visible.length : 0,
		});
		const { previous, change, grown } = this.since;
		this.history.push({ previous, change, grown, flags: this.flagsOf(reply) });
		this.lastReply = reply;
		if (Number.isNaN(this.intake.replies.promptOf(reply))) return;
		this.lastMeasured = reply;
		this.levelBefore = this.level;
		this.since = { previous: position, change: undefined, grown: 0, system: false };
	}

	private take(at: number, node: Node): void {
		const level = this.intake.thinkingOf(at);
		if (level >= 0) this.level = level;
		if (node.kind === "system") this.since.system = true;
		const tokens = isMessage(node.kind) ? this.host.tokens(node.message ?? 0) : 0;
		this.since.grown += tokens;
		this.sums.push(this.sums.at(this.sums.length - 1) + tokens);
		if (node.kind === "edit") this.edit(node);
		// a record takes its place here and says nothing
		this.raw.push(node.kind === "record" ? { id: node.id, kind: "other" } : node);
		this.folded?.push(node);
		if (node.kind === "compaction") this.compact(at, node);
		if (node.kind === "record" || node.kind === "compaction") this.look();
	}

	private compact(at: number, { firstKeptEntryId }: Node): void {
		this.change({ cause: "compaction", kept: 0 });
		this.compactions.push(this.requests.length);
		const { start, compaction } = this.raw.steps.era;
		if (firstKeptEntryId !== undefined && start === compaction) this.lost.push(at);
	}

	/** Takes note of what the newest record, or a compaction, did to the chips in view. */
	private look(): void {
		const { folded } = this;
		const before = this.visible;
		if (!folded || folded.visible === before) return;
		folded.size();
		this.visible = folded.visible;
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
			this.change({ cause: "fold", kept: this.sizeBefore(from, before) });
	}

	private land(fold: Fold, before: readonly Fold[]): void {
		const chip = this.host.chips.get(fold.record.id) ?? 0;
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
		if (landing && fold.state !== "absorbed") landing.until = this.requests.length;
	}

	private settleLandings(position: number): void {
		for (const landing of this.pending) landing.request = position;
		this.pending = [];
	}

	/** Whether folding was on at the end of the branch. */
	get isOn(): boolean {
		return this.enabled;
	}

	/** Plain estimate of the view before a position, with these chips in it. */
	private sizeBefore(position: number, visible: readonly Fold[]): number {
		const { start, compaction } = this.raw.steps.era;
		const lead = this.raw.steps.entries[compaction];
		const head = [lead?.head, lead?.message].map((message) => quartersIn(message ?? 0) / 4);
		return head.reduce((sum, tokens) => sum + tokens, this.sizeOf(start, position, visible));
	}

	/** Plain estimate of what a view with these chips has in a range of positions. */
	private sizeOf(from: number, to: number, visible: readonly Fold[]): number {
		let size = this.stored(from, to);
		for (const fold of visible)
			if (fold.from >= from && fold.to <= to)
				size += (this.host.chips.get(fold.record.id) ?? 0) - this.stored(fold.from, fold.to);
		return size;
	}

	/** Tokens of the messages of a range as stored, of those still in view. */
	private stored(from: number, to: number): number {
		const first = Math.max(from, this.raw.steps.era.start);
		return to <= first ? 0 : this.sums.at(to) - this.sums.at(first);
	}

	private edit({ targetId }: Node): void {
		const target = targetId === undefined ? undefined : this.raw.steps.positionOf(targetId);
		if (target === undefined || target < this.raw.steps.era.start) return;
		this.change({ cause: "branch", kept: this.sizeBefore(target, this.visible) });
	}

	/** The earliest change counts: behind it everything was sent anew. */
	private change(change: Change): void {
		if (!this.since.change || change.kept < this.since.change.kept) this.since.change = change;
	}

	/** Brings the switch to where it was when an entry was asked for. */
	private switchMode(at: number): void {
		const { modes } = this.intake;
		let enabled = this.enabled;
		for (let mode = modes[this.nextMode]; mode && mode.entry < at; mode = modes[this.nextMode]) {
			enabled = mode.enabled;
			this.nextMode++;
		}
		if (enabled !== this.enabled && this.requests.length > 0)
			this.change({ cause: "fold", kept: 0 });
		this.enabled = enabled;
	}

	private flagsOf(reply: number): number {
		const { replies, hasSystem } = this.intake;
		const before = this.lastMeasured;
		let flags = 0;
		if (this.lastReply >= 0 && reply !== this.lastReply + 1) flags |= FLAG.moved;
		if (replies.makerNumberOf(reply) !== replies.makerNumberOf(before)) flags |= FLAG.model;
		if (this.levelBefore >= 0 && this.level !== this.levelBefore) flags |= FLAG.thinking;
		if (this.since.system) flags |= FLAG.system;
		if (this.idleFor(reply, before) > this.lifeOf(reply)) flags |= FLAG.idle;
		// within one run the host sends one system prompt, whatever it does between runs
		if (!hasSystem && replies.stopOf(this.lastReply) !== "toolUse") flags |= FLAG.unsure;
		return flags;
	}

	private lifeOf(reply: number): number {
		return this.intake.replies.makerOfReply(reply)?.hourly ? HOUR_MS : FIVE_MINUTES.lifeMs;
	}

	/** Milliseconds since anybody used the cache: a reply of the same model on any branch, a warming. */
	private idleFor(reply: number, before: number): number {
		const { replies, warmings } = this.intake;
		const start = replies.startOf(reply);
		let used = replies.startOf(before);
		for (let other = before + 1; other < reply; other++)
			if (replies.makerNumberOf(other) === replies.makerNumberOf(reply))
				used = Math.max(used, replies.startOf(other));
		for (; (warmings[this.nextWarming]?.at ?? Number.NaN) <= start; this.nextWarming++)
			used = Math.max(used, warmings[this.nextWarming]?.at ?? used);
		return start - used;
	}
}

/** What came in since the newest measured request. */
interface Since {
	readonly previous: number;
	change: Change | undefined;
	grown: number;
	system: boolean;
}
