// Bad input on real pis: each fault is said once, in words, and the request goes out as it is.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { BUILT_IN_POLICY } from "../../src/pi/policy.ts";
import { assistant, result, user } from "../session/build.ts";
import {
	call,
	copyHome,
	EXTENSION,
	HOSTS,
	makeHome,
	runPrint,
	sessionFile,
	writeSession,
	writeSettings,
} from "../support/real-pi.ts";
import { RpcPi } from "../support/real-pi-rpc.ts";
import { markersOf, pairFaults, type WireMessage } from "../support/wire.ts";

const message = (said: unknown) => ({ type: "message", message: said });
const fold = (data: unknown) => ({ type: "custom", customType: "dmail.fold", data });

const USAGE = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };
const reply = (...callIds: string[]) => ({
	...assistant(callIds),
	provider: "scripted",
	model: "s1",
	api: "scripted-api",
	usage: { ...USAGE, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } },
});

/** A session with three records that cannot be applied; its last call was never answered. */
const BAD_SESSION = [
	message(user("look")),
	message(reply("a")),
	message(result("a", [{ type: "text", text: "x".repeat(400) }])),
	fold({ v: 1, id: "not hex", fromEntryId: "e1", toEntryId: null, summary: "s" }),
	fold(null),
	fold({
		v: 1,
		id: "abcd",
		fromEntryId: "nowhere",
		toEntryId: null,
		summary: "s",
		digest: "0",
		by: "model",
	}),
	message(reply("never")),
];

/** The messages without the marker blocks that ours adds. */
function unmarked(messages: readonly WireMessage[]): WireMessage[] {
	return messages.map((one) => ({
		...one,
		content: one.content.filter((block) => !/^\[step \d+\]$/.test(block.text ?? "")),
	}));
}

/** Throws unless each pattern is said by exactly one line, and nothing else is said. */
function assertSaid(lines: readonly string[], patterns: readonly RegExp[]): void {
	for (const pattern of patterns)
		assert.equal(
			lines.filter((line) => pattern.test(line)).length,
			1,
			`${pattern}\n${lines.join("\n")}`,
		);
	assert.equal(lines.length, patterns.length, lines.join("\n"));
}

for (const host of HOSTS) {
	test(`${host}: bad records, a wrong setting and no policy file are each said once`, async (t) => {
		const home = makeHome(host);
		t.after(() => home.remove());
		writeSession(home, BAD_SESSION);
		writeSettings(home, { dmail: { enabled: "yes", timing: 3 } });
		const bare = copyHome(home);
		t.after(() => bare.remove());
		const launch = { script: [call("bash", { command: "true" }, "b"), "done"], args: ["-c"] };
		const run = await runPrint(home, "go on", {
			...launch,
			extensions: [EXTENSION],
			env: { DMAIL_POLICY: join(home.root, "no-such-policy.md") },
		});
		assert.equal(run.code, 0);
		assertSaid(run.stderr.trim().split("\n"), [
			/dmail\.enabled.* must be true or false/,
			/dmail\.timing.* must be "auto" or "now"/,
			/no-such-policy\.md \(ENOENT\); using the built-in text/,
			/a record \(dmail\.fold\) cannot be read: id: /,
			/a record \(dmail\.fold\) cannot be read: no data/,
			/fold abcd is not applied: /,
		]);

		const raw = await runPrint(bare, "go on", launch);
		assert.deepEqual(
			run.requests.map((request) => unmarked(request.messages)),
			raw.requests.map((request) => request.messages),
		);
		for (const request of run.requests)
			assert.deepEqual(
				pairFaults(request.messages).map((fault) => [fault.kind, fault.callId]),
				[["unanswered call", "never"]],
			);
		const steps = run.requests.map((request) => markersOf(request).map((marker) => marker.step));
		assert.deepEqual(steps, [
			[1, 2, 3],
			[1, 2, 3, 4],
		]);
	});

	test(`${host}: a session with no messages, an empty policy, settings of a wrong type, half a step, a summary of 200 KB`, async (t) => {
		const home = makeHome(host);
		t.after(() => home.remove());
		writeSettings(home, { dmail: 7 });
		const empty = join(home.root, "empty.md");
		writeFileSync(empty, "\n");
		const extensions = [EXTENSION];
		const script = [
			call("bash", { command: "seq 1 900" }),
			call("send_dmail", { fromStep: 1.5, summary: "From the middle of a step." }),
			call("send_dmail", { fromStep: 1, toStep: 1.5, summary: "To the middle of a step." }),
			call("send_dmail", { fromStep: 1, summary: "0123456789".repeat(20_000) }),
			"hi",
		];
		const pi = new RpcPi(home, { script, extensions, env: { DMAIL_POLICY: empty } });
		await pi.command("/dmail status");
		await pi.ask("hello");
		const { requests, stderr } = await pi.close();
		assert.equal(stderr, "");
		assertSaid(pi.notices(), [
			/^\[dmail\] settings: "dmail" must be an object/,
			/^\[dmail\] policy: .*empty\.md is empty; using the built-in text/,
			/is on \(the default\)[\s\S]*\nwarned: settings: "dmail".*\nwarned: policy: .*empty\.md/,
		]);
		assert.ok(requests[0]?.system.includes(BUILT_IN_POLICY));
		const answers = (requests.at(-1)?.messages ?? []).filter(({ isError }) => isError);
		assert.match(
			answers.pop()?.content[0]?.text ?? "",
			/^the summary has 200000 characters, the limit is 20000; shorten it/,
		);
		assert.doesNotMatch(readFileSync(sessionFile(home), "utf8"), /"customType":"dmail\.fold"/);
		for (const [at, { content }] of answers.entries())
			assert.match(
				content[0]?.text ?? "",
				/^there is no step 1\.5; steps? 1\S* can be folded/,
				`${at}`,
			);
		assert.equal(answers.length, 2, "neither is taken for another step");
		assert.deepEqual(unmarked(requests[0]?.messages ?? []), [
			{ role: "user", content: [{ type: "text", text: "hello" }] },
		]);
	});
}
