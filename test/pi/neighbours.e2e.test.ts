// Beside other extensions: what one of them edits, adds or removes stays so, and no request becomes
// invalid, whether ours is loaded before or after it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { FIRST_PROMPT, FIRST_TURNS, RUN_FOLDS, writeParts } from "../support/folding-run.ts";
import {
	EXTENSION,
	HOSTS,
	makeHome,
	neighbour,
	runPrint,
	writeSettings,
} from "../support/real-pi.ts";
import {
	assertPaired,
	chipsOf,
	countText,
	markersOf,
	textOf,
	type WireRequest,
} from "../support/wire.ts";
import { assertSummariesOnce } from "../support/wire-folds.ts";

const NEIGHBOURS = ["edit-results", "remove-old", "throw-in-context", "append-tail", "set-status"];
const STAMP = "(checked by the neighbour)";

const results = ({ messages }: WireRequest) =>
	messages.filter((message) => message.role === "toolResult");

/** Where a neighbour stands: the host, the event it listens to, loaded before or after ours. */
const PLACES = HOSTS.flatMap((host) => {
	const context = { host, event: "context", place: "before" };
	const latest = host === "0.73.1" ? "context" : "context_with_system";
	return [context, { host, event: latest, place: "after" }];
});

for (const { host, event, place } of PLACES)
	test(`${host}: neighbours on ${event} loaded ${place} ours keep their work`, async (t) => {
		const home = makeHome(host);
		t.after(() => home.remove());
		writeParts(home);
		writeSettings(home, { dmail: { timing: "now" } });
		const others = NEIGHBOURS.map(neighbour);
		const extensions = place === "before" ? [...others, EXTENSION] : [EXTENSION, ...others];
		const run = await runPrint(home, FIRST_PROMPT, {
			script: FIRST_TURNS,
			extensions,
			env: { NEIGHBOUR_EVENT: event },
		});
		const { requests, code, stderr } = run;
		assert.equal(code, 0);
		assert.equal(stderr.includes("[dmail]"), false, stderr);
		assert.equal(requests.length, FIRST_TURNS.length);
		assertPaired(requests);
		assertSummariesOnce(requests, RUN_FOLDS);
		assert.deepEqual(
			requests.map((request) => chipsOf(request).length),
			[0, 0, 0, 1, 1, 1, 2, 2, 1],
		);
		for (const [index, request] of requests.entries()) {
			assert.equal(countText(request, FIRST_PROMPT), 1, `request ${index}: the user's words`);
			assert.equal(countText(request, STAMP), results(request).length, `request ${index}: stamps`);
			const last = textOf(request.messages.at(-1) ?? assert.fail());
			assert.equal(last, "(a reminder by the neighbour)", `request ${index}: the tail`);
			assert.equal(markersOf(request).at(-1)?.step, index + 1, `request ${index}: markers`);
		}
		// steps 1 and 2 are folded: before ours step 1 is left out, inside the range; after it step 3
		const shown = requests[4] ?? assert.fail();
		const replies = shown.messages.filter((message) => message.role === "assistant").length;
		assert.equal(replies, place === "before" ? 2 : 1);
	});
