// Small cases and the view that each gives: where a sentence leaves a doubt, these decide.

import assert from "node:assert/strict";
import { test } from "node:test";
import { foldContext, Replayer } from "../../fold.ts";
import { ask, branch, foldId, print, textHost } from "../support/notation.ts";
import { refused, same, sameAtRest, viewOf } from "./checked-view.ts";

const FOLDED = "U1 A1 R1 A2 R2 A3[send_dmail(1)] R3";
const REFOLDED = `${FOLDED} A4 R4 A5 R5 A6[send_dmail(1, toStep 4)] R6`;
const LIVE = "U1 A1 R1 A2 U2 A3 R3 A4[send_dmail(1)] R4";
const HELD = "U1 A1 R1 A2 R2 A3 R3 A4[send_dmail(1, toStep 1, held)] R4";
const COMPACTED = "U1 A1 R1 A2 R2 A3[send_dmail(1)] R3 A4 R4 S(A4)";
const STRADDLING = "U1 A1 R1 A2 R2 A3 R3 A4 R4 A5 R5 A6 R6 A7[send_dmail(3, toStep 6)] R7 S(A5)";

test("1: the first request", () => same("U1", "U1‹1›"));
test("2: a step and its result", () => same("U1 A1 R1", "U1‹1› A1 R1‹2›"));
test("3: the next request", () => same("U1 A1 R1 A2 U2", "U1‹1› A1 R1‹2› A2 U2‹3›"));
test("4: two calls", () => same("U1 A1[a, b] R1a R1b", "U1‹1› A1 R1a R1b‹2›"));
test("5: a steering message", () => same("U1 A1 R1 U2", "U1‹1› A1 R1 U2‹2›"));
test("6: a failed attempt", () => {
	same("U1 A1 R1 X U2", "U1‹1› A1 R1‹2› X U2‹2›");
	same("U1 A1 R1 (X) U2", "U1‹1› A1 R1‹2› U2‹2›");
});
test("7: a retry without a new message", () => {
	same("U1 A1 R1 X", "U1‹1› A1 R1‹2› X");
	same("U1 A1 R1 (X)", "U1‹1› A1 R1‹2›");
});
test("8: a neighbour's custom message", () => same("U1 c A1 R1 c", "U1‹1› c A1 R1‹2› c"));
test("9: only a custom message since the last reply", () => same("U1 A1 c", "U1‹1› A1 m‹2› c"));
test("10: a fold", () => same(FOLDED, "U1‹1› C(1–2)‹3› A3* R3‹4›"));
test("11: a fold beside other calls", () =>
	same("U1 A1 R1 A2[bash, send_dmail(1), read] R2a R2b R2c", "U1‹1› C(1–1)‹2› A2* R2a R2b R2c‹3›"));
test("12: a refold, later steps kept", () => same(REFOLDED, "U1‹1› C(1–4)‹5› A5 R5‹6› A6* R6‹7›"));
test("13: a refold of the end only", () =>
	same(`${FOLDED} A4 R4 A5[send_dmail(3)] R5`, "U1‹1› C(1–2)‹3› C(3–4)‹5› A5* R5‹6›"));
test("14: the live request in the range", () => {
	same(LIVE, "U1‹1› C(1–3) U2‹4› A4* R4‹5›");
	assert.match(viewOf(branch(LIVE)).messages[1] ?? "", /below, made after step 2,/);
});
test("15: the request after it has been answered", () => {
	const line = `${LIVE} A5 U3 A6[send_dmail(1)] R6`;
	same(line, "U1‹1› C(1–5) U3‹6› A6* R6‹7›");
	assert.match(viewOf(branch(line)).messages[1] ?? "", /<user>\nU2\n<\/user>/);
});
test("16: a user's fold at idle", () => {
	sameAtRest("U1 A1 R1 A2 fold(1)", "U1‹1› C(1–2)");
	same("U1 A1 R1 A2 raw(A1..) U2", "U1‹1› C(1–2) U2‹3›");
	same("U1 A1 R1 A2 fold(1) U2", "U1‹1› C(1–2) U2‹3›");
	assert.equal(toEntryId("U1 A1 R1 A2", "fold(1)"), null);
});
test("17: a user's fold at idle over an answered request", () => {
	const line = "U1 A1 R1 A2 U2 A3 fold(1) U3";
	same(line, "U1‹1› C(1–3) U3‹4›");
	assert.match(viewOf(branch(line)).messages[1] ?? "", /<user>\nU2\n<\/user>/);
});
test("18: a held fold", () => same(HELD, "U1‹1› A1 R1‹2› A2 R2‹3› A3 R3‹4› A4 R4‹5›"));
test("19: the same, landed later", () =>
	same(`${HELD} land(1)`, "U1‹1› C(1–1)‹2› A2 R2‹3› A3 R3‹4› A4* R4‹5›"));
