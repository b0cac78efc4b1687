// Folding on a real pi: what the model is sent over two folds, a refold and parallel batches, in print
// and RPC mode; and that nothing stored ever changes.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
	FIRST_PROMPT,
	FIRST_TURNS,
	RUN_FOLDS,
	SECOND_PROMPT,
	SECOND_TURNS,
	writeParts,
} from "../support/folding-run.ts";
import {
	call,
	EXTENSION,
	HOSTS,
	makeHome,
	neighbour,
	runPrint,
	sessionFile,
	writeSettings,
} from "../support/real-pi.ts";
import { RpcPi } from "../support/real-pi-rpc.ts";
import { assertPaired, chipsOf, countText, markersOf, textOf } from "../support/wire.ts";
import { assertFolded, comparable } from "../support/wire-folds.ts";

const DMAIL = { dmail: { timing: "now" } };

for (const host of HOSTS)
	test(`${host}: two folds, a refold and parallel batches, printed and over RPC`, async (t) => {
		const homes = [makeHome(host), makeHome(host), makeHome(host)] as const;
		for (const home of homes) {
			t.after(() => home.remove());
			writeParts(home);
			writeSettings(home, DMAIL);
		}
		const [printed, rpc, slowed] = homes;

		const extensions = [EXTENSION];
		const first = await runPrint(printed, FIRST_PROMPT, { extensions, script: FIRST_TURNS });
		const stored = readFileSync(sessionFile(printed), "utf8");
		const resumed = { extensions, script: SECOND_TURNS, args: ["-c"] };
		const second = await runPrint(printed, SECOND_PROMPT, resumed);
		const requests = [...first.requests, ...second.requests];

		await t.test("pi ends well, and old lines of the session stay", () => {
			for (const run of [first, second]) assert.deepEqual([run.code, run.stderr], [0, ""]);
			assert.ok(readFileSync(sessionFile(printed), "utf8").startsWith(stored));
		});

		await t.test("what is sent holds the laws", () => {
			assert.equal(requests.length, 11);
			assertFolded(requests, RUN_FOLDS);
			for (const [index, request] of requests.entries()) {
				assert.equal(countText(request, FIRST_PROMPT), 1, `request ${index}`);
				assert.equal(countText(request, SECOND_PROMPT), index < 9 ? 0 : 1, `request ${index}`);
			}
		});

		await t.test("the chips: one, two, and one for both", () => {
			const chips = requests.map((request) => chipsOf(request).length);
			assert.deepEqual(chips, [0, 0, 0, 1, 1, 1, 2, 2, 1, 1, 1]);
		});

		await t.test("the pending step's marker is the last block of what was there before it", () => {
			for (const request of requests) {
				const last = request.messages.at(-1)?.content.at(-1);
				assert.match(last?.text ?? "", /^\[step \d+\]/);
			}
		});

		await t.test("over RPC the same is sent, and the file only grows", async () => {
			const script = [...FIRST_TURNS, ...SECOND_TURNS];
			const pi = new RpcPi(rpc, { script, extensions });
			const stored: string[] = [];
			const from = pi.events.length;
			await pi.send({ type: "prompt", message: FIRST_PROMPT });
			for (let at = from, done = false; !done; at++) {
				const { type } = await pi.next(at, () => true);
				if (type === "turn_end") stored.push(readFileSync(sessionFile(rpc), "utf8"));
				done = type === "agent_end";
			}
			await pi.settle(from);
			await pi.ask(SECOND_PROMPT);
			stored.push(readFileSync(sessionFile(rpc), "utf8"));
			const run = await pi.close();
			assert.deepEqual([run.code, run.stderr], [0, ""]);
			assert.deepEqual(comparable(run.requests), comparable(requests));
			assert.ok(stored.length > 5);
			for (const [index, earlier] of stored.entries())
				assert.ok((stored[index + 1] ?? earlier).startsWith(earlier), `turn ${index + 1}`);
		});

		await t.test("a neighbour that takes 80 ms over every message changes nothing", async () => {
			const launch = {
				extensions: [neighbour("slow-message-end"), EXTENSION],
				script: FIRST_TURNS,
			};
			const lagging = await runPrint(slowed, FIRST_PROMPT, launch);
			assert.deepEqual(comparable(lagging.requests), comparable(first.requests));
		});
	});

for (const host of HOSTS)
	test(`${host}: a failed and an aborted attempt repeat their number, and only they`, async (t) => {
		const home = makeHome(host);
		t.after(() => home.remove());
		writeParts(home);
		const pi = new RpcPi(home, {
			extensions: [EXTENSION],
			script: [
				call("bash", { command: "cat a.txt" }),
				{ error: "overloaded_error" },
				call("bash", { command: "cat b.txt" }),
				{ text: "late", delayMs: 15_000 },
				"an answer",
			],
		});
		const from = pi.events.length;
		await pi.send({ type: "prompt", message: FIRST_PROMPT });
		// the fourth reply of the run is the one that hangs
		let replies = 0;
		await pi.next(
			from,
			(event) => event.type === "message_start" && isReply(event) && ++replies === 4,
		);
		await pi.send({ type: "abort" });
		await pi.settle(from);
		await pi.ask(SECOND_PROMPT);
		const { requests, stderr } = await pi.close();
		assert.equal(stderr, "");
		const steps = requests.map((request) => markersOf(request).map((marker) => marker.step));
		assert.deepEqual(steps, [[1], [1, 2], [1, 2], [1, 2, 3], [1, 2, 3, 3]]);
		assert.deepEqual(requests[2]?.messages, requests[1]?.messages, "the retry sends the same");
		const [aborted, last] = [requests[3], requests[4]];
		assert.ok(aborted && last);
		assert.deepEqual(last.messages.slice(0, -1), aborted.messages, "what was sent stays");
		assert.equal(textOf(last.messages.at(-1) ?? assert.fail()), `${SECOND_PROMPT}\n[step 3]`);
		assertPaired(requests);
	});

function isReply(event: { readonly [field: string]: unknown }): boolean {
	return (event["message"] as { role?: string } | undefined)?.role === "assistant";
}
