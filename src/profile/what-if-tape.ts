// A session as a tape of numbers that can be played again under any policy: sizes of its messages, its
// requests and what the provider served of them. Holds no text; whatever a policy needs is in columns.

import { isMessage } from "../../fold.ts";
import type { Usage } from "../price/usage.ts";
import type { BranchWalk } from "./branch-walk.ts";
import { calibrate } from "./calibration.ts";
import { type FoldWalk, walkFolded } from "./fold-walk.ts";
import type { Between } from "./history.ts";
import type { Intake, Node } from "./intake.ts";
import type { Maker } from "./replies.ts";
import { quartersIn } from "./sized.ts";

/** One message of the active branch. Offsets are tokens from the branch's first message. */
interface Item {
	/** position of its entry in the file */
	readonly entry: number;
	/** tokens of all items before it, calibrated */
	readonly offset: number;
	/** the same of those only that a fold leaves: the user's words, system messages */
	readonly stays: number;
	/** positions of a cache's look-up that all items before it take */
	readonly position: number;
}

/** One step, as a range of items; `to` is out. */
interface Step {
	readonly from: number;
	readonly to: number;
}

/** One billed request. */
export interface Request {
	/** its number among all requests of the branch, from 0 */
	readonly number: number;
	/** when it was sent and when its reply was complete, in ms */
	readonly atMs: number;
	readonly doneMs: number;
	/** who answered, by number */
	readonly maker: number;
	/** the items in its prompt; `to` is out */
	readonly from: number;
	readonly to: number;
	/** steps that were finished before it */
	readonly steps: number;
	/** tokens of its prompt as they would be without any fold */
	readonly prompt: number;
	/**
	 * tokens of the prompt that are no items: system prompt, tools, a compaction's summary; and what the
	 * sizes of its items are wrong by, so that it may be below 0
	 */
	readonly base: number;
	/** tokens of its reply */
	readonly output: number;
	/** how far the unfolded prompt is the same as the one before, where more than its end changed; in tokens */
	readonly same: number;
	/** whether pi compacted since the request before */
	readonly compacted: boolean;
	/** tokens of the summary that the era begins with; part of `base` */
	readonly lead: number;
	/** what the session recorded; undefined for a request without usage, whose sizes are estimates */
	readonly usage: Usage | undefined;
}

/** A fold that the session recorded, while its chip was in view. */
interface RecordedFold extends Step {
	readonly id: string;
	/** tokens that its chip replaced, and those of the chip; calibrated */
	readonly removed: number;
	readonly chip: number;
	/** the requests that were sent with it; `until` is out */
	readonly request: number;
	readonly until: number;
}

/** A session, ready to be played. */
export interface Tape {
	readonly items: readonly Item[];
	readonly steps: readonly Step[];
	readonly requests: readonly Request[];
	readonly makers: readonly Maker[];
	readonly folds: readonly RecordedFold[];
	/** tokens of system prompt and tools */
	readonly head: number;
	/** numbers of requests before which pi pressed for a compaction that is not on this tape */
	readonly pressed?: ReadonlySet<number> | undefined;
	/** attempts and replies without usage that are left out, since others of the session have it */
	readonly unmeasured: number;
}

/** Estimates are brought to the measured growth of a prompt only within these factors. */
const LEAST_SCALE = 0.25;
const MOST_SCALE = 4;
/** A prompt that is smaller than the one before by more than this share was cut. */
const FELL = 0.1;

/**
 * Makes a tape of a session that was read.
 *
 * Prompts are as measured. The items that came in between two measured requests are scaled together to
 * what the prompt grew by; where it cannot be told (another model, a compaction) by the session's line.
 *
 * @param blocks by entry of the file: how many blocks of text or thinking its message has
 */
export function tapeOf(intake: Intake, blocks: readonly number[]): Tape {
	return new Recorder(intake, blocks).tape();
}

class Recorder {
	private readonly intake: Intake;
	private readonly walk: BranchWalk;
	private readonly found: FoldWalk;
	private readonly blocks: readonly number[];
	/** tokens by item */
	private readonly tokens: number[] = [];
	private readonly nodes: Node[] = [];
	private readonly entries: number[] = [];
	/** by position on the branch: the number of items before it */
	private readonly itemAt: number[] = [];
	private readonly k: number;
	private readonly landed: readonly RecordedFold[];

