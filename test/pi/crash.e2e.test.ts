// After a crash `pi -c` sends exactly what the unbroken run would have sent, also where the crash came
// inside the fold tool: the record is stored then, its tool result is not.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FIRST_PROMPT, FIRST_TURNS, foldingHome, SECOND_PROMPT } from "../support/folding-run.ts";
import {
	EXTENSION,
	HOSTS,
	type Home,
	neighbour,
	runPrint,
	sessionEntries,
} from "../support/real-pi.ts";
import { RpcPi } from "../support/real-pi-rpc.ts";
import { chipsOf, type WireRequest } from "../support/wire.ts";
import { comparable } from "../support/wire-folds.ts";

/** Steps 1 to 3; the third folds the two before it. */
const TURNS = FIRST_TURNS.slice(0, 3);

/** What is sent after the fold where the user says more at once, without any crash. */
async function sendUnbroken(home: Home): Promise<WireRequest> {
	const script = [...TURNS.slice(0, 2), { ...TURNS[2], delayMs: 600 }, "an answer"];
	const pi = new RpcPi(home, { script, extensions: [EXTENSION] });
	await pi.send({ type: "prompt", message: FIRST_PROMPT });
	await reply(pi, 3);
	await pi.send({ type: "steer", message: SECOND_PROMPT });
	await pi.settle(0);
	const { requests } = await pi.close();
	return requests.at(-1) ?? assert.fail();
}

/** What is sent when the killed session is gone on with. */
async function sendResumed(home: Home): Promise<WireRequest> {
	const launch = { script: ["an answer"], extensions: [EXTENSION], args: ["-c"] };
	const { requests, stderr } = await runPrint(home, SECOND_PROMPT, launch);
	assert.equal(stderr, "");
	return requests[0] ?? assert.fail();
}

/** Waits for the start of the n-th reply of a run. */
async function reply(pi: RpcPi, n: number): Promise<void> {
	let count = 0;
	await pi.next(0, (event) => {
		const message = event["message"] as { role?: string } | undefined;
		return event.type === "message_start" && message?.role === "assistant" && ++count === n;
	});
}

for (const host of HOSTS)
	test(`${host}: a killed run goes on as the unbroken one would have`, async (t) => {
		const unbroken = await sendUnbroken(foldingHome(t, host));
		assert.equal(chipsOf(unbroken).length, 1);

		await t.test("killed while the reply after the fold is awaited", async (t) => {
			const home = foldingHome(t, host);
			const script = [...TURNS, { text: "never", delayMs: 15_000 }];
			const pi = new RpcPi(home, { script, extensions: [EXTENSION] });
			await pi.send({ type: "prompt", message: FIRST_PROMPT });
			await reply(pi, 4);
			assert.equal((await pi.kill()).signal, "SIGKILL");
			assert.deepEqual(comparable([await sendResumed(home)]), comparable([unbroken]));
		});

		await t.test("killed inside the fold tool", async (t) => {
			const home = foldingHome(t, host);
			const extensions = [EXTENSION, neighbour("kill-at-result")];
			const env = { KILL_AT_RESULT: "send_dmail" };
			const run = await runPrint(home, FIRST_PROMPT, { script: TURNS, extensions, env });
			assert.equal(run.signal, "SIGKILL");
			const stored = sessionEntries(home);
			assert.equal(stored.at(-1)?.customType, "dmail.fold", "the record is the last line");

			const withoutResult = unbroken.messages.filter(
				(message) => message.toolName !== "send_dmail",
			);
			assert.equal(withoutResult.length, unbroken.messages.length - 1);
			const expected = { ...unbroken, messages: withoutResult };
			assert.deepEqual(comparable([await sendResumed(home)]), comparable([expected]));
		});
	});
