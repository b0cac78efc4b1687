// Pins: which ranges may be pinned, what a release takes off, and the words of every refusal.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
	type Entry,
	type PinProposal,
	propose,
	proposePin,
	proposeUnpin,
	type Range,
	Replayer,
} from "../../fold.ts";
import { anyBranch } from "../support/arbitrary.ts";
import { cases } from "../support/cases.ts";
import { branch, textHost } from "../support/notation.ts";
import { type Branch, countSteps } from "./branch.ts";

const LONG = "U1 A1 R1 A2 R2 A3 R3 A4 R4 A5 R5 A6 R6";

function replayerOf(entries: Branch): Replayer<string> {
	const replayer = new Replayer(textHost);
	for (const entry of entries) replayer.push(entry);
	return replayer;
}

function recorded(entries: Branch, kind: "pin" | "unpin", range: PinProposal): Entry<string>[] {
	const { fromEntryId, toEntryId } = range;
	return [...entries, { id: "record", kind: "record", record: { kind, fromEntryId, toEntryId } }];
}

function reason(answer: { ok: boolean; reason?: string }): string | undefined {
	return answer.ok ? undefined : answer.reason;
}

function pin(line: string, first: number, last = first): string | undefined {
	return reason(proposePin(replayerOf(branch(line)), { first, last }));
}

function unpin(line: string, first?: number, last = first) {
	const span = first === undefined || last === undefined ? undefined : { first, last };
	return proposeUnpin(replayerOf(branch(line)), span);
}

const anySteps = fc.record({ from: fc.nat({ max: 99 }), length: fc.nat({ max: 9 }) });

function holds(law: (entries: Branch, span: { first: number; last: number }) => void): void {
	fc.assert(
		fc.property(anyBranch, anySteps, (entries, { from, length }) => {
			const count = countSteps(entries, entries.length);
			const first = 1 + (from % (count + 1));
			law(entries, { first, last: Math.min(count, first + length) });
		}),
		cases(),
	);
}

test("a pin changes no byte, and no fold that propose allows then covers one of its steps", () => {
	holds((entries, span) => {
		const before = replayerOf(entries);
		const answer = proposePin(before, span);
		if (!answer.ok) return;
		const after = replayerOf(recorded(entries, "pin", answer));
		assert.deepEqual(after.view().messages, before.view().messages);
		const pinned = after.pins.at(-1) ?? { from: 0, to: 0 };
		const isLeft = ({ from, to }: Range) => from < pinned.from || pinned.to < to;
		assert.deepEqual(after.pins.slice(0, -1), before.pins.filter(isLeft));
		assert.equal(after.pins.length, before.pins.length - answer.takenIn.length + 1);
		for (let fromStep = 1; fromStep <= span.last; fromStep++) {
			const fold = propose(after, { fromStep, live: false });
			assert.ok(!fold.ok || fold.fromStep > span.last, "it would cover the pin");
		}
	});
});

test("where a pin is allowed no fold hides, holds back or shows any of its steps", () => {
	holds((entries, span) => {
		const replayer = replayerOf(entries);
		const { steps } = replayer;
		if (!proposePin(replayer, span).ok) return;
		for (const { state, from, to } of replayer.folds) {
			if (state === "dropped" || state === "skipped") continue;
			const folded = steps.span({ from, to });
			assert.ok(folded.last < span.first || span.last < folded.first, state);
		}
	});
});

test("a release takes off every pin that overlaps, and leaves the others", () => {
	holds((entries, span) => {
		const before = replayerOf(entries);
		const answer = proposeUnpin(before, span);
		if (!answer.ok) return;
		const after = replayerOf(recorded(entries, "unpin", answer));
		assert.equal(after.pins.length, before.pins.length - answer.spans.length);
		assert.equal(reason(proposeUnpin(after, span)) === undefined, false);
	});
});

test("without steps every pin is taken off by one record", () => {
	holds((entries) => {
		const answer = proposeUnpin(replayerOf(entries), undefined);
		if (answer.ok) assert.deepEqual(replayerOf(recorded(entries, "unpin", answer)).pins, []);
		else assert.equal(answer.reason, "no step is pinned");
	});
});

test("a pin is refused where there is no such step, or it is out of view", () => {
	assert.equal(pin(LONG, 7), "there is no step 7; the steps are 1–6");
	assert.equal(pin("U1", 1), "there is no step 1; there are no steps yet");
	assert.equal(pin(LONG, 4, 2), "step 2 comes before step 4; write 2-4");
	assert.equal(
		pin("U1 A1 R1 A2 R2 S(A2) A3 R3", 1),
		"step 1 was compacted away; steps 2–3 can be pinned",
	);
});

