// What the summary of a fold's call reads as, state by state.

import assert from "node:assert/strict";
import { test } from "node:test";
import { branch, foldId } from "../support/notation.ts";
import { viewOf } from "./checked-view.ts";

const [first, second] = [foldId("1"), foldId("2")];

/** The reply of a branch that begins so, as the view has it. */
function replyOf(line: string, name: string): string | undefined {
	return viewOf(branch(line)).messages.find((message) => message.startsWith(name));
}

test("of a fold in view it points to the chip", () =>
	assert.match(replyOf("U1 A1 R1 A2 R2 A3[send_dmail(1)] R3", "A3") ?? "", /^A3\{3: .*f001.*\}$/));

test("of an absorbed one, landed before or with the fold around it, to the chip of that", () => {
	const pointer = `{3: (fold ${first}, now in the chip of fold ${second})}`;
	const made = (held: string) =>
		`U1 A1 R1 A2 R2 A3[send_dmail(1, toStep 1${held})] R3 A4 R4 A5[send_dmail(1, toStep 2)] R5`;
	assert.equal(replyOf(made(""), "A3"), `A3${pointer}`);
	assert.equal(replyOf(made(", held"), "A3"), `A3${pointer}`);
});

test("of a held record that came in under a chip it stays as the model wrote it", () => {
	const line = "U1 A1 R1 A2 R2 fold(1–2) A3[x] raw(A1..A2, held, call 3) R3";
	assert.equal(replyOf(line, "A3"), "A3");
	assert.equal(viewOf(branch(line)).messages.filter((one) => one.startsWith("<dmail")).length, 1);
});

test("of one that was compacted away, to the compaction; of one that was skipped, to nothing", () => {
	const line = "U1 A1 R1 A2 R2 A3[send_dmail(1)] R3";
	assert.match(replyOf(`${line} S(A3)`, "A3") ?? "", /^A3\{3: .+\}$/);
	assert.notEqual(replyOf(`${line} S(A3)`, "A3"), replyOf(line, "A3"));
	const cuts = "U1 A1 R1 A2 R2 A3 R3 fold(1–2) A4[x] raw(A2..A4, call 4) R4";
	assert.equal(replyOf(cuts, "A4"), "A4");
});

test("of a held, an open and a dropped one it stays as the model wrote it", () => {
	const line = "U1 A1 R1 A2 R2 A3[send_dmail(1)] R3";
	for (const said of [line.replace("(1)", "(1, held)"), `${line} open(1)`, `${line} drop(1)`])
		assert.equal(replyOf(said, "A3"), "A3", said);
});

test("only a call of the newest reply can have asked, and not one before the range", () => {
	const line = "U1 A1 R1 A2 R2 A3[x] R3";
	assert.notEqual(replyOf(`${line} raw(A1..A2, call 3)`, "A3"), "A3");
	assert.equal(replyOf(`${line} raw(A1..A2, call 9)`, "A3"), "A3");
	assert.equal(replyOf(`${line} A4[y] R4 raw(A1..A2, call 3)`, "A3"), "A3");
	assert.equal(replyOf(`${line} U2 c raw(U2.., call 3) A4`, "A3"), "A3");
});
