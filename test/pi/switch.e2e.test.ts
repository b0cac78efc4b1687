// The switch on real pis: commands, flag and settings, what a session remembers, and when off takes
// effect. Off means raw.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FIRST_PROMPT, FIRST_TURNS, foldingHome } from "../support/folding-run.ts";
import {
	EXTENSION,
	HOSTS,
	type Home,
	runPrint,
	sessionEntries,
	writeSettings,
} from "../support/real-pi.ts";
import { RpcPi } from "../support/real-pi-rpc.ts";
import { assertPaired, chipsOf, markersOf, type WireRequest } from "../support/wire.ts";

const SEND = "send_dmail";
/** Steps 1 to 4: the third folds the two before it, the fourth answers. */
const TURNS = [...FIRST_TURNS.slice(0, 3), "answered"];
const extensions = [EXTENSION];

/** What a request shows of folding: chips, markers, whether the tool is offered, whether the policy is. */
function shown(request: WireRequest | undefined): readonly [number, number, boolean, boolean] {
	if (!request) assert.fail("no such request");
	const hasPolicy = request.system.includes("# Folding your context");
	return [
		chipsOf(request).length,
		markersOf(request).length,
		request.tools.includes(SEND),
		hasPolicy,
	];
}

const OFF = [0, 0, false, false];

const modes = (home: Home) =>
	sessionEntries(home).flatMap(({ customType, data }) =>
		customType === "dmail.mode" ? [[data?.["enabled"], data?.["by"]]] : [],
	);

for (const host of HOSTS) {
	test(`${host}: /dmail switches between prompts, and the session remembers`, async (t) => {
		const home = foldingHome(t, host);
		const script = [...TURNS, "raw", "folded again", "raw again"];
		const pi = new RpcPi(home, { script, extensions });
		await pi.command("/dmail on");
		assert.match(pi.notices().at(-1) ?? "", /is on already; nothing changed/);
		assert.equal(pi.status("dmail"), "D-MAIL ON");
		await pi.ask(FIRST_PROMPT);
		assert.match(pi.status("dmail") ?? "", /^D-MAIL ON −[\d.]+k?$/);
		await pi.command("/dmail status");
		assert.match(pi.notices().at(-1) ?? "", /folds: 1 landed/);

		await pi.command("/dmail off");
		assert.equal(pi.status("dmail"), "⚠ D-MAIL OFF");
		await pi.command("/dmail off");
		assert.match(pi.notices().at(-1) ?? "", /is off already; nothing changed/);
		await pi.ask("once more");
		await pi.command("/dmail");
		await pi.ask("and again");
		await pi.command("/dmail nonsense");
		assert.match(
			pi.notices().at(-1) ?? "",
			/there is no "nonsense"; the words are\n {2}fold .*\n {2}on .*\n {2}off /s,
		);
		await pi.command("/dmail off");
		const { requests, stderr, code } = await pi.close();
		assert.deepEqual([code, stderr], [0, ""]);
		assert.deepEqual(requests.slice(3).map(shown), [[1, 3, true, true], OFF, [1, 5, true, true]]);
		assertPaired(requests);
		assert.deepEqual(modes(home), [
			[false, "user"],
			[true, "user"],
			[false, "user"],
		]);

		await t.test("off outlives the process; the flag wins over an older command", async () => {
			const resumed = { script: ["hi", "there"], extensions };
			const on = await runPrint(home, "/dmail on", { ...resumed, args: ["-c"] });
			// not "already": it was off
			assert.equal(on.stderr, "[dmail] is on: folds apply from the next request\n");
			const flag = { ...resumed, args: ["-c", "--dmail-disabled=true"] };
			const disabled = await runPrint(home, "two", flag);
			assert.deepEqual(shown(disabled.requests[0]), OFF);
			const back = await runPrint(home, "three", { ...resumed, args: ["-c"] });
			assert.deepEqual(shown(back.requests[0]), [1, 7, true, true]);
			assert.deepEqual(modes(home).slice(3), [
				[true, "user"],
				[false, "auto"],
				[true, "auto"],
			]);
		});
	});

	test(`${host}: off while a reply is awaited holds from the next request on`, async (t) => {
		const home = foldingHome(t, host);
		const [one, two, fold] = TURNS;
		const late = { ...(fold as object), delayMs: 600 };
		const pi = new RpcPi(home, {
			script: [one ?? "", two ?? "", late, "answered", "bye"],
			extensions,
		});
		await pi.send({ type: "prompt", message: FIRST_PROMPT });
		let replies = 0;
		await pi.next(0, ({ type, message }) => {
			return type === "message_start" && roleOf(message) === "assistant" && ++replies === 3;
		});
		await pi.command("/dmail off");
		await pi.settle(0);
		await pi.ask("once more");
		const { requests } = await pi.close();
		const refused = requests[3]?.messages.at(-1);
		assert.equal(refused?.isError, true);
		assert.match(refused?.content[0]?.text ?? "", /D-Mail is off|not found/);
		const [chips, markers, hasTool] = shown(requests[3]);
		assert.deepEqual([chips, markers], [0, 0]);
		// 0.73 keeps the tools of a run to its end
		assert.equal(hasTool, host === "0.73.1");
		assert.deepEqual(shown(requests[4]), OFF);
		assert.equal(
			sessionEntries(home).some((entry) => entry.customType === "dmail.fold"),
			false,
		);
	});

	test(`${host}: settings switch new sessions off, of the home and of a trusted project`, async (t) => {
		const home = foldingHome(t, host);
		const script = ["hi", "there"];
		writeSettings(home, { dmail: { enabled: false } });
		const off = await runPrint(home, "one", { script, extensions });
		assert.deepEqual(shown(off.requests[0]), OFF);

		mkdirSync(join(home.cwd, ".pi"));
		const project = JSON.stringify({ dmail: { enabled: true } });
		writeFileSync(join(home.cwd, ".pi", "settings.json"), project);
		const trust = host === "0.73.1" ? [] : ["--approve"];
		const pi = new RpcPi(home, { script, extensions, args: trust });
		await pi.ask("two");
		await pi.command("/dmail off");
		await pi.send({ type: "new_session" });
		await pi.ask("three");
		const { requests } = await pi.close();
		assert.deepEqual(requests.map(shown), [
			[0, 1, true, true],
			[0, 1, true, true],
		]);
		if (host === "0.73.1") return;
		const untrusted = await runPrint(home, "four", { script, extensions });
		assert.deepEqual(shown(untrusted.requests[0]), OFF);
	});
}

function roleOf(message: unknown): string | undefined {
	return (message as { role?: string } | undefined)?.role;
}
