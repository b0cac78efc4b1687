// Folding itself: what is reported is what is sent, nothing is folded into itself without end, nothing that
// came in is changed, and where folds do not reach the request somebody is told.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encode, foldContext, propose, type View } from "../../fold.ts";
import { factsOf } from "../../src/notes/facts.ts";
import { notesOf } from "../../src/notes/notes.ts";
import { makeCommands } from "../../src/pi/commands.ts";
import { foldNow } from "../../src/pi/folding.ts";
import { replayLog } from "../../src/pi/log.ts";
import { blocksOf, type PiMessage, type SessionEntry } from "../../src/session/entry.ts";
import { piHost } from "../../src/session/message.ts";
import { logOf, randomChats } from "../pi/random-chat.ts";
import { cases } from "../support/cases.ts";
import { Chat } from "../support/chat.ts";
import { typeCommands } from "../support/fake-commands.ts";
import { chipsAmong, hookOver, textOf } from "../support/hook.ts";
import { call, reply, result, session, user } from "../support/session-entries.ts";

function size(messages: readonly PiMessage[]): number {
	return messages.reduce((sum, message) => sum + piHost.tokens(message), 0);
}

const LONG = "a line of output that weighs something\n".repeat(100);

/** Two requests with two steps each, big results; a call that folds is still open at the end. */
function busy(): SessionEntry[] {
	return session(
		user("look at both"),
		reply("I look.", call("a", "bash", { command: "ls" })),
		result("a", LONG),
		reply("", call("b", "read", { path: "src/a.ts" })),
		result("b", LONG),
		user("and now the rest"),
		reply("", call("c", "read", { path: "src/b.ts" })),
		result("c", LONG),
		reply("Now I fold.", call("f", "send_dmail", { fromStep: 1, summary: "both are read" })),
	);
}

const FOLDED = {
	wish: { fromStep: 1, callId: "f", live: true },
	summary: "both are read",
	by: "model",
	timing: "now",
} as const;

test("G02: what stands for folded steps says that it is no failure, which steps, how large, and how to read them", async () => {
	const { fake, send } = hookOver(busy());
	const made = foldNow(fake.pi, fake.ctx, FOLDED);
	assert.ok(made.ok);
	const [chip, ...others] = chipsAmong(await send());
	assert.equal(others.length, 0);
	const [head = "", ...body] = textOf(chip).split("\n");
	const id = `"${made.id}"`;
	assert.ok(head.includes(`fold=${id}`) && head.includes(`read_dmail({"fold":${id}})`), head);
	assert.match(head, /steps="1-3" size="\d+ tokens"/);
	assert.match(body.join("\n"), /^You did this work and folded it away\. .* must not redo it/);
	assert.equal(chip?.role, "custom", "no tool result, so no error of one");
	assert.doesNotMatch(textOf(chip), /error|failed|pruned|truncated/i);
});

test("G03: only a call that went well counts as a change of a file or as a reading of it", () => {
	const calls = (outcome: { isError?: boolean }) =>
		session(
			reply("", call("1", "edit", { path: "f.ts" }), call("2", "write", { path: "g.ts" })),
			result("1", "done", outcome),
			result("2", "done", outcome),
			reply("", call("3", "read", { path: "h.ts" })),
			result("3", "text", outcome),
		);
	const failed = factsOf(calls({ isError: true }));
	assert.deepEqual([failed.changed, failed.read], [[], []]);
	assert.equal(
		failed.failed.reduce((sum, { count }) => sum + count, 0),
		3,
	);
	const ok = factsOf(calls({}));
	assert.deepEqual(
		[ok.changed, ok.read].map((list) => list.map(({ name }) => name)),
		[["f.ts", "g.ts"], ["h.ts"]],
	);
	const unanswered = factsOf(session(reply("", call("1", "edit", { path: "f.ts" }))));
	assert.deepEqual(unanswered.changed, []);
	assert.doesNotMatch(notesOf(failed, []).join("\n"), /(changed|read|written): [fgh]\.ts/i);
});

