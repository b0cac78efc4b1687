// The life of an extension in a host: sessions come and go under it, notices vanish, dialogs are not there.
// Nothing of one session is in the next, and nothing is written or said that was not asked for.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { foldContext, propose } from "../../fold.ts";
import { OwnChecks } from "../../src/pi/compaction-cause.ts";
import { Watch } from "../../src/pi/compaction-watch.ts";
import { foldNow } from "../../src/pi/folding.ts";
import { replayLog } from "../../src/pi/log.ts";
import { blocksOf, type PiMessage, type SessionEntry } from "../../src/session/entry.ts";
import { piHost } from "../../src/session/message.ts";
import { logOf } from "../pi/random-chat.ts";
import { Chat, sent } from "../support/chat.ts";
import { typeCommands } from "../support/fake-commands.ts";
import { chipsAmong, hookOver, textOf, unpairedIn } from "../support/hook.ts";

const SOURCES = join(import.meta.dirname, "../../src/pi");

/** A context of a session that was replaced: pi throws whatever is asked of it. */
const stale = new Proxy(
	{},
	{
		get() {
			throw new Error("This extension ctx is stale after session replacement or reload.");
		},
	},
) as never;

const folding = { by: "user", summary: "two steps", timing: "now" } as const;
const wish = { fromStep: 1, toStep: 2, live: false };
const steps = (count: number) => {
	const chat = new Chat().user();
	for (let n = 1; n <= count; n++) chat.step(`c${n}`);
	return chat;
};

