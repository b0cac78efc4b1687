// Beside other extensions: what one of them edits, adds or removes stays so, and no request becomes
// invalid, whether ours is loaded before or after it.

import assert from "node:assert/strict";
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
	EXTENSION,
	HOSTS,
	makeHome,
	neighbour,
	runPrint,
	writeSettings,
} from "../support/real-pi.ts";
import { RpcPi } from "../support/real-pi-rpc.ts";
import {
	assertPaired,
	assertPrefixes,
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
	const events = host === "0.73.1" ? ["context"] : ["context", "context_with_system"];
	const before = events.map((event) => ({ host, event, place: "before" }));
	return [...before, { host, event: events.at(-1) ?? "", place: "after" }];
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

for (const { host, event } of PLACES.filter(({ place }) => place === "before"))
	test(`${host}: a neighbour on ${event} that gives messages new times costs no fold and no prefix`, async (t) => {
		const home = makeHome(host);
		t.after(() => home.remove());
		writeParts(home);
		writeSettings(home, { dmail: { timing: "now" } });
		const { requests, stderr } = await runPrint(home, FIRST_PROMPT, {
			script: FIRST_TURNS,
			extensions: [neighbour("redate"), EXTENSION],
			env: { NEIGHBOUR_EVENT: event },
		});
		assert.equal(stderr.includes("[dmail]"), false, stderr);
		assertPaired(requests);
		assertSummariesOnce(requests, RUN_FOLDS);
		const chips = requests.map((request) => chipsOf(request).length);
		assert.deepEqual(chips, [0, 0, 0, 1, 1, 1, 2, 2, 1]);
		assertPrefixes(requests, [3, 6, 8]);
		for (const [index, request] of requests.entries())
			assert.equal(markersOf(request).at(-1)?.step, index + 1, `request ${index}: markers`);
	});

for (const host of HOSTS)
	for (const place of ["before", "after"] as const)
		test(`${host}: a neighbour loaded ${place} ours compacts by itself, in its own words`, async (t) => {
			const home = makeHome(host);
			t.after(() => home.remove());
			writeParts(home);
			const compaction = { enabled: true, reserveTokens: 4_000, keepRecentTokens: 1_000 };
			writeSettings(home, { compaction, dmail: { timing: "now" } });
			const other = neighbour("compact-itself");
			const pi = new RpcPi(home, {
				script: [...FIRST_TURNS, ...SECOND_TURNS],
				extensions: place === "before" ? [other, EXTENSION] : [EXTENSION, other],
			});
			await pi.ask(FIRST_PROMPT);
			await pi.command("/compact-now");
			await pi.ask(SECOND_PROMPT);
			const { requests } = await pi.close();
			assert.equal(
				requests.length,
				FIRST_TURNS.length + SECOND_TURNS.length,
				"no model was asked for it",
			);
			assertPaired(requests);
			const after = requests.slice(FIRST_TURNS.length);
			assertPrefixes(after);
			for (const request of after) {
				assert.equal(countText(request, "(a summary by the neighbour)"), 1);
				assert.match(
					textOf(request.messages[0] ?? assert.fail()),
					/\(a summary by the neighbour\)/,
				);
				assert.equal(countText(request, SECOND_PROMPT), 1);
				assert.ok(new Set(chipsOf(request)).size === chipsOf(request).length, "no chip twice");
				assert.equal(countText(request, "part a, line 3"), 0, "no folded text comes back");
			}
			assert.deepEqual(
				after.map((request) => markersOf(request).at(-1)?.step),
				[10, 11],
			);
		});
