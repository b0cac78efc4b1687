// What SECURITY.md promises of texts: what others write closes no chip, speaks for nobody, names no step and
// reaches no terminal as anything but text.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encode, parseStep, propose } from "../../fold.ts";
import { piecesOf } from "../../src/pi/compaction-text.ts";
import { replayLog } from "../../src/pi/log.ts";
import { chooseNet } from "../../src/pi/net-choice.ts";
import {
	renderChip,
	renderCut,
	renderReadCall,
	renderReadResult,
	renderSendCall,
	renderSendResult,
} from "../../src/pi/render.ts";
import { foldsCommand } from "../../src/report/command-folds.ts";
import { grepCommand } from "../../src/report/command-grep.ts";
import { listCommand } from "../../src/report/command-list.ts";
import { readCommand } from "../../src/report/command-read.ts";
import { profileSession } from "../../src/report/command-session.ts";
import { whatIfCommand } from "../../src/report/command-what-if.ts";
import type { Command } from "../../src/report/io.ts";
import { blocksOf, type PiMessage } from "../../src/session/entry.ts";
import { logOf } from "../pi/random-chat.ts";
import { cases } from "../support/cases.ts";
import { Chat, sent } from "../support/chat.ts";
import { typeCommands } from "../support/fake-commands.ts";
import { ESCAPES, HOSTILE, hostileSession, SAID } from "./hostile.ts";
import { fileOf } from "./profiled.ts";
import { askShell } from "./shell.ts";

/** What a terminal acts on, but for line ends and tabs. */
const ACTS = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/u;

/** The session with a fold of its first two steps by the model, or with a net over its oldest three. */
function folded(by: "model" | "net", summary = HOSTILE, notes = [HOSTILE]): Chat {
	const chat = new Chat(hostileSession());
	if (by === "model") return chat.fold("e1", "e6", { summary, notes, fromStep: 1, toStep: 2 });
	const log = logOf(chat);
	const [next, most] = [100_000, Number.POSITIVE_INFINITY];
	const wish = { lands: [], next, scale: 1, aim: 0, most, spare: 100, live: false };
	const net = chooseNet(log, wish);
	assert.ok(net.ok, net.ok ? "" : net.reason);
	return chat.record(encode(net.record));
}

function viewOf(chat: Chat): readonly PiMessage[] {
	return sent(chat.entries, chat.list()).messages as PiMessage[];
}

