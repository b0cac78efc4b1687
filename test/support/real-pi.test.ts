// The harness itself, on both hosts and without the extension: what later tests take for granted.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
	call,
	copyHome,
	HOSTS,
	type HostVersion,
	makeHome,
	neighbour,
	runPrint,
	sessionEntries,
	writeSettings,
} from "./real-pi.ts";
import { RpcPi } from "./real-pi-rpc.ts";
import type { Script } from "./scripted-provider.ts";
import { KEYS, openPi } from "./terminal.ts";
import { assertPaired, assertPrefixes, countText, textOf, type WireRequest } from "./wire.ts";

function homeFor(t: TestContext, host: HostVersion) {
	const home = makeHome(host);
	t.after(() => home.remove());
	return home;
}

const TWO_STEPS: Script = [
	{
		thinking: "I look first.",
		calls: [
			{ name: "bash", args: { command: "echo one" }, id: "same" },
			{ name: "bash", args: { command: "echo two" } },
		],
	},
	call("bash", { command: "exit 3" }, "same"),
	"done",
];

for (const host of HOSTS) {
	test(`${host}: a print run is logged as the model got it, with a simulated cache`, async (t) => {
		const home = homeFor(t, host);
		const run = await runPrint(home, "hello", { script: TWO_STEPS });
		assert.equal(run.code, 0, run.stderr);
		assert.equal(run.stdout, "done\n");
		assert.equal(run.stderr, "");
		const [first, second, third] = run.requests;
		assert.ok(first && second && third && run.requests.length === 3);
		assertPrefixes(run.requests);
		assertPaired(run.requests);
		assert.ok(first.tools.includes("bash") && first.toolChars > 100 && first.system.length > 100);
		assert.deepEqual([first.cacheRead, first.input], [0, 0]);
		assert.equal(second.cacheRead, first.cacheWrite);
		assert.equal(third.cacheRead, second.cacheRead + second.cacheWrite);
		assert.equal(textOf(second.messages[2] ?? assert.fail()), "one\n");
		assert.equal(third.messages.at(-1)?.isError, true);
		assert.equal(third.messages.at(-1)?.toolCallId, "same");
	});

	test(`${host}: a session goes on with -c, and a copied home sends the same`, async (t) => {
		const home = homeFor(t, host);
		await runPrint(home, "hello", { script: ["hi"] });
		const copy = copyHome(home);
		t.after(() => copy.remove());
		const runs = await Promise.all(
			[home, copy].map((one) => runPrint(one, "and now", { script: ["bye"], args: ["-c"] })),
		);
		const [here, there] = runs.map((run) => run.requests.map((request) => request.messages));
		assert.deepEqual(here?.[0]?.map(textOf), ["hello", "hi", "and now"]);
		assert.deepEqual(here, there);
	});

	test(`${host}: RPC asks, retries a failed request, answers dialogs and ends`, async (t) => {
		const home = homeFor(t, host);
		const script: Script = ["one", { error: "overloaded_error" }, "two"];
		const pi = new RpcPi(home, { script });
		await pi.ask("first");
		await pi.ask("second");
		const run = await pi.close();
		assert.equal(run.code, 0, run.stderr);
		assert.deepEqual(
			run.requests.map((request) => request.messages.map(textOf)),
			[["first"], ["first", "one", "second"], ["first", "one", "second"]],
		);
		assert.equal(sessionEntries(home).filter((entry) => entry.message?.role === "user").length, 2);
	});

	test(`${host}: an abort ends a slow reply`, async (t) => {
		const home = homeFor(t, host);
		const pi = new RpcPi(home, { script: [{ text: "late", delayMs: 15_000 }, "quick"] });
		await pi.send({ type: "prompt", message: "first" });
		await pi.next(0, (event) => event.type === "message_start" && isAssistant(event));
		await pi.send({ type: "abort" });
		await pi.settle(0);
		await pi.ask("second");
		const run = await pi.close();
		assert.deepEqual(run.requests[1]?.messages.map(textOf), ["first", "second"]);
	});

	test(`${host}: a killed run leaves its log and its session`, async (t) => {
		const home = homeFor(t, host);
		const run = await runPrint(home, "hello", {
			script: [call("bash", { command: "echo one" }), "never"],
			extensions: [neighbour("kill-at-result")],
			env: { KILL_AT_RESULT: "bash" },
		});
		assert.equal(run.signal, "SIGKILL");
		assert.equal(run.requests.length, 1);
		const roles = sessionEntries(home).flatMap((entry) => entry.message?.role ?? []);
		assert.deepEqual(roles.slice(-2), ["user", "assistant"]);
	});

	test(`${host}: a function script sees its request, summaries are a kind of their own`, async (t) => {
		const home = homeFor(t, host);
		const script = (request: WireRequest) =>
			request.kind === "summary" ? "the summary" : `I see ${request.messages.length} messages`;
		writeSettings(home, { compaction: { keepRecentTokens: 10 } });
		const pi = new RpcPi(home, { script });
		await pi.ask("x".repeat(100_000));
		await pi.ask("second");
		assert.equal((await pi.send({ type: "compact" }))["success"], true);
		await pi.ask("third");
		const { requests } = await pi.close();
		assert.deepEqual(
			requests.map((request) => request.kind),
			["agent", "agent", "summary", "agent"],
		);
		const last = requests[3] ?? assert.fail();
		assert.equal(countText(last, "the summary"), 1);
		assert.equal(countText(last, "I see 3 messages"), 1);
	});

	test(`${host}: a person sees the answer in a terminal of their width`, async (t) => {
		const home = homeFor(t, host);
		const extensions = [neighbour("set-status")];
		const terminal = openPi(
			home,
			{ script: ["the answer"], extensions },
			{ columns: 70, rows: 24 },
		);
		t.after(() => terminal.close());
		await terminal.waitFor("scripted");
		await terminal.type("a question");
		await terminal.waitFor("the answer");
		assert.ok(terminal.lines().every((line) => line.length <= 70));
		assert.match(terminal.screen(), /a neighbour with a long status/);
		terminal.press(KEYS.control("d"));
		assert.equal(await terminal.exit(), 0);
	});
}

function isAssistant(event: { readonly [field: string]: unknown }): boolean {
	return (event["message"] as { role?: string } | undefined)?.role === "assistant";
}
