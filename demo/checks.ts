// What must hold of the demo's run, each with a name. Judges what was sent and what was stored; changes
// neither.

import assert from "node:assert/strict";
import {
	assertMarkers,
	assertPaired,
	chipsOf,
	countText,
	markersOf,
} from "../test/support/wire.ts";
import {
	assertCuts,
	assertOutputsGone,
	assertSummariesOnce,
	foldedOutputs,
} from "../test/support/wire-folds.ts";
import type { Played } from "./play.ts";
import { FOLDS, PROMPTS, TURNS } from "./scenario.ts";

/** A check: its name, and what throws where it does not hold. */
export type Check = readonly [name: string, holds: (run: Played) => void];

/** The checks in the order of the demo. */
export const CHECKS: readonly Check[] = [
	["pi ended well and said nothing on stderr", endedWell],
	[
		"every turn of the scenario was asked for",
		({ requests }) => {
			assert.equal(requests.length, TURNS.length);
		},
	],
	[
		"between folds each request only adds to the one before; a fold changes nothing before itself",
		({ on }) => assertCuts(on, FOLDS),
	],
	["the cache still serves what stands before the fold", cacheHits],
	["folded output is not sent", ({ on }) => assertOutputsGone(on, FOLDS)],
	["each summary is sent exactly once", ({ on }) => assertSummariesOnce(on, FOLDS)],
	[
		"every word of the user is sent",
		({ requests }) => {
			for (const [index, request] of requests.entries())
				for (const prompt of PROMPTS.slice(0, promptsBefore(index)))
					assert.equal(countText(request, prompt), 1, `request ${index}: ${prompt}`);
		},
	],
	[
		"the profiler finds what each request was sent with, and what it would have been without folds",
		profiledAsSent,
	],
	["calls and results pair up", ({ requests }) => assertPaired(requests)],
	[
		"markers count up and the pending step's is the last",
		({ on }) => {
			for (const request of on) assertMarkers(request);
			on.forEach((request, index) => {
				assert.equal(markersOf(request).at(-1)?.step, index + 1, `request ${index}`);
			});
		},
	],
	[
		"folding makes the request smaller",
		({ requests, sent, raw }) => {
			for (const { request } of FOLDS) {
				assert.ok((sent[request] ?? 0) < (raw[request] ?? 0) / 2, `request ${request}`);
				assert.ok((sent[request] ?? 0) < (sent[request - 1] ?? 0), `request ${request}`);
			}
			assert.ok(requests.length > 0);
		},
	],
	[
		"a second fold stands for the first one too",
		({ on }) => {
			assert.equal(chipsOf(on.at(-1) ?? assert.fail()).length, 1);
		},
	],
	["nothing stored has changed", storedIsKept],
	["off means raw: no chip, no marker, no tool, no policy", offIsRaw],
];

function endedWell({ code, stderr }: Played): void {
	assert.equal(stderr, "");
	assert.equal(code, 0);
}

function cacheHits({ on }: Played): void {
	for (const [index, request] of on.entries()) {
		const before = on[index - 1];
		if (!before) continue;
		const folded = FOLDS.some((fold) => fold.request === index);
		if (!folded) assert.equal(request.cacheRead, before.cacheRead + before.cacheWrite, `${index}`);
		else assert.ok(request.cacheRead > 0, `request ${index} reads from the cache`);
	}
}

const start = (text: string) => text.slice(0, 60);

function storedIsKept(run: Played): void {
	const { sessions } = run;
	for (const [nth, earlier] of sessions.entries())
		assert.ok((sessions[nth + 1] ?? earlier).startsWith(earlier), `after prompt ${nth + 1}`);
	const stored = sessions.at(-1) ?? "";
	for (const { text } of foldedOutputs(run.on, FOLDS))
		assert.ok(stored.includes(JSON.stringify(text)), start(text));
}

function offIsRaw(run: Played): void {
	const { on, requests, sent, raw, policy } = run;
	const off = requests.at(-1) ?? assert.fail();
	assert.deepEqual(markersOf(off), []);
	assert.deepEqual(chipsOf(off), []);
	assert.equal(off.tools.includes("send_dmail"), false);
	assert.ok(policy.length > 0);
	assert.ok(on.every((request) => request.system.includes(policy)));
	assert.equal(off.system.includes(policy), false);
	assert.equal(sent.at(-1), raw.at(-1));
	for (const { text } of foldedOutputs(run.on, FOLDS))
		assert.ok(countText(off, text) > 0, start(text));
}

/** How many prompts were given by the time of a request. */
function promptsBefore(index: number): number {
	if (index < 6) return 1;
	return index < TURNS.length - 1 ? 2 : 3;
}

function profiledAsSent({ profile, sent, raw, on }: Played): void {
	assert.ok(profile);
	const rows = Array.from({ length: profile.requests.length }, (_, at) => profile.requests.at(at));
	assert.deepEqual(
		rows.map(({ foldedTokens }) => foldedTokens),
		sent,
	);
	assert.deepEqual(
		rows.map(({ rawTokens }) => rawTokens),
		raw,
	);
	assert.ok(profile.totals.folds.recorded > 0);
	assert.ok(rows.slice(0, on.length).some(({ folds }) => folds > 0));
}
