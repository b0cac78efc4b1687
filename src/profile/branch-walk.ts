// Walks the active branch once, root to leaf, as it would have been sent without folding: the size of each
// request, what happened since the one before, and what there is to count.

import { isMessage, type Marks, Replayer } from "../../fold.ts";
import { FIVE_MINUTES } from "../price/cache.ts";
import { Column } from "./column.ts";
import { FLAG, History } from "./history.ts";
import type { Intake, Node } from "./intake.ts";
import { type Change, Requests } from "./requests.ts";
import { createSizedHost, quartersIn, type Sized, tokensIn } from "./sized.ts";
import { SystemPrompt } from "./system-prompt.ts";
import { OWN } from "./what-if-terms.ts";

const UNMARKED: Marks = { folds: false, markers: false };

const COMPACTED: Change = { cause: "compaction", kept: 0 };

/** What there is on a branch. */
interface Counts {
	steps: number;
	userMessages: number;
	toolCalls: number;
	unansweredCalls: number;
	orphanResults: number;
	compactions: number;
}

/** A branch that was walked. */
export interface BranchWalk {
	/** positions in the file, root first */
	readonly path: readonly number[];
	/** with folded sizes equal to raw ones */
	readonly requests: Requests;
	readonly history: History;
	/** by position on the branch: tokens of all messages before it, as stored */
	readonly sums: Column;
	/** positions of the requests that came first after a compaction */
	readonly compactions: readonly number[];
	readonly counts: Counts;
	/** the branch's own shape; let go of it where memory counts */
	readonly steps: Replayer<Sized>["steps"];
}

/** Goes along with a walk over a branch, and has the replayer that all entries are pushed into. */
export interface Companion {
	readonly replayer: Replayer<Sized>;
	/** The walk came to the entry of a request, and has entered it. */
	request(at: number): void;
	/** The replayer is about to take the entry at a position of the file in. */
	before(at: number): void;
	/** It has. */
	after(node: Node): void;
}

/** A walk that is under way. */
export type Walking = Pick<BranchWalk, "path" | "requests" | "history" | "sums">;

/**
 * Walks the active branch of a file.
 *
 * @param accompany who goes along: what takes a replay of its own to tell is told by the same one
 */
export function walkBranch(
	intake: Intake,
	accompany?: (walking: Walking) => Companion,
): BranchWalk {
	return new Walker(intake, accompany).run();
}

class Walker {
	readonly path: readonly number[];
	readonly requests: Requests;
	readonly history = new History();
	readonly sums = new Column();
	private readonly intake: Intake;
	private readonly compactions: number[] = [];
	private readonly companion: Companion | undefined;
	private readonly replayer: Replayer<Sized>;
	private readonly counts: Counts = {
		steps: 0,
		userMessages: 0,
		toolCalls: 0,
		unansweredCalls: 0,
		orphanResults: 0,
		compactions: 0,
	};
	private since = sinceRequest(-1);
	private readonly system = new SystemPrompt();
	/** raw size of the request that is on its way, where pi compacted before its reply; and that change */
	private sent: { readonly raw: number; readonly change: Change } | undefined;
	private level = -1;
	private levelBefore = -1;
	private lastReply = -1;
	private lastMeasured = -1;
	private nextWarming = 0;
	/** by maker: how long its cache lives, in ms */
	private readonly lives = new Map<number, number>();

	constructor(intake: Intake, accompany?: (walking: Walking) => Companion) {
		this.intake = intake;
		this.path = intake.tree.branchPositions();
		this.requests = new Requests(intake.replies, (entry) => intake.tree.nodes[entry]?.id ?? "");
		this.companion = accompany?.(this);
		this.replayer = this.companion?.replayer ?? new Replayer(createSizedHost(), UNMARKED);
	}

	run(): BranchWalk {
		this.sums.push(0);
		for (const at of this.path) {
			const node = this.intake.tree.nodes[at];
			if (!node) continue;
			const reply = this.intake.replyOf(at);
			if (reply >= 0) {
				this.request(at, node, reply);
				this.companion?.request(at);
			}
			this.take(at, node);
		}
		const { path, requests, history, sums, compactions } = this;
		const { steps } = this.replayer;
		return { path, requests, history, sums, compactions, counts: this.count(), steps };
	}

	private request(at: number, node: Node, reply: number): void {
		const position = this.requests.length;
		const step = node.kind === "assistant" ? this.replayer.steps.count + 1 : 0;
		const raw = this.sent?.raw ?? this.replayer.rawSize();
		this.requests.push({ entry: at, reply, step, raw });
		const told = this.intake.thinkingOf(at);
		if (told >= 0) this.level = told;
		const { previous, change, grown } = this.since;
		this.history.push({ previous, change, grown, flags: this.flagsOf(reply) });
		this.lastReply = reply;
		const late = this.sent?.change;
		this.sent = undefined;
		if (!Number.isNaN(this.intake.replies.promptOf(reply))) {
			this.lastMeasured = reply;
			this.levelBefore = this.level;
			this.since = sinceRequest(position);
		}
		if (this.intake.replies.stopOf(reply) !== "toolUse") this.since.restarted = true;
		if (late) this.change(late);
	}

