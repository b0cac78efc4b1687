// Timing on real pis: folds mid-history are held and move no byte, and land together in one rewrite when the
// cache is cold, also after a reload and a resume; or by `/dmail land`, or at once where there is no cache.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { measure } from "../../src/profile/measure.ts";
import { lineOf } from "../support/landing-words.ts";
import { writeShortAndLong } from "../support/part-files.ts";
import {
	EXTENSION,
	foldsOf,
	HOSTS,
	type Home,
	type HostVersion,
	makeHome,
	neighbour,
	recordsOf,
	runPrint,
	sessionFile,
} from "../support/real-pi.ts";
import { RpcPi } from "../support/real-pi-rpc.ts";
import type { Script } from "../support/scripted-provider.ts";
import {
	assertMarkers,
	assertPaired,
	assertPrefixes,
	chipsOf,
	countText,
	markersOf,
	samePrefix,
	textOf,
	type WireRequest,
} from "../support/wire.ts";

const EXTENSIONS = [neighbour("reload-command"), EXTENSION];

/**
 * Two short steps, two long ones, a fold of each short one: to rewrite what follows would pay after hundreds
 * of requests. Counts by the step that is asked for, since a reload starts the model's own count anew. Step 8
 * is dated back, as if pi had stood idle since.
 */
const FOLDS_MID_HISTORY: Script = (request) => {
	const asked = request.messages.at(-1)?.content.at(-1)?.text ?? "";
	const step = Number(/^\[step (\d+)\]/.exec(asked)?.[1] ?? 0);
	const cat = (name: string) => ({ calls: [{ name: "bash", args: { command: `cat ${name}` } }] });
	const fold = (at: number, summary: string) => ({
		calls: [{ name: "send_dmail", args: { fromStep: at, toStep: at, summary } }],
	});
	const turns = [
		cat("a.txt"),
		cat("b.txt"),
		cat("long.txt"),
		cat("long.txt"),
		fold(1, "Part a holds nothing of use."),
		cat("c.txt"),
		fold(2, "Part b holds nothing either."),
		{ text: "All is read.", agoMs: 400_000 },
	];
	return turns[step - 1] ?? `an answer in step ${step}`;
};

function homeOf(t: TestContext, host: HostVersion): Home {
	const home = makeHome(host);
	t.after(() => home.remove());
	writeShortAndLong(home);
	return home;
}

function idsOf(home: Home): string[] {
	return foldsOf(home).map(({ id }) => id);
}

/** What the last tool result of a request says. */
function lastResult(request: WireRequest | undefined): string {
	const message = request?.messages.findLast(({ role }) => role === "toolResult");
	return message ? textOf(message) : "";
}

