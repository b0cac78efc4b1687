// The picker: what its keys do, and that no width and no text makes it paint a line that would end pi.

import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { visibleWidth as newerWidth } from "@earendil-works/pi-tui";
import { visibleWidth } from "@mariozechner/pi-tui";
import fc from "fast-check";
import { type Picked, Picker } from "../../src/pi/picker.ts";
import { readChoices } from "../../src/pi/picker-dialog.ts";
import { oneLine, stepLabel } from "../../src/pi/picker-label.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { fakePi } from "../support/fake-pi.ts";
import {
	call,
	compaction,
	type Draft,
	LONG,
	longSteps,
	record,
	reply,
	result,
	session,
	user,
} from "../support/session-entries.ts";

const KEYS: Readonly<Record<string, string>> = {
	up: "\u001b[A",
	down: "\u001b[B",
	pageUp: "\u001b[5~",
	pageDown: "\u001b[6~",
	home: "\u001b[H",
	end: "\u001b[F",
	enter: "\r",
	escape: "\u001b",
	backspace: "\u007f",
};

/** pi's own bindings, by key. */
const BOUND: Readonly<Record<string, string>> = {
	"tui.select.up": "up",
	"tui.select.down": "down",
	"tui.select.pageUp": "pageUp",
	"tui.select.pageDown": "pageDown",
	"tui.select.confirm": "enter",
	"tui.select.cancel": "escape",
};

const keys = { matches: (data: string, binding: string) => data === KEYS[BOUND[binding] ?? ""] };
const theme = {
	fg: (_: string, text: string) => `\u001b[36m${text}\u001b[39m`,
	bold: (text: string) => `\u001b[1m${text}\u001b[22m`,
};

function open(entries: readonly SessionEntry[], height = 5, asksModel = true) {
	const { pi, ctx } = fakePi(entries);
	const done: (Picked | undefined)[] = [];
	const choices = readChoices(pi, ctx);
	const picker = new Picker(choices, {
		theme: theme as never,
		keys: keys as never,
		height,
		asksModel,
		done: (picked) => done.push(picked),
	});
	const plain = (width = 100) =>
		picker.render(width).map((line) => stripVTControlCharacters(line).trimEnd());
	return {
		picker,
		done,
		plain,
		press: (...names: string[]) => {
			for (const name of names) picker.handleInput(KEYS[name] ?? name);
		},
		chosen: () => plain().find((line) => line.startsWith("→")) ?? "",
		title: () => plain()[1] ?? "",
	};
}

/** Steps 1 to n with a result each; step n + 1 answers. */
const steps = (count: number) => [...longSteps(count), reply("Done.")];

test("rows are steps, newest first, with what a cut there removes and when it pays", () => {
	const { plain } = open(session(...steps(3)));
	const rows = plain().slice(2, 6);
	assert.match(rows[0] ?? "", /^→ step 4 +−0 {2}saves nothing +Done\.$/);
	assert.match(rows[3] ?? "", /^ {2}step 1 +−8\.\dk {2}pays (after \d+|at once) +Step number 1\.$/);
});

test("rows that never pay stand in line with those that do", () => {
	const short = Array.from({ length: 14 }, (_, at): Draft[] => [
		reply("Look.", call(`c${at}`, "bash", { command: "ls" })),
		result(`c${at}`, "x".repeat(356)),
	]);
	const rows = open(session(user("begin"), ...short.flat()), 14)
		.plain(120)
		.filter((line) => /^[→ ] step /.test(line));
	assert.equal(rows.length, 14);
	assert.ok(rows.some((row) => row.includes("never pays  ")));
	assert.ok(rows.some((row) => /pays after \d/.test(row)));
	assert.equal(new Set(rows.map((row) => row.indexOf("Look."))).size, 1, rows.join("\n"));
});

test("a fold is one row, its steps are none", () => {
	const fold = record("dmail.fold", { fromEntryId: "e1", toEntryId: "e5", summary: "Both read." });
	const { plain } = open(session(...steps(3), fold));
	assert.match(plain()[4] ?? "", /^ {2}steps 1–2 e8 .*◆ Both read\.$/);
	assert.equal(plain().filter((line) => /^[→ ] steps? \d/.test(line)).length, 3);
});

test("steps that were compacted away are no rows", () => {
	const entries = session(...steps(2), compaction("e3", "before"), reply("Again."));
	const names = open(entries)
		.plain()
		.flatMap((line) => /^[→ ] step (\d+)/.exec(line)?.[1] ?? []);
	assert.deepEqual(names, ["4", "3", "2"]);
});

test("start, end and author are chosen in turn; the choice is what was marked", () => {
	const run = open(session(...steps(3)));
	run.press("down", "j");
	assert.match(run.chosen(), /^→ step 2 /);
	run.press("enter");
	assert.match(run.title(), /from step 2: choose the last step/);
	assert.match(run.chosen(), /^→ step 4 /);
	run.press("down", "enter");
	assert.match(run.title(), /Fold steps 2–3: who writes the summary\?/);
	run.press("j", "enter");
	assert.deepEqual(run.done, [{ fromStep: 2, toStep: 3, author: "user" }]);
});

test("Esc goes back one choice at a time to where it was, and then out", () => {
	const run = open(session(...steps(3)));
	run.press("j", "j", "enter", "j", "enter");
	run.press("escape");
	assert.match(run.chosen(), /^→ step 3 /);
	run.press("escape");
	assert.match(run.title(), /choose the first step/);
	assert.match(run.chosen(), /^→ step 2 /);
	assert.deepEqual(run.done, []);
	run.press("escape");
	assert.deepEqual(run.done, [undefined]);
});

