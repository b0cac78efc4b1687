// The replayer's smaller promises, case by case.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Entry, foldContext, Replayer } from "../../fold.ts";
import { branch, foldId, print, textHost } from "../support/notation.ts";
import type { Branch } from "./branch.ts";
import { same, viewOf } from "./checked-view.ts";

const FOLDED = "U1 A1 R1 A2 R2 A3[send_dmail(1)] R3";

function replayerOf(entries: Branch): Replayer<string> {
	const replayer = new Replayer(textHost);
	for (const entry of entries) replayer.push(entry);
	return replayer;
}

test("a view says which step comes next", () => {
	assert.equal(replayerOf([]).view().next, 1);
	assert.equal(replayerOf(branch(FOLDED)).view().next, 4);
	assert.equal(replayerOf(branch("U1 A1 R1 X")).view({ asking: true }).next, 2);
});

test("an empty branch has an empty view, and asks for the first step in a message of its own", () => {
	assert.deepEqual(foldContext([], textHost).messages, []);
	assert.deepEqual(foldContext([], textHost, { asking: true }).messages, ["m‹1›"]);
});

test("every record of a fold is listed with what became of it", () => {
	const line = `${FOLDED} A4 R4 raw(A2..A4) raw(A3..A4, held) raw(none..A2) drop(1)`;
	const replayer = replayerOf(branch(line));
	assert.deepEqual(
		replayer.folds.map(({ record, state, reason }) => [record.id, state, reason]),
		[
			["f001", "dropped", undefined],
			["f002", "landed", undefined],
			["f003", "absorbed", undefined],
			["f004", "skipped", "its first entry none is not on this branch"],
		],
	);
});

test("why a record is skipped", () => {
	const reasonOf = (line: string) => replayerOf(branch(line)).folds.at(-1)?.reason;
	const base = "U1 A1 R1 A2 R2 A3 R3";
	assert.equal(reasonOf(`${base} raw(A1..none)`), "its end none is not on this branch");
	assert.equal(reasonOf(`${base} raw(A2..A1)`), "its range is empty");
	assert.equal(reasonOf(`${base} o raw(o..)`), "its range is empty");
	assert.equal(reasonOf(`${base} raw(R1..A2)`), "it parts a result from its call");
	assert.equal(reasonOf(`${base} raw(A1..A3) raw(A2..)`), "it cuts through fold f001");
	assert.equal(reasonOf(`${base} A4[a] raw(A4..)`), undefined);
	assert.equal(reasonOf(`${base} A4[a] o raw(A4..o)`), "its last step is still being answered");
	assert.equal(reasonOf(`${base} A4[a] o plain(A4..)`), "its last step is still being answered");
	assert.equal(
		reasonOf(`${base} A4[a, b] R4a o raw(A4..o)`),
		"its last step is still being answered",
	);
	assert.equal(reasonOf(`${base} A4[a, b] R4a c raw(A4..c)`), undefined);
	assert.equal(reasonOf(`${base} A4[a, b] c R4a raw(A4..R4a)`), undefined);
	assert.equal(reasonOf(`${base} A4[a] R4 o raw(A4..o)`), undefined);
	assert.equal(reasonOf(`${base} S() raw(A1..A2)`), "its range was compacted away before");
	assert.equal(reasonOf(`${base} S(A2) raw(A1..A2)`), "its range was compacted away before");
	assert.equal(reasonOf(`${base} S(A2) raw(A1..A3)`), undefined);
	assert.equal(reasonOf(`${base} raw(A1..A2) S(A2)`), "before the era");
	assert.equal(reasonOf(`${base} raw(none..A2) S()`), "before the era");
});

test("a record that ends after its own place is skipped", () => {
	const record = { kind: "fold", v: 1, id: "f1", summary: "done" } as const;
	const ends = { fromEntryId: "A1", toEntryId: "A2" };
	const entries: Entry<string>[] = [
		...branch("U1 A1"),
		{ id: "r", kind: "record", record: { ...record, ...ends } },
		...branch("U1 A1 A2").slice(2),
	];
	const [fold] = replayerOf(entries).folds;
	assert.equal(fold?.reason, "its end A2 is not on this branch");
});

