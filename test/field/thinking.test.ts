// Thinking, its signatures and changes of the model: what the view may touch of a reply, and when.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { encode } from "../../fold.ts";
import { readCommand } from "../../src/report/command-read.ts";
import { profileSession } from "../../src/report/command-session.ts";
import {
	type AssistantMessage,
	type Block,
	blocksOf,
	type PiMessage,
	type SessionEntry,
} from "../../src/session/entry.ts";
import { Chat, sent } from "../support/chat.ts";
import { call, record, reply, result, session, user } from "../support/session-entries.ts";
import { profileOf, rowsOf } from "./profiled.ts";
import { askShell } from "./shell.ts";

/** A reply's thinking with a signature that only its own model's provider can check. */
function signed(entries: readonly SessionEntry[], model: string): SessionEntry[] {
	return entries.map((entry) => {
		if (entry.type !== "message" || entry.message.role !== "assistant") return entry;
		const thinking = { type: "thinking", thinking: "…", thinkingSignature: `${entry.id}-sig` };
		const redacted = { type: "thinking", thinking: "", thinkingSignature: "x", redacted: true };
		const content = [thinking, redacted, ...(entry.message.content as Block[])] as Block[];
		const api = "anthropic-messages";
		return { ...entry, message: { ...entry.message, provider: model, model, api, content } };
	});
}

const FOLD = { v: 1, id: "f001", summary: "s", digest: "0", by: "model" };

/** Work on one model, a change to another, and a fold that the other makes of it; each reply has thought. */
function switched(more: object): SessionEntry[] {
	const change = { type: "model_change", provider: "anthropic", modelId: "b" };
	const drafts = [
		user("go"),
		reply("a", call("a", "bash", {})),
		result("a", "output"),
		reply("b", call("b", "bash", {})),
		result("b", "output"),
		(at: number) =>
			({ id: `e${at}`, parentId: `e${at - 1}`, timestamp: "", ...change }) as SessionEntry,
		reply("c", call("c", "send_dmail", { fromStep: 2, summary: "s" }), call("d", "bash", {})),
		record("dmail.fold", { ...FOLD, fromEntryId: "e3", toEntryId: "e6", callId: "c", ...more }),
		result("c", "folded"),
		result("d", "output"),
	];
	return signed(session(...drafts), "kimi");
}

function repliesIn(messages: readonly PiMessage[]): AssistantMessage[] {
	return messages.flatMap((message) => (message.role === "assistant" ? [message] : []));
}

/** Throws unless each reply of a view is the one in hand, to the byte; says how many were pointed. */
function checkReplies(entries: readonly SessionEntry[]): number {
	const list = new Chat(entries).list();
	const own = repliesIn(list);
	let pointed = 0;
	for (const shown of repliesIn(sent(entries, list).messages as PiMessage[])) {
		const stored = own.find(({ timestamp }) => timestamp === shown.timestamp);
		assert.ok(stored);
		if (shown === stored) continue;
		pointed++;
		const { content, ...rest } = shown;
		const { content: before, ...restBefore } = stored;
		assert.deepEqual(rest, restBefore);
		for (const [at, block] of blocksOf(content).entries()) {
			const was = blocksOf(before)[at];
			if (block === was || block.type !== "toolCall" || was?.type !== "toolCall") {
				assert.equal(block, was);
				continue;
			}
			assert.equal(block.name, "send_dmail");
			const { summary } = was.arguments;
			assert.deepEqual({ ...block, arguments: { ...block.arguments, summary } }, was);
		}
	}
	return pointed;
}

test("T01: after a change of the model no thinking or signature is copied, edited or dropped", () => {
	assert.equal(checkReplies(switched({})), 1);
	assert.equal(checkReplies(switched({ held: true })), 0);
	const { entries } = new Chat(switched({})).record(encode({ kind: "open", id: "f001" }));
	assert.equal(checkReplies(entries), 0);
	const shown = repliesIn(sent(entries, new Chat(entries).list()).messages as PiMessage[]);
	assert.equal(shown.length, 3);
	for (const { content } of shown)
		assert.equal(blocksOf(content).filter(({ type }) => type === "thinking").length, 2);
});

