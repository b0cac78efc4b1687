// A branch as anyone may read it: what the host shows, what answers what, how steps count. Slow and obvious,
// for the oracle and for the checks of views; shares nothing with the code under test.

import type { Entry } from "../../fold.ts";

/** A branch, root first. */
export type Branch = readonly Entry<string>[];

/** The messages that the host shows of a branch, by position; a compaction's under its own. */
export function projection(branch: Branch): { at: number; message: string }[] {
	const compaction = compactionOf(branch);
	const start = eraStart(branch);
	const shown: { at: number; message: string }[] = [];
	const lead = branch[compaction];
	for (const message of [lead?.head, lead?.message])
		if (message !== undefined) shown.push({ at: compaction, message });
	for (let at = start; at < branch.length; at++) {
		const kind = branch[at]?.kind;
		if (kind === "edit" || kind === "compaction" || kind === "record") continue;
		if (kind === "system" && at < compaction) continue;
		const message = editedMessage(branch, at);
		if (message !== undefined) shown.push({ at, message });
	}
	return shown;
}

/** The message of an entry as its newest edit leaves it. */
export function editedMessage(branch: Branch, at: number): string | undefined {
	const entry = branch[at];
	const first = branch.findIndex((one) => one.id === entry?.id);
	const edit = branch.findLast(
		(one, i) => i > at && one.kind === "edit" && one.targetId === entry?.id && first === at,
	);
	return edit ? edit.message : entry?.message;
}

/** The position of the newest compaction; -1 without one. */
export function compactionOf(branch: Branch): number {
	return branch.findLastIndex((entry) => entry.kind === "compaction");
}

/** The first position in view; with a compaction that keeps nothing, its own. */
export function eraStart(branch: Branch): number {
	const compaction = compactionOf(branch);
	if (compaction < 0) return 0;
	const kept = branch.findIndex((entry) => entry.id === branch[compaction]?.firstKeptEntryId);
	return kept >= 0 && kept < compaction ? kept : compaction;
}

/** The position of the reply that a result answers; -1: none. */
export function callOf(branch: Branch, at: number): number {
	const known = ANSWERS.get(branch) ?? answersOf(branch);
	ANSWERS.set(branch, known);
	return known[at] ?? -1;
}

/**
 * The reply that a provider takes a result to answer if an edit left something out: the one that is shown right before
 * it, but for results, and has a call of its id that none of these answers; -1: none.
 */
export function takenBy(branch: Branch, at: number, isShown: (at: number) => boolean): number {
	if (branch[at]?.kind !== "result" || !branch.some((_, i) => leavesOut(branch, i))) return -1;
	const isThere = (i: number) => {
		const isOlder = branch[i]?.kind === "system" && i < compactionOf(branch);
		return isMessage(branch[i]) && isShown(i) && !isOlder;
	};
	const before = positions({ from: eraStart(branch), to: at }).filter(isThere);
	const reply = before.findLast((i) => branch[i]?.kind !== "result") ?? -1;
	if (branch[reply]?.kind !== "assistant") return -1;
	const id = branch[at]?.callId ?? "";
	const made = branch[reply]?.calls?.filter((call) => call.id === id).length ?? 0;
	const answered = before.filter((i) => i > reply && (branch[i]?.callId ?? "") === id).length;
	return made > answered ? reply : -1;
}

function leavesOut(branch: Branch, at: number): boolean {
	const { kind, message, targetId } = branch[at] ?? {};
	const isOfEarlier = branch.slice(0, at).some(({ id }) => id === targetId);
	return kind === "edit" && message === undefined && isOfEarlier;
}

const ANSWERS = new WeakMap<Branch, number[]>();

/**
 * Nearest first: a reply whose call with that id is still open, else one that made such a call at all. Without
 * an id only the newest reply will do, while nothing of the user stands after it.
 */
function answersOf(branch: Branch): number[] {
	const answers: number[] = [];
	for (const [at, entry] of branch.entries()) {
		const id = entry.kind === "result" ? (entry.callId ?? "") : undefined;
		const made = (reply: number) =>
			(branch[reply]?.calls ?? []).filter((call) => call.id === id).length;
		const answered = (reply: number) =>
			answers.filter((one, i) => one === reply && (branch[i]?.callId ?? "") === id).length;
		const start = id === "" ? branch.findLastIndex((one, i) => i < at && isTurn(one)) : 0;
		const before = id === undefined ? [] : positions({ from: Math.max(0, start), to: at });
		const callers = before.filter((reply) => made(reply) > 0);
		const open = callers.findLast((reply) => answered(reply) < made(reply));
		answers.push(open ?? callers.at(-1) ?? -1);
	}
	return answers;
}

function isTurn(entry: Entry<string>): boolean {
	return isReply(entry) || entry.kind === "user";
}

/** How many steps begin before a position. */
export function countSteps(branch: Branch, before: number): number {
	return branch.slice(0, before).filter((entry) => entry.kind === "assistant").length;
}

/** Whether an entry is a reply, counted or not. */
export function isReply(entry: Entry<string> | undefined): boolean {
	return entry?.kind === "assistant" || entry?.kind === "attempt";
}

/** Whether an entry stands for a message, shown or not. */
export function isMessage(entry: Entry<string> | undefined): boolean {
	return !!entry && !["edit", "record", "other", "compaction"].includes(entry.kind);
}

/** The positions of a range. */
export function positions(range: { readonly from: number; readonly to: number }): number[] {
	return Array.from({ length: range.to - range.from }, (_, i) => range.from + i);
}

/** Whether a position lies in a range. */
export function within(at: number, range: { readonly from: number; readonly to: number }): boolean {
	return range.from <= at && at < range.to;
}
