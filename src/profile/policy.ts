// The policies that what-if plays a session under: their names, their numbers, and which ranges of finished
// steps they propose. Knows sizes only; when a proposed fold lands is decided where it is played.

import type { Request, Tape } from "./what-if-tape.ts";

/**
 * A policy.
 *
 * - `none` no fold; `recorded` the session's own, when they landed
 * - `suffix` folds whenever so many tokens of finished steps have gathered, at once
 * - `batch` the same ranges, `ranges` of them together: all but the newest are mid-history by then
 * - `cold` the same ranges as `suffix`, landing only when the cache is cold anyway
 * - `auto` what the extension does: the ranges of `suffix`, every fourth of them only when the next has
 *   gathered behind it, each landing when the extension's own function says so
 * - `oracle` a bound, not a policy: what may go is gone at once, at no price
 * - `net` the extension's last resort instead of a compaction; `compact` pi's compaction and its call
 */
export type Policy =
	| { readonly kind: "none" | "recorded" | "oracle" | "net" | "compact" }
	| { readonly kind: "suffix" | "cold" | "auto"; readonly tokens: number }
	| { readonly kind: "batch"; readonly tokens: number; readonly ranges: number };

/** Finished steps are proposed when so many tokens of them have gathered, where a policy does not say. */
export const GATHERED = 20_000;
const BATCHED = 3;

/** The policies of a table, in its order, where none are asked for. */
export const ALL_POLICIES = [
	"none",
	"recorded",
	"suffix",
	"batch",
	"cold",
	"auto",
	"net",
	"compact",
	"oracle",
] as const;

/** Reads a policy as it is written: `auto`, `suffix:8000`, `batch:4`. A sentence where it is none. */
export function readPolicy(text: string): Policy | string {
	const [kind = "", number, ...rest] = text.split(":");
	const value = number === undefined ? undefined : Number(number);
	const isWhole = value === undefined || (Number.isSafeInteger(value) && value > 0);
	if (rest.length > 0 || !isWhole) return `${text}: a policy's number is whole and above 0`;
	switch (kind) {
		case "none":
		case "recorded":
		case "oracle":
		case "net":
		case "compact":
			return value === undefined ? { kind } : `${kind} takes no number`;
		case "suffix":
		case "cold":
		case "auto":
			return { kind, tokens: value ?? GATHERED };
		case "batch":
			return { kind, tokens: GATHERED, ranges: value ?? BATCHED };
		default:
			return `no policy ${JSON.stringify(text)}; there are ${ALL_POLICIES.join(", ")}`;
	}
}

/** A policy as it is written. */
export function nameOf(policy: Policy): string {
	if (policy.kind === "batch") return `batch:${policy.ranges}`;
	return "tokens" in policy && policy.tokens !== GATHERED
		? `${policy.kind}:${policy.tokens}`
		: policy.kind;
}

/** What may be folded, and what of it. */
export interface Portion {
	/** the last steps that always stay */
	readonly keep: number;
	/** the share of the other finished steps that may go, 0–1 */
	readonly foldable: number;
}

/** A range that is proposed: items, `to` is out; and what of its tokens goes. */
export interface Ranged {
	readonly from: number;
	readonly to: number;
	readonly tokens: number;
}

/** Tokens of a range of items that a fold would take out. */
export function goesOf({ items }: Tape, from: number, to: number): number {
	const first = items[from];
	const last = items[to];
	if (!first || !last) return 0;
	return last.offset - last.stays - (first.offset - first.stays);
}

/**
 * Proposes ranges as steps gather. Of each the oldest part stays and the newest goes, the share that may;
 * whole steps only, what they are over or under is made up for in the next range.
 */
export class Gathering {
	private readonly tape: Tape;
	private readonly portion: Portion;
	private readonly tokens: number;
	/** the first step that no range held yet */
	private step = 0;
	private owed = 0;

	constructor(tape: Tape, portion: Portion, tokens: number) {
		this.tape = tape;
		this.portion = portion;
		this.tokens = tokens;
	}

	/** The range that is due before a request; undefined if too little has gathered. */
	due(request: Request): Ranged | undefined {
		const { steps } = this.tape;
		while ((steps[this.step]?.from ?? Number.POSITIVE_INFINITY) < request.from) this.step++;
		const end = request.steps - this.portion.keep;
		const last = steps[end - 1];
		const first = steps[this.step];
		if (!first || !last || end <= this.step) return undefined;
		const gathered = goesOf(this.tape, first.from, last.to);
		if (gathered < this.tokens) return undefined;
		const wanted = gathered * this.portion.foldable + this.owed;
		const from = this.startOf(end, last.to, wanted);
		const tokens = goesOf(this.tape, from, last.to);
		this.owed = wanted - tokens;
		this.step = end;
		return tokens > 0 ? { from, to: last.to, tokens } : undefined;
	}

	/** The step's beginning from which on the tokens come nearest to what is wanted. */
	private startOf(end: number, to: number, wanted: number): number {
		let best = to;
		let off = wanted;
		for (let step = end - 1; step >= this.step; step--) {
			const from = this.tape.steps[step]?.from ?? to;
			const now = Math.abs(goesOf(this.tape, from, to) - wanted);
			if (now > off) break;
			best = from;
			off = now;
		}
		return best;
	}
}
