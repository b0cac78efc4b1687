// What a session goes through on a real pi of each generation, in one process and over several: after each step
// folds, switch and numbers are what the session file says, nothing was appended without a change, and nothing
// of one session shows in another.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { SessionEntry } from "../../src/session/entry.ts";
import { writeShortAndLong } from "../support/part-files.ts";
import {
	EXTENSION,
	HOSTS,
	type Home,
	type HostVersion,
	makeHome,
	neighbour,
	writeSettings,
} from "../support/real-pi.ts";
import type { Turn } from "../support/scripted-provider.ts";
import { SessionLife } from "../support/session-life.ts";
import { promptFor } from "../support/told-script.ts";
import { chipsOf, countText } from "../support/wire.ts";

const extensions = [neighbour("reload-command"), neighbour("move-to"), EXTENSION];

function homeOf(t: TestContext, host: HostVersion): Home {
	const home = makeHome(host);
	t.after(() => home.remove());
	// pi's own compaction is another subject, and would come with so small a window
	writeSettings(home, { compaction: { enabled: false } });
	writeShortAndLong(home);
	return home;
}

const isUser = (entry: SessionEntry) => entry.type === "message" && entry.message.role === "user";

const read = (name: string): Turn => ({
	calls: [{ name: "read", args: { path: `${name}.txt` } }],
});
const fold = (fromStep: number, summary: string, toStep?: number) => ({
	name: "send_dmail",
	args: { fromStep, summary, ...(toStep === undefined ? {} : { toStep }) },
});

/** Step 1 is folded and waits, steps 4 and 5 are folded at once. */
const WORK: readonly Turn[] = [
	...["a", "b", "long", "long"].map(read),
	{ calls: [fold(1, "Part a holds nothing of use.", 1)] },
	{ calls: [fold(4, "The long part was read a second time; it is the same.")] },
	{ text: "All is read." },
];

