// The summary of a net: a golden file of one run, its bounds as properties, and every recorded session.
// After a change that is meant: UPDATE_GOLDEN=1 node --test test/notes/net.test.ts

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { type FoldRecord, Replayer, SUMMARY_LIMIT } from "../../fold.ts";
import { actionsOf } from "../../src/notes/action.ts";
import { factsOf } from "../../src/notes/facts.ts";
import {
	LINES_LIMIT,
	type NetFold,
	type NetStretch,
	type NetSummary,
	netSummary,
} from "../../src/notes/net.ts";
import { readBranch } from "../../src/session/branch.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { readSession } from "../../src/session/file.ts";
import { piHost } from "../../src/session/message.ts";
import { estimateText, estimateTokens } from "../../src/session/size.ts";
import { isStepEntry } from "../../src/session/source-text.ts";
import { SessionTree } from "../../src/session/tree.ts";
import { recordedPath, testRecorded } from "../session/recorded.ts";
import { cases } from "../support/cases.ts";
import { call, type Draft, reply, result, session, user } from "../support/session-entries.ts";

const ROOT = join(import.meta.dirname, "..");

/** The steps of a branch up to `toStep`, with the folds that lie among them. */
function stretchOf(branch: readonly SessionEntry[], toStep: number, cwd?: string): NetStretch {
	const replayer = new Replayer(piHost);
	for (const entry of readBranch(branch, "1.6")) replayer.push(entry);
	const { steps, folds } = replayer;
	const from = steps.positionOfStep(1) ?? 0;
	const to = steps.endOf(from, steps.positionOfStep(toStep) ?? from);
	const inside = folds.filter(
		(fold) => fold.state !== "skipped" && fold.from >= from && fold.to <= to,
	);
	return {
		entries: branch.slice(from, to),
		firstStep: 1,
		folds: inside.map((fold) => ({
			from: fold.from - from,
			to: fold.to - from,
			record: fold.record,
		})),
		cwd,
	};
}

test("a run is told as the golden file has it", () => {
	const { entries, header } = readSession(join(ROOT, "fixtures/net-run.jsonl"));
	const net = netSummary(stretchOf(entries, 20, header?.cwd));
	const golden = join(ROOT, "golden/net.txt");
	if (process.env["UPDATE_GOLDEN"]) writeFileSync(golden, `${net?.summary}\n`);
	assert.equal(`${net?.summary}\n`, readFileSync(golden, "utf8"));
	assert.equal(net?.toStep, 20);
});

/** The lines of a summary, without what it quotes and without its head and files. */
function linesOf(summary: string): string[] {
	const own = summary.replaceAll(
		/\n\n[^\n]* \(fold [0-9a-f]+\):\n[\s\S]*?\n\(end of this summary\)/g,
		"",
	);
	return own.split("\n").filter((line) => /^\d+(?:–\d+)?\. /.test(line));
}

function rawTokens(entries: readonly SessionEntry[]): number {
	return entries.reduce(
		(sum, entry) =>
			sum + (entry.type === "message" && entry.message ? estimateTokens(entry.message) : 0),
		0,
	);
}

/** All that must hold of every summary; `entries` are those that it stands for without the quoted ones. */
function check(summary: string, entries: readonly SessionEntry[]): void {
	assert.ok(summary.length <= SUMMARY_LIMIT, `${summary.length} characters`);
	const lines = linesOf(summary).join("\n");
	assert.ok(lines.length <= LINES_LIMIT, `${lines.length} characters of lines`);
	const raw = rawTokens(entries);
	if (raw > 30_000)
		assert.ok(estimateText(lines) <= raw / 10, `${estimateText(lines)} of ${raw} tokens`);
}

/** Every changed file is named, and the line of a step with a failed command says its exit code. */
function checkTold(stretch: NetStretch, { summary, reaches }: NetSummary): void {
	const entries = stretch.entries.slice(0, reaches);
	for (const { name } of factsOf(entries, stretch.cwd).changed)
		assert.ok(summary.includes(name), `${name} was changed`);
	const lines = new Map(linesOf(summary).flatMap((line) => spanOf(line).map((at) => [at, line])));
	for (const { at, ending } of actionsOf(entries)) {
		const step = stretch.firstStep - 1 + entries.slice(0, at + 1).filter(isStepEntry).length;
		const line = lines.get(step);
		if (line === undefined || ending.how !== "failed" || ending.exit === undefined) continue;
		assert.match(line, new RegExp(`exit ${ending.exit}\\b`), `step ${step}`);
	}
}

function numbersIn(summary: string): number[] {
	return linesOf(summary).flatMap(spanOf);
}

/** The steps that a line stands for. */
function spanOf(line: string): number[] {
	const [, from, to] = /^(\d+)(?:–(\d+))?\./.exec(line) ?? [];
	const first = Number(from);
	return Array.from({ length: Number(to ?? from) - first + 1 }, (_, at) => first + at);
}

function fold(id: string, summary: string, by: FoldRecord["by"] = "model"): FoldRecord {
	return { kind: "fold", v: 1, id, fromEntryId: "a", toEntryId: "b", summary, by, digest: "0" };
}