test("arrows and j and k go around the ends, pages and Home and End stop there", () => {
	const run = open(session(...steps(11)), 4);
	const at = () => Number(/^→ step (\d+)/.exec(run.chosen())?.[1]);
	run.press("k");
	assert.equal(at(), 1);
	run.press("down");
	assert.equal(at(), 12);
	run.press("pageDown");
	assert.equal(at(), 8);
	run.press("end");
	assert.equal(at(), 1);
	run.press("pageDown");
	assert.equal(at(), 1);
	run.press("pageUp");
	assert.equal(at(), 5);
	run.press("home");
	assert.equal(at(), 12);
	assert.ok(run.plain().some((line) => line.includes("(1/12)")));
});

test("/ filters by what a row says; letters are letters then, and Esc ends it where it stands", () => {
	const run = open(session(...steps(11)));
	run.press("/", "n", "u", "m", "b", "e", "r", " ", "1");
	const rows = () => run.plain().flatMap((line) => /^[→ ] step (\d+)/.exec(line)?.[1] ?? []);
	assert.deepEqual(rows(), ["11", "10", "1"]);
	run.press("down", "j");
	assert.deepEqual(rows(), [], "j is a letter of the filter");
	run.press("backspace", "down", "escape");
	assert.match(run.chosen(), /^→ step 10 /);
	run.press("/", "x", "escape", "escape");
	assert.deepEqual(run.done, [undefined]);
});

test("an end that does not work says why, and another can be chosen", () => {
	const fold = record("dmail.fold", {
		v: 1,
		id: "ab12",
		fromEntryId: "e3",
		toEntryId: "e7",
		fromStep: 2,
		toStep: 3,
		summary: "held",
		digest: "00",
		by: "model",
		held: true,
	});
	const pin = record("dmail.pin", { v: 1, fromEntryId: "e7", toEntryId: "e8" });
	const run = open(session(...steps(3), fold, pin), 8);
	const labels = run.plain().flatMap((line) => /^[→ ] step \d.*? {2}(\(.*)$/.exec(line)?.[1] ?? []);
	assert.deepEqual(labels, [
		"(pinned) Done.",
		"(held ab12) Step number 3.",
		"(held ab12) Step number 2.",
	]);
	run.press("end", "enter", "end", "k", "enter");
	assert.ok(run.plain(200).some((line) => /step 2 lies inside fold ab12 \(steps 2–3\)/.test(line)));
	run.press("up");
	assert.ok(!run.plain(200).some((line) => line.includes("lies inside")));
	run.press("enter");
	assert.match(run.title(), /Fold steps 1–3: who writes/);
});

test("where the model cannot be asked only the user can write", () => {
	const run = open(session(...steps(2)), 5, false);
	run.press("end", "enter", "enter", "enter");
	assert.deepEqual(run.done, [{ fromStep: 1, toStep: 3, author: "user" }]);
});

const text = fc.oneof(
	fc.string({ unit: "grapheme", maxLength: 120 }),
	fc.constantFrom(
		"日本語のテキストが長く続く場合の表示を確認する".repeat(4),
		"👩‍👩‍👧‍👦🇯🇵🏳️‍🌈 family and flags ".repeat(6),
		"\u001b[31mred\u001b[0m\u001b[2J\u0007\r\nnext\tline",
		"a\u202eb\u2066c\ud800",
	),
);

test("no width, text or key makes it throw or paint a line wider than it was asked for", () => {
	const said = fc.array(text, { minLength: 1, maxLength: 8 });
	const names = fc.array(fc.constantFrom(...Object.keys(KEYS), "j", "k", "/", "é", "字"), {
		maxLength: 14,
	});
	fc.assert(
		fc.property(said, names, fc.integer({ min: 20, max: 300 }), (labels, pressed, width) => {
			const drafts = labels.flatMap((label, at): Draft[] => [
				reply(label, call(`c${at}`, "bash", { command: label })),
				result(`c${at}`, LONG),
			]);
			const fold = record("dmail.fold", {
				fromEntryId: "e1",
				toEntryId: "e3",
				summary: labels[0] || "-",
			});
			const run = open(session(user("begin"), ...drafts, fold), 3);
			for (const name of ["", ...pressed]) {
				if (name !== "") run.press(name);
				for (const line of run.picker.render(width)) {
					assert.ok(visibleWidth(line) <= width, JSON.stringify(line));
					assert.ok(newerWidth(line) <= width, JSON.stringify(line));
					for (const key of "\r\n\t\u0007") assert.ok(!line.includes(key), JSON.stringify(line));
				}
			}
		}),
		{ numRuns: 150 },
	);
});

test("a label is one line without anything that a terminal obeys, and not endless", () => {
	assert.equal(oneLine("a\r\nb\u001b[2Jc\u0007"), "a bc");
	assert.ok(oneLine("x".repeat(10_000)).length <= 201);
	const said = (message: unknown) => stepLabel(message as never);
	const toolCall = call("c", "read", { path: "src/a.ts" });
	assert.equal(said({ role: "assistant", content: [toolCall] }), "read src/a.ts");
	assert.equal(
		said({ role: "assistant", content: [{ type: "text", text: "\n\nFirst.\nSecond." }, toolCall] }),
		"First.",
	);
	assert.equal(said({ role: "assistant", content: null }), "");
	assert.equal(said({ role: "user", content: "no" }), "");
});