test("an id finds the newest fold that has it", () => {
	const replayer = replayerOf(branch(`${FOLDED} A4 R4 fold(4)`));
	assert.equal(replayer.find(foldId("2"))?.from, replayer.steps.positionOfStep(4));
	assert.equal(replayer.find("none"), undefined);
});

test("a record that cannot be read is counted, and all others stand", () => {
	const entries = branch(`bad ${FOLDED} bad`);
	assert.deepEqual(replayerOf(entries).unreadable, [
		{ at: 0, of: "fold", reason: "no data" },
		{ at: entries.length - 1, of: "fold", reason: "no data" },
	]);
	same(`bad ${FOLDED} bad`, "U1‹1› C(1–2)‹3› A3* R3‹4›");
});

test("records of other extensions replay, ends at the user's messages too", () => {
	same("U1 A1 R1 A2 U2 A3 R3 plain(U1..U2) A4", "C(1–2) U2‹3› A3 R3‹4› A4 m‹5›");
	same("U1 A1 R1 A2 U2 A3 R3 plain(U2..) U3", "U1‹1› A1 R1‹2› A2 C(3–3) U3‹4›");
	const [chip] = viewOf(branch("U1 A1 R1 A2 U2 A3 R3 plain(U1..U2) A4")).messages;
	assert.match(chip ?? "", /<user>\nU1\n<\/user>/);
});

test("a fold of nothing but others' messages takes no marker from the message before it", () =>
	same("U1 A1 R1 c raw(c..) A2 R2", "U1‹1› A1 R1‹2› C(?–?) A2 R2‹3›"));

test("a chip takes a marker over from no message that was compacted away", () =>
	same("U1 c raw(U1..) A1 S(c)", "S m‹1› C(?–?) A1 m‹2›"));

test("a call that waits for its result is followed by no marker; that one is on the result", () => {
	same("U1 A1[a] (X) R1a", "U1‹1› A1 R1a‹2›");
	same("U1 A1[a] X R1a", "U1‹1› A1 X R1a‹2›");
	same("U1 A1[a] c", "U1‹1› A1 c");
	same("U1 A1[a] c A2 R2", "U1‹1› A1 c A2 R2‹3›");
	same("U1 A1[a] c R1a c", "U1‹1› A1 c R1a‹2› c");
});

test("a live request that its era no longer shows is the compaction's to tell", () => {
	const line = "U1 A1 R1 A2 U2 A3 R3 A4[send_dmail(1)] R4";
	const { messages } = viewOf(branch(`${line} S(A3)`));
	assert.equal(print(viewOf(branch(`${line} S(A3)`))), "S C(1–3)‹4› A4* R4‹5›");
	assert.doesNotMatch(messages[1] ?? "", /request below/);
});

test("a live request that another extension took out of the list is quoted", () => {
	const entries = branch("U1 A1 R1 A2 U2 A3 R3 A4[send_dmail(1)] R4");
	const list = entries.flatMap((entry) => entry.message ?? []);
	const at = entries.flatMap((entry, i) => (entry.message === undefined ? [] : [i]));
	const gone = list.indexOf("U2");
	const hand = { list: list.toSpliced(gone, 1), at: at.toSpliced(gone, 1) };
	const { messages } = foldContext(entries, textHost, { hand });
	assert.match(messages[1] ?? "", /<user>\nU2\n<\/user>/);
	assert.doesNotMatch(messages[1] ?? "", /request below/);
});

test("a chip of no step answers no call: its record puts no note before its range", () => {
	same("U1 A1[a] X c", "U1‹1› A1 X c");
	same("U1 A1[a] X c raw(c..)", "U1‹1› A1 X C(?–?)");
});

test("a chip that the list has already stays as it is", () => {
	const entries = branch(FOLDED);
	const fold = entries.findIndex(({ kind }) => kind === "record");
	const hand = {
		list: entries.flatMap((entry) => entry.message ?? []),
		at: entries.flatMap((entry, i) => (entry.message === undefined ? [] : [i])),
		chips: new Map([[fold, "an older chip"]]),
	};
	const { messages } = foldContext(entries, textHost, { hand });
	assert.equal(messages[1], "an older chip‹3›");
});