test("G05: the sizes that a fold reports are those of what is sent before and after it", async () => {
	const { fake, send, badges, dmail } = hookOver(busy());
	const before = size(await send());
	const made = foldNow(fake.pi, fake.ctx, FOLDED);
	assert.ok(made.ok);
	dmail.recount(fake.ctx);
	const after = await send();
	assert.equal(made.tokensBefore, before);
	// the record says that the model wrote it: its call reads as a pointer from now on
	assert.ok(Math.abs(made.tokensAfter - size(after)) <= 1);
	const { weight } = made;
	assert.ok(Math.abs(before - size(after) - (weight.replaced - weight.chip)) < 30);
	assert.match(badges.at(-1) ?? "", /−\d/);
});

test("G05: a fold that is refused, and one made while folding is off, save nothing and say nothing of it", async () => {
	const { fake, send, badges, dmail, list } = hookOver(busy());
	assert.ok(foldNow(fake.pi, fake.ctx, FOLDED).ok);
	dmail.switch(fake.ctx, false);
	assert.deepEqual(await send(), list());
	assert.equal(badges.at(-1), "⚠ D-MAIL OFF");
});

/** What the badge says is saved; 0 where it names nothing. */
function saidBy(badges: readonly string[]): number {
	const [, number = "0", unit = ""] = /−([\d.]+)(k?)/.exec(badges.at(-1) ?? "") ?? [];
	return Number(number) * (unit === "k" ? 1_000 : 1);
}

test("G05: what the badge says is saved is what the request lacks, also beside compactions, edits and neighbours", async () => {
	const generous = fc.record({ cut: fc.nat(9), keep: fc.boolean() });
	const chats = randomChats(30);
	const check = fc.asyncProperty(chats, generous, async (chat, { cut, keep }) => {
		const { badges, send, list } = hookOver(chat.entries, { nudge: false });
		const raw = list().filter((_, index) => keep || index % 10 !== cut);
		const view = await send(raw);
		const markers = view.reduce((sum, message) => sum + markerTokens(message), 0);
		const lacks = size(raw) - (size(view) - markers);
		// a number is shown with two digits; pointers and rounding make up the rest
		const said = saidBy(badges);
		const chips = chipsAmong(view).length;
		const slack = 30 + 30 * chips + 0.06 * lacks + view.length;
		if (chips > 0) assert.ok(Math.abs(said - Math.max(0, lacks)) <= slack, `${said} ${lacks}`);
		else assert.equal(said, 0);
	});
	await fc.assert(check, cases(0.5));
});

function markerTokens(message: PiMessage): number {
	const blocks = blocksOf("content" in message ? message.content : []);
	const own = blocks.filter((block) => block.type === "text" && /^\[step \d+\]/.test(block.text));
	return own.length * 3;
}

test("G06: where folds do not reach the request it is said once, and nothing asks for more of them", async () => {
	const { fake, send, list, badges } = hookOver(busy());
	assert.ok(foldNow(fake.pi, fake.ctx, FOLDED).ok);
	// a host that gives messages other ids and times than it stores
	const strange = list().map((message): PiMessage => {
		if (message.role === "toolResult") return { ...message, toolCallId: "x", timestamp: 7 };
		if (message.role !== "assistant") return message;
		const calls = blocksOf(message.content).map((block) =>
			block.type === "toolCall" ? { ...block, id: `x${block.id}` } : block,
		);
		return { ...message, content: calls, timestamp: 7 };
	});
	for (let turn = 0; turn < 3; turn++)
		assert.ok(size(await send(strange)) >= size(strange), "nothing became smaller");
	const said = fake.notices.filter(({ text }) =>
		text.includes("folds are recorded and not applied"),
	);
	assert.equal(said.length, 1);
	assert.ok(saidBy(badges) < 100, badges.at(-1));
});