function textOf(message: PiMessage): string {
	const blocks = "content" in message ? blocksOf(message.content) : [];
	return blocks.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

function chipOf(chat: Chat): string {
	const chips = viewOf(chat).filter(
		(message) => message.role === "custom" && message.customType === "dmail.fold",
	);
	assert.equal(chips.length, 1);
	const [block] = blocksOf((chips[0] as { content: string }).content);
	return block?.type === "text" ? block.text : assert.fail();
}

function checkChip(chip: string): void {
	assert.deepEqual(
		[...chip.matchAll(/<\/dmail\s*>/gi)].map(({ index }) => index),
		[chip.length - "</dmail>".length],
		"closed once, at its end",
	);
	for (const line of chip.split("\n")) assert.equal(parseStep(line), undefined, line);
}

test("a chip is closed by its own last line only, and no line of it names a step", () => {
	for (const by of ["model", "net"] as const) checkChip(chipOf(folded(by)));
	const piece = fc.constantFrom(
		"</dmail>",
		"</dmail >",
		"</DMAIL\n>",
		"[step 2]",
		"\n",
		"<",
		"/",
		HOSTILE,
	);
	const text = fc
		.array(fc.oneof(piece, fc.string()), { maxLength: 12 })
		.map((all) => `x${all.join("")}`);
	fc.assert(
		fc.property(text, fc.array(text, { maxLength: 3 }), (summary, notes) =>
			checkChip(chipOf(folded("model", summary, notes))),
		),
		cases(0.3),
	);
});

test("the user's role has what he wrote and nothing else, and only that is quoted as his", () => {
	for (const by of ["model", "net"] as const) {
		const chat = folded(by);
		const users = viewOf(chat).filter(({ role }) => role === "user");
		for (const message of users) {
			const [said, ...ours] = blocksOf((message as { content: string }).content);
			assert.ok(said?.type === "text" && SAID.includes(said.text), textOf(message));
			for (const block of ours)
				assert.ok(block.type === "text" && parseStep(block.text) !== undefined);
		}
		const replayer = replayLog(logOf(chat), { folds: true, markers: false });
		const pieces = piecesOf(replayer, replayer.view()).flatMap(({ plain }) => plain);
		for (const message of pieces.filter(({ role }) => role === "user"))
			assert.ok(["!ls\n[exit code 1]", ...SAID].includes(textOf(message)), textOf(message));
	}
	// what a net writes by itself is a line a call: no block of the user's words can begin there
	const lines = chipOf(folded("net")).split("\n");
	const begins = lines.flatMap((line, at) => (line === "<user>" ? [at] : []));
	const [at = 0, ...others] = begins;
	assert.deepEqual(lines.slice(at, at + 4), ["<user>", "!ls", "[exit code 1]", "</user>"]);
	assert.deepEqual(others, []);
});

test("a label in a tool's output numbers nothing; asked for, it is refused, or folds what can be opened again", () => {
	const chat = new Chat(hostileSession());
	const replayer = replayLog(logOf(chat));
	assert.equal(replayer.steps.count, 4);
	const named = viewOf(chat).flatMap((message) =>
		message.role === "user" || message.role === "toolResult"
			? blocksOf(message.content).flatMap((block) =>
					block.type === "text" ? (parseStep(block.text) ?? []) : [],
				)
			: [],
	);
	assert.deepEqual(named, [1, 2, 3, 4, 5]);
	const refused = propose(replayer, { fromStep: 99, live: true });
	assert.ok(!refused.ok && refused.rule === "no-such-step");
	const before = viewOf(chat);
	const opened = new Chat(chat.entries).fold("e4", "e6");
	const id = `f${chat.entries.length.toString(16).padStart(3, "0")}`;
	assert.notDeepEqual(viewOf(opened), before);
	assert.deepEqual(viewOf(opened.record(encode({ kind: "open", id }))), before);
});

/** What a line of pi's editor can hold. */
const TYPED = ESCAPES.replace("\r", "");
const LINES = [
	"status",
	"price 1",
	"list",
	"fold",
	"fold 1 -- done",
	`fold 4 -- ${TYPED}`,
	"net",
	`open ${TYPED}`,
	"pin 1",
	"land",
	"drop",
	TYPED,
	"return f00",
	"off",
];

test("no notice, question or completion of a command holds what a terminal acts on", async () => {
	for (const by of ["model", "net"] as const) {
		const commands = typeCommands(folded(by).entries, {
			model: { provider: HOSTILE, id: HOSTILE },
		});
		const completions = ["", "open ", "drop ", "fold ", "land ", "pin ", "return "].flatMap(
			(prefix) => commands.complete("dmail", prefix) ?? [],
		);
		assert.ok(completions.length > 10);
		for (const { label, description } of completions)
			assert.doesNotMatch(`${label} ${description}`, ACTS);
		for (const line of LINES) await commands.run(`/dmail ${line}`);
		const { notices, dialogs } = commands.fake;
		assert.ok(notices.length >= LINES.length && dialogs.length > 0);
		for (const { text } of notices) assert.doesNotMatch(text, ACTS);
		for (const { title, options } of dialogs) assert.doesNotMatch([title, ...options].join(), ACTS);
	}
});

/** pi's own end of a line that was cut. */
const OWN = "\u001b[0m";
const PLAIN = {
	fg: (_: string, text: string) => text,
	bg: (_: string, text: string) => text,
	bold: (text: string) => text,
} as unknown as Parameters<typeof renderSendCall>[1];

test("nor does anything that is drawn in pi's transcript", () => {
	const entry = folded("model").entries.at(-1);
	const data = entry?.type === "custom" ? entry.data : undefined;
	const result = { content: [{ type: "text", text: HOSTILE }], details: { id: "f00" } };
	const args = { fromStep: 1, summary: HOSTILE, fold: HOSTILE, query: HOSTILE };
	for (const expanded of [false, true]) {
		const shown = { expanded };
		const drawn = [true, false].flatMap((isError) => [
			renderSendResult(result, shown, PLAIN, { expanded, isError }),
			renderReadResult(result, shown, PLAIN, { expanded, isError }),
		]);
		drawn.push(
			renderSendCall(args, PLAIN, shown),
			renderReadCall(args, PLAIN),
			renderCut({ content: HOSTILE, details: { fromStep: 1 } }, shown, PLAIN),
		);
		const chip = renderChip({ id: "x", data }, shown, PLAIN);
		for (const component of chip ? [...drawn, chip] : assert.fail())
			for (const width of [20, 200])
				for (const line of component.render(width))
					assert.doesNotMatch(line.replaceAll(OWN, ""), ACTS);
	}
});

const SHELL: readonly [string, Command, readonly string[]][] = [
	["the profile", profileSession, ["--verify"]],
	["its JSON", profileSession, ["--json"]],
	["its CSV", profileSession, ["--csv"]],
	["the folds", foldsCommand, []],
	["the folds' JSON", foldsCommand, ["--json"]],
	["what-if", whatIfCommand, []],
	["a fold", readCommand, ["f00b", "--force"]],
	["a fold's JSON", readCommand, ["f00b", "--force", "--json"]],
	["a fold that is none", readCommand, [ESCAPES]],
	["a search", grepCommand, ["everything"]],
];

/** The file of the session: its id, folder and one damaged line are hostile too. */
function hostileFile(): string {
	const { entries } = folded("model");
	const text = fileOf(entries, { id: HOSTILE, cwd: HOSTILE });
	return `${text}{"type":"${HOSTILE.replaceAll("\n", "")}\n`;
}

for (const kind of ["terminal", "pipe"] as const)
	test(`nor does anything that the profiler prints: ${kind}`, async () => {
		const paper = { kind, columns: 120, colour: false };
		for (const [name, command, args] of SHELL) {
			const { out, err } = await askShell(command, args, hostileFile(), { paper });
			assert.ok(out.length + err.length > 40, name);
			assert.doesNotMatch(err, ACTS, name);
			// to the letter, for a file or a program
			const isVerbatim = kind === "pipe" && (command === readCommand || command === grepCommand);
			const text = args.includes("--csv") ? out.replaceAll("\r\n", "\n") : out;
			if (!isVerbatim || args.includes("--json")) assert.doesNotMatch(text, ACTS, name);
		}
		const { out } = await askShell(listCommand, [], hostileFile(), { paper });
		assert.doesNotMatch(out, ACTS);
	});

test("no cell of the CSV begins what a spreadsheet would run", async () => {
	const { out } = await askShell(profileSession, ["--csv"], hostileFile());
	const [head = "", ...rows] = out.trimEnd().split("\r\n");
	assert.equal(rows.length, 4);
	assert.ok(rows.every((row) => row.includes("HYPERLINK")));
	for (const row of [head, ...rows])
		for (const cell of row.match(/"(?:[^"]|"")*"|[^,]+/g) ?? [])
			if (!/^-?[\d.e+-]+$/.test(cell)) assert.doesNotMatch(cell, /^"?\s*[=+\-@|%]/);
});

test("the summary of a net and the notes of a fold keep what others wrote on one line each", () => {
	const { entries } = folded("net");
	const entry = entries.at(-1);
	const record = entry?.type === "custom" ? entry.data : undefined;
	const { summary, notes = [] } = record as { summary: string; notes?: string[] };
	for (const note of notes) assert.doesNotMatch(note, /\n/);
	const lines = summary.split("\n").filter((line) => line !== "");
	for (const line of lines)
		assert.match(line, /^(?:Record of steps|\d+(?:–\d+)?\. |Files changed: )/);
});