test("an older compaction in the kept range is not shown again", () =>
	same("U1 A1 R1 S(A1) A2 R2 S(A1)", "S m‹1› A1 R1‹2› A2 R2‹3›"));

test("the era may begin further back again, with what was edited meanwhile", () =>
	same(
		"U1 A1 R1 A2 R2 S(A2) edit(R1=R1:cut) A3 S(A1) A4",
		"S m‹1› A1 R1:cut‹2› A2 R2‹3› A3 m‹4› A4 m‹5›",
	));

test("a compaction's own system message leads", () => {
	const entries = branch("U1 A1 R1 S(A1) A2").map((entry) =>
		entry.kind === "compaction" ? { ...entry, head: "P" } : entry,
	);
	assert.equal(print(viewOf(entries)), "P S m‹1› A1 R1‹2› A2 m‹3›");
});

test("system messages are never folded", () =>
	same("P U1 A1 R1 P A2 R2 A3[send_dmail(1)] R3", "P U1‹1› C(1–2)‹3› P A3* R3‹4›"));

test("a message that the session does not have yet is laid out like any other", () => {
	const live: Entry<string>[] = [
		{ id: "", kind: "assistant", message: "A4", calls: [{ id: "4", name: "bash" }] },
		{ id: "", kind: "result", message: "R4", callId: "4" },
	];
	assert.equal(print(viewOf([...branch(FOLDED), ...live])), "U1‹1› C(1–2)‹3› A3* R3‹4› A4 R4‹5›");
});

test("the reply that the host does not show keeps its marker where it was sent", () => {
	same("U1 A1 R1 (A2) U2", "U1‹1› A1 R1‹2› U2‹3›");
	same("U1 A1 c (X) c U2", "U1‹1› A1 m‹2› c c U2‹2›");
});

test("a list that a neighbour cut short begins with one marker of its own at the most", () => {
	const steps = Array.from({ length: 50 }, (_, i) => `A${i + 1} R${i + 1}`);
	const entries = branch(`U1 ${steps.join(" ")} U51`);
	const shown = entries.map((entry, at) => ({ at, message: entry.message ?? "" }));
	const kept = shown.slice(-5);
	const hand = { list: kept.map(({ message }) => message), at: kept.map(({ at }) => at) };
	const { messages } = foldContext(entries, textHost, { asking: true, hand });
	assert.deepEqual(messages, ["m‹49›", "A49", "R49‹50›", "A50", "R50", "U51‹51›"]);
});

test("a result that the branch does not know goes with the folded call that it names", () => {
	const entries = branch(FOLDED);
	const hand = { list: ["U1", "A1", "R1", "A3", "R3"], at: [0, 1, -1, 5, 7] };
	const view = foldContext(entries, textHost, { hand });
	assert.equal(print(view), "U1‹1› C(1–2)‹3› A3* R3");
});

test("what a fold made land stays landed when that fold is dropped", () => {
	const line = "U1 A1 R1 A2 R2 A3 R3 fold(2–2, held) A4 R4";
	const entries = branch(line);
	const fold: Entry<string> = {
		id: "outer",
		kind: "record",
		record: {
			kind: "fold",
			v: 1,
			id: "f002",
			fromEntryId: "A1",
			toEntryId: "A2",
			summary: "done",
			by: "model",
			lands: [foldId("1")],
		},
	};
	const drop: Entry<string> = { id: "drop", kind: "record", record: { kind: "drop", id: "f002" } };
	assert.equal(print(viewOf([...entries, fold])), "U1‹1› C(1–1)‹2› C(2–2)‹3› A3 R3‹4› A4 R4‹5›");
	assert.equal(
		print(viewOf([...entries, fold, drop])),
		"U1‹1› A1 R1‹2› C(2–2)‹3› A3 R3‹4› A4 R4‹5›",
	);
});

test("a folded attempt that another extension took out of the list leaves its number to the next reply", () => {
	const entries = branch("X raw(X..) A1");
	const view = foldContext(entries, textHost, { hand: { list: ["A1"], at: [2] } });
	assert.deepEqual(view.messages, ["m‹1›", "A1"]);
});

