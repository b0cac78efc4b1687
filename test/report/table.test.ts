// Tables fit the terminal, drop columns by importance, and count columns as the terminal does.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import stringWidth from "string-width";
import { measure } from "../../src/profile/measure.ts";
import { drawBar } from "../../src/report/bar.ts";
import { drawFolds } from "../../src/report/folds.ts";
import { type Column, drawTable, type Paper } from "../../src/report/table.ts";

interface Row {
	readonly name: string;
	readonly size: number;
	readonly note: string;
}

const COLUMNS: readonly Column<Row>[] = [
	{ head: "name", align: "left", rank: 0, least: 8, cell: (row) => row.name },
	{ head: "size", align: "right", rank: 1, cell: (row) => `${row.size}` },
	{ head: "note", align: "left", rank: 2, least: 10, most: 60, cell: (row) => row.note },
];

const terminal = (columns: number): Paper => ({ kind: "terminal", columns, colour: false });
const PIPE: Paper = { kind: "pipe", columns: 80, colour: false };
const ROWS: readonly Row[] = [
	{ name: "one", size: 1, note: "short" },
	{ name: "漢字の名前", size: 22, note: "🫠 melting" },
];
const MARK_ALONE: readonly Row[] = [{ name: "", size: 0, note: "\u0300" }, ROWS[0] as Row];

test("every line of a table is as wide as its frame, at any width from 60 to 200", () => {
	const row = fc.record({
		name: fc.string({ unit: "grapheme", maxLength: 60 }),
		size: fc.nat(),
		note: fc.string({ unit: "binary", maxLength: 120 }),
	});
	fc.assert(
		fc.property(
			fc.array(row, { minLength: 1, maxLength: 5 }),
			fc.integer({ min: 60, max: 200 }),
			(rows, width) => {
				const lines = drawTable(COLUMNS, rows, terminal(width)).trimEnd().split("\n");
				const widths = new Set(lines.map((line) => stringWidth(line)));
				assert.equal(widths.size, 1);
				assert.ok(Math.max(...widths) <= width);
			},
		),
	);
});

test("a text without any width leaves its cell empty and moves no other", () => {
	const lines = drawTable(COLUMNS, MARK_ALONE, terminal(60)).split("\n");
	assert.match(lines[4] ?? "", /│ one +│ +1 │ short +│/);
});

test("a column that has to be narrower says in fewer words what has no room, and is never cut", () => {
	const columns: readonly Column<Row>[] = [
		{ head: "name", align: "left", rank: 1, cell: (row) => row.name },
		{ head: "note", align: "left", rank: 0, cell: (row) => row.note, short: () => "in short" },
	];
	const rows = [
		{ name: "one", size: 1, note: "said in many words" },
		{ name: "two", size: 2, note: "few" },
	];
	assert.match(drawTable(columns, rows, terminal(29)), /│ one {2}│ said in many words │\n/);
	assert.match(drawTable(columns, rows, terminal(28)), /│ one {2}│ in short +│\n.*│ two {2}│ few /);
	assert.match(drawTable(columns, rows, terminal(19)), /│ one {2}│ in short │\n/);
	assert.doesNotMatch(drawTable(columns, rows, terminal(18)), /one/);
	assert.match(drawTable(columns, rows, PIPE), /said in many words/);
});

test("the fold that absorbed another is named at any width", () => {
	const { profile } = measure(join(import.meta.dirname, "../fixtures/profile/folds.jsonl"));
	assert.ok(profile);
	for (let columns = 60; columns <= 200; columns++)
		assert.match(drawFolds(profile.folds, terminal(columns)), /│ (absorbed by|in) f9d6 +│/);
});

test("what became of a fold, its size, what was measured and whether it paid is said at any width", () => {
	const { profile } = measure(join(import.meta.dirname, "../fixtures/profile/folds.jsonl"));
	assert.ok(profile);
	for (let columns = 60; columns <= 200; columns++) {
		const table = drawFolds(profile.folds, terminal(columns));
		assert.match(table, /│ fold .* state .* size .* measured .* paid /, `${columns}`);
		assert.match(
			table,
			/│ 5d8f .* landed +│ ~1\.5k │.* −1\.5k, \$0\.0013 once.*│ yes /,
			`${columns}`,
		);
	}
});