	constructor(intake: Intake, blocks: readonly number[]) {
		this.intake = intake;
		this.blocks = blocks;
		const { walk, found } = walkFolded(intake);
		this.walk = walk;
		this.found = found;
		this.k = calibrate(this.walk.requests).k;
		for (const at of this.walk.path) {
			const node = intake.tree.nodes[at];
			this.itemAt.push(this.nodes.length);
			if (!node || !isMessage(node.kind)) continue;
			this.nodes.push(node);
			this.entries.push(at);
			// hosts send nothing of a reply that failed or was broken off
			const quarters = node.kind === "attempt" ? 0 : quartersIn(node.message ?? 0);
			this.tokens.push((this.k * quarters) / 4);
		}
		this.itemAt.push(this.nodes.length);
		this.landed = this.recordedFolds();
	}

	tape(): Tape {
		const spans = this.spans();
		this.scale(spans);
		const items = this.items();
		const steps = this.steps();
		const requests = this.requests(spans, { items, steps });
		const first = requests[0];
		return {
			items,
			steps,
			requests,
			makers: this.makers(),
			folds: this.landed,
			head: Math.max(0, first?.base ?? 0),
			unmeasured: this.walk.requests.length - requests.length,
		};
	}

	/** The requests that count, with their items. All of a session without usage count. */
	private spans(): Span[] {
		const { isMeasured } = this;
		const { requests, path } = this.walk;
		const spans: Span[] = [];
		let era: Era = { from: 0, lead: 0 };
		/** the era of a compaction that was recorded while a reply was on its way */
		let next: Era | undefined;
		let compacted = false;
		let request = 0;
		for (const [position, at] of path.entries()) {
			const begun = this.eraAt(position, at);
			if (begun && this.intake.late.has(at)) next = begun;
			else if (begun) era = begun;
			compacted ||= begun !== undefined && next === undefined;
			const reply = this.intake.replyOf(at);
			if (reply < 0) continue;
			const between = this.walk.history.at(request);
			const to = this.itemAt[position] ?? 0;
			const span = { request, reply, position, ...era, to, compacted, between };
			request++;
			const isCounted = !isMeasured || !Number.isNaN(requests.promptAt(span.request));
			if (isCounted) spans.push(span);
			compacted = (compacted && !isCounted) || next !== undefined;
			era = next ?? era;
			next = undefined;
		}
		return spans;
	}

	/** The era that begins with an entry, if that is a compaction. */
	private eraAt(position: number, at: number): Era | undefined {
		const node = this.intake.tree.nodes[at];
		if (node?.kind !== "compaction") return undefined;
		const kept = this.walk.steps.positionOf(node.firstKeptEntryId ?? "");
		return {
			from: this.itemAt[kept !== undefined && kept < position ? kept : position] ?? 0,
			lead: (this.k * quartersIn(node.message ?? 0)) / 4,
		};
	}

	private get isMeasured(): boolean {
		const { requests } = this.walk;
		for (let i = 0; i < requests.length; i++) if (requests.promptAt(i) > 0) return true;
		return false;
	}

	/**
	 * Brings what came in between two measured requests to what the prompt grew by, so that offsets of the
	 * one hold in the other. A prompt that fell was cut by something that the session does not say.
	 */
	private scale(spans: readonly Span[]): void {
		for (const [i, span] of spans.entries()) {
			const before = spans[i - 1];
			const { change, previous } = span.between;
			if (!before || (change && change.cause !== "fold") || span.compacted) continue;
			if (previous !== before.request || this.makerOf(span) !== this.makerOf(before)) continue;
			const grown = this.rawPromptOf(span) - this.rawPromptOf(before);
			if (grown > -FELL * this.rawPromptOf(before)) this.spread(before.to, span.to, grown);
		}
	}

	/** In proportion to their estimates, or all on the newest where those say nothing. */
	private spread(from: number, to: number, grown: number): void {
		const estimate = sum(this.tokens, from, to);
		const factor = grown / estimate;
		const fits = factor >= LEAST_SCALE && factor <= MOST_SCALE;
		if (fits)
			for (let item = from; item < to; item++)
				this.tokens[item] = (this.tokens[item] ?? 0) * factor;
		else if (to > from) this.tokens[to - 1] = (this.tokens[to - 1] ?? 0) + grown - estimate;
	}