test("an edit of an entry that is not on the branch changes nothing", () =>
	same("U1 A1 R1 edit(none=R1:cut) edit(none)", "U1‹1› A1 R1‹2›"));

test("an edit counts from its own place on, also for what is laid out already", () => {
	const entries = branch("U1 A1 R1 A2 R2");
	const replayer = replayerOf(entries);
	assert.equal(print(replayer.view()), "U1‹1› A1 R1‹2› A2 R2");
	replayer.push({ id: "e1", kind: "edit", targetId: "R1", message: "R1:cut" });
	assert.equal(print(replayer.view()), "U1‹1› A1 R1:cut‹2› A2 R2");
	replayer.push({ id: "e2", kind: "edit", targetId: "U1" });
	assert.equal(print(replayer.view()), "m‹1› A1 R1:cut‹2› A2 R2");
});

test("a list that nobody matched with the branch is another's altogether", () => {
	const hand = { list: ["x", "y"], at: [] };
	const view = foldContext(branch(FOLDED), textHost, { hand });
	assert.equal(view.messages, hand.list);
	assert.deepEqual(view.sources, [{ from: "foreign" }, { from: "foreign" }]);
});

test("a size that is asked for again costs what came in since the last reply", () => {
	let measured: string[] = [];
	const tokens = (message: string) => {
		measured.push(message);
		return message.length;
	};
	const replayer = new Replayer({ ...textHost, tokens });
	for (const entry of branch("U1 A1 R1 A2 R2 A3 R3")) replayer.push(entry);
	assert.equal(replayer.size(true), "U1‹1›A1R1‹2›A2R2‹3›A3R3‹4›".length);
	assert.deepEqual(measured, ["U1‹1›", "A1", "R1‹2›", "A2", "R2‹3›", "A3", "R3‹4›"]);
	measured = [];
	assert.equal(replayer.size(), "U1‹1›A1R1‹2›A2R2‹3›A3R3".length);
	assert.deepEqual(measured, ["R3"]);
	replayer.push({ id: "fold", kind: "record", record: { ...RECORD, fromEntryId: "A2" } });
	measured = [];
	assert.equal(replayer.size(), replayer.view().messages.join("").length);
	assert.equal(measured.length, 2, "the result before the range, and the chip");
});

const RECORD = { kind: "fold", v: 1, id: "f001", toEntryId: null, summary: "done" } as const;

test("a fold tells which reply asked for it, if one did", () => {
	const callers = (line: string) => replayerOf(branch(line)).folds.map(({ caller }) => caller);
	assert.deepEqual(callers("U1 A1 R1 A2[send_dmail(1)]"), [3]);
	assert.deepEqual(callers("U1 A1[x] raw(A1.., call 1)"), [1], "the first reply of its range");
	assert.deepEqual(callers("U1 A1 R1 fold(1)"), [-1]);
	assert.deepEqual(callers("c raw(c.., call 1)"), [-1], "no reply at all");
});

test("a call that its reply did not make points nowhere", () =>
	same("U1 A1 R1 A2 R2 A3 R3 raw(A2..A3, call 9)", "U1‹1› A1 R1‹2› C(2–2)‹3› A3 R3‹4›"));

test("a range without a message holds none of its neighbour's", () =>
	same("U1 A1 o c raw(o..c) A2", "U1‹1› A1 m‹2› c A2 m‹3›"));

test("a pin whose range is empty, backwards or unknown pins nothing", () => {
	const line = "U1 A1 R1 A2 R2";
	const pins = (fromEntryId: string, toEntryId: string) =>
		replayerOf([
			...branch(line),
			{ id: "p", kind: "record", record: { kind: "pin", fromEntryId, toEntryId } },
		]).pins;
	assert.deepEqual(pins("A1", "A2"), [{ from: 1, to: 3 }]);
	assert.deepEqual(pins("A1", "A1"), []);
	assert.deepEqual(pins("A2", "A1"), []);
	assert.deepEqual(pins("none", "A2"), []);
	assert.deepEqual(pins("A1", "none"), []);
});