for (const host of HOSTS) {
	test(`${host}: two folds mid-history are held, and land after a pause in one rewrite`, async (t) => {
		const home = homeOf(t, host);
		const pi = new RpcPi(home, {
			script: FOLDS_MID_HISTORY,
			extensions: EXTENSIONS,
			limitMs: 60_000,
		});
		await pi.ask("read");
		const [a = "", b = ""] = idsOf(home);
		await pi.command("/dmail status");
		await pi.command("/load-anew");
		await pi.command("/dmail status");
		await pi.ask("go on");
		await pi.command("/dmail status");
		const { requests, stderr } = await pi.close();
		const args = ["-c"];
		const resumed = await runPrint(home, "and on", {
			script: FOLDS_MID_HISTORY,
			extensions: EXTENSIONS,
			args,
		});
		const all = [...requests, ...resumed.requests];
		assert.deepEqual([stderr, resumed.stderr, all.length], ["", "", 10]);

		await t.test("until then every request extends the one before it to the byte", () => {
			assertPrefixes(all, [8]);
			assert.deepEqual(
				all.map((request) => chipsOf(request).length),
				[0, 0, 0, 0, 0, 0, 0, 0, 2, 2],
			);
			assertPaired(all);
			for (const [index, request] of all.entries()) {
				assertMarkers(request);
				assert.equal(markersOf(request).at(-1)?.step, index + 1);
			}
		});

		await t.test("the rewrite begins at the first fold, and says each summary once", () => {
			const [before, after] = [all[7], all[8]];
			assert.ok(before && after);
			assert.equal(samePrefix(before, after), 1, "what the user said stays");
			for (const text of ["Part a holds nothing of use.", "Part b holds nothing either."])
				for (const request of all.slice(7)) assert.equal(countText(request, text), 1);
			assert.equal(countText(after, "a 3: ~"), 0);
			assert.equal(countText(after, "long 3: ~"), 2);
		});

		await t.test(
			"the session has two held folds and one landing, which says what was expected",
			() => {
				const records = recordsOf(home);
				assert.deepEqual(
					records.map(({ kind }) => kind),
					["fold", "fold", "land"],
				);
				for (const record of records.slice(0, 2)) assert.ok(record.kind === "fold" && record.held);
				const landing = records[2];
				assert.ok(landing?.kind === "land");
				assert.deepEqual(landing.ids, [a, b]);
				assert.ok((landing.predicted?.onceUsd ?? 0) < 0, "a landing on a cold cache saves at once");
			},
		);

		await t.test("the model is told that a fold is held, and until when", () => {
			assert.match(
				lastResult(all[5]),
				new RegExp(`^Recorded step 1 as fold ${a}, and held it: landing now`),
			);
			assert.match(
				lastResult(all[5]),
				/It lands by itself when that costs little: .* else in about \d+ requests/,
			);
			assert.match(lastResult(all[7]), new RegExp(`^Recorded step 2 as fold ${b}, and held it`));
		});

		await t.test(
			"status shows what is held before and after a reload, then what the landing did",
			() => {
				const [held, reloaded, landed] = pi
					.notices()
					.filter((text) => text.includes("conversation:"));
				for (const text of [held, reloaded])
					assert.match(
						text ?? "",
						new RegExp(`held: ${a} \\(step 1\\), ${b} \\(step 2\\); landing now`),
					);
				assert.match(
					landed ?? "",
					new RegExp(
						`folds ${a}, ${b}: predicted −.* tokens a request, .*; measured −.*; has paid`,
					),
				);
			},
		);

		await t.test("the profiler says the same numbers of the landing", () => {
			const { profile } = measure(sessionFile(home));
			const rows = [a, b].flatMap((id) => profile?.folds.find((row) => row.id === id) ?? []);
			const [, , landed] = pi.notices().filter((text) => text.includes("conversation:"));
			const line = landed?.split("\n").find((one) => one.includes(`folds ${a}, ${b}: `));
			assert.equal(lineOf(rows), line?.trim());
		});
	});

	test(`${host}: beside a neighbour that is slow to take messages in the same holds`, async (t) => {
		const home = homeOf(t, host);
		const extensions = [neighbour("slow-message-end"), EXTENSION];
		const launch = { script: FOLDS_MID_HISTORY, extensions };
		const first = await runPrint(home, "read", launch);
		const second = await runPrint(home, "go on", { ...launch, args: ["-c"] });
		const all = [...first.requests, ...second.requests];
		assert.deepEqual(
			all.map((request) => chipsOf(request).length),
			[0, 0, 0, 0, 0, 0, 0, 0, 2],
		);
		assertPrefixes(all, [8]);
	});

	test(`${host}: /dmail land lands one that is named; without a cache nothing is held`, async (t) => {
		const home = homeOf(t, host);
		const pi = new RpcPi(home, {
			script: FOLDS_MID_HISTORY,
			extensions: EXTENSIONS,
			limitMs: 60_000,
		});
		await pi.ask("read");
		const [a = "", b = ""] = idsOf(home);
		await pi.command("/dmail land nothing");
		await pi.command(`/dmail land ${b}`);
		await pi.command("/dmail list");
		assert.deepEqual(
			recordsOf(home).flatMap((record) => (record.kind === "land" ? [record.ids] : [])),
			[[b]],
		);
		await pi.close();
		const said = pi.notices().join("\n");
		assert.match(said, new RegExp(`fold nothing is not held; held are ${a}, ${b}`));
		assert.match(said, new RegExp(`fold ${b} lands with the next request`));
		assert.match(said, new RegExp(`held: ${a} \\(step 1\\)`));

		const bare = homeOf(t, host);
		const run = await runPrint(bare, "read", {
			script: FOLDS_MID_HISTORY,
			extensions: EXTENSIONS,
			env: {
				SCRIPTED_PRICES: JSON.stringify({ input: 3, output: 15, cacheRead: 0, cacheWrite: 0 }),
			},
		});
		assert.equal(run.stderr, "");
		assert.deepEqual(
			run.requests.map((request) => chipsOf(request).length),
			[0, 0, 0, 0, 0, 1, 1, 2],
		);
	});

	test(`${host}: what was sent while off keeps no folded prompt warm: back on, held folds land`, async (t) => {
		const home = homeOf(t, host);
		const script = FOLDS_MID_HISTORY;
		const pi = new RpcPi(home, { script, extensions: EXTENSIONS, limitMs: 60_000 });
		await pi.ask("read");
		const ids = idsOf(home);
		await pi.command("/dmail off");
		await pi.ask("and without folds?");
		await pi.command("/dmail on");
		await pi.ask("go on");
		const { requests, stderr } = await pi.close();
		assert.equal(stderr, "");
		assert.deepEqual(
			requests.slice(7).map((request) => chipsOf(request).length),
			[0, 0, 2],
		);
		const landed = recordsOf(home).flatMap((record) => (record.kind === "land" ? [record] : []));
		assert.deepEqual(
			landed.map((record) => record.ids),
			[ids],
		);
		assertPaired(requests);
	});
}