test("20: a fold opened", () => same(`${FOLDED} open(1)`, "U1‹1› A1 R1‹2› A2 R2‹3› A3 R3‹4›"));
test("21: the outer fold dropped", () =>
	same(`${REFOLDED} drop(2)`, "U1‹1› C(1–2)‹3› A3* R3‹4› A4 R4‹5› A5 R5‹6› A6 R6‹7›"));
test("22: two folds in a batch, the second around the first", () => {
	const line = "U1 A1 R1 A2 R2 A3[send_dmail(2), send_dmail(1)] R3a R3b";
	same(line, "U1‹1› C(1–2)‹3› A3* R3a R3b‹4›");
	const [inner, outer] = [foldId("1"), foldId("2")];
	const [reply] = viewOf(branch(line)).messages.filter((message) => message.startsWith("A3"));
	assert.equal(
		reply,
		`A3{3a: (fold ${inner}, now in the chip of fold ${outer})}{3b: (in the chip of fold ${outer})}`,
	);
});
test("23: two folds in a batch, the second inside the first", () =>
	refused(
		"U1 A1 R1 A2 R2 A3[send_dmail(1), other]",
		"send_dmail(2)",
		/^step 2 lies inside fold f001 \(steps 1–2\); start at step 1$/,
	));
test("24: a fold that would cut through another", () => {
	const line = "U1 A1 R1 A2 R2 A3 R3 A4 R4 A5 R5 A6[send_dmail(3)] R6 A7 R7 A8 R8 A9[send_dmail]";
	refused(
		line,
		"send_dmail(4)",
		/^step 4 lies inside fold f001 \(steps 3–5\); start at step 3 or earlier, or at step 6 or later$/,
	);
	for (const step of [1, 2, 3, 6, 7, 8])
		assert.ok(ask(line, `send_dmail(${step})`).ok, `start at ${step}`);
});
test("25: the step in progress", () => {
	const line = "U1 A1 R1 A2[a, send_dmail]";
	refused(line, "send_dmail(2)", /^step 2 is the step in progress; step 1 can be folded$/);
	assert.ok(ask(line, "send_dmail(1)").ok);
});
test("26: a crash in a batch", () => {
	const line = "U1 A1 R1 A2[a, b] U2";
	same(line, "U1‹1› A1 R1‹2› A2 U2‹3›");
	assert.ok(ask(line, "fold(2)").ok);
	same(`${line} A3[send_dmail(2)] R3`, "U1‹1› A1 R1‹2› C(2–2) U2‹3› A3* R3‹4›");
});
test("27: a compaction after a fold", () => {
	same(COMPACTED, "S m‹4› A4 R4‹5›");
	const replayer = new Replayer(textHost);
	for (const entry of branch(COMPACTED)) replayer.push(entry);
	const [fold] = replayer.folds;
	assert.deepEqual([fold?.state, fold?.reason], ["skipped", "before the era"]);
});
test("28: a compaction inside a fold", () => same(STRADDLING, "S C(3–6)‹7› A7* R7‹8›"));
test("29: a command of the user", () => {
	same("U1 A1 !ls U2", "U1‹1› A1 !ls U2‹2›");
	const line = "U1 A1 !ls U2 A2[send_dmail(1)] R2 A3 fold(1) U3";
	assert.match(viewOf(branch(line)).messages[1] ?? "", /<user>\n!ls\n<\/user>/);
});
test("30: off, any of these is the branch as the host shows it", () => {
	for (const line of [FOLDED, REFOLDED, LIVE, HELD, COMPACTED, STRADDLING]) {
		const marks = { folds: false, markers: false };
		const view = foldContext(branch(line), textHost, { marks, asking: true });
		const shown = branch(line.replace(/S\((\w+)\)/, "")).filter((entry) => entry.message);
		const kept = /S\((\w+)\)/.exec(line)?.[1];
		const start = kept ? shown.findIndex((entry) => entry.id === kept) : 0;
		const raw = shown.slice(start).map((entry) => entry.message);
		assert.deepEqual(view.messages, kept ? ["S", ...raw] : raw);
		assert.equal(print(view), view.messages.join(" "));
	}
});

function toEntryId(line: string, wish: string): string | null | undefined {
	const answer = ask(line, wish);
	return answer.ok ? answer.toEntryId : undefined;
}
