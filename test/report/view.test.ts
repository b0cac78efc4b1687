// The view: where keys lead, what stands on the screen at any size, and the whole of it in a terminal.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { Key } from "ink";
import stringWidth from "string-width";
import { type Measured, measure } from "../../src/profile/measure.ts";
import { movesOf } from "../../src/report/view-keys.ts";
import { drawScreen, settle } from "../../src/report/view-screen.ts";
import {
	follow,
	type Move,
	showNewest,
	sortFolds,
	startState,
	type ViewState,
} from "../../src/report/view-state.ts";
import { KEYS, Terminal } from "../support/terminal.ts";

const ROOT = join(import.meta.dirname, "../..");
const fileOf = (name: string) => join(ROOT, "test/fixtures/profile", `${name}.jsonl`);

function subjectOf(name: string): Measured {
	const outcome = measure(fileOf(name));
	assert.ok(outcome.profile);
	return outcome;
}

function walk(subject: Measured, ...moves: readonly Move[]): ViewState | undefined {
	let state: ViewState | undefined = startState(subject);
	for (const move of moves) state = state && follow(state, move, subject);
	return state;
}

test("keys lead along the requests, into one, to the folds, into one, and back out", () => {
	const subject = subjectOf("folds");
	assert.equal(walk(subject)?.request, 16);
	assert.equal(walk(subject, "left", "left")?.request, 14);
	assert.equal(walk(subject, "first", "left")?.request, 0);
	assert.equal(walk(subject, "pageUp", "right")?.request, 7);
	assert.equal(walk(subject, "last", "right")?.request, 16);
	assert.equal(walk(subject, "enter")?.pane, "request");
	assert.deepEqual(walk(subject, "enter", "left", "back"), { ...startState(subject), request: 15 });
	assert.equal(walk(subject, "folds", "down", "enter")?.pane, "fold");
	assert.equal(walk(subject, "folds", "enter", "right")?.fold, 1);
	assert.equal(walk(subject, "folds", "enter", "back")?.pane, "folds");
	assert.equal(walk(subject, "folds", "folds")?.pane, "chart");
	assert.deepEqual(walk(subject, "back"), startState(subject));
	assert.equal(walk(subject, "enter", "quit"), undefined);
});

test("of a request that was not measured nothing is said but what is estimated", () => {
	const subject = subjectOf("branches");
	const { requests } = subject.profile;
	const request = Array.from({ length: requests.length }, (_, i) => requests.at(i)).findIndex(
		(row) => row.prompt === null,
	);
	const state = { ...startState(subject), request };
	const draw = (pane: ViewState["pane"]) =>
		drawScreen(subject, { ...state, pane }, { columns: 120, rows: 30, colour: false }).join("\n");
	assert.match(draw("request"), /cost +–\n/);
	assert.match(draw("request"), /missed +–\n/);
	assert.match(draw("chart"), /prompt – {2}hit –\nsent ~/);
	assert.match(draw("chart"), /9 requests {2}cost ≥\$0\.03 {2}hit/);
});

test("of a request that failed the whole message is shown, in lines that fit", () => {
	const all = subjectOf("branches");
	const message = `<html>\u001b[2J${" 502 bad gateway".repeat(10)}</html>`;
	const asides = { ...all.profile.asides, failures: new Map([[4, message]]) };
	const subject = { ...all, profile: { ...all.profile, asides } };
	const draw = (columns: number, request: number) => {
		const state: ViewState = { ...startState(subject), pane: "request", request };
		return drawScreen(subject, state, { columns, rows: 30, colour: false }).join("\n");
	};
	for (const columns of [60, 80, 120]) {
		const [, said = ""] = /\n {2}message {5}(.*?)\n\n/s.exec(draw(columns, 3)) ?? [];
		assert.equal(said.replace(/\n {14}/g, " "), message.replace("\u001b", "␛"));
		assert.doesNotMatch(draw(columns, 4), /message/);
	}
});

test("one fold in view is one fold", () => {
	const subject = subjectOf("folds");
	const state: ViewState = { ...startState(subject), pane: "request", request: 5 };
	const screen = drawScreen(subject, state, { columns: 80, rows: 24, colour: false }).join("\n");
	assert.match(screen, /with 1 fold in view/);
});

