// Kills a real pi at a random moment of a run that folds, and looks at what is left: each fold whole or not at
// all, and a session that goes on with the request that its file calls for.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { Replayer } from "../../fold.ts";
import { readBranch, walk } from "../../src/session/branch.ts";
import { readSession } from "../../src/session/file.ts";
import { piHost } from "../../src/session/message.ts";
import { FIRST_PROMPT, FIRST_TURNS, writeParts } from "../support/folding-run.ts";
import {
	EXTENSION,
	type Home,
	type HostVersion,
	makeHome,
	sessionFile,
	writeSettings,
} from "../support/real-pi.ts";
import { RpcPi } from "../support/real-pi-rpc.ts";
import { SessionLife } from "../support/session-life.ts";

/** What was left after a cut. */
export interface Left {
	readonly entries: number;
	readonly folds: number;
}

/**
 * A moment in a run. It is counted in what pi says, not in time from the prompt: how fast a run is changes
 * with the machine's load, and cuts would gather at its ends.
 */
export interface Cut {
	/** events since the prompt */
	readonly events: number;
	/** ms after the last of them */
	readonly waitMs: number;
}

/** Longest wait behind an event: most of what a run does takes less. */
const WAIT_MS = 40;

/** How many events a run has from its prompt to its end: what cuts are drawn from. */
export async function countEvents(host: HostVersion): Promise<number> {
	return within(host, async (home) => {
		const pi = startRun(home);
		const events = await pi.ask(FIRST_PROMPT);
		await pi.close();
		assert.equal(lookAt(home).folds, 3, "all folds are made where nothing cuts the run off");
		return events.length;
	});
}

/** Moments in a run, the same for the same seed. */
export function drawCuts(events: number, count: number, seed: number): Cut[] {
	// without bias: no more cuts at the ends of a run than anywhere
	const moment = fc.record({
		events: fc.noBias(fc.integer({ min: 0, max: events })),
		waitMs: fc.noBias(fc.integer({ min: 0, max: WAIT_MS })),
	});
	return fc.sample(moment, { numRuns: count, seed });
}

/** A cut in words. */
export function nameCut({ events, waitMs }: Cut): string {
	return `cut ${waitMs} ms after event ${events}`;
}

/** Cuts one run; throws where something is lost. */
export async function cutAt(host: HostVersion, { events, waitMs }: Cut): Promise<Left> {
	return within(host, async (home) => {
		const pi = startRun(home);
		await pi.send({ type: "get_state" });
		const from = pi.events.length;
		// the run is cut off, so that it never comes to its end is no fault
		const run = pi.ask(FIRST_PROMPT).catch(() => undefined);
		if (events > 0) await Promise.race([pi.next(from + events - 1, () => true), run]);
		await setTimeout(waitMs);
		assert.equal((await pi.kill()).signal, "SIGKILL");
		await run;
		const left = lookAt(home);
		const life = await SessionLife.start(home, { extensions: [EXTENSION], args: ["-c"] });
		await life.ask("after the cut");
		await life.end();
		assert.ok(lookAt(home).folds >= left.folds, "no fold is lost by going on");
		return left;
	});
}

async function within<T>(host: HostVersion, run: (home: Home) => Promise<T>): Promise<T> {
	const home = makeHome(host);
	try {
		writeParts(home);
		writeSettings(home, { dmail: { timing: "now" } });
		return await run(home);
	} finally {
		home.remove();
	}
}

function startRun(home: Home): RpcPi {
	return new RpcPi(home, { script: FIRST_TURNS, extensions: [EXTENSION] });
}

/** Reads the session as it lies there; nothing of it may be damaged but an unfinished last line. */
function lookAt(home: Home): { entries: number; folds: number } {
	const file = fileOf(home);
	if (file === undefined) return { entries: 0, folds: 0 };
	const { entries, problems } = readSession(file);
	const lines = entries.length + 1;
	assert.deepEqual(
		problems.filter(({ line }) => line <= lines),
		[],
	);
	const byId = new Map(entries.map((entry) => [entry.id, entry]));
	const branch = walk((id) => byId.get(id), entries.at(-1)?.id);
	const replayer = new Replayer(piHost);
	for (const entry of readBranch(branch, home.host === "0.73.1" ? "0.73" : "1.6"))
		replayer.push(entry);
	assert.deepEqual(replayer.unreadable, []);
	for (const { state, reason } of replayer.folds)
		assert.ok(state === "landed" || state === "absorbed", `${state}: ${reason}`);
	return { entries: entries.length, folds: replayer.folds.length };
}

/** The session's file; undefined where pi has not written it yet. */
function fileOf(home: Home): string | undefined {
	try {
		const file = sessionFile(home);
		return existsSync(file) ? file : undefined;
	} catch {
		return undefined;
	}
}
