// The request that stays as a message of its own inside a fold's range: which records keep one, and what
// stays with it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { branch } from "../support/notation.ts";
import { same, viewOf } from "./checked-view.ts";

const LINE = "U1 A1 R1 U2 A2 R2 A3 R3";

test("it stays right after the chip, wherever in the range it is", () => {
	same(`${LINE} raw(A1..A3, keep U2)`, "U1‹1› C(1–2) U2‹3› A3 R3‹4›");
	same(`${LINE} raw(U2..A3, keep U2)`, "U1‹1› A1 R1 C(2–2) U2‹3› A3 R3‹4›");
	same("U1 A1 R1 A2 R2 U2 A3 raw(A1..A3, keep U2)", "U1‹1› C(1–2) U2‹3› A3 m‹4›");
});

test("a record that names no user message of its range keeps none, and nothing is shown twice", () => {
	same(`${LINE} raw(A1..A3, keep U1)`, "U1‹1› C(1–2)‹3› A3 R3‹4›");
	same(`${LINE} raw(A1..U2, keep U2)`, "U1‹1› C(1–1) U2‹2› A2 R2‹3› A3 R3‹4›");
	same(`${LINE} raw(A1..A3, keep A2)`, "U1‹1› C(1–2)‹3› A3 R3‹4›");
	same(`${LINE} raw(A1..A3, keep none)`, "U1‹1› C(1–2)‹3› A3 R3‹4›");
	for (const keep of ["U1", "A2", "none"]) {
		const { messages } = viewOf(branch(`${LINE} raw(A1..A3, keep ${keep})`));
		assert.match(messages[1] ?? "", /<user>\nU2\n<\/user>/, `with keep ${keep} it is quoted`);
	}
});

test("customs right after it stay with it, those behind a reply and behind the range do not", () => {
	same("U1 A1 R1 U2 c o c A2 R2 c A3 R3 raw(A1..A3, keep U2)", "U1‹1› C(1–2) U2‹3› c c A3 R3‹4›");
	same("U1 A1 R1 U2 c A2 R2 raw(A1..c, keep U2)", "U1‹1› C(1–1) U2‹2› c A2 R2‹3›");
	same("U1 A1 R1 U2 B c A2 R2 A3 R3 raw(A1..A3, keep U2)", "U1‹1› C(1–2) U2‹3› A3 R3‹4›");
});

test("a custom that the host shows nothing of does not stay", () =>
	same("U1 A1 R1 U2 (c) c A2 R2 A3 R3 raw(A1..A3, keep U2)", "U1‹1› C(1–2) U2‹3› c A3 R3‹4›"));

test("its words are not quoted as well, the others' of the range are", () => {
	const line = "U1 A1 R1 U2 A2 R2 U3 !ls A3 R3 A4 R4";
	const [, chip = ""] = viewOf(branch(`${line} raw(A1..A4, keep U3)`)).messages;
	assert.match(chip, /<user>\nU2\n<\/user>/);
	assert.match(chip, /!ls/);
	assert.doesNotMatch(chip, /U3/);
	assert.match(chip, /below, made after step 2,/);
});

test("it stays from the first entry of the era on, and is the compaction's to tell before it", () => {
	const line = `${LINE} raw(A1..A3, keep U2)`;
	same(`${line} S(U2)`, "S C(1–2) U2‹3› A3 R3‹4›");
	same(`${line} S(A2)`, "S C(1–2)‹3› A3 R3‹4›");
});