	private take(at: number, node: Node): void {
		const level = this.intake.thinkingOf(at);
		if (level >= 0 && this.intake.replyOf(at) < 0) {
			this.level = level;
			this.since.levels++;
		}
		const patch = this.intake.systems.get(at);
		if (patch && this.system.take(patch)) this.since.system = true;
		if (this.intake.prompts.has(at)) this.since.restarted = true;
		const tokens = isMessage(node.kind) ? tokensIn(node.message ?? 0) : 0;
		this.since.grown += tokens;
		this.sums.push(this.sums.at(this.sums.length - 1) + tokens);
		if (node.kind === "edit") this.edit(node);
		if (node.kind === "compaction" && this.intake.late.has(at))
			this.sent = { raw: this.replayer.rawSize(), change: COMPACTED };
		this.companion?.before(at);
		this.replayer.push(node);
		if (node.kind === "compaction") this.compact();
		this.companion?.after(node);
	}

	private compact(): void {
		if (!this.sent) this.change(COMPACTED);
		this.compactions.push(this.requests.length + (this.sent ? 1 : 0));
	}

	private edit({ targetId }: Node): void {
		const { steps } = this.replayer;
		const target = targetId === undefined ? undefined : steps.positionOf(targetId);
		if (target === undefined || target < steps.era.start) return;
		const lead = steps.entries[steps.era.compaction];
		const head = quartersIn(lead?.head ?? 0) + quartersIn(lead?.message ?? 0);
		const kept = head / 4 + this.sums.at(target) - this.sums.at(steps.era.start);
		this.change({ cause: "branch", kept });
	}

	/** The earliest change counts: behind it everything was sent anew. */
	private change(change: Change): void {
		if (!this.since.change || change.kept < this.since.change.kept) this.since.change = change;
	}

	private flagsOf(reply: number): number {
		const { replies, hasSystem } = this.intake;
		const before = this.lastMeasured;
		let flags = 0;
		if (this.lastReply >= 0 && reply !== this.lastReply + 1) flags |= FLAG.moved;
		if (replies.makerNumberOf(reply) !== replies.makerNumberOf(before)) flags |= FLAG.model;
		flags |= this.thinkingFlag();
		if (this.since.system) flags |= FLAG.system;
		if (this.idleFor(reply, before) > this.lifeOf(reply)) flags |= FLAG.idle;
		// within one run the host sends one system prompt, whatever it does between runs
		if (!hasSystem && this.since.restarted) flags |= FLAG.unsure;
		return flags;
	}

	/** The host stores a level where it changes: of the first one only what it was before is not known. */
	private thinkingFlag(): number {
		if (this.levelBefore >= 0) return this.level === this.levelBefore ? 0 : FLAG.thinking;
		if (this.since.levels === 0) return 0;
		return this.since.levels === 1 ? FLAG.thinking : FLAG.unsure;
	}

	private lifeOf(reply: number): number {
		const { replies } = this.intake;
		const number = replies.makerNumberOf(reply);
		let lifeMs = this.lives.get(number);
		if (lifeMs === undefined) {
			const maker = replies.makerOfReply(reply);
			const rules = maker && OWN.rules(maker);
			lifeMs = rules && rules.kind !== "none" ? rules.lifeMs : FIVE_MINUTES.lifeMs;
			this.lives.set(number, lifeMs);
		}
		return lifeMs;
	}

	/** Milliseconds since anybody used the cache: a reply of the same model on any branch, a warming. */
	private idleFor(reply: number, before: number): number {
		const { replies, warmings } = this.intake;
		const start = replies.startOf(reply);
		let used = replies.doneOf(before);
		for (let other = before + 1; other < reply; other++)
			if (replies.makerNumberOf(other) === replies.makerNumberOf(reply))
				used = Math.max(used, Math.min(start, replies.doneOf(other)));
		for (; (warmings[this.nextWarming]?.at ?? Number.NaN) <= start; this.nextWarming++)
			used = Math.max(used, warmings[this.nextWarming]?.at ?? used);
		return start - used;
	}

	private count(): Counts {
		const { counts } = this;
		const { steps } = this.replayer;
		counts.steps = steps.count;
		for (const [position, at] of this.path.entries()) {
			const node = this.intake.tree.nodes[at];
			if (node?.kind === "user") counts.userMessages++;
			else if (node?.kind === "compaction") counts.compactions++;
			else if (node?.kind === "result" && steps.answeredBy(position) < 0) counts.orphanResults++;
			counts.toolCalls += node?.calls?.length ?? 0;
			counts.unansweredCalls += steps.openCalls(position);
		}
		return counts;
	}
}

/** What came in since the newest measured request. */
interface Since {
	readonly previous: number;
	change: Change | undefined;
	grown: number;
	/** the system prompt or the tools changed */
	system: boolean;
	/** changes of the thinking level */
	levels: number;
	/** a run ended, or another one began */
	restarted: boolean;
}

function sinceRequest(previous: number): Since {
	return {
		previous,
		change: undefined,
		grown: 0,
		system: false,
		levels: 0,
		restarted: false,
	};
}
