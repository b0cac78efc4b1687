// Law 15: what `propose` says yes to, and what it says no to.

import assert from "node:assert/strict";
import fc from "fast-check";
import {
	type Entry,
	type FoldRecord,
	type Proposal,
	propose,
	type Refusal,
	type Wish,
} from "../../fold.ts";
import { type Branch, callOf, countSteps, eraStart, isMessage, isReply, within } from "./branch.ts";
import { checkView } from "./integrity.ts";
import { foldsOf } from "./oracle-folds.ts";
import { type Law, replay } from "./world.ts";

/** Law 15. */
export const PROPOSE_LAWS: readonly Law[] = [
	{
		sentence:
			"15: where propose says yes, replaying the range keeps laws 4 to 8 and it covers no pin",
		check(world) {
			const { branch } = world;
			const answer = propose(world.replayer, world.wish);
			if (!answer.ok) return;
			const folded = recorded(branch, recordOf(answer));
			const replayer = replay(folded);
			checkView(folded, replayer.view(), replayer.visible);
			const fold = foldsOf(folded).at(-1);
			assert.equal(fold?.state, "landed");
			assert.deepEqual({ from: fold?.from, to: fold?.to }, answer.range);
			for (const pin of replayer.pins)
				assert.ok(pin.to <= answer.range.from || answer.range.to <= pin.from, "no pin is covered");
		},
	},
	{
		sentence:
			"15: where propose says no to steps that are done, replaying the range would break them, or be hidden",
		check(world) {
			const { branch, wish } = world;
			const answer = propose(world.replayer, world.wish);
			if (answer.ok || !["inside", "parted", "pinned"].includes(answer.rule)) return;
			const range = slowRange(branch, wish);
			const record = recordOf({ ...range, ok: true, range, fromStep: 0, toStep: 0 });
			const fold = foldsOf(recorded(branch, record)).at(-1);
			const pins = replay(branch).pins;
			const isPinned = pins.some((pin) => pin.from < range.to && range.from < pin.to);
			assert.ok(fold?.state !== "landed" || isPinned, `it would be ${fold?.state}`);
		},
	},
	{
		sentence:
			"15: steps that are refused for themselves do not exist, are not done, or are out of view",
		check(world) {
			const { branch, wish } = world;
			const answer = propose(world.replayer, world.wish);
			if (answer.ok) return;
			const last = slowLast(branch, wish.live);
			const first = countSteps(branch, eraStart(branch)) + 1;
			const { fromStep, toStep = last } = wish;
			const exists = (step: number) => step >= 1 && step <= countSteps(branch, branch.length);
			const isOf: Partial<Record<Refusal["rule"], boolean>> = {
				nothing: last === 0,
				"no-such-step": !exists(fromStep) || !exists(toStep),
				backwards: toStep < fromStep,
				compacted: fromStep < first,
			};
			assert.ok(isOf[answer.rule] ?? true, `${answer.rule}: ${answer.reason}`);
		},
	},
	{
		sentence:
			"15: what stays as a message of its own is the newest request, while it is being worked on",
		check(world) {
			const { branch, wish } = world;
			const answer = propose(world.replayer, world.wish);
			if (!answer.ok) return;
			const newest = branch.findLastIndex(({ kind }) => kind === "user");
			const isInside = within(newest, answer.range);
			const isAnswered = countSteps(branch, newest) < countSteps(branch, branch.length);
			const isFollowed = answer.toStep < countSteps(branch, branch.length);
			const isLive = wish.live || isFollowed || !isAnswered;
			assert.equal(answer.keep, isInside && isLive ? branch[newest]?.id : undefined);
		},
	},
	{
		sentence: "15: each way out that a refusal names is one",
		check(world) {
			const { branch, wish } = world;
			const answer = propose(world.replayer, world.wish);
			if (answer.ok) return;
			const toStep = wish.toStep ?? slowLast(branch, wish.live);
			for (const change of waysOut(answer)) {
				const other = { ...wish, toStep, ...change };
				const again = propose(replay(branch), other);
				// of steps that come in the wrong order, nothing else was looked at
				const mends =
					answer.rule === "backwards" ? again.ok || again.rule !== "backwards" : again.ok;
				assert.ok(mends, `${answer.reason} ${fc.stringify(other)}`);
			}
		},
	},
	{
		sentence: "15: none of the steps that a refusal says can be folded is pinned",
		check(world) {
			const { branch, wish } = world;
			const answer = propose(world.replayer, world.wish);
			const free = answer.ok ? undefined : /([^;]*) can be folded$/.exec(answer.reason)?.[1];
			for (const [, first, last = first] of free?.matchAll(/\bsteps? (\d+)(?:–(\d+))?/g) ?? []) {
				const other = { ...wish, fromStep: Number(first), toStep: Number(last) };
				const again = propose(replay(branch), other);
				assert.ok(again.ok || again.rule !== "pinned", `${first}–${last}: ${fc.stringify(again)}`);
			}
		},
	},
];