test("of the newest requests alone the chart has these, marks under the same ones, and none of none", () => {
	const all = subjectOf("folds");
	const draw = (last: number, pane: ViewState["pane"] = "chart") => {
		const subject = showNewest(all, last);
		const state = { ...startState(subject), pane };
		return drawScreen(subject, state, { columns: 80, rows: 24, colour: false });
	};
	const isMark = (line: string) => /^[ ◆]*◆[ ◆]*$/.test(line);
	// request 14 came first after a fold, and each of six requests is four columns wide
	assert.equal(draw(6).find(isMark), `${" ".repeat(8 + 8)}◆◆◆◆`);
	assert.equal(draw(3).find(isMark), undefined);
	assert.match(draw(3).join("\n"), /17 requests.*#17.*the last 3\n/s);
	assert.match(draw(3, "request").join("\n"), /Request 17 of 17/);
	assert.match(draw(3, "folds").join("\n"), /Folds: 6/);
	assert.equal(walk(showNewest(all, 3), "first")?.request, 0);
	assert.match(draw(0).join("\n"), /Requests: 17, none shown/);
	assert.match(draw(0, "request").join("\n"), /Requests: 17, none shown/);
	assert.equal(showNewest(all, 17), all);
	assert.equal(showNewest(all), all);
});

test("whatever the list is sorted by, the cursor stays on its fold", () => {
	const subject = subjectOf("folds");
	const { folds } = subject.profile;
	for (const downs of [0, 1, 2, 3, 4, 5]) {
		let state = walk(subject, "folds", ...Array<Move>(downs).fill("down"));
		for (let sorts = 0; sorts < 4; sorts++) {
			assert.ok(state);
			assert.equal(sortFolds(folds, state.sort)[state.fold], downs);
			state = follow(state, "sort", subject);
		}
	}
});

test("what is not in sight of a list or a text is counted, and every line of a text comes in sight", () => {
	const subject = subjectOf("folds");
	const draw = (rows: number, ...moves: readonly Move[]) => {
		const state = walk(subject, ...moves) ?? startState(subject);
		return drawScreen(subject, state, { columns: 80, rows, colour: false }).join("\n");
	};
	assert.doesNotMatch(draw(15, "folds"), /more/);
	assert.match(draw(14, "folds"), /\n\n┌.*\n↓ 2 more\n/s);
	assert.match(draw(14, "folds", "down", "down", "down"), /\n↑ 1 more\n.*\n↓ 1 more\n/s);
	assert.match(draw(14, "folds", "last"), /\n↑ 2 more\n.*592d/s);
	assert.doesNotMatch(draw(14, "folds", "last"), /↓ \d/);
	const whole = draw(60, "folds", "enter")
		.split("\n")
		.map((line) => line.trim());
	const seen = new Set<string>();
	for (let downs = 0; downs < 30; downs++)
		for (const line of draw(12, "folds", "enter", ...Array<Move>(downs).fill("down")).split("\n"))
			seen.add(line.trim());
	for (const line of whole) assert.ok(seen.has(line), line);
	assert.match(draw(12, "folds", "enter"), /\n\nFold 5d8f.*\n↓ 12 more\n/s);
});

test("a step back from beyond the end of a text is a step", () => {
	const subject = subjectOf("folds");
	const size = { columns: 80, rows: 12, colour: false };
	const end = walk(subject, "folds", "enter", "last", "down");
	assert.ok(end);
	const settled = settle(subject, end, size);
	assert.deepEqual(drawScreen(subject, settled, size), drawScreen(subject, end, size));
	const back = follow(settled, "up", subject);
	assert.ok(back);
	assert.equal(back.scroll, settled.scroll - 1);
	assert.notDeepEqual(drawScreen(subject, back, size), drawScreen(subject, end, size));
	assert.equal(settle(subject, back, size), back);
});

test("keys that would do nothing are not offered", () => {
	const none = subjectOf("branches");
	const folds = drawScreen(
		none,
		{ ...startState(none), pane: "folds" },
		{ columns: 80, rows: 24, colour: false },
	);
	assert.match(folds.join("\n"), /No folds\.\n/);
	assert.equal(folds.at(-1), "esc back  q quit");
	const nothing = showNewest(none, 0);
	const chart = drawScreen(nothing, startState(nothing), { columns: 80, rows: 24, colour: false });
	assert.equal(chart.at(-1), "f folds  q quit");
});

test("what is said of a request is whole at any width, the least of it left out, and quitting is named", () => {
	const subject = subjectOf("folds");
	const linesAt = (columns: number, request = 14) => {
		const state = { ...startState(subject), request };
		return drawScreen(subject, state, { columns, rows: 24, colour: false });
	};
	for (let columns = 24; columns <= 120; columns += 8)
		for (let request = 0; request < subject.profile.requests.length; request++) {
			const lines = linesAt(columns, request);
			assert.match(lines.at(-1) ?? "", / {2}q quit$/);
			assert.match(lines.at(-4) ?? "", /^#\d+ [^…]*$/, `${columns}`);
		}
	assert.deepEqual(linesAt(80).slice(-4, -2), [
		"#15  step 15  prompt 2.2k  hit 0%  $0.0031  missed ~1.8k: model",
		"sent ~2.2k  raw ~5.8k  saved ~3.6k  scaled ×1.10 to usage",
	]);
	assert.deepEqual(linesAt(60).slice(-4, -2), [
		"#15  step 15  prompt 2.2k  hit 0%  missed ~1.8k: model",
		"sent ~2.2k  raw ~5.8k  saved ~3.6k  scaled ×1.10 to usage",
	]);
	assert.match(linesAt(60).at(-1) ?? "", /⏎ open request {2}f folds {2}q quit$/);
});

/** The tokens that a text names behind a word. */
function tokensOf(text: string, word: string): number {
	const [, sign = "", digits = "", unit = ""] =
		new RegExp(`\\b${word} +~(−?)([\\d.]+)(k?)`).exec(text) ?? assert.fail(`${word}: ${text}`);
	return Number(digits) * (unit ? 1_000 : 1) * (sign ? -1 : 1);
}

test("all tokens in the view are of one scale, which is said at any width", () => {
	const subject = subjectOf("folds");
	const { requests, calibration, folds } = subject.profile;
	const { k, overhead } = calibration;
	const near = (shown: number, is: number) => Math.abs(shown - is) <= Math.max(1, is / 20);
	for (const columns of [60, 80, 120])
		for (let request = 0; request < requests.length; request++)
			for (const pane of ["chart", "request"] as const) {
				const state = { ...startState(subject), request, pane };
				const screen = drawScreen(subject, state, { columns, rows: 30, colour: false }).join("\n");
				const row = requests.at(request);
				assert.match(screen, /scaled ×1\.10 to usage/);
				const [sent, raw] = [tokensOf(screen, "sent"), tokensOf(screen, "raw")];
				assert.ok(near(sent, row.prompt ?? 0), `#${row.index}: ${sent}`);
				assert.ok(near(raw, overhead + k * row.rawTokens), `#${row.index}: ${raw}`);
				if (row.folds > 0) assert.ok(near(raw - sent, row.savedTokens), `#${row.index}`);
			}
	const [fold] = folds;
	for (const columns of [60, 80, 120])
		for (const pane of ["folds", "fold"] as const) {
			const size = { columns, rows: 30, colour: false };
			const screen = drawScreen(subject, { ...startState(subject), pane }, size).join("\n");
			assert.match(screen, /scaled ×1\.10 to usage/);
			assert.ok(fold?.removedTokens);
			const shown = tokensOf(screen.replaceAll("│", " "), pane === "fold" ? "size" : "landed");
			assert.ok(near(shown, k * fold.removedTokens));
		}
});

test("the view of a session without usage says that nothing is scaled", () => {
	const all = subjectOf("folds");
	const calibration = { k: 1, overhead: 0, requests: 0, error: null };
	const subject = { ...all, profile: { ...all.profile, calibration } };
	for (const pane of ["chart", "request", "folds", "fold"] as const) {
		const state = { ...startState(subject), pane };
		const screen = drawScreen(subject, state, { columns: 60, rows: 30, colour: false });
		assert.match(screen.join("\n"), /not scaled: no usage/);
	}
});

test("the list of folds is sorted by size, state or whether it paid, and by order again", () => {
	const subject = subjectOf("folds");
	const { folds } = subject.profile;
	const ids = (sort: Parameters<typeof sortFolds>[1]) =>
		sortFolds(folds, sort).map((at) => folds[at]?.id);
	assert.deepEqual(ids("size").slice(0, 3), ["f9d6", "5d8f", "592d"]);
	assert.deepEqual(ids("state")[0], "a8eb");
	assert.deepEqual(new Set(ids("paid").slice(0, 3)), new Set(["5d8f", "a8eb", "f9d6"]));
	assert.deepEqual(
		ids("order"),
		folds.map(({ id }) => id),
	);
	assert.equal(walk(subject, "folds", "sort", "sort", "sort", "sort")?.sort, "order");
	assert.equal(walk(subject, "sort")?.sort, "order");
});

const move = fc.constantFrom<Move[]>(
	"left",
	"right",
	"up",
	"down",
	"pageUp",
	"pageDown",
	"first",
	"last",
	"enter",
	"back",
	"folds",
	"sort",
);

test("the screen is filled to its rows and never wider than it, wherever one is", () => {
	const subjects = ["folds", "branches", "odd"].map(subjectOf);
	fc.assert(
		fc.property(
			fc.constantFrom(...subjects),
			fc.array(move, { maxLength: 12 }),
			fc.integer({ min: 60, max: 200 }),
			fc.integer({ min: 10, max: 60 }),
			(subject, moves, columns, rows) => {
				const state = walk(subject, ...moves) ?? startState(subject);
				const lines = drawScreen(subject, state, { columns, rows, colour: false });
				assert.equal(lines.length, rows);
				for (const line of lines) assert.ok(stringWidth(line) <= columns, line);
			},
		),
	);
});

for (const [columns, rows] of [
	[80, 24],
	[120, 36],
] as const)
	test(`each pane at ${columns} columns is as it was`, (t) => {
		const subject = subjectOf("folds");
		const panes: Move[][] = [[], ["left", "left", "enter"], ["folds", "sort"], ["folds", "enter"]];
		const screens = panes.map((moves) => {
			const state = walk(subject, ...moves) ?? startState(subject);
			return drawScreen(subject, state, { columns, rows, colour: false }).join("\n");
		});
		t.assert.fileSnapshot(
			`${screens.join(`\n${"=".repeat(columns)}\n`)}\n`,
			join(ROOT, "test/golden", `view.${columns}.txt`),
			{ serializers: [(text: string) => text] },
		);
	});

test("keys that come in one piece are as many keys, and the rest of an escape sequence is none", () => {
	const key = (name?: keyof Key): Key => {
		const names = { leftArrow: false, return: false, escape: false } as Key;
		return name ? { ...names, [name]: true } : names;
	};
	assert.deepEqual(movesOf("q", key()), ["quit"]);
	assert.deepEqual(movesOf("fs", key()), ["folds", "sort"]);
	assert.deepEqual(movesOf("f\rx\t\u007f", key()), ["folds", "enter", "folds", "back"]);
	assert.deepEqual(movesOf("gG\u0003", key()), ["first", "last", "quit"]);
	assert.deepEqual(movesOf("", key("leftArrow")), ["left"]);
	assert.deepEqual(movesOf("\r", key("return")), ["enter"]);
	assert.deepEqual(movesOf("[?1l", key()), []);
	assert.deepEqual(movesOf("Oq", key()), []);
});

test("in a terminal it opens, follows keys, takes another size, and gives the screen back", async () => {
	const command = {
		file: process.execPath,
		args: ["profile.ts", fileOf("folds"), "--view", "--last", "5"],
	};
	const env = { ...process.env, NO_COLOR: "1", CI: "true" };
	const terminal = new Terminal(command, { columns: 80, rows: 24 }, { cwd: ROOT, env });
	try {
		assert.match(await terminal.waitFor("q quit"), /◆◆◆◆.*#17 {2}step 17.*the last 5\n/s);
		terminal.press(KEYS.left);
		await terminal.waitFor("#16  step 16");
		terminal.press(KEYS.enter);
		await terminal.waitFor("Request 16 of 17");
		terminal.resize({ columns: 120, rows: 30 });
		await terminal.waitFor(/fresh +3 +░/);
		terminal.press("fs");
		await terminal.waitFor("[size]");
		terminal.press(`ffk${KEYS.enter}`);
		assert.match(await terminal.waitFor("Summary"), /weekly report uses the clock too/);
		terminal.resize({ columns: 80, rows: 12 });
		await terminal.waitFor(/↓ \d+ more/);
		terminal.press(KEYS.end);
		await terminal.waitWithout("↓ 1");
		terminal.press(KEYS.up);
		await terminal.waitFor("↓ 2 more");
		terminal.press("qq");
		assert.equal(await terminal.exit(), 0);
		assert.equal(terminal.screen(), "");
	} finally {
		await terminal.close();
	}
});
