// Law 15, and the words of every refusal: rule, values, way out.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
	type Entry,
	type FoldRecord,
	type Proposal,
	propose,
	type Refusal,
	Replayer,
	type Wish,
} from "../../fold.ts";
import { anyBranch } from "../support/arbitrary.ts";
import { cases } from "../support/cases.ts";
import { ask, branch, textHost } from "../support/notation.ts";
import { type Branch, callOf, countSteps, eraStart, isMessage, isReply, within } from "./branch.ts";
import { refused, same } from "./checked-view.ts";
import { checkView } from "./integrity.ts";
import { foldsOf } from "./oracle-folds.ts";

const anyWish = fc.record({
	from: fc.nat({ max: 99 }),
	to: fc.option(fc.nat({ max: 99 }), { nil: undefined }),
	live: fc.boolean(),
});

/** Tries a law on random wishes, most of them for steps that there are. */
function holds(law: (branch: Branch, wish: Wish, answer: Proposal | Refusal) => void): void {
	fc.assert(
		fc.property(anyBranch, anyWish, (branch, { from, to, live }) => {
			const count = countSteps(branch, branch.length);
			const wish = {
				fromStep: 1 + (from % (count + 1)),
				toStep: to === undefined ? undefined : 1 + (to % (count + 1)),
				live,
			};
			law(branch, wish, propose(replayerOf(branch), wish));
		}),
		cases(2),
	);
}

function replayerOf(branch: Branch): Replayer<string> {
	const replayer = new Replayer(textHost);
	for (const entry of branch) replayer.push(entry);
	return replayer;
}

function recordOf(answer: Proposal): FoldRecord {
	const { fromEntryId, toEntryId, keep } = answer;
	const kept = keep === undefined ? {} : { keep };
	return { kind: "fold", v: 1, id: "new", summary: "all done", fromEntryId, toEntryId, ...kept };
}

function recorded(branch: Branch, record: FoldRecord): Entry<string>[] {
	return [...branch, { id: "record", kind: "record", record }];
}

test("15: where propose says yes, replaying the range keeps laws 4 to 8 and it covers no pin", () => {
	holds((branch, _, answer) => {
		if (!answer.ok) return;
		const folded = recorded(branch, recordOf(answer));
		const replayer = replayerOf(folded);
		checkView(folded, replayer.view(), replayer.visible);
		const fold = foldsOf(folded).at(-1);
		assert.equal(fold?.state, "landed");
		assert.deepEqual({ from: fold?.from, to: fold?.to }, answer.range);
		for (const pin of replayer.pins)
			assert.ok(pin.to <= answer.range.from || answer.range.to <= pin.from, "no pin is covered");
	});
});

test("15: where propose says no to steps that are done, replaying the range would break them, or be hidden", () => {
	holds((branch, wish, answer) => {
		if (answer.ok || !["inside", "parted", "pinned"].includes(answer.rule)) return;
		const range = slowRange(branch, wish);
		const record = recordOf({ ...range, ok: true, range, fromStep: 0, toStep: 0 });
		const fold = foldsOf(recorded(branch, record)).at(-1);
		const pins = replayerOf(branch).pins;
		const isPinned = pins.some((pin) => pin.from < range.to && range.from < pin.to);
		assert.ok(fold?.state !== "landed" || isPinned, `it would be ${fold?.state}`);
	});
});

test("15: steps that are refused for themselves do not exist, are not done, or are out of view", () => {
	holds((branch, wish, answer) => {
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
	});
});

test("15: what stays as a message of its own is the newest request, while it is being worked on", () => {
	holds((branch, wish, answer) => {
		if (!answer.ok) return;
		const newest = branch.findLastIndex(({ kind }) => kind === "user");
		const isInside = within(newest, answer.range);
		const isAnswered = countSteps(branch, newest) < countSteps(branch, branch.length);
		const isFollowed = answer.toStep < countSteps(branch, branch.length);
		const isLive = wish.live || isFollowed || !isAnswered;
		assert.equal(answer.keep, isInside && isLive ? branch[newest]?.id : undefined);
	});
});

test("15: each way out that a refusal names is one", () => {
	holds((branch, wish, answer) => {
		if (answer.ok) return;
		const toStep = wish.toStep ?? slowLast(branch, wish.live);
		for (const change of waysOut(answer)) {
			const other = { ...wish, toStep, ...change };
			const again = propose(replayerOf(branch), other);
			// of steps that come in the wrong order, nothing else was looked at
			const mends = answer.rule === "backwards" ? again.ok || again.rule !== "backwards" : again.ok;
			assert.ok(mends, `${answer.reason} ${fc.stringify(other)}`);
		}
	});
});

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

const LONG = "U1 A1 R1 A2 R2 A3 R3 A4 R4 A5 R5 A6 R6";

test("nothing is finished yet", () =>
	refused(
		"U1 A1[send_dmail]",
		"send_dmail(1)",
		/^nothing can be folded: no step is finished yet$/,
	));
test("there is no such step", () => {
	refused(LONG, "fold(9)", /^there is no step 9; steps 1–6 can be folded$/);
	refused(LONG, "fold(2–9)", /^there is no step 9; steps 1–6 can be folded$/);
	refused("U1 A1 R1", "fold(0)", /^there is no step 0; step 1 can be folded$/);
});
test("backwards", () =>
	refused(LONG, "fold(4–2)", /^step 2 comes before step 4; end at step 4 or later$/));
test("the step in progress", () => {
	refused(
		`${LONG} A7[a]`,
		"send_dmail(7)",
		/^step 7 is the step in progress; steps 1–6 can be folded$/,
	);
	refused(`${LONG} A7[a]`, "send_dmail(3–7)", /^step 7 is the step in progress/);
});
test("compacted away", () =>
	refused(
		`${LONG} S(A5)`,
		"fold(2)",
		/^step 2 was compacted away and is not in view; steps 5–6 can be folded$/,
	));