	/** One more than there are messages: the last one is the end. */
	private items(): Item[] {
		const items: Item[] = [];
		let offset = 0;
		let stays = 0;
		let position = 0;
		let inCalls = false;
		for (const [i, node] of this.nodes.entries()) {
			const entry = this.entries[i] ?? -1;
			const tokens = this.tokens[i] ?? 0;
			items.push({ entry, offset, stays, position });
			offset += tokens;
			if (STAYS.has(node.kind)) stays += tokens;
			const blocks = this.blocks[entry] ?? 1;
			const calls = node.kind === "result" || (node.calls?.length ?? 0) > 0;
			const plain = node.kind === "result" ? 0 : blocks;
			position += plain + (calls && (plain > 0 || !inCalls) ? 1 : 0);
			if (calls || plain > 0) inCalls = calls;
		}
		items.push({ entry: -1, offset, stays, position });
		return items;
	}

	private steps(): Step[] {
		const { steps } = this.walk;
		const found: Step[] = [];
		for (let n = 1; n <= steps.count; n++) {
			const at = steps.positionOfStep(n) ?? 0;
			const to = steps.endOf(at, at);
			found.push({ from: this.itemAt[at] ?? 0, to: this.itemAt[to] ?? this.nodes.length });
		}
		return found;
	}

	private recordedFolds(): RecordedFold[] {
		return this.found.landings
			.filter((landing) => landing.request >= 0)
			.map(({ fold, removed, chip, request, until }) => ({
				id: fold.record.id,
				from: this.itemAt[fold.from] ?? 0,
				to: this.itemAt[fold.to] ?? this.nodes.length,
				removed: removed * this.k,
				chip: chip * this.k,
				request,
				until: until < 0 ? this.walk.requests.length : until,
			}));
	}

	private requests(
		spans: readonly Span[],
		{ items, steps }: Pick<Tape, "items" | "steps">,
	): Request[] {
		const { replies } = this.intake;
		let done = 0;
		let base = 0;
		return spans.map((span) => {
			const { from, to, request, reply, between } = span;
			const usage = replies.usageOf(reply);
			const size = (items[to]?.offset ?? 0) - (items[from]?.offset ?? 0);
			if (usage) base = this.rawPromptOf(span) - size;
			for (let step = steps[done]; step && step.to <= to; step = steps[done]) done++;
			const edited = between.change?.cause === "branch" ? between.change.kept * this.k : undefined;
			return {
				number: request,
				atMs: replies.startOf(reply),
				doneMs: replies.endOf(reply),
				maker: replies.makerNumberOf(reply),
				from,
				to,
				steps: done,
				prompt: base + size,
				base,
				output: usage?.output ?? this.tokens[to] ?? 0,
				same: edited === undefined ? Number.POSITIVE_INFINITY : base + edited,
				compacted: span.compacted,
				lead: span.lead,
				usage,
			};
		});
	}

	private makers(): Maker[] {
		const makers: Maker[] = [];
		const { replies } = this.intake;
		for (let reply = 0; reply < replies.length; reply++) {
			const maker = replies.makerOfReply(reply);
			if (maker) makers[replies.makerNumberOf(reply)] = maker;
		}
		return makers;
	}

	/** Its prompt as it would be without folds. */
	private rawPromptOf({ request }: Span): number {
		const saved = this.landed
			.filter((fold) => fold.request <= request && request < fold.until)
			.reduce((sum, fold) => sum + fold.removed - fold.chip, 0);
		return this.walk.requests.promptAt(request) + saved;
	}

	private makerOf({ reply }: Span): number {
		return this.intake.replies.makerNumberOf(reply);
	}
}

/** What a compaction leaves: its first item, and the tokens of its summary. */
interface Era {
	readonly from: number;
	readonly lead: number;
}

/** A request before it is one: its number, its reply, its place on the branch, and its items. */
interface Span {
	readonly request: number;
	readonly reply: number;
	readonly position: number;
	readonly from: number;
	readonly to: number;
	readonly compacted: boolean;
	readonly lead: number;
	readonly between: Between;
}

/** What a fold leaves as it is, or quotes whole. */
const STAYS: ReadonlySet<Node["kind"]> = new Set(["user", "bash", "system"]);

function sum(numbers: readonly number[], from: number, to: number): number {
	let total = 0;
	for (let i = from; i < to; i++) total += numbers[i] ?? 0;
	return total;
}
