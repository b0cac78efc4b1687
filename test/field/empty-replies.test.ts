// Replies that came to nothing, and content that is missing, null or of a form that nobody expects.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { propose, Replayer } from "../../fold.ts";
import { listCommand } from "../../src/report/command-list.ts";
import { readBranch } from "../../src/session/branch.ts";
import type { PiMessage } from "../../src/session/entry.ts";
import { piHost } from "../../src/session/message.ts";
import { Chat, sent } from "../support/chat.ts";
import { askIn } from "../support/run-command.ts";
import { inDirectory } from "../support/scratch.ts";
import { putThrough } from "./odd-content.ts";
import { fileOf, profileOf, rowsOf, textOf } from "./profiled.ts";

const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

/** A reply without content that ended for this reason and used nothing. */
function empty(chat: Chat, stopReason: string): Chat {
	const usage = { ...NOTHING, cost: FREE };
	return chat.reply([], stopReason).amend({ content: [], usage, responseId: "r" });
}

function rolesIn(messages: readonly PiMessage[]): string[] {
	return messages.map((message) => message.role);
}

test("E01: replies that were broken off stand where pi's list has them, and fold with their range", () => {
	const chat = new Chat().user().step("a");
	empty(empty(chat, "aborted"), "aborted").user().step("b").user();
	assert.deepEqual(
		rolesIn(sent(chat.entries, chat.list()).messages as PiMessage[]),
		rolesIn(chat.list()),
	);
	const replayer = new Replayer(piHost);
	for (const entry of readBranch(chat.entries, "1.6")) replayer.push(entry);
	const made = propose(replayer, { fromStep: 1, toStep: 2, live: false });
	assert.ok(made.ok);
	const folded = new Chat(chat.entries).fold(made.fromEntryId, made.toEntryId);
	assert.deepEqual(rolesIn(sent(folded.entries, folded.list()).messages as PiMessage[]), [
		"user",
		"custom",
		"user",
	]);
});

test("E01: the profiler counts 42 of them as attempts that used nothing", () => {
	const chat = new Chat().user().step("a");
	for (let n = 0; n < 42; n++) empty(chat, n % 2 ? "aborted" : "error");
	const profile = profileOf(chat.entries);
	const { totals } = profile;
	assert.deepEqual([totals.requests, totals.steps], [43, 1]);
	assert.deepEqual([totals.prompt, totals.output, totals.unpriced], [0, 0, 0]);
	for (const row of rowsOf(profile).slice(1))
		assert.deepEqual([row.step, row.prompt, row.output, row.costUsd], [null, null, null, null]);
});

test("E02: an empty reply that says it stopped is a step without a size, and is told as unmeasured", async () => {
	const chat = new Chat()
		.user()
		.step("a")
		.reply()
		.amend({
			usage: { input: 100, output: 20, cacheRead: 900, cacheWrite: 0 },
		});
	const before = profileOf(chat.entries);
	empty(chat.user(), "stop").user();
	const profile = profileOf(chat.entries);
	const { totals, calibration } = profile;
	assert.deepEqual([totals.requests, totals.steps, totals.unmeasured], [3, 3, 2]);
	const last = rowsOf(profile).at(-1);
	assert.deepEqual(
		[last?.stop, last?.prompt, last?.cacheHit, last?.output],
		["stop", null, null, null],
	);
	assert.deepEqual(calibration, before.calibration);
	assert.match(textOf(profile), /2 without usage/);
	const { answers } = await putThrough(chat.entries);
	assert.doesNotMatch([...answers.values()].join("\n"), /NaN|Infinity|undefined/);
});

/** What others found in the place of a message's content. */
const CONTENTS: readonly unknown[] = [
	null,
	undefined,
	"text",
	"",
	[],
	[null],
	["text"],
	[[]],
	[{}],
	{},
	7,
	true,
	[{ type: "text" }],
	[{ type: "thinking" }],
	[{ type: "image" }],
	[{ type: "toolCall" }],
	[{ type: "toolCall", id: 7, name: null, arguments: null }],
	[{ type: "toolCall", id: "x", name: "bash", arguments: "ls" }],
	[{ type: "other", data: {} }],
];

const READINGS = /NaN|Infinity|undefined|\[object/;

test("E04: whatever stands for a reply's content, everything reads on", async () => {
	for (const [at, content] of CONTENTS.entries())
		for (const stop of at < 3 ? ["stop", "error"] : ["toolUse"]) {
			const chat = new Chat().user().reply([], stop).amend({ content }).step("b").user();
			const { profile, source, answers } = await putThrough(chat.entries);
			const what = JSON.stringify(content);
			assert.equal(profile.totals.requests, 2, what);
			assert.ok(source.includes("output 2") || source.includes("output 3"), what);
			assert.doesNotMatch([textOf(profile), ...answers.values()].join("\n"), READINGS, what);
		}
});

test("E05: a message of the user without content keeps its place, and what follows is found", async () => {
	for (const [at, content] of CONTENTS.entries())
		for (const role of at < 3 ? ["user", "toolResult"] : [at % 2 ? "user" : "toolResult"]) {
			const chat = new Chat()
				.user("go")
				.reply(["a"])
				.user()
				.amend({
					...{ role, content, toolCallId: "a", toolName: "bash", isError: false },
				});
			chat.reply().user("next").step("b");
			const { profile, folded, answers } = await putThrough(chat.entries);
			const what = `${role} ${JSON.stringify(content)}`;
			assert.equal(profile.session.entries, chat.entries.length + 1, what);
			assert.equal(profile.session.branches, 1, what);
			assert.ok(JSON.stringify(folded).includes("next"), what);
			assert.doesNotMatch([textOf(profile), ...answers.values()].join("\n"), READINGS, what);
		}
});

test("E07: content that is a string is one text, and a role that nobody knows is read as what it is", async () => {
	for (const role of ["system", "developer", "tool", "function", "toString", "__proto__", ""]) {
		const chat = new Chat().user().step("a").user().amend({ role, content: "some words" });
		const { profile, source } = await putThrough(chat.step("b").entries);
		assert.deepEqual([profile.totals.steps, profile.totals.userMessages], [2, 1], role);
		assert.deepEqual([profile.totals.orphanResults, profile.session.problems], [0, []], role);
		assert.match(source, /some words/, role);
		if (role !== "") assert.ok(source.includes(`=== ${role} · `), role);
	}
});

/** A session with one reply, its content a string. */
function goodFile(n: number): string {
	const chat = new Chat()
		.user("go")
		.reply()
		.amend({
			content: "a string",
			responseId: `r${n}`,
			usage: { input: 10, output: 1, cacheRead: 0, cacheWrite: 0 },
		});
	return fileOf(chat.entries, { id: `good${n}` });
}

test("E08: one file that cannot be read takes nothing from the 99 others, and is named", async () => {
	for (const bad of ["", "\0\0\0\n", '{"type":"agent_start"}\n', "[1, 2]\n"])
		await inDirectory(async (directory) => {
			for (let n = 0; n < 99; n++) writeFileSync(join(directory, `${n}.jsonl`), goodFile(n));
			writeFileSync(join(directory, "bad.jsonl"), bad);
			const { code, out, err } = await askIn(directory, listCommand, [
				...["--list", "--all", "--deep", "--json"],
			]);
			const { totals } = JSON.parse(out);
			assert.deepEqual([totals.requests, totals.prompt, totals.output], [99, 990, 99]);
			assert.equal(code, 1);
			assert.match(err, /^profile: \S+bad\.jsonl: [a-z][^\n]+\n$/);
		});
});