test("L03: nothing of the extension runs by a clock, so that nothing wakes up in a session that is gone", () => {
	const files = readdirSync(SOURCES).map((name) => join(SOURCES, name));
	assert.ok(files.length > 30);
	for (const file of [...files, join(SOURCES, "../../index.ts")])
		assert.doesNotMatch(
			readFileSync(file, "utf8"),
			/set(Timeout|Interval|Immediate)|\.watch\(/,
			file,
		);
});

test("L03: what is still under way when a session is replaced says nothing, throws nothing and keeps nothing", async () => {
	const hook = hookOver(steps(3).fold("e1", "e3", { held: true }).entries);
	const { handler, fake, dmail } = hook;
	dmail.end();
	assert.equal(await handler({ messages: hook.list() }, stale), undefined);
	new Watch(fake.pi, dmail, new OwnChecks()).settle(stale);
	const run = typeCommands(steps(2).entries);
	run.dmail.end();
	assert.equal(run.complete("dmail", "fold "), null);
	assert.deepEqual(fake.notices, []);
});

test("L05: the next session starts with its own switch, badge, warnings and completions, and with no fold", async () => {
	const first = hookOver(steps(3).entries, { enabled: "yes" });
	const { dmail, fake } = first;
	assert.ok(foldNow(fake.pi, fake.ctx, { ...folding, wish }).ok);
	dmail.recount(fake.ctx);
	dmail.switch(fake.ctx, false);
	assert.deepEqual([dmail.mode.enabled, dmail.warnings.length], [false, 1]);
	const second = hookOver(steps(2).entries);
	Object.assign(second.fake.ctx.sessionManager, { getSessionId: () => "another" });
	// the same extension goes on: its factory does not run again
	dmail.end();
	dmail.start(second.fake.ctx);
	assert.equal(dmail.mode.enabled, true);
	assert.equal(second.badges.at(-1), "D-MAIL ON");
	assert.equal(dmail.asked, 0);
	assert.ok(dmail.log()?.stored.every(({ type }) => type !== "custom"));
	const view = await first.handler({ messages: second.list() }, second.fake.ctx);
	assert.equal(chipsAmong(view?.messages ?? []).length, 0);
});

test("L06: starts, moves in the tree and requests that change nothing append nothing", async () => {
	const { dmail, fake, send } = hookOver(steps(3).entries);
	const before = fake.entries.length;
	for (let n = 0; n < 4; n++) {
		dmail.start(fake.ctx);
		dmail.refresh(fake.ctx);
		dmail.startRun();
		await send();
		dmail.recount(fake.ctx);
		dmail.end();
	}
	assert.equal(fake.entries.length, before);
	dmail.start(fake.ctx);
	for (const enabled of [true, false, false, true, true]) dmail.switch(fake.ctx, enabled);
	assert.equal(fake.entries.length, before + 2, "one entry for each change");
	const off = hookOver(steps(3).entries, { enabled: false });
	for (let n = 0; n < 3; n++) await off.send();
	const added = off.fake.entries.slice(before);
	assert.equal(added.length, 1, "what is in force is noted once, not with every request");
});

test("L08: where a client has dialogs and no terminal, the user is asked by dialogs, and an answer is told", async () => {
	const modes = [{ mode: "rpc" }, {}] as const;
	for (const mode of modes) {
		const run = typeCommands(steps(3).entries, { ...mode, answers: ["step 1", "step 2", "I"] });
		assert.match(await run.run("/dmail fold"), /nothing was folded/, "the summary was not written");
		assert.equal(run.fake.dialogs.length, 4);
	}
	for (const line of ["list", "status", "price", "fold", "open x", "net", "pin", "drop", "land"]) {
		const run = typeCommands(steps(3).entries, { mode: "rpc", answers: [] });
		assert.notEqual(await run.run(`/dmail ${line}`), "", line);
	}
});

test("L09: what was warned of can be asked for again after its notice is gone", async () => {
	const entries = steps(3).record({ customType: "dmail.fold", data: null } as never).entries;
	const settings = { dmail: { timing: "never", nudge: 3 } };
	const run = typeCommands(entries, { settings });
	const warned = run.fake.notices.map(({ text }) => text.replace("[dmail] ", ""));
	assert.equal(warned.length, 3);
	const status = await run.run("/dmail status");
	for (const text of warned) assert.equal(status.split(text).length, 2, text);
	const quiet = typeCommands(steps(3).entries);
	assert.doesNotMatch(await quiet.run("/dmail status"), /warned/);
});

test("L09: why folding failed can be asked for again", async () => {
	const { dmail, fake, handler, badges } = hookOver(steps(3).entries);
	const broken = {
		messages: [
			{
				role: "user",
				get content() {
					throw new Error("broken");
				},
			},
		],
	};
	assert.equal(await handler(broken, fake.ctx), undefined);
	assert.equal(badges.at(-1), "⚠ D-MAIL ERROR");
	assert.match(dmail.warnings.join(), /folding failed, the request goes out unfolded: broken/);
});

/** A reply with so many calls, and all of their results. */
function batch(count: number): Chat {
	const ids = Array.from({ length: count }, (_, n) => `b${n}`);
	return new Chat()
		.user()
		.step(...ids)
		.step("after");
}

test("L11: a batch of 133 calls goes out whole, folds whole and comes back whole", () => {
	const results = (messages: readonly PiMessage[]) =>
		messages.filter(({ role }) => role === "toolResult");
	const chat = batch(133);
	const list = chat.list();
	const plain = sent(chat.entries, list).messages;
	assert.equal(results(plain).length, 134);
	for (const [at, one] of results(list).entries()) {
		const own = blocksOf("content" in one ? one.content : []);
		const seen = results(plain)[at];
		assert.deepEqual(blocksOf(seen && "content" in seen ? seen.content : []).slice(0, 1), own);
	}
	const proposal = propose(replayLog(logOf(chat)), { fromStep: 1, toStep: 1, live: false });
	assert.ok(proposal.ok);
	const view = (entries: readonly SessionEntry[]) =>
		foldContext(logOf(new Chat(entries)).branch, piHost).messages;
	const folded = view(chat.fold(proposal.fromEntryId, proposal.toEntryId).entries);
	assert.equal(results(folded).length, 1);
	assert.deepEqual(unpairedIn(folded), []);
	const id = /fold="(\w+)"/.exec(textOf(chipsAmong(folded)[0]))?.[1] ?? "";
	const open = view(chat.record({ customType: "dmail.open", data: { v: 1, id } } as never).entries);
	assert.equal(results(open).length, 134);
	assert.deepEqual(unpairedIn(open), []);
});