for (const host of HOSTS)
	test(`${host}: one pi leads its session through everything, and beside it others`, async (t) => {
		const home = homeOf(t, host);
		const life = await SessionLife.start(home, { extensions });
		t.after(() => life.pi.kill());
		const step = (name: string, run: () => Promise<void>) => t.test(name, run);
		const reload = () => life.quietly("a reload", () => life.pi.command("/load-anew"));

		await step("folds, one held and one landed", async () => {
			await life.assertRight("before anything", /the default/);
			const sent = await life.ask("work", WORK);
			const nudged = sent.some((request) => countText(request, "Unless you still need") > 0);
			assert.ok(nudged, "a nudge was due");
			assert.deepEqual(life.records(), ["dmail.fold", "dmail.fold"]);
			await life.type("/dmail pin 2");
			const status = await life.assertRight("work", /the default/);
			assert.match(status, /^folds: 1 landed, 1 held/m);
		});

		await step("/reload", async () => {
			const before = await life.assertRight("before", /the default/);
			await reload();
			assert.equal(await life.assertRight("after", /the default/), before);
			await life.ask("reloaded", [read("c"), "Read."]);
			await life.during("reloaded in the middle of a run", async () => {
				const from = life.pi.events.length;
				const sleep = { calls: [{ name: "bash", args: { command: "sleep 0.5" } }] };
				await life.pi.send({ type: "prompt", message: promptFor("run", [sleep, read("c")]) });
				await life.pi.next(from, ({ type }) => type === "tool_execution_start");
				const refusal = await life.type("/load-anew");
				assert.equal(refusal.includes("Wait for the current response"), host === "1.6.0", refusal);
				await life.pi.settle(from);
			});
			await life.assertRight("reloaded in a run", /the default/);
		});

		await step("off, /reload, on", async () => {
			await life.type("/dmail off");
			life.on = false;
			await life.assertRight("off", /set by \/dmail\)/);
			await reload();
			await life.assertRight("off and reloaded", /set by \/dmail\)/);
			await life.ask("raw");
			await life.type("/dmail on");
			life.on = true;
			await life.ask("folded again");
			await life.assertRight("on again", /set by \/dmail\)/);
		});

		await step("a retry after a failed reply", async () => {
			const before = life.records();
			const sent = await life.ask("retry", [{ error: "overloaded_error" }, "Back again."]);
			assert.equal(sent.length, 2);
			assert.deepEqual(sent[1]?.messages, sent[0]?.messages);
			const given = await life.ask("no retry helps", Array(4).fill({ error: "overloaded_error" }));
			assert.equal(given.length, 4);
			await life.assertRight("given up", /set by/);
			await life.ask("after all that");
			assert.deepEqual(life.records(), before);
			await life.assertRight("retried", /set by/);
		});

		await step("an abort in the middle of a tool, beside a fold", async () => {
			const sleep = { name: "bash", args: { command: "sleep 30" } };
			const turn = { calls: [fold(6, "What came after was looked at."), sleep] };
			const before = life.records().length;
			await life.during("aborted", async () => {
				const from = life.pi.events.length;
				const message = promptFor("abort", [read("c"), turn]);
				await life.pi.send({ type: "prompt", message });
				await life.pi.next(
					from,
					(event) => event.type === "tool_execution_end" && event["toolName"] === "send_dmail",
				);
				await life.pi.send({ type: "abort" });
				await life.pi.settle(from);
			});
			assert.equal(life.records().length, before + 1);
			await life.assertRight("aborted", /set by/);
			await life.ask("after the abort");
		});

		await step("/tree there and back", async () => {
			const [leaf, before] = [life.leafId ?? "", await life.assertRight("leaf", /set by/)];
			const branch = life.branchTo(leaf);
			const folds = branch.findIndex(
				(entry) => entry.type === "custom" && entry.customType === "dmail.fold",
			);
			const result = branch
				.slice(0, folds)
				.findLast((entry) => entry.type === "message" && entry.message.role === "toolResult");
			await life.moveTo(result?.id ?? "");
			assert.match(await life.assertRight("there", /set by/), /^folds: 0 landed, 0 held/m);
			await life.moveTo(leaf);
			assert.equal(await life.assertRight("back", /set by/), before);
			await life.moveTo(result?.id ?? "");
			const [there] = await life.ask("on the other branch");
			assert.deepEqual(chipsOf(there ?? assert.fail()), []);
			await life.moveTo(leaf);
			await life.ask("back on the branch", [read("c"), "Read."]);
			await life.assertRight("back and on", /set by/);
		});

		await step("another model", async () => {
			const before = life.entries.length;
			const choose = (modelId: string) =>
				life.send({ type: "set_model", provider: "scripted", modelId });
			await choose("s2");
			const added = life.entries.slice(before).map(({ type }) => type);
			assert.deepEqual(added, ["model_change"]);
			await life.assertRight("s2", /set by/);
			const [sent] = await life.ask("asked anew");
			assert.equal(sent?.model, "s2");
			// its cache knows nothing of the session: what is held lands for nothing
			assert.equal(life.records().at(-1), "dmail.land");
			await life.ask("and again");
			assert.match(await life.assertRight("landed", /set by/), /^folds: \d landed, 0 held/m);
			await choose("s1");
			await life.ask("asked as before");
			await life.assertRight("s1", /set by/);
		});

		const first = life.file;
		await step("/clone and /fork", async () => {
			const [original, branch] = [life.text, life.branchTo(life.leafId)];
			const before = await life.assertRight("original", /set by/);
			await life.send({ type: "clone" });
			assert.notEqual(life.file, first);
			assert.deepEqual(life.entries, branch);
			assert.equal(await life.assertRight("clone", /set by/), before);
			await life.ask("in the clone", [read("a"), "Read."]);
			const user = life.entries.findLast(isUser);
			const clone = life.text;
			await life.send({ type: "fork", entryId: user?.id });
			assert.deepEqual(life.entries, branch);
			assert.equal(await life.assertRight("fork", /set by/), before);
			await life.ask("in the fork");
			const start = life.entries.find(isUser);
			await life.send({ type: "fork", entryId: start?.id });
			assert.match(
				await life.assertRight("forked before it all", /the default/),
				/: 0 landed, 0 held/,
			);
			await life.ask("from the start", [read("a"), "Read."]);
			assert.equal(readFileSync(first, "utf8"), original);
			assert.ok(clone.length > original.length);
		});

		await step("/new, and back to the first by resume", async () => {
			await life.send({ type: "switch_session", sessionPath: first });
			await life.during("a cut", async () => {
				const from = life.pi.events.length;
				const said = await life.type("/dmail fold 3 3");
				// 0.73 asks with the next prompt where the process has not sent the policy yet
				if (said.includes("asked to fold now")) await life.pi.settle(from);
			});
			await life.ask("not now");
			assert.match(await life.type("/dmail status"), /a cut is pinned: step 3/);
			const off = await life.type("/dmail off");
			assert.match(off, /the cut that was pinned, step 3, is taken back/);
			life.on = false;
			const before = await life.assertRight("first", /set by/);
			assert.doesNotMatch(before, /a cut is pinned/);

			await life.quietly("/new", () => life.send({ type: "new_session" }));
			life.on = true;
			const fresh = await life.assertRight("new", /the default/);
			assert.doesNotMatch(fresh, /pinned|predicted/);
			assert.match(fresh, /^folds: 0 landed, 0 held, 0 skipped$/m);
			const [asked] = await life.ask("in the new one", [read("b"), "Read."]);
			assert.equal(countText(asked ?? assert.fail(), "nothing of use"), 0);
			const second = life.file;

			const resume = () => life.send({ type: "switch_session", sessionPath: first });
			await life.quietly("resume", resume);
			life.on = false;
			assert.equal(await life.assertRight("resumed", /set by/), before);
			await life.ask("in the first one again");
			await life.send({ type: "switch_session", sessionPath: second });
			life.on = true;
			await life.assertRight("the second again", /the default/);
			await life.end();
		});

		await step("resume in another process", async () => {
			const stored = readFileSync(first, "utf8");
			const again = await SessionLife.start(home, { extensions, args: ["--session", first] });
			again.on = false;
			assert.equal(again.file, first);
			assert.equal(again.text, stored, "a start changes nothing");
			await again.assertRight("resumed", /set by \/dmail earlier in this session/);
			await again.type("/dmail on");
			again.on = true;
			await again.ask("in another process", [read("c"), "Read."]);
			await again.assertRight("on", /set by \/dmail\)/);
			await again.end();
		});
	});