test("a replayer names the positions of a fold that stay: the live request, and the customs behind it", () => {
	const keptBy = (line: string) => {
		const replayer = replayerOf(branch(line));
		return replayer.visible.map((fold) => replayer.kept(fold));
	};
	const names = (line: string) =>
		keptBy(line)
			.flat()
			.map((at) => branch(line)[at]?.id);
	const live = "U1 A1 R1 A2 U2 c A3 R3 A4[send_dmail(1)] R4";
	assert.deepEqual(names(live), ["U2", "c"]);
	assert.deepEqual(keptBy(FOLDED), [[]]);
	assert.deepEqual(names(`${live} edit(c)`), ["U2"]);
});

test("a result that stands before its folded call in the list answers another call, and stays", () => {
	const entries = branch("U1 A1 R1 A2 R2 A3[send_dmail(1)] R3");
	const hand = { list: ["R1#old", "U1", "A1", "R1", "A3", "R3"], at: [-1, 0, 1, 2, 5, 7] };
	const view = foldContext(entries, textHost, { asking: true, hand });
	assert.equal(print(view), "R1#old U1‹1› C(1–2)‹3› A3* R3‹4›");
	assert.equal(view.next, 4);
});

test("a list of which nothing but a folded call's foreign result is left out is not the list in hand", () => {
	const marks = { folds: true, markers: false };
	const entries = branch("U1 A1 R1 A2 fold(1–1)");
	const hand = { list: ["U1", "A2", "R1#old"], at: [0, 3, -1] };
	const { messages } = foldContext(entries, textHost, { marks, hand });
	assert.deepEqual(messages, ["U1", "A2"]);
});

test("a compaction that comes later takes a fold that was in view out of it", () => {
	const replayer = replayerOf(branch(FOLDED));
	assert.equal(replayer.visible.length, 1);
	replayer.push({ id: "S", kind: "compaction", message: "S", firstKeptEntryId: "A3" });
	assert.deepEqual(replayer.visible, []);
	assert.equal(replayer.find(foldId("1"))?.state, "skipped");
	replayer.push({ id: "S.2", kind: "compaction", message: "S", firstKeptEntryId: "A1" });
	assert.equal(replayer.visible.length, 1, "its era is back");
});

test("a fold that cut through a dropped one stands from then on, from its own start", () => {
	const entries = branch("U1 A1 R1 A2 R2 A3 R3 raw(A2..) raw(A1..A3)");
	const drop: Entry<string> = { id: "d", kind: "record", record: { kind: "drop", id: "f001" } };
	const replayer = replayerOf(entries);
	assert.equal(print(replayer.view()), "U1‹1› A1 R1‹2› C(2–3)");
	replayer.push(drop);
	assert.equal(print(replayer.view()), "U1‹1› C(1–2)‹3› A3 R3");
	assert.deepEqual(replayer.view(), replayerOf([...entries, drop]).view());
});

test("a fold that cannot be replayed makes none land", () => {
	const held = branch("U1 A1 R1 A2 R2 fold(1–1, held)");
	const lands = { id: "f002", fromEntryId: "none", lands: [foldId("1")] };
	const record: Entry<string> = { id: "r", kind: "record", record: { ...RECORD, ...lands } };
	assert.equal(replayerOf([...held, record]).find(foldId("1"))?.state, "held");
});

test("a record entry that says nothing is left alone", () =>
	assert.equal(
		print(viewOf([...branch("U1 A1 R1"), { id: "r", kind: "record" }])),
		"U1‹1› A1 R1‹2›",
	));

test("a host is told whose chip it makes: the fold's id, and the place of its record", () => {
	const named: unknown[] = [];
	const chip = (text: string, fold: unknown) => {
		named.push(fold);
		return text;
	};
	const entries = branch(FOLDED);
	foldContext(entries, { ...textHost, chip });
	const at = entries.findIndex((entry) => entry.kind === "record");
	assert.deepEqual(named, [{ id: foldId("1"), at }]);
});

test("a system message behind a fold of which nothing is left leads no view, as behind its reply", () => {
	for (const line of ["A1 P raw(A1..P) A2", "A1 P A2"]) {
		const entries = branch(line);
		const at = entries.flatMap(({ message }, i) => (message === undefined || i === 0 ? [] : [i]));
		const hand = { list: ["P", "A2"], at };
		assert.equal(print(foldContext(entries, textHost, { hand })), "m‹2› P A2");
	}
});
