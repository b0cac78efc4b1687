// Sizes of a view by place: what stands before, in and after any range of the branch, from sums made in
// one pass. So a list of two thousand cuts costs one walk and not two thousand. Knows no prices.

import type { Range, Replayer, View } from "../../fold.ts";
import { blocksOf, type PiMessage } from "../session/entry.ts";
import { piHost } from "../session/message.ts";

/** Sums over a view, by position on the branch: index n holds what stands before position n. */
export interface Layout {
	/** tokens that lead the view and belong to no position: the summary of a compaction */
	readonly lead: number;
	/** tokens of the conversation as it is sent */
	readonly total: number;
	readonly tokens: readonly number[];
	/** places that a cache looks back over: a run of calls and results is one */
	readonly places: readonly number[];
	/** the newest message of the user, and the customs that directly follow it */
	readonly request: Range;
	/** the position of the reply to the newest request that was sent folded; -1 without one */
	readonly newest: number;
	/** places that came in with it and since */
	readonly grows: number;
}

/** Where a range stands in a view, in tokens of the conversation. */
export interface Spot {
	readonly before: number;
	/** in the range, without the request that stays */
	readonly inside: number;
	readonly after: number;
	/** how much of `after` no request has carried yet */
	readonly fresh: number;
	/** places of the cache's look-back from the chip to the end */
	readonly places: number;
}

/**
 * Lays out a view by position: one pass over its messages, one over the entries.
 *
 * @param newest the reply to the newest request that was sent folded; absent: all were
 */
export function layOut(
	replayer: Replayer<PiMessage>,
	view: View<PiMessage>,
	newest: number = replayer.steps.newest,
): Layout {
	const { entries, era } = replayer.steps;
	const sizes = new Array<number>(entries.length).fill(0);
	const runs = new Array<number>(entries.length).fill(0);
	let lead = 0;
	let at = -1;
	let inRun = false;
	for (const [index, source] of view.sources.entries()) {
		const message = view.messages[index];
		if (message === undefined) continue;
		// a marker's own message, and one that the branch does not know, go with what they follow
		if (source.from === "entry") at = source.at;
		else if (source.from === "chip") at = source.fold.from;
		const tokens = piHost.tokens(message);
		const begun = runsIn(message, inRun);
		inRun = begun.endsInRun;
		if (at < 0 || at === era.compaction) lead += tokens;
		else {
			sizes[at] = (sizes[at] ?? 0) + tokens;
			runs[at] = (runs[at] ?? 0) + begun.runs;
		}
	}
	const tokens = sumUp(sizes);
	const places = sumUp(runs);
	return {
		lead,
		total: lead + (tokens.at(-1) ?? 0),
		tokens,
		places,
		request: requestOf(replayer),
		newest,
		grows: inside(places, { from: Math.max(0, newest), to: entries.length }),
	};
}

/** How many of a cache's places begin in a message: each block is one, but those of a run of calls and results. */
function runsIn(message: PiMessage, inRun: boolean): { runs: number; endsInRun: boolean } {
	// an answer is one block, whatever is in it
	if (message.role === "toolResult") return { runs: inRun ? 0 : 1, endsInRun: true };
	if (message.role !== "assistant") return { runs: 1, endsInRun: false };
	let runs = 0;
	let endsInRun = inRun;
	for (const block of blocksOf(message.content)) {
		const isCall = block.type === "toolCall";
		if (!(isCall && endsInRun)) runs++;
		endsInRun = isCall;
	}
	return { runs, endsInRun };
}

function requestOf({ steps }: Replayer<PiMessage>): Range {
	const { entries, user } = steps;
	let to = user + 1;
	const isBeside = (kind: string | undefined) =>
		kind === "custom" || kind === "record" || kind === "other";
	while (to < entries.length && isBeside(entries[to]?.kind)) to++;
	return { from: user, to: user < 0 ? user : to };
}

function sumUp(sizes: readonly number[]): number[] {
	const sums = [0];
	let sum = 0;
	for (const size of sizes) {
		sum += size;
		sums.push(sum);
	}
	return sums;
}

/** Where a range stands; with `keeps` the newest request stays behind its chip. */
export function spotOf(layout: Layout, range: Range, keeps: boolean): Spot {
	const { lead, total, newest } = layout;
	const kept = keeps ? inside(layout.tokens, overlap(range, layout.request)) : 0;
	const before = lead + upTo(layout.tokens, range.from);
	const folded = inside(layout.tokens, range) - kept;
	const after = total - before - folded;
	const unsent = newest >= range.to ? total - lead - upTo(layout.tokens, newest) : after;
	return {
		before,
		inside: folded,
		after,
		fresh: Math.min(after, unsent),
		places: 1 + inside(layout.places, { from: range.to, to: layout.places.length - 1 }),
	};
}

/** Tokens of the view in a range of positions. */
export function tokensIn(layout: Layout, range: Range): number {
	return inside(layout.tokens, range);
}

function upTo(sums: readonly number[], position: number): number {
	return sums[position] ?? sums.at(-1) ?? 0;
}

function inside(sums: readonly number[], { from, to }: Range): number {
	return from < to ? upTo(sums, to) - upTo(sums, from) : 0;
}

function overlap(one: Range, other: Range): Range {
	return { from: Math.max(one.from, other.from), to: Math.min(one.to, other.to) };
}