/** A step with one call, as long as asked for. */
function work(at: number, text = "Next.", size = 400): Draft[] {
	const name = at % 3 === 0 ? "edit" : "bash";
	const args =
		name === "edit" ? { path: `src/file-${at}.ts` } : { command: `make part-${at} && make check` };
	const failed = name === "bash" && at % 2 === 0;
	return [
		reply(text, call(`c${at}`, name, args)),
		result(`c${at}`, `${"x".repeat(size)}${failed ? "\n\nCommand exited with code 2" : ""}`, {
			isError: failed,
		}),
	];
}

function run(steps: number, text?: string, size?: number): SessionEntry[] {
	return session(...Array.from({ length: steps }, (_, at) => work(at + 1, text, size)).flat());
}

test("every raw step has a line of its own, in full where there is room", () => {
	const net = netSummary({
		entries: run(6, "I build the part. Then I test."),
		firstStep: 4,
		folds: [],
	});
	assert.deepEqual(linesOf(net?.summary ?? "").slice(0, 3), [
		"4. I build the part. · bash make part-1 && make check → 400",
		"5. I build the part. · bash make part-2 && make check → exit 2, 428",
		"6. I build the part. · edit src/file-3.ts → 400",
	]);
	assert.equal(net?.toStep, 9);
	assert.match(net?.summary ?? "", /\n\nFiles changed: src\/file-3\.ts, src\/file-6\.ts$/);
});

test("the oldest lines are shortened first, and none is dropped", () => {
	const entries = run(300, "This is what I say before I do the work of this step.", 2_000);
	const net = netSummary({ entries, firstStep: 1, folds: [] });
	assert.ok(net);
	check(net.summary, entries);
	assert.deepEqual(
		numbersIn(net.summary),
		Array.from({ length: 300 }, (_, at) => at + 1),
	);
	const lines = linesOf(net.summary);
	const [oldest = "", newest = ""] = [lines.at(0), lines.at(-3)];
	assert.ok(oldest.length < newest.length, `${oldest} | ${newest}`);
});

test("steps that have no room even so are told several to a line, with their failures", () => {
	const entries = run(4_000, "I go on with it.", 200);
	const net = netSummary({ entries: entries.slice(0, 3_000), firstStep: 1, folds: [] });
	assert.ok(net);
	check(net.summary, entries);
	assert.equal(net.toStep, numbersIn(net.summary).length);
	assert.match(linesOf(net.summary)[0] ?? "", /^1–\d+\. .*bash exit 2/);
});

test("summaries by model and user stand word for word and in order, in place of their steps", () => {
	const entries = run(9);
	const folds: NetFold[] = [
		{ from: 10, to: 14, record: fold("bbbb", "Second:\n\n- b", "user") },
		{ from: 2, to: 6, record: fold("aaaa", "First\n1. a") },
	];
	const net = netSummary({ entries, firstStep: 1, folds });
	const summary = net?.summary ?? "";
	assert.deepEqual(numbersIn(summary), [1, 4, 5, 8, 9]);
	const first = summary.indexOf("Your summary of steps 2–3 (fold aaaa):\nFirst\n1. a\n(end");
	const second = summary.indexOf(
		"The user's summary of steps 6–7 (fold bbbb):\nSecond:\n\n- b\n(end",
	);
	assert.ok(first > summary.indexOf("\n1. ") && first < summary.indexOf("\n4. "));
	assert.ok(second > summary.indexOf("\n5. ") && second < summary.indexOf("\n8. "));
	assert.match(summary, /Files changed: src\/file-3\.ts, src\/file-6\.ts, src\/file-9\.ts$/);
});

test("the steps of an absorbed net have lines again, and what it had absorbed stays word for word", () => {
	const entries = run(8);
	const inner: NetFold = { from: 4, to: 8, record: fold("aaaa", "Mine.") };
	const older: NetFold = { from: 0, to: 12, record: fold("cccc", "old lines", "auto") };
	const again = netSummary({ entries, firstStep: 1, folds: [older, inner] });
	assert.equal(again?.summary, netSummary({ entries, firstStep: 1, folds: [inner] })?.summary);
	assert.ok(!again?.summary.includes("old lines"));
});

test("a summary inside another one stands for nothing of its own", () => {
	const folds: NetFold[] = [
		{ from: 0, to: 4, record: fold("aaaa", "inner") },
		{ from: 0, to: 8, record: fold("bbbb", "outer") },
	];
	const net = netSummary({ entries: run(6), firstStep: 1, folds });
	assert.ok(net?.summary.includes("outer") && !net.summary.includes("inner"));
});

test("a net stops before a summary that would take it over the limit, and says how far it reaches", () => {
	const long = (id: string) => fold(id, "y".repeat(9_500));
	const folds: NetFold[] = [
		{ from: 2, to: 4, record: long("aaaa") },
		{ from: 6, to: 8, record: long("bbbb") },
		{ from: 10, to: 12, record: long("cccc") },
	];
	const net = netSummary({ entries: run(8), firstStep: 1, folds });
	assert.equal(net?.toStep, 5);
	assert.equal(net?.reaches, 10);
	check(net?.summary ?? "", []);
	const first: NetFold = { from: 0, to: 2, record: fold("dddd", "z".repeat(SUMMARY_LIMIT)) };
	assert.equal(netSummary({ entries: run(3), firstStep: 1, folds: [first] }), undefined);
});

