// What the marker on a message says beside its step, slow and obvious: the branch is read anew from its
// beginning for every marker, and every stretch is counted position by position.

import type { Range } from "../../fold.ts";
import { type Branch, callOf, countSteps, eraStart, isReply, positions } from "./branch.ts";
import { rangeOfRecord, resolve } from "./oracle-folds.ts";

interface Stretch extends Range {
	readonly tokens: number;
}

/**
 * The steps that the marker on the message at a position names, as `Steps 1–2`; `undefined`: it names none.
 *
 * @param first tokens at which the first nudge is due
 */
export function nudgeOf(branch: Branch, at: number, first: number): string | undefined {
	let threshold = first;
	let count = 0;
	let offered: Stretch | undefined;
	for (let i = 0; i <= at; i++) {
		const seen = branch.slice(0, i + 1);
		if (isReply(branch[i]) && offered) {
			count++;
			threshold = above(offered.tokens, first);
		}
		const folds = isFolded(seen, i);
		if (isReply(branch[i]) || folds) offered = undefined;
		if (branch[i]?.kind === "user" || folds) count = 0;
		if (folds || refusedCall(seen, i) >= 0) threshold = above(largest(seen, i)?.tokens ?? 0, first);
		if (!canCarry(branch, i)) continue;
		offered = count < 3 ? due(seen, i, threshold) : undefined;
	}
	return offered && canCarry(branch, at) ? nameSteps(branch, offered) : undefined;
}

/** The stretch that the marker on the message at a position would name. */
function due(seen: Branch, at: number, threshold: number): Stretch | undefined {
	const stretch = largest(seen, finishedBefore(seen, at));
	return stretch && stretch.tokens >= threshold ? stretch : undefined;
}

function canCarry(branch: Branch, at: number): boolean {
	const { kind, message } = branch[at] ?? {};
	return (kind === "user" || kind === "result") && message !== undefined;
}

function above(tokens: number, first: number): number {
	return first > tokens ? first : 2 * above(tokens / 2, first);
}

function nameSteps(branch: Branch, { from, to }: Stretch): string {
	const [first, last] = [countSteps(branch, from) + 1, countSteps(branch, to)];
	return first === last ? `Step ${first}` : `Steps ${first}–${last}`;
}

/** The stretch with the most tokens before a position; the last one where several have as many as it. */
function largest(seen: Branch, end: number): Stretch | undefined {
	const blocked = blockedIn(seen);
	let best: Stretch | undefined;
	let run: Stretch | undefined;
	for (let at = 0; at < end; at++) {
		const entry = seen[at];
		const isStep = entry?.kind === "assistant" || entry?.kind === "result";
		const tokens = isStep ? (entry.tokens ?? 0) : 0;
		if (blocked.has(at)) run = undefined;
		else run = { from: run?.from ?? at, to: at + 1, tokens: (run?.tokens ?? 0) + tokens };
		if (run && (run.from === best?.from || run.tokens > (best?.tokens ?? 0))) best = run;
	}
	return run && run.tokens >= (best?.tokens ?? 0) ? run : best;
}

/** What no nudge names: compacted away, folded at any time, pinned now, or tried in vain. */
function blockedIn(seen: Branch): Set<number> {
	const blocked = new Set<number>();
	const block = (range: Range) => {
		for (const at of positions(range)) blocked.add(at);
	};
	block({ from: 0, to: eraStart(seen) });
	for (const at of seen.keys()) block({ from: 0, to: Math.max(0, refusedCall(seen, at)) });
	let pins: Range[] = [];
	for (const [at, { record }] of seen.entries()) {
		if (record?.kind === "fold") block(rangeOfRecord(seen, record, at));
		if (record?.kind !== "pin" && record?.kind !== "unpin") continue;
		const range = resolve(seen, record, at);
		if (range.from === range.to) continue;
		if (record.kind === "pin") pins.push(range);
		else pins = pins.filter((pin) => pin.to <= range.from || range.to <= pin.from);
	}
	for (const pin of pins) block(pin);
	return blocked;
}

/** Whether an entry takes steps out of view: a compaction, or a fold that could be replayed. */
function isFolded(seen: Branch, at: number): boolean {
	const entry = seen[at];
	if (entry?.kind === "compaction") return true;
	if (entry?.record?.kind !== "fold") return false;
	const { from, to } = rangeOfRecord(seen, entry.record, at);
	return from < to;
}

/** The position of the reply whose fold a result refuses; -1: it refuses none. */
function refusedCall(seen: Branch, at: number): number {
	const entry = seen[at];
	const reply = callOf(seen, at);
	const isFold = seen[reply]?.calls?.some(
		(call) => call.id === entry?.callId && call.name === "send_dmail",
	);
	return entry?.failed && isFold ? reply : -1;
}

function finishedBefore(seen: Branch, at: number): number {
	const newest = seen.findLastIndex((entry) => isReply(entry));
	const calls = (seen[newest]?.calls ?? []).map((call) => call.id);
	const answers = seen.flatMap((entry, i) =>
		callOf(seen, i) === newest && newest >= 0 ? [entry.callId ?? ""] : [],
	);
	const open = calls.some(
		(id) => answers.filter((one) => one === id).length < calls.filter((one) => one === id).length,
	);
	return seen[at]?.kind === "result" && open ? newest : at + 1;
}
