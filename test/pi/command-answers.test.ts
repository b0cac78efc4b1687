// What `list` and `status` say where little is folded, or folding is off, and which words stand alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Commands, typeCommands } from "../support/fake-commands.ts";
import type { FakeOptions } from "../support/fake-pi.ts";
import { call, longSteps, reply, result, session, user } from "../support/session-entries.ts";
import { sceneOf, step } from "./held-session.ts";

function commands(options: FakeOptions = {}, entries = session(...longSteps(2))): Commands {
	return typeCommands(entries, options);
}

test("list says on top that folding is off, and shows a pinned cut that waits", async () => {
	const run = commands();
	await run.run("/dmail fold 1 1 -- the first file");
	await run.run("/dmail fold 2 2");
	const cut = /\na cut is pinned: step 2; the model has not folded it yet/;
	assert.match(await run.run("/dmail list"), /^\[dmail\] the folds of this branch:/);
	assert.match(await run.run("/dmail list"), cut);
	await run.run("/dmail off");
	const off = await run.run("/dmail list");
	assert.match(off, /^\[dmail\] is off \(set by \/dmail\): everything is sent as it is stored\n/);
	assert.doesNotMatch(off, cut, "off takes it back");
	await run.run("/dmail on");
	await run.run("/dmail fold 2 2");
	assert.match(await run.run("/dmail list"), cut);
	await run.run("/dmail drop");
	assert.doesNotMatch(await run.run("/dmail list"), /a cut is pinned/);
});

test("where nothing is folded, what is sent beyond the raw size is said to label the steps", async () => {
	assert.match(await commands({}, []).run("/dmail status"), /\nconversation: nothing yet\n/);
	assert.match(
		await commands().run("/dmail status"),
		/~\S+ tokens sent now, ~\S+ raw; ~\d+ of what is sent label the steps\n/,
	);
});

test("a fold that was taken back before any request is no landing to wait for", async () => {
	const run = commands();
	await run.run("/dmail fold 1 2 -- both files read");
	assert.match(
		await run.run("/dmail list"),
		/1 landing, 0 measured.*\n.*predicted −\S+ tokens a request, saves \$0\.\d+ at once;/,
	);
	await run.run("/dmail drop");
	for (const word of ["list", "status"])
		assert.doesNotMatch(await run.run(`/dmail ${word}`), /landing|first request/, word);
});

test("words that stand alone are refused with more after them, and nothing is done", async () => {
	const run = commands();
	const before = run.fake.entries.length;
	for (const line of ["off please", "on x", "status now", "list x", "net 3", "NET 3"]) {
		const [word = "", more] = line.split(" ");
		const name = word.toLowerCase();
		assert.equal(
			await run.run(`/dmail ${line}`),
			`refused: [dmail] nothing was done: ${name} takes nothing after it, not "${more}"; write /dmail ${name}`,
		);
	}
	assert.equal(run.fake.entries.length, before);
	assert.match(await run.run("/dmail off "), /is off: the next request/);
	for (const line of ["open ab x", "shut ab x", "return ab x", "drop ab x", "pin 1 2", "unpin 1 2"])
		assert.match(await run.run(`/dmail ${line}`), /^refused: /, line);
});

test("price says where a fold would be refused unless its summary is short, and how short", async () => {
	const entries = [
		user("begin"),
		reply("word ".repeat(100), call("a", "bash", {})),
		result("a", "done"),
		reply("fine"),
	];
	const run = commands({}, session(...entries));
	const said = await run.run("/dmail price 1 1");
	const [, most = ""] =
		/It would be refused: the chip would not be smaller than what it replaces: ~\d+ tokens, instead of ~\d+\. It would be only with a summary under ~(\d+) tokens/.exec(
			said,
		) ?? [];
	assert.ok(Number(most) > 0, said);
	assert.doesNotMatch(said, /It would be recorded|Saves|Costs/);
	assert.match(await run.run("/dmail fold 1 1"), /pinned a cut: step 1.*\nIt would be refused: /);
	const fold = (tokens: number) => run.run(`/dmail fold 1 1 -- ${"s".repeat(4 * tokens)}`);
	assert.match(await fold(Number(most)), /refused: .*the chip would not be smaller/);
	assert.match(await fold(Number(most) - 1), /folded step 1 as fold|recorded step 1 as fold/);
});

test("net says what it costs and saves as any other fold does, and records it", async () => {
	const drafts = ["a", "b", "c", "d", "e", "f"].flatMap((id) => step(id, 8_000));
	const run = commands({}, session(user("begin"), ...drafts));
	const before = sceneOf(run.fake).replayer.size(true);
	const said = await run.run("/dmail net");
	const saved = before - sceneOf(run.fake).replayer.size(true);
	const entry = run.fake.entries.at(-1);
	const { predicted } = (entry?.type === "custom" ? entry.data : {}) as {
		readonly predicted?: { readonly perRequestTokens: number };
	};
	assert.equal(predicted?.perRequestTokens, saved);
	assert.match(said, /folded steps 1–\d without the model/);
	assert.match(said, /\nSaves ~\S+ tokens and \$\S+ with every request/);
	assert.match(said, /\n(Costs \$\S+ once|Saves \$\S+ at once) \(cache \S+.*\); pays /);
	assert.match(await run.run("/dmail list"), /predicted −\S+ tokens a request, /);
});