test("what was predicted of a fold is marked as an estimate, its money too; what was measured is not", () => {
	const { profile } = measure(join(import.meta.dirname, "../fixtures/profile/folds.jsonl"));
	assert.ok(profile);
	const whole = drawFolds(profile.folds, PIPE);
	assert.match(
		whole,
		/ ~−780, ~\$0\.0020 once, pays after 6 +−1\.5k, \$0\.0013 once, pays after 3 /,
	);
	assert.match(whole, / ~−330, saves ~\$0\.0010 at once +−284, saves \$0\.0011 at once /);
	const short = drawFolds(profile.folds, terminal(120));
	assert.match(short, /│ +~−780, ~\$0\.0020 once │ −1\.5k, \$0\.0013 once │/);
	assert.match(short, /│ ~−330, saves ~\$0\.0010 │ −284, saves \$0\.0011 │/);
});

test("a column that fits beside the more important ones stands there though one of these had no room", () => {
	const rows = [{ name: "one", size: 7, note: "x" }];
	const columns: readonly Column<Row>[] = [
		{ head: "name", align: "left", rank: 0, cell: (row) => row.name },
		{ head: "wide", align: "left", rank: 1, cell: () => "w".repeat(40) },
		{ head: "size", align: "right", rank: 2, cell: (row) => `${row.size}` },
	];
	assert.equal(drawTable(columns, rows, terminal(40)).split("\n")[1], "│ name │ size │");
});

test("what does not fit is dropped, least important first", () => {
	const rows = [{ name: "n".repeat(30), size: 5, note: "m".repeat(60) }];
	const head = (width: number) => drawTable(COLUMNS, rows, terminal(width)).split("\n")[1];
	assert.match(head(120) ?? "", /name.*size.*note/);
	assert.doesNotMatch(head(28) ?? "", /note/);
	assert.match(head(28) ?? "", /name.*size/);
	assert.doesNotMatch(head(14) ?? "", /size/);
});

test("in a pipe the columns stand as plain text, all of them", () => {
	assert.equal(
		drawTable(COLUMNS, ROWS, PIPE),
		"name        size  note\none            1  short\n漢字の名前    22  🫠 melting\n",
	);
	assert.equal(drawTable(COLUMNS, [], PIPE), "");
});

test("a bar shows cached, written and fresh parts by shape, and by colour only where asked", () => {
	const parts = { cacheRead: 600, cacheWrite: 300, input: 100 };
	assert.equal(drawBar(parts, 1_000, 10, false), "██████▒▒▒░");
	assert.equal(drawBar(parts, 2_000, 10, false), "███▒▒");
	assert.equal(drawBar({ cacheRead: 0, cacheWrite: 0, input: 0 }, 1_000, 10, false), "");
	const painted = drawBar(parts, 1_000, 10, true);
	assert.notEqual(painted, stripVTControlCharacters(painted));
	assert.equal(stripVTControlCharacters(painted), "██████▒▒▒░");
});

test("a table of any length is one table, and takes time by its length", () => {
	const rows = Array.from({ length: 1_001 }, (_, i) => ({
		name: `row ${i + 100}`,
		size: i + 100,
		note: "x",
	}));
	const lines = drawTable(COLUMNS, rows, terminal(80)).trimEnd().split("\n");
	assert.equal(lines.length, rows.length + 4);
	assert.equal(new Set(lines.map((line) => stringWidth(line))).size, 1);
	assert.equal(lines.filter((line) => line.startsWith("┌")).length, 1);
	assert.equal(lines.filter((line) => line.startsWith("└")).length, 1);
	const form = (line: string | undefined) => line?.replace(/\d/g, "#");
	assert.equal(form(lines[3 + 150]), form(lines[3 + 99]));
	assert.deepEqual(
		lines
			.filter((line) => line.includes("row "))
			.map((line) => Number(/row (\d+)/.exec(line)?.[1])),
		rows.map(({ size }) => size),
	);
});
