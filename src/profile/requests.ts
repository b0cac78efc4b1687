// The requests of a branch in columns, and the rows that are made of them when somebody asks.

import { isUnpriced, promptTokens } from "../price/usage.ts";
import { Column, known } from "./column.ts";
import { CAUSES, type Cause, type Miss, type RequestRow, type RequestRows } from "./profile.ts";
import type { Replies } from "./replies.ts";
import { timeOf } from "./time.ts";

/** What happened to the view since the request before: where it was changed, and by what. */
export interface Change {
	readonly cause: Cause;
	/** plain estimate of what stands before the change, in tokens */
	readonly kept: number;
}

/** A request on the branch. Sizes are plain estimates in tokens. */
export interface Seen {
	/** position of its entry in the file */
	readonly entry: number;
	readonly reply: number;
	/** 0 for an attempt */
	readonly step: number;
	readonly raw: number;
}

/** Requests in branch order, by position from 0. */
export class Requests implements RequestRows {
	readonly entry = new Column();
	readonly reply = new Column();
	readonly step = new Column();
	readonly folded = new Column();
	readonly raw = new Column();
	readonly folds = new Column();
	readonly saved = new Column();
	readonly unfolded = new Column();
	private readonly missed = new Column();
	private readonly missCause = new Column();
	private readonly missUsd = new Column();
	private readonly replies: Replies;
	private readonly idOf: (entry: number) => string;

	constructor(replies: Replies, idOf: (entry: number) => string) {
		this.replies = replies;
		this.idOf = idOf;
	}

	get length(): number {
		return this.entry.length;
	}

	/** Adds a request; until somebody says otherwise it was sent as it is, with no fold in view. */
	push(seen: Seen): void {
		this.entry.push(seen.entry);
		this.reply.push(seen.reply);
		this.step.push(seen.step);
		this.folded.push(seen.raw);
		this.raw.push(seen.raw);
		this.folds.push(0);
		this.saved.push(0);
		this.unfolded.push(0);
		this.missed.push(0);
		this.missCause.push(0);
		this.missUsd.push(Number.NaN);
	}

	/** Size of the measured prompt in tokens; NaN where that is unknown. */
	promptAt(position: number): number {
		return this.replies.promptOf(this.reply.at(position));
	}

	/** Says what a request missed, and why. */
	setMiss(position: number, { cause, tokens, costUsd }: Miss): void {
		this.missed.set(position, tokens);
		this.missCause.set(position, CAUSES.indexOf(cause));
		this.missUsd.set(position, costUsd ?? Number.NaN);
	}

	missAt(position: number): Miss[] {
		const tokens = this.missed.at(position);
		const cause = CAUSES[this.missCause.at(position)];
		return tokens > 0 && cause
			? [{ cause, tokens, costUsd: known(this.missUsd.at(position)) }]
			: [];
	}

	at(position: number): RequestRow {
		const reply = this.reply.at(position);
		if (Number.isNaN(reply)) throw new RangeError(`no request ${position} of ${this.length}`);
		const maker = this.replies.makerOfReply(reply);
		const step = this.step.at(position);
		const used = usageFields(this.replies, reply);
		// field by field: to spread one object into another takes longer than all the rest
		return {
			index: position + 1,
			entryId: this.idOf(this.entry.at(position)),
			step: step === 0 ? null : step,
			time: timeOf(this.replies.endOf(reply)),
			provider: maker?.provider ?? null,
			model: maker?.model ?? null,
			stop: this.replies.stopOf(reply),
			prompt: used.prompt,
			input: used.input,
			cacheRead: used.cacheRead,
			cacheWrite: used.cacheWrite,
			output: used.output,
			costUsd: used.costUsd,
			cacheHit: used.cacheHit,
			foldedTokens: this.folded.at(position),
			rawTokens: this.raw.at(position),
			savedTokens: this.saved.at(position),
			folds: this.folds.at(position),
			unfolded: this.unfolded.at(position) === 1,
			miss: this.missAt(position),
		};
	}
}

type UsageFields = Pick<
	RequestRow,
	"prompt" | "input" | "cacheRead" | "cacheWrite" | "output" | "costUsd" | "cacheHit"
>;

const UNMEASURED: UsageFields = {
	prompt: null,
	input: null,
	cacheRead: null,
	cacheWrite: null,
	output: null,
	costUsd: null,
	cacheHit: null,
};

function usageFields(replies: Replies, reply: number): UsageFields {
	const usage = replies.usageOf(reply);
	if (!usage) return UNMEASURED;
	const { input, cacheRead, cacheWrite, output } = usage;
	// tokens for nothing are tokens whose price nobody recorded
	const costUsd = isUnpriced(usage) ? null : usage.costUsd;
	const prompt = promptTokens(usage);
	const cacheHit = prompt > 0 ? cacheRead / prompt : null;
	return { prompt, input, cacheRead, cacheWrite, output, costUsd, cacheHit };
}