for (const host of HOSTS)
	test(`${host}: a session that the host starts twice is taken up once`, async (t) => {
		const home = homeOf(t, host);
		writeSettings(home, { compaction: { enabled: false }, dmail: { nudge: "yes" } });
		const args = ["--dmail-disabled=true"];
		const others = [neighbour("tell-starts"), ...extensions];
		const life = await SessionLife.start(home, { extensions: others, args });
		t.after(() => life.pi.kill());
		life.on = false;
		await life.ask("before", ["Fine."]);
		const from = life.pi.notices().length;
		await life.send({ type: "new_session" });
		const said = life.pi.notices().slice(from);
		const isStart = (notice: string) => notice === "session_start: new";
		assert.equal(said.filter(isStart).length, host === "0.73.1" ? 2 : 1, said.join("\n"));
		assert.equal(said.filter((notice) => notice.includes("dmail.nudge")).length, 1, "warned once");
		assert.equal(life.pi.status("dmail"), "⚠ D-MAIL OFF");
		await life.ask("off", ["Fine."]);
		assert.deepEqual(life.records(), ["dmail.mode"], "the flag is recorded once");
		assert.equal((await life.type("/dmail on")).split("[dmail]").length, 2, "answered once");
		life.on = true;
		const work = [read("a"), { calls: [fold(2, "Part a holds nothing of use.")] }, "Done."];
		const sent = await life.ask("work", work);
		const records = ["dmail.mode", "dmail.mode", "dmail.fold"];
		assert.deepEqual(life.records(), records, "one record for one operation");
		assert.equal(chipsOf(sent.at(-1) ?? assert.fail()).length, 1);
		for (const { tools, system } of sent) {
			const ours = tools.filter((name) => name.endsWith("_dmail"));
			assert.deepEqual(ours.toSorted(), ["read_dmail", "send_dmail"]);
			assert.equal((system ?? "").split("# Folding").length, 2, "the policy once");
		}
		const listed = (await life.pi.send({ type: "get_commands" }))["data"] as Listed;
		const names = listed.commands.map(({ name }) => name).filter((name) => name.includes("dmail"));
		assert.deepEqual(names.toSorted(), ["dmail", "send-dmail"]);
		await life.assertRight("work", /set by \/dmail\)/);
		await life.end();
	});