test("a pin is refused under a fold of any state that is still one", () => {
	const wayOut = "; drop that fold first, or pin other steps";
	assert.equal(pin(`${LONG} fold(2–4)`, 4, 5), `steps 2–4 are in fold f001 (landed)${wayOut}`);
	assert.equal(pin(`${LONG} fold(2–4, held)`, 3), `steps 2–4 are in fold f001 (held)${wayOut}`);
	assert.equal(pin(`${LONG} fold(3–3) open(1)`, 3), `step 3 is in fold f001 (open)${wayOut}`);
	assert.equal(
		pin(`${LONG} fold(2–3) fold(1–4)`, 2),
		`steps 1–4 are in fold f002 (landed)${wayOut}`,
	);
	assert.equal(pin(`${LONG} fold(2–4) drop(1)`, 3), undefined);
	assert.equal(pin(`${LONG} fold(2–4)`, 5, 6), undefined);
});

test("a pin that is there already is refused, one that reaches further is not", () => {
	assert.equal(pin(`${LONG} pin(2–4)`, 3), "step 3 is pinned already");
	assert.equal(pin(`${LONG} pin(2–4)`, 2, 4), "steps 2–4 are pinned already");
	assert.equal(pin(`${LONG} pin(2–4)`, 4, 5), undefined);
	assert.equal(pin("U1 A1 R1 A2 R2 pin(2) U2 A3 R3", 2), "step 2 is pinned already");
});

test("a wider pin takes the narrower ones in, so that one release takes it off", () => {
	const spansOf = (line: string) => {
		const { pins, steps } = replayerOf(branch(`${LONG} ${line}`));
		return pins.map((pin) => steps.span(pin));
	};
	assert.deepEqual(spansOf("pin(2) pin(2–3)"), [{ first: 2, last: 3 }]);
	assert.deepEqual(spansOf("pin(2) pin(4) pin(6) pin(1–4)"), [
		{ first: 6, last: 6 },
		{ first: 1, last: 4 },
	]);
	assert.deepEqual(spansOf("pin(2–3) pin(3–4)").length, 2);
	const wider = proposePin(replayerOf(branch(`${LONG} pin(2) pin(4)`)), { first: 2, last: 4 });
	assert.ok(wider.ok);
	assert.deepEqual(wider.takenIn, [
		{ first: 2, last: 2 },
		{ first: 4, last: 4 },
	]);
});

test("a release says what it takes off, or what is pinned instead", () => {
	const one = unpin(`${LONG} pin(2–3) pin(5)`, 3, 4);
	assert.ok(one.ok);
	assert.deepEqual(one.spans, [{ first: 2, last: 3 }]);
	const both = unpin(`${LONG} pin(2–3) pin(5)`);
	assert.ok(both.ok);
	assert.equal(both.spans.length, 2);
	assert.equal(reason(unpin(`${LONG} pin(2–3)`, 4)), "step 4 is not pinned; pinned is steps 2–3");
	assert.equal(
		reason(unpin(`${LONG} pin(2) pin(4)`, 5, 6)),
		"steps 5–6 are not pinned; pinned are step 2, step 4",
	);
	assert.equal(reason(unpin(LONG, 9)), "there is no step 9; the steps are 1–6");
});

test("a release leaves the pins beside its steps alone", () => {
	const pinned = (line: string) => replayerOf(branch(`${LONG} ${line}`)).pins.length;
	assert.equal(pinned("pin(1–2) unpin(3)"), 1);
	assert.equal(pinned("pin(3) unpin(1–2)"), 1);
	assert.equal(pinned("pin(1) pin(2) pin(4) unpin(2–4)"), 1);
});

test("a pin names its steps, the first one in view among them", () => {
	const line = "U1 A1 R1 A2 R2 S(A2) A3 R3";
	const answer = proposePin(replayerOf(branch(line)), { first: 2, last: 3 });
	assert.ok(answer.ok);
	assert.deepEqual(answer.spans, [{ first: 2, last: 3 }]);
	assert.deepEqual([answer.fromEntryId, answer.toEntryId], ["A2", null]);
});

test("a pin beside one that is there is no pin again", () => {
	assert.equal(pin(`${LONG} pin(3–4)`, 1, 2), undefined);
	assert.equal(pin(`${LONG} pin(3–4)`, 2, 4), undefined);
	assert.equal(pin(`${LONG} pin(3–4)`, 5, 6), undefined);
});

test("a fold that is skipped stands against no pin", () =>
	assert.equal(pin(`${LONG} raw(A2..A5) raw(A4..)`, 6), undefined));

test("numbers that name no step pin nothing, and release nothing", () => {
	for (const step of [0, -1, 1.5, Number.NaN]) {
		const wayOut = `there is no step ${step}; the steps are 1–6`;
		assert.equal(pin(LONG, step), wayOut);
		assert.equal(reason(unpin(`${LONG} pin(1)`, step)), wayOut);
	}
	assert.equal(reason(unpin(LONG)), "no step is pinned");
	assert.equal(reason(unpin(LONG, 2)), "no step is pinned");
});
