// The words of every refusal: rule, values, way out.

import assert from "node:assert/strict";
import { test } from "node:test";
import { lastCompleted, propose, requestIn } from "../../fold.ts";
import { ask, branch } from "../support/notation.ts";
import { refused, same } from "./checked-view.ts";
import { replay } from "./world.ts";

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
test("of what can be folded instead, pinned steps are no part", () => {
	for (const [pins, wayOut] of [
		["pin(1–2)", "steps 3–6 can be folded"],
		["pin(5–6)", "steps 1–4 can be folded"],
		["pin(4) pin(2)", "step 1 or step 3 or steps 5–6 can be folded"],
		["pin(3–4) pin(1–2)", "steps 5–6 can be folded"],
		["pin(2) pin(1–4)", "steps 5–6 can be folded"],
		["pin(1–6)", "no step can be folded now"],
	] as const)
		refused(`${LONG} ${pins}`, "fold(9)", new RegExp(`^there is no step 9; ${wayOut}$`));
	refused(
		`${LONG} pin(6) A7[a]`,
		"send_dmail(7)",
		/^step 7 is the step in progress; steps 1–5 can be folded$/,
	);
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
		/^step 3 is pinned by the user; steps 1–2 or steps 4–6 can be folded$/,
	);
	refused(
		`${LONG} pin(1–2)`,
		"fold(1–2)",
		/^steps 1–2 are pinned by the user; steps 3–6 can be folded$/,
	);
	refused(
		`${LONG} pin(1–6)`,
		"fold(1)",
		/^steps 1–6 are pinned by the user; no other start or end works now$/,
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
	const live = propose(replay(entries), { fromStep: 2, live: true });
	assert.ok(!live.ok && live.rule === "in-progress");
	assert.ok(propose(replay(entries), { fromStep: 2, live: false }).ok);
	assert.ok(propose(replay(branch("U1 A1 R1 A2 R2")), { fromStep: 2, live: true }).ok);
});
test("a call that the branch does not know yet is taken for one of a run that is live", () => {
	const entries = branch("U1 A1 R1 A2[a, b] R2a");
	const answer = propose(replay(entries), { fromStep: 1, callId: "unknown", live: true });
	assert.ok(answer.ok && answer.toStep === 1);
});
test("a step that is not stored yet is not folded", () => {
	const entries = [...branch("U1 A1 R1 A2"), { id: "", kind: "result", message: "R2" } as const];
	assert.ok(propose(replay(entries.slice(0, -1)), { fromStep: 2, live: false }).ok);
	const lagging = [...entries.slice(0, 3), { id: "", kind: "assistant", message: "A2" } as const];
	const answer = propose(replay(lagging), { fromStep: 1, live: false });
	assert.ok(!answer.ok && answer.rule === "in-progress");
	const before = propose(replay(lagging), { fromStep: 1, toStep: 1, live: false });
	assert.ok(before.ok && before.toEntryId === null, "the record will stand before it");
});
test("an idle fold keeps a request that nothing has answered", () => {
	const answer = ask("U1 A1[a, b] R1a U2 R1b", "fold(1)");
	assert.ok(answer.ok);
	assert.equal(answer.keep, "U2");
});
test("the step that asks is in progress, also when its call is answered already", () => {
	const last = (line: string, callId?: string) =>
		lastCompleted(replay(branch(line)).steps, {
			live: true,
			...(callId === undefined ? {} : { callId }),
		});
	assert.equal(last("U1 A1 R1 A2[send_dmail] R2", "2"), 1);
	assert.equal(last("U1 A1 R1 A2[send_dmail] R2"), 2);
	assert.equal(last("A1[send_dmail] R1", "1"), 0, "the first entry of the branch");
	assert.equal(last("U1"), 0);
});
test("calls that were left open before the user's newest message are in progress no more", () => {
	const left = replay(branch("U1 A1 R1 A2[a, b] R2a U2"));
	assert.equal(lastCompleted(left.steps, { live: true }), 2);
});
test("an idle fold keeps an answered request exactly if steps outside its range follow", () => {
	const keep = (wish: string, line = "U1 A1 R1 U2 A2 R2 A3 R3") => {
		const answer = ask(line, wish);
		assert.ok(answer.ok);
		return answer.keep;
	};
	assert.equal(keep("fold(1–2)"), "U2");
	assert.equal(keep("fold(1–3)"), undefined);
	assert.equal(keep("fold(2–3)"), undefined, "it lies before the range");
	assert.equal(keep("send_dmail(1)", "U1 A1 R1 U2 A2[x]"), undefined, "it lies right behind it");
});
test("a request at the very start of a range lies inside it", () => {
	const { steps } = replay(branch("U1 A1 R1"));
	assert.equal(requestIn(steps, { from: 0, to: 3 }, true), "U1");
	assert.equal(requestIn(steps, { from: 1, to: 3 }, true), undefined);
});
test("each refusal names its rule for code", () => {
	const rule = (line: string, wish: string) => {
		const answer = ask(line, wish);
		return answer.ok ? undefined : answer.rule;
	};
	assert.equal(rule("U1", "fold(1)"), "nothing");
	assert.equal(rule(LONG, "fold(9)"), "no-such-step");
	assert.equal(rule(LONG, "fold(4–2)"), "backwards");
	assert.equal(rule(`${LONG} A7[a]`, "send_dmail(7)"), "in-progress");
	assert.equal(rule(`${LONG} S(A5)`, "fold(2)"), "compacted");
	assert.equal(rule(`${LONG} fold(2–4)`, "fold(3)"), "inside");
	assert.equal(rule("U1 A1[a, b] R1a A2 R2 R1b A3", "fold(2)"), "parted");
	assert.equal(rule(`${LONG} pin(3)`, "fold(2)"), "pinned");
});
test("steps at an edge of an older fold lie inside it as the others do", () => {
	refused(`${LONG} fold(2–5)`, "fold(2–3)", /^steps 2–3 lie inside fold f001 \(steps 2–5\)/);
	refused(`${LONG} fold(2–5)`, "fold(4–5)", /^steps 4–5 lie inside fold f001 \(steps 2–5\)/);
});
test("no end behind the last step is offered", () =>
	refused(`${LONG} fold(3–6)`, "fold(1–4)", /; end at step 2 or earlier, or at step 6$/));
test("what lies inside is named with the late results that widen it", () =>
	refused(
		"U1 A1[a, b] R1a A2 R2 R1b A3 R3 A4 R4 fold(1–3)",
		"fold(1–1)",
		/^steps 1–2 lie inside fold f001 \(steps 1–3\)/,
	));
test("a range may end before a late result of a call that stands before it", () =>
	refused(
		"U1 A1[a, b] R1a A2 R2 A3 R3 R1b A4 R4",
		"fold(2–4)",
		/^a call of step 1 is answered in step 3, and both fold together; start at step 1, or at step 4; or end at step 2, or at step 3$/,
	));