interface Listed {
	readonly commands: readonly { readonly name: string }[];
}

for (const host of HOSTS)
	test(`${host}: two pis on two sessions of one folder at once know nothing of each other`, async (t) => {
		const home = homeOf(t, host);
		const homes = [home, { ...home, wireLog: join(home.root, "wire-of-the-other.jsonl") }] as const;
		const lives = await Promise.all([
			SessionLife.start(homes[0], { extensions }),
			SessionLife.start(homes[1], { extensions }),
		]);
		const [one, other] = lives;
		for (const life of lives) t.after(() => life.pi.kill());
		await Promise.all(lives.map((life) => life.ask("work", WORK)));
		for (const life of lives)
			assert.match(await life.assertRight("work", /the default/), /^folds: 1 landed, 1 held/m);
		const untouched = other.text;
		await one.type("/dmail off");
		one.on = false;
		assert.equal(other.text, untouched);
		await other.assertRight("beside one that is off", /the default/);
		await Promise.all(lives.map((life) => life.ask("both", [read("c"), "Read."])));
		await one.assertRight("off", /set by \/dmail\)/);
		await other.assertRight("on", /the default/);
		// each looks at what the other one has left
		await Promise.all(lives.map((life) => life.end()));
		const after = await SessionLife.start(home, { extensions, args: ["--session", one.file] });
		t.after(() => after.pi.kill());
		after.on = false;
		await after.assertRight("the one", /set by \/dmail earlier in this session/);
		await after.send({ type: "switch_session", sessionPath: other.file });
		after.on = true;
		await after.assertRight("the other", /the default/);
		await after.ask("go on");
		await after.end();
	});

for (const host of HOSTS)
	test(`${host}: what still waits when its session ends does nothing, and pi reports no fault`, async (t) => {
		const home = homeOf(t, host);
		const bin = join(home.root, "bin");
		mkdirSync(bin);
		const asked = join(home.root, "asked");
		// longer than anybody waits for git
		const slow = `#!/bin/sh\ntouch ${asked}\nexec sleep 5\n`;
		writeFileSync(join(bin, "git"), slow, { mode: 0o755 });
		const env = { PATH: `${bin}:${process.env["PATH"]}` };
		const life = await SessionLife.start(home, { extensions, env });
		t.after(() => life.pi.kill());
		await life.ask("work", [read("a"), read("b"), "Read."]);
		const first = life.file;
		const opened = (from: number) => () =>
			life.pi.events.slice(from).some(({ method }) => method === "select");
		for (const [line, waits] of [
			["/dmail fold", opened(life.pi.events.length)],
			["/dmail fold 1 2 -- both are read", () => existsSync(asked)],
		] as const) {
			const done = life.pi.send({ type: "prompt", message: line });
			while (!waits()) await setTimeout(5);
			await life.quietly("/new", () => life.send({ type: "new_session" }));
			life.pi.answerOpen({ value: "step 2" });
			await done;
			assert.equal(life.text, "", "nothing is stored in the new session");
			await life.quietly("back", () => life.send({ type: "switch_session", sessionPath: first }));
			await life.assertRight(line, /the default/);
		}

		rmSync(asked);
		const turns = [{ calls: [fold(1, "The model folds just then.")] }];
		await life.pi.send({ type: "prompt", message: promptFor("fold", turns) });
		while (!existsSync(asked)) await setTimeout(5);
		await life.send({ type: "new_session" });
		assert.equal(life.text, "");
		await life.assertRight("new in the middle of a fold", /the default/);
		// 0.73 lets the run that was left go on: its last request must not be counted to what comes now
		await setTimeout(1_500);
		await life.ask("at once", [read("a"), "Read."]);
		await life.send({ type: "switch_session", sessionPath: first });
		assert.deepEqual(life.records(), []);
		await life.assertRight("the first one", /the default/);
		await life.ask("go on");
		await life.end();
	});