test("T02: of the reply whose calls are newest only the summary of its own fold may change", () => {
	for (const length of [8, 9, 10]) {
		const entries = switched({}).slice(0, length);
		const list = new Chat(entries).list();
		assert.equal(checkReplies(entries), 1);
		const latest = repliesIn(sent(entries, list).messages as PiMessage[]).at(-1);
		const own = repliesIn(list).at(-1);
		const [shown, stored] = [latest, own].map((reply) => blocksOf(reply?.content).toSpliced(3, 1));
		assert.deepEqual(shown, stored);
		assert.equal(shown?.length, 4);
	}
	// a fold of the steps before, by somebody else, leaves it alone
	const { entries } = new Chat(switched({ held: true })).fold("e1", "e3");
	assert.equal(checkReplies(entries), 0);
});

/** What is sent for each reply of a session, as the texts of its messages. */
function requestsOf(entries: readonly SessionEntry[]): string[][] {
	const asked = entries.flatMap((entry, at) =>
		entry.type === "message" && entry.message.role === "assistant" ? [at] : [],
	);
	return asked.map((at) => {
		const before = entries.slice(0, at);
		const { messages } = sent(before, new Chat(before).list());
		return messages.map((message) => JSON.stringify(message));
	});
}

function hashOf(texts: readonly string[]): string {
	return createHash("sha256").update(texts.join("\n")).digest("hex");
}

test("T04: what was sent stays as it was from turn to turn, thinking and all, but for a fold's place", () => {
	const turn = (n: number) => [
		user(`turn ${n}`),
		reply("", call(`a${n}`, "bash", {})),
		result(`a${n}`, "output"),
		reply("done"),
	];
	const turns = Array.from({ length: 10 }, (_, n) => turn(n)).flat();
	const plain = signed(session(...turns), "claude");
	const folding = record("dmail.fold", { ...FOLD, fromEntryId: "e8", toEntryId: "e16" });
	const folded = signed(session(...turns.slice(0, 24), folding, ...turns.slice(24)), "claude");
	for (const [entries, foldedAt, kept] of [
		[plain, -1, 0],
		[folded, 12, 8],
	] as const) {
		const requests = requestsOf(entries);
		assert.equal(requests.length, 20);
		for (const [at, after] of requests.entries()) {
			const before = requests[at - 1] ?? [];
			const same = at === foldedAt ? kept : before.length;
			assert.equal(hashOf(after.slice(0, same)), hashOf(before.slice(0, same)), `request ${at}`);
		}
	}
});

/** A page of 40 KB instead of an error, with what a terminal or a browser would act on. */
const PAGE = `<html><script>alert(1)</script>\u001b]0;title\u0007${"<p>gateway</p>".repeat(3_000)}</html>`;

function failedWithPage(): SessionEntry[] {
	const chat = new Chat().user().step("a").reply([], "error");
	const entry = chat.entries.at(-1);
	if (entry?.type === "message")
		Object.assign(entry.message, { content: [], errorMessage: PAGE, stopReason: "error" });
	return chat.reply([], "<html>").step("b").fold("e1", null).entries;
}

test("T05: a page of HTML for an error is counted as one, and a report has its beginning on a line of its own", async () => {
	const entries = failedWithPage();
	const rows = rowsOf(profileOf(entries));
	assert.deepEqual(
		rows.map(({ step, stop }) => [step, stop]),
		[
			[1, "toolUse"],
			[null, "error"],
			[null, "<html>"],
			[2, "toolUse"],
		],
	);
	for (const form of [[], ["--json"], ["--csv"]]) {
		const { code, out } = await askShell(profileSession, form, entries);
		assert.equal(code, 0);
		assert.ok(out.length < 6_000);
		assert.ok(!out.includes("\u001b"));
		const lines = out.split("\n").filter((line) => /gateway|<script/.test(line));
		assert.equal(lines.length, form.length === 0 ? 1 : 0);
		for (const line of lines)
			assert.match(
				line,
				/^ {2}#2 error: <html><script>alert\(1\)<\/script>␛\]0;title␇<p>.{1,160}…$/,
			);
	}
});

test("T05: who reads the failed reply gets it whole, and nothing that a terminal would act on", async () => {
	const entries = failedWithPage();
	const paper = { kind: "terminal", columns: 80, colour: true } as const;
	const id = "f007";
	const { out } = await askShell(readCommand, [id, "--force"], entries, { paper });
	assert.ok(out.includes("<p>gateway</p>".repeat(3_000)));
	for (const control of ["\u001b", "\u0007"]) assert.ok(!out.includes(control));
});