test("all is compacted away", () =>
	refused(
		`${LONG} S()`,
		"fold(2)",
		/^step 2 was compacted away and is not in view; no step can be folded yet$/,
	));
test("the start lies inside an older fold", () =>
	refused(
		`${LONG} fold(2–4)`,
		"fold(3)",
		/^step 3 lies inside fold f001 \(steps 2–4\); start at step 2 or earlier, or at step 5 or later$/,
	));
test("the end lies inside an older fold", () =>
	refused(
		`${LONG} fold(3–5)`,
		"fold(1–4)",
		/^step 4 lies inside fold f001 \(steps 3–5\); end at step 2 or earlier, or at step 5 or later$/,
	));
test("all of it lies inside an older fold", () =>
	refused(
		`${LONG} fold(2–5)`,
		"fold(3–4)",
		/^steps 3–4 lie inside fold f001 \(steps 2–5\); fold steps 2–5 together$/,
	));
test("an earlier start may lie inside a fold of its own", () =>
	refused(
		`${LONG} fold(1–2) fold(3–4)`,
		"fold(4)",
		/^step 4 lies inside fold f002 \(steps 3–4\); start at step 3, or at step 5 or later$/,
	));
test("a held fold is in the way as well, but not of what lies inside it", () => {
	refused(`${LONG} fold(2–4, held)`, "fold(3)", /^step 3 lies inside fold f001 \(steps 2–4\)/);
	assert.ok(ask(`${LONG} fold(2–5, held)`, "fold(3–4)").ok);
});
test("inside an open fold one may fold, and shut hides it again", () => {
	const line = `${LONG} fold(2–5) open(1) fold(3–4)`;
	same(line, "U1‹1› A1 R1‹2› A2 R2‹3› C(3–4)‹5› A5 R5‹6› A6 R6‹7›");
	same(`${line} shut(1)`, "U1‹1› A1 R1‹2› C(2–5)‹6› A6 R6‹7›");
	refused(line, "fold(3–3)", /^step 3 lies inside fold f002 \(steps 3–4\)/);
});
test("a fold inside one that is absorbed names the one that is seen", () =>
	refused(`${LONG} fold(2–3) fold(1–4)`, "fold(2–3)", /inside fold f002 \(steps 1–4\)/));
test("pinned", () => {
	refused(
		`${LONG} pin(3–4)`,
		"fold(2)",
		/^steps 3–4 are pinned by the user; start at step 5 or later; or end at step 2$/,
	);
	refused(
		`${LONG} pin(3)`,
		"fold(3–3)",
		/^step 3 is pinned by the user; no other start or end works now$/,
	);
	assert.ok(ask(`${LONG} pin(3–4) unpin(4)`, "fold(2)").ok);
	assert.ok(ask(`${LONG} pin(3–4)`, "fold(5)").ok);
});
test("a call of an earlier step is answered inside", () =>
	refused(
		"U1 A1[a, b] R1a A2 R2 R1b A3 R3 A4 R4",
		"fold(2–3)",
		/^a call of step 1 is answered in step 2, and both fold together; start at step 1, or at step 3; or end at step 2$/,
	));
test("late results of the range's own calls widen it", () => {
	const answer = ask("U1 A1[a, b] R1a A2 R2 R1b A3 R3", "fold(1–1)");
	assert.ok(answer.ok);
	assert.deepEqual([answer.fromStep, answer.toStep, answer.toEntryId], [1, 2, "A3"]);
});
test("a late result leads into the step in progress", () =>
	refused(
		"U1 A1[a, b] R1a A2[c, d] R2a R1b",
		"send_dmail(1–1)",
		/^a call of step 1 is answered in step 2, which is not finished; /,
	));
test("a run that is live without a call of its own keeps the step that is being answered", () => {
	const entries = branch("U1 A1 R1 A2[a, b] R2a");
	const live = propose(replayerOf(entries), { fromStep: 2, live: true });
	assert.ok(!live.ok && live.rule === "in-progress");
	assert.ok(propose(replayerOf(entries), { fromStep: 2, live: false }).ok);
	assert.ok(propose(replayerOf(branch("U1 A1 R1 A2 R2")), { fromStep: 2, live: true }).ok);
});
test("a call that the branch does not know yet is taken for one of a run that is live", () => {
	const entries = branch("U1 A1 R1 A2[a, b] R2a");
	const answer = propose(replayerOf(entries), { fromStep: 1, callId: "unknown", live: true });
	assert.ok(answer.ok && answer.toStep === 1);
});
test("a step that is not stored yet is not folded", () => {
	const entries = [...branch("U1 A1 R1 A2"), { id: "", kind: "result", message: "R2" } as const];
	assert.ok(propose(replayerOf(entries.slice(0, -1)), { fromStep: 2, live: false }).ok);
	const lagging = [...entries.slice(0, 3), { id: "", kind: "assistant", message: "A2" } as const];
	const answer = propose(replayerOf(lagging), { fromStep: 1, live: false });
	assert.ok(!answer.ok && answer.rule === "in-progress");
	const before = propose(replayerOf(lagging), { fromStep: 1, toStep: 1, live: false });
	assert.ok(before.ok && before.toEntryId === null, "the record will stand before it");
});
test("an idle fold keeps a request that nothing has answered", () => {
	const answer = ask("U1 A1[a, b] R1a U2 R1b", "fold(1)");
	assert.ok(answer.ok);
	assert.equal(answer.keep, "U2");
});