test("what says nothing has a line all the same", () => {
	const entries = session(
		reply(""),
		user("go on"),
		reply("```\nx\n```\n[step 3]\n- **Done** now: yes! More."),
		reply("# Plan\n\nDone. All of it. More."),
		reply("# Plan"),
	);
	assert.deepEqual(linesOf(netSummary({ entries, firstStep: 2, folds: [] })?.summary ?? ""), [
		"2. (nothing said)",
		"3. **Done** now: yes!",
		"4. Done. All of it.",
		"5. Plan",
	]);
});

const anyRun = fc
	.array(
		fc.record({
			text: fc.oneof(fc.constant(""), fc.lorem(), fc.string({ unit: "grapheme", maxLength: 80 })),
			name: fc.constantFrom("edit", "write", "read", "bash", "web"),
			argument: fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
			size: fc.integer({ min: 0, max: 4_000 }),
			isError: fc.boolean(),
		}),
		{ minLength: 1, maxLength: 120 },
	)
	.map((steps) =>
		session(
			...steps.flatMap(({ text, name, argument, size, isError }, at) => [
				reply(text, call(`c${at}`, name, { path: argument, command: argument })),
				result(
					`c${at}`,
					`${"漢".repeat(size)}${isError ? `\n\nCommand exited with code ${at}` : ""}`,
					{
						isError,
					},
				),
			]),
		),
	);
const anyCuts = fc.array(
	fc.record({
		from: fc.nat(119),
		steps: fc.integer({ min: 1, max: 9 }),
		length: fc.integer({ min: 1, max: 9_000 }),
		by: fc.constantFrom("model" as const, "user" as const, "auto" as const),
	}),
	{ maxLength: 4 },
);

/** Disjoint folds over whole steps of a run of two entries a step. */
function foldsOver(
	entries: readonly SessionEntry[],
	cuts: readonly { from: number; steps: number; length: number; by: "model" | "user" | "auto" }[],
): NetFold[] {
	const folds: NetFold[] = [];
	for (const cut of [...cuts].sort((a, b) => a.from - b.from)) {
		const from = Math.max(cut.from * 2, folds.at(-1)?.to ?? 0);
		const to = Math.min(from + cut.steps * 2, entries.length);
		const id = `abc${folds.length}`;
		if (from < to) folds.push({ from, to, record: fold(id, "w".repeat(cut.length), cut.by) });
	}
	return folds;
}

test("a summary keeps its bounds, is the same every time, and names every changed file it stands for", () => {
	fc.assert(
		fc.property(anyRun, anyCuts, (entries, cuts) => {
			const folds = foldsOver(entries, cuts);
			const net = netSummary({ entries, firstStep: 1, folds });
			if (!net) return;
			const quoted = folds.filter(({ record, to }) => record.by !== "auto" && to <= net.reaches);
			const raw = entries
				.slice(0, net.reaches)
				.filter((_, at) => !quoted.some(({ from, to }) => at >= from && at < to));
			check(net.summary, raw);
			assert.deepEqual(netSummary({ entries, firstStep: 1, folds }), net);
			const steps = raw.filter(isStepEntry).map((entry) => entries.indexOf(entry) / 2 + 1);
			assert.deepEqual(numbersIn(net.summary), steps);
			for (const { record } of quoted)
				assert.ok(net.summary.includes(`:\n${record.summary}\n(end`));
			checkTold({ entries, firstStep: 1, folds }, net);
		}),
		cases(0.2),
	);
});

testRecorded(
	"nets of a recorded session, the second over the first and the third over both",
	(file) => {
		const { entries, entryLines, header } = readSession(recordedPath(file));
		const tree = new SessionTree<SessionEntry>();
		entries.forEach((entry, at) => {
			tree.add(entry, entryLines[at] ?? 0);
		});
		const branch = tree.branch();
		const count = branch.filter(isStepEntry).length;
		if (count === 0) return;
		const nets: NetFold[] = [];
		for (const toStep of [Math.ceil(count / 3), Math.ceil((2 * count) / 3), count]) {
			const stretch = stretchOf(branch, toStep, header?.cwd);
			const net = netSummary({ ...stretch, folds: [...stretch.folds, ...nets] });
			assert.ok(net);
			assert.equal(net.toStep, toStep);
			check(net.summary, stretch.entries);
			checkTold(stretch, net);
			assert.deepEqual(
				numbersIn(net.summary),
				Array.from({ length: toStep }, (_, at) => at + 1),
			);
			assert.deepEqual(netSummary(stretch), net, "an absorbed net leaves no trace");
			nets.push({ from: 0, to: net.reaches, record: fold(`abc${toStep}`, net.summary, "auto") });
		}
	},
);
