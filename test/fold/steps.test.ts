// The shape of a branch: steps, calls and their results.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Steps } from "../../src/fold/steps.ts";
import { anyBranch } from "../support/arbitrary.ts";
import { cases } from "../support/cases.ts";
import { branch } from "../support/notation.ts";
import { type Branch, callOf, countSteps, eraStart, isMessage, positions } from "./branch.ts";

function stepsOf(entries: Branch): Steps<string> {
	const steps = new Steps<string>();
	for (const entry of entries) steps.push(entry);
	return steps;
}

test("steps count along the branch, for good: compactions and attempts renumber nothing", () => {
	fc.assert(
		fc.property(anyBranch, (entries) => {
			const steps = stepsOf(entries);
			assert.equal(steps.count, countSteps(entries, entries.length));
			assert.equal(steps.era.start, eraStart(entries));
			for (const [at, entry] of entries.entries()) {
				assert.equal(steps.stepAt(at), countSteps(entries, at) + 1);
				if (entry.kind === "assistant") assert.equal(steps.positionOfStep(steps.stepAt(at)), at);
				assert.equal(steps.positionOf(entry.id), at);
			}
			assert.equal(steps.positionOfStep(0), undefined);
			assert.equal(steps.positionOfStep(steps.count + 1), undefined);
		}),
		cases(),
	);
});

test("a result answers the nearest call that is still open, since ids repeat", () => {
	fc.assert(
		fc.property(anyBranch, (entries) => {
			const steps = stepsOf(entries);
			for (const at of entries.keys()) assert.equal(steps.answeredBy(at), callOf(entries, at));
		}),
		cases(),
	);
});

test("a range parts a result from its call exactly when it holds a result of a call before it", () => {
	fc.assert(
		fc.property(anyBranch, fc.nat({ max: 60 }), fc.nat({ max: 60 }), (entries, from, length) => {
			const range = { from, to: Math.min(entries.length, from + length) };
			const expected = positions({ ...range, to: Math.max(range.from, range.to) }).find(
				(at) => callOf(entries, at) >= 0 && callOf(entries, at) < from,
			);
			assert.equal(stepsOf(entries).resultWithoutCall(range.from, range.to), expected ?? -1);
		}),
		cases(3),
	);
});

test("a range ends at the first message after the last result of every reply inside", () => {
	fc.assert(
		fc.property(anyBranch, fc.nat({ max: 60 }), (entries, pick) => {
			const replies = entries.flatMap((entry, at) => (entry.kind === "assistant" ? [at] : []));
			const from = replies[pick % replies.length];
			if (from === undefined) return;
			const end = stepsOf(entries).endOf(from, from);
			assert.ok(end === entries.length || isMessage(entries[end]));
			for (const at of entries.keys())
				if (callOf(entries, at) >= from && callOf(entries, at) < end) assert.ok(at < end);
		}),
		cases(),
	);
});

test("the nearest reply before a position that made a call is found", () => {
	fc.assert(
		fc.property(anyBranch, fc.nat({ max: 60 }), (entries, position) => {
			const steps = stepsOf(entries);
			const ids = entries.flatMap((entry) => entry.calls ?? []).map((one) => one.id);
			for (const id of new Set(ids.filter((one) => one !== ""))) {
				const expected = entries.findLastIndex(
					(entry, at) => at < position && entry.calls?.some((call) => call.id === id),
				);
				assert.equal(steps.callBefore(id, position), expected);
			}
			assert.equal(steps.callBefore("unknown", position), -1);
		}),
		cases(),
	);
});

test("a call without an id is answered right after its reply, once or more, or never", () => {
	const calls = [{ id: "", name: "bash" }] as const;
	const result = { id: "r", kind: "result", callId: "" } as const;
	const steps = stepsOf([
		{ id: "a", kind: "assistant", calls },
		result,
		result,
		{ id: "b", kind: "assistant", calls },
		{ id: "u", kind: "user" },
		result,
		{ id: "c", kind: "assistant" },
		result,
	]);
	assert.equal(steps.openCalls(0), 0);
	assert.deepEqual(
		[1, 2, 5, 7].map((at) => steps.answeredBy(at)),
		[0, 0, -1, -1],
	);
	assert.equal(steps.openCalls(3), 1);
	assert.equal(steps.callBefore("", 8), -1);
	assert.equal(stepsOf([{ id: "a", kind: "assistant", calls }]).callBefore("", 1), 0);
});

test("calls are open until each has its result", () => {
	assert.equal(stepsOf(branch("U1 A1[a, b]")).openCalls(1), 2);
	assert.equal(stepsOf(branch("U1 A1[a, b] R1b")).openCalls(1), 1);
	assert.equal(stepsOf(branch("U1 A1[a, b] R1b R1b")).openCalls(1), 1);
	assert.equal(stepsOf(branch("U1 A1[a, b] R1b R1a")).openCalls(1), 0);
});

test("a position that is not on the branch is no message, answers nothing and waits for nothing", () => {
	const steps = stepsOf(branch("U1 A1[a]"));
	for (const at of [-1, 2, 99]) {
		assert.equal(steps.kindAt(at), "other");
		assert.equal(steps.messageAt(at), undefined);
		assert.equal(steps.idAt(at), "");
		assert.equal(steps.answeredBy(at), -1);
		assert.equal(steps.openCalls(at), 0);
		assert.equal(steps.stepAt(at), 2, "the step that comes next");
		assert.equal(steps.resultWithoutCall(at, 100), -1);
	}
	assert.equal(steps.kindAt(1), "assistant");
	assert.equal(steps.messageAt(1), "A1");
	assert.equal(steps.idAt(1), "A1");
});

test("what is not stored yet is found by no id", () => {
	const steps = stepsOf([...branch("U1"), { id: "", kind: "assistant", message: "A1" }]);
	assert.equal(steps.positionOf(""), undefined);
	assert.equal(steps.newest, 1);
	assert.equal(steps.openCalls(1), 0, "it says nothing of calls");
	assert.equal(stepsOf([...branch("U1"), { id: "U1", kind: "custom" }]).positionOf("U1"), 0);
});

test("before the first reply and the first word of the user there is none", () => {
	assert.equal(stepsOf(branch("c")).newest, -1);
	assert.equal(stepsOf(branch("A1")).user, -1);
});

test("the era begins at the compaction where what it keeps is not on the branch", () => {
	const start = (line: string) => stepsOf(branch(line)).era.start;
	assert.equal(start("U1 A1 S(A1)"), 1);
	assert.equal(start("U1 A1 S(none)"), 2);
	assert.equal(start("U1 A1 S()"), 2);
	assert.equal(start("U1 A1 S(S)"), 2);
});