test("G06: a list that is another extension's goes out as it came, which is said once and by the status", async () => {
	const { fake, dmail, send, list, badges } = hookOver(busy());
	assert.ok(foldNow(fake.pi, fake.ctx, FOLDED).ok);
	const others = list().map((message): PiMessage => {
		if (message.role === "toolResult") return { ...message, toolCallId: "x", timestamp: 7 };
		const text = { type: "text", text: `rewritten ${message.role}` } as const;
		return { ...message, content: [text], timestamp: 7 } as PiMessage;
	});
	const commands = makeCommands(fake.pi, dmail);
	const status = async () => {
		await commands.dmail.run("status", fake.ctx);
		return fake.notices.at(-1)?.text ?? "";
	};
	for (let turn = 0; turn < 3; turn++) assert.deepEqual(await send(others), others);
	assert.equal(fake.notices.filter(({ level }) => level === "warning").length, 1);
	assert.equal(saidBy(badges), 0);
	const strange = await status();
	assert.match(strange, /not applied: pi hands in replies that the session does not have/);
	assert.doesNotMatch(strange, /kept out|warned:/);
	assert.equal(chipsAmong(await send()).length, 1);
	assert.match(await status(), /kept out/);
});

test("G06: neighbours that add messages or take a folded range away are no such case", async () => {
	const { fake, send, list } = hookOver(busy());
	assert.ok(foldNow(fake.pi, fake.ctx, FOLDED).ok);
	const reminder: PiMessage = { role: "user", content: "a reminder", timestamp: 5 };
	await send([...list(), reminder]);
	await send([...list().slice(8), reminder]);
	assert.deepEqual(
		fake.notices.filter(({ text }) => text.includes("not applied")),
		[],
	);
});

test("G06: steps that a fold covers are never named by a nudge again, whether or not it took effect", () => {
	const chat = new Chat().user();
	for (let n = 1; n <= 8; n++) chat.reply([`c${n}`]).result(`c${n}`, "x".repeat(4_000));
	const nudges = (view: View<PiMessage>) =>
		view.messages.flatMap(
			(message) => /^\[step \d+\] (Steps? \S+)/m.exec(textOf(message))?.[1] ?? [],
		);
	const marks = { folds: true, markers: true, nudgeAt: 4_000 };
	const viewOf = () => foldContext(logOf(chat).branch, piHost, { asking: true, marks });
	assert.deepEqual(nudges(viewOf()), ["Steps 1–4", "Steps 1–8"]);
	chat.fold("e1", null, { held: true });
	for (let n = 9; n <= 12; n++) chat.reply([`c${n}`]).result(`c${n}`, "x".repeat(4_000));
	assert.deepEqual(nudges(viewOf()), ["Steps 1–4", "Steps 1–8", "Steps 9–12"]);
	chat.record(encode({ kind: "land", ids: ["f011"] }));
	assert.deepEqual(nudges(viewOf()), ["Steps 9–12"]);
});

test("G08: folding a fold again and again leaves one chip that never grows by what it replaces", () => {
	const chat = new Chat().user();
	const views: View<PiMessage>[] = [];
	for (let n = 1; n <= 30; n++) {
		chat.step(`c${n}`);
		const proposal = propose(replayLog(logOf(chat)), { fromStep: 1, live: true });
		assert.ok(proposal.ok);
		const { fromEntryId, toEntryId, fromStep, toStep } = proposal;
		chat.fold(fromEntryId, toEntryId, { fromStep, toStep, summary: `<all up to step ${n}>` });
		views.push(foldContext(logOf(chat).branch, piHost));
	}
	for (const [index, { messages }] of views.entries()) {
		assert.deepEqual(
			chipsAmong(messages).map((chip) => textOf(chip).match(/<all up to step \d+>/g)),
			[[`<all up to step ${index + 1}>`]],
		);
	}
	const sizes = views.map(({ messages }) => size(messages));
	assert.ok(Math.max(...sizes) - Math.min(...sizes) < 10, sizes.join(" "));
});

test("G08: a fold around a fold is refused where its chip would not be smaller than what it replaces", async () => {
	const run = typeCommands(busy().slice(0, -1));
	assert.match(await run.run("/dmail fold 1 2 -- both are read"), /folded steps 1–2/);
	const before = run.fake.entries.length;
	assert.match(
		await run.run(`/dmail fold 1 2 -- ${"at much greater length than before ".repeat(20)}`),
		/refused: .*would not be smaller than what it replaces: ~\d+ tokens.*instead of ~\d+/,
	);
	assert.equal(run.fake.entries.length, before);
});
