// Where the marker of a reply stands when there is no obvious message for it: what leads the view, what waits
// for a result, what the host does not show, what others put into the list or took out of it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Entry, type Hand, Replayer } from "../../fold.ts";
import { branch, print, textHost } from "../support/notation.ts";
import { type Branch, projection } from "./branch.ts";
import { equalsOracle, same, viewOf } from "./checked-view.ts";

/** The view of a list in hand: the messages that are left of what the host shows, and others' in between. */
function inHand(entries: Branch, list: readonly string[]): string {
	const left = projection(entries);
	const at = list.map((message) => {
		const index = left.findIndex((one) => one.message === message);
		return index < 0 ? -1 : (left.splice(0, index + 1).at(-1)?.at ?? -1);
	});
	return viewOfHand(entries, { list, at });
}

function viewOfHand(entries: Branch, hand: Hand<string>): string {
	const replayer = new Replayer(textHost);
	for (const entry of entries) replayer.push(entry);
	equalsOracle(entries, replayer, { asking: true, hand });
	return print(replayer.view({ asking: true, hand }));
}

const WITHOUT_ID = [{ id: "", name: "bash" }] as const;

test("a marker of its own stands behind the system messages that lead the view, and before all others", () => {
	same("P", "P m‹1›");
	same("P P A1", "P P m‹1› A1 m‹2›");
	same("c P A1", "m‹1› c P A1 m‹2›");
	same("U1 P A1", "U1‹1› P A1 m‹2›");
	same("A1 P c A2", "m‹1› A1 m‹2› P c A2 m‹3›");
	same("P A1 A2 S(A1) P A3", "S m‹1› A1 m‹2› A2 m‹3› P A3 m‹4›");
});

test("so it does where another extension put the system message there", () => {
	assert.equal(inHand(branch("A1"), ["Pforeign", "A1"]), "Pforeign m‹1› A1 m‹2›");
	assert.equal(inHand(branch("c A1"), ["c", "Pforeign", "A1"]), "m‹1› c Pforeign A1 m‹2›");
	assert.equal(inHand(branch("A1"), ["cforeign", "A1"]), "m‹1› cforeign A1 m‹2›");
});

test("a system message behind a step that was taken out of the list leads nothing", () =>
	assert.equal(inHand(branch("P A1 P:more A2"), ["P", "P:more", "A2"]), "P m‹2› P:more A2 m‹3›"));

test("an attempt's calls wait for their results beside those of the reply before it", () => {
	same("U1 A1[a] X[b] R1a", "U1‹1› A1 X R1a‹2›");
	same("U1 A1[a] X[b] (R1a)", "U1‹1› A1 X");
	same("U1 A1[a] X c", "U1‹1› A1 X c");
	same("U1 A1[a] X A2 c", "U1‹1› A1 X A2 m‹3› c");
});

test("a call without an id waits for a result without one that is there", () => {
	const asked: Branch = [
		...branch("U1"),
		{ id: "A1", kind: "assistant", message: "A1", calls: WITHOUT_ID },
	];
	const custom: Entry<string> = { id: "c", kind: "custom", message: "c" };
	const hidden: Entry<string> = { id: "R1", kind: "result" };
	assert.equal(print(viewOf([...asked, custom])), "U1‹1› A1 c");
	// one that is not there answers nothing
	assert.equal(print(viewOf([...asked, hidden, custom])), "U1‹1› A1 c");
});

test("a reply that says nothing of calls waits for none", () => {
	const reply: Entry<string> = { id: "A1", kind: "assistant", message: "A1" };
	assert.equal(print(viewOf([...branch("U1"), reply])), "U1‹1› A1 m‹2›");
});

test("a result that the branch does not know answers its call: a marker may follow it", () => {
	const asked = branch("U1 A1[a, b] R1a");
	assert.equal(inHand(branch("U1 A1[a]"), ["U1", "A1", "R1"]), "U1‹1› A1 R1 m‹2›");
	assert.equal(inHand(branch("U1 A1[a]"), ["U1", "A1", "R7"]), "U1‹1› A1 R7");
	assert.equal(inHand(branch("U1 A1[a]"), ["U1", "A1", "cforeign"]), "U1‹1› A1 cforeign");
	assert.equal(inHand(asked, ["U1", "A1", "R1a#foreign"]), "U1‹1› A1 R1a#foreign");
});

test("a foreign result without an id answers a call without one", () => {
	const entries: Branch = [
		...branch("U1"),
		{ id: "A1", kind: "assistant", message: "A1", calls: WITHOUT_ID },
	];
	const replayer = new Replayer({ ...textHost, callId: () => undefined });
	for (const entry of entries) replayer.push(entry);
	const hand = { list: ["U1", "A1", "R"], at: [0, 1, -1] };
	assert.deepEqual(replayer.view({ asking: true, hand }).messages, ["U1‹1›", "A1", "R", "m‹2›"]);
});

test("an attempt that was taken out of the list was asked for all the same, a step gets no marker of its own", () => {
	const entries = branch("U1 A1 c X c:more U2");
	assert.equal(inHand(entries, ["U1", "A1", "c", "c:more", "U2"]), "U1‹1› A1 m‹2› c c:more U2‹2›");
	const steps = branch("U1 A1 c A2 c:more U2");
	assert.equal(inHand(steps, ["U1", "A1", "c", "c:more", "U2"]), "U1‹1› A1 c c:more U2‹3›");
});

test("a fold of replies that the host does not show leaves their first marker where it was sent", () =>
	same("A1 (A2) raw(A2..) A3", "m‹1› A1 m‹2› m‹3› A3 m‹4›"));

test("a fold whose messages were all taken out of the list leaves no marker of its own", () =>
	assert.equal(inHand(branch("A1 R1 raw(A1..) A2"), ["A2"]), "m‹2› A2 m‹3›"));

test("a fold that begins where the era begins has the marker of its first step before it", () =>
	same("U1 A1 R1 A2 R2 A3[send_dmail(1)] R3 S(A1)", "S m‹1› C(1–2)‹3› A3* R3‹4›"));

test("a chip takes over no marker that stood outside its range", () => {
	same("U1 A1 R1 c A2 R2 raw(c..A2)", "U1‹1› A1 R1‹2› C(?–?) A2 R2‹3›");
	same("U1 A1 R1 (U2) c raw(U2..)", "U1‹1› A1 R1‹2› C(?–?)");
	same("U1 A1 R1 U2 c raw(U2..)", "U1‹1› A1 R1 C(?–?)‹2›");
});

test("where a fold's range holds nothing but a system message no chip stands, and late results are shown", () => {
	same("U1 (A1[a, b]) (R1a) P A2 raw(A1..A2) R1b", "U1‹1› m‹2› P A2 R1b‹3›");
	same("U1 (A1[a, b]) c P A2 raw(A1..A2) R1b", "U1‹1› C(1–1)‹2› P A2 m‹3›");
});

test("a reply that the host does not show has its marker, a message of its own if need be", () =>
	same("A1 (A2) A3", "m‹1› A1 m‹2› m‹3› A3 m‹4›"));
