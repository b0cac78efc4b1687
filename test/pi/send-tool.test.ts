// The tool `send_dmail` where what it is given is too much: what the model is told, and that nothing is stored.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SUMMARY_LIMIT } from "../../fold.ts";
import { Dmail } from "../../src/pi/dmail.ts";
import { sendTool } from "../../src/pi/send-tool.ts";
import { fakePi } from "../support/fake-pi.ts";
import { call, reply, result, session, user } from "../support/session-entries.ts";

const BIG = 200_000;

/** Two steps with a big result each, and a third that calls the tool. */
function offered(summary: string) {
	const args = { fromStep: 1, summary };
	const long = "A line of output that weighs something.\n".repeat(600);
	const branch = session(
		user("look at it"),
		reply("", call("a", "bash", { command: "ls" })),
		result("a", long),
		reply("", call("b", "bash", { command: "ls -R" })),
		result("b", long),
		reply("", call("f", "send_dmail", args)),
	);
	const fake = fakePi(branch, { settings: { dmail: { timing: "now" } }, idle: false });
	const dmail = new Dmail(fake.pi);
	dmail.start(fake.ctx);
	const run = (preview: boolean) =>
		sendTool(fake.pi, dmail).execute("f", { ...args, preview }, undefined, undefined, fake.ctx);
	const stored = () =>
		fake.entries
			.slice(branch.length)
			.flatMap((entry) => (entry.type === "custom" ? [entry.customType] : []));
	return { run, stored };
}

test("a summary of 200 KB is refused with its size, the limit and the way out, and nothing is stored", async () => {
	for (const preview of [false, true]) {
		const { run, stored } = offered("0123456789".repeat(BIG / 10));
		await assert.rejects(
			run(preview),
			new Error(`the summary has ${BIG} characters, the limit is ${SUMMARY_LIMIT}; shorten it`),
		);
		assert.deepEqual(stored(), []);
	}
});

test("a summary of as many characters as it may have is folded, one of a character more is not", async () => {
	const most = offered("x".repeat(SUMMARY_LIMIT));
	const { content } = await most.run(false);
	assert.match(JSON.stringify(content), /read_dmail/);
	assert.deepEqual(most.stored(), ["dmail.fold"]);
	const more = offered("x".repeat(SUMMARY_LIMIT + 1));
	await assert.rejects(more.run(false), /has 20001 characters, the limit is 20000; shorten it$/);
	assert.deepEqual(more.stored(), []);
});
