// What the commands do to a cut that is pinned, and what the model is told of it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { typeCommands } from "../support/fake-commands.ts";
import { longSteps, session } from "../support/session-entries.ts";

test("off takes a pinned cut back: the model has no tool to fold with any more", async () => {
	const run = typeCommands(session(...longSteps(4)));
	await run.run("/dmail fold 1 2");
	assert.match(
		await run.run("/dmail off"),
		/is off: .*; the cut that was pinned, steps 1–2, is taken back/,
	);
	const news = JSON.stringify(run.fake.sent[1]?.message.content);
	assert.match(news, /took the pinned cut of steps 1–2 back/);
	assert.equal(run.fake.sent[1]?.options?.["triggerTurn"], false);
	await run.run("/dmail on");
	assert.doesNotMatch(await run.run("/dmail status"), /a cut is pinned/);
});
