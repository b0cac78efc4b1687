// The harness itself, on both hosts and without the extension: what later tests take for granted.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
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
			{ name: "read", args: { path: "one.txt" }, id: "same" },
			{ name: "read", args: { path: "one.txt" } },
		],
	},
	call("bash", { command: "exit 3" }, "same"),
	"done",
];

for (const host of HOSTS) {
	test(`${host}: a print run is logged as the model got it; -c goes on, in a copied home too`, async (t) => {
		const home = homeFor(t, host);
		writeFileSync(join(home.cwd, "one.txt"), "one\n");
		const run = await runPrint(home, "hello", { script: TWO_STEPS });
		assert.deepEqual([run.code, run.stdout, run.stderr], [0, "done\n", ""]);
		assertPrefixes(run.requests);
		assertPaired(run.requests);
		const [first, second, third] = run.requests;
		assert.ok(first && second && third && run.requests.length === 3);
		assert.ok(first.tools.includes("bash") && first.toolChars > 100 && first.system.length > 100);
		assert.deepEqual([first.cacheRead, first.input], [0, 0]);
		assert.equal(second.cacheRead, first.cacheWrite);
		assert.equal(third.cacheRead, second.cacheRead + second.cacheWrite);
		assert.equal(textOf(second.messages[2] ?? assert.fail()), "one\n");
		assert.equal(third.messages.at(-1)?.isError, true);
		assert.equal(third.messages.at(-1)?.toolCallId, "same");

		const copy = copyHome(home);
		t.after(() => copy.remove());
		const launch = { script: ["bye"], args: ["-c"] };
		const runs = await Promise.all([home, copy].map((one) => runPrint(one, "and now", launch)));
		const [here, there] = runs.map(({ requests }) => requests.map((request) => request.messages));
		assert.deepEqual(here?.[0]?.slice(0, third.messages.length), third.messages);
		assert.deepEqual(here?.[0]?.slice(-2).map(textOf), ["done", "and now"]);
		assert.deepEqual(here, there);
	});

	test(`${host}: RPC asks, retries, aborts, compacts and ends`, async (t) => {
		const home = homeFor(t, host);
		writeSettings(home, { compaction: { keepRecentTokens: 10 } });
		const script = (request: WireRequest) => {
			if (request.kind === "summary") return "the summary";
			const turns = [{ error: "overloaded_error" }, "one", { text: "late", delayMs: 15_000 }];
			return turns[request.index] ?? `I see ${request.messages.length} messages`;
		};
		const pi = new RpcPi(home, { script });
		await pi.ask("first ".repeat(10_000));
		const from = pi.events.length;
		await pi.send({ type: "prompt", message: "second" });
		await pi.next(from, (event) => event.type === "message_start" && isAssistant(event));
		await pi.send({ type: "abort" });
		await pi.settle(from);
		await pi.ask("third");
		assert.equal((await pi.send({ type: "compact" }))["success"], true);
		await pi.ask("fourth");
		const { code, requests } = await pi.close();
		assert.equal(code, 0);
		const kinds = requests.map((request) => request.kind);
		assert.deepEqual(kinds.slice(0, 4), ["agent", "agent", "agent", "agent"]);
		assert.ok(kinds.slice(4, -1).every((kind) => kind === "summary") && kinds.length > 5);
		assert.deepEqual(requests[1]?.messages, requests[0]?.messages, "the retry sends the same");
		assert.deepEqual(requests[3]?.messages.slice(1).map(textOf), ["one", "second", "third"]);
		assert.equal(countText(requests.at(-1) ?? assert.fail(), "the summary"), 1);
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
		await terminal.waitFor("a neighbour with a long status");
		terminal.press(KEYS.control("d"));
		assert.equal(await terminal.exit(), 0);
	});
}

function isAssistant(event: { readonly [field: string]: unknown }): boolean {
	return (event["message"] as { role?: string } | undefined)?.role === "assistant";
}