function recordOf(answer: Proposal): FoldRecord {
	const { fromEntryId, toEntryId, keep } = answer;
	const kept = keep === undefined ? {} : { keep };
	return { kind: "fold", v: 1, id: "new", summary: "all done", fromEntryId, toEntryId, ...kept };
}

function recorded(branch: Branch, record: FoldRecord): Entry<string>[] {
	return [...branch, { id: "record", kind: "record", record }];
}

/** What the way out of a refusal tells one to do. */
function waysOut({ reason }: Refusal): Partial<Wish>[] {
	const [, ...ways] = reason.split(/; (?:or )?/);
	return ways.flatMap((way): Partial<Wish>[] => {
		const steps = [...way.matchAll(/\bsteps? (\d+)(?:–(\d+))?/g)];
		const [, first, last] = steps[0]?.map(Number) ?? [];
		if (way.startsWith("fold")) return [{ fromStep: first ?? 0, toStep: last ?? first }];
		if (way.startsWith("start")) return steps.map(([, step]) => ({ fromStep: Number(step) }));
		return way.startsWith("end") ? steps.map(([, step]) => ({ toStep: Number(step) })) : [];
	});
}

/** The range of some steps as the design words it: through the last result of the last, widened. */
function slowRange(branch: Branch, wish: Wish) {
	const steps = branch.flatMap((entry, at) => (entry.kind === "assistant" ? [at] : []));
	const from = steps[wish.fromStep - 1] ?? 0;
	let last = steps[(wish.toStep ?? slowLast(branch, wish.live)) - 1] ?? from;
	for (const [at] of branch.entries()) {
		const reach = branch.findLastIndex((_, i) => within(callOf(branch, i), { from, to: last + 1 }));
		if (at <= branch.length) last = Math.max(last, reach);
	}
	const next = branch.findIndex((entry, at) => at > last && isMessage(entry));
	const to = next < 0 ? branch.length : next;
	return { from, to, fromEntryId: branch[from]?.id ?? "", toEntryId: branch[to]?.id ?? null };
}

/** The last step that is not in progress. */
function slowLast(branch: Branch, live: boolean): number {
	const newest = branch.findLastIndex(isReply);
	const count = countSteps(branch, branch.length);
	if (!live || newest < 0 || branch.findLastIndex(({ kind }) => kind === "user") > newest)
		return count;
	const open = new Map<string, number>();
	for (const { id } of branch[newest]?.calls ?? []) open.set(id, (open.get(id) ?? 0) + 1);
	for (const [at, { callId = "" }] of branch.entries())
		if (callOf(branch, at) === newest) open.set(callId, (open.get(callId) ?? 0) - 1);
	const isRunning = [...open.values()].some((left) => left > 0);
	return isRunning ? countSteps(branch, newest) : count;
}
