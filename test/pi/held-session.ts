// Sessions in which folds are held, for the tests of when folds land: steps of any size, as old as a test wants.

import assert from "node:assert/strict";
import type { FoldRecord, LandRecord } from "../../fold.ts";
import { foldNow } from "../../src/pi/folding.ts";
import { readLog, replayLog } from "../../src/pi/log.ts";
import type { Scene } from "../../src/pi/moment.ts";
import { pricingOf } from "../../src/pi/price.ts";
import type { Settings } from "../../src/pi/settings.ts";
import { landingDue } from "../../src/pi/timing.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { type FakeOptions, type FakePi, fakePi } from "../support/fake-pi.ts";
import { call, type Draft, reply, result, session, user } from "../support/session-entries.ts";

/** A step of so many tokens. */
export function step(id: string, tokens: number): Draft[] {
	return [
		reply("", call(id, "bash", { command: id })),
		result(id, "word ".repeat((4 * tokens) / 5)),
	];
}

/** Entries as if the last one were so old, one second apart. */
function aged(drafts: readonly Draft[], ageMs: number): SessionEntry[] {
	const entries = session(...drafts);
	const last = Date.now() - ageMs;
	return entries.map((entry, at) => {
		const time = last - (entries.length - 1 - at) * 1_000;
		const dated = { ...entry, timestamp: new Date(time).toISOString() };
		return dated.type === "message"
			? { ...dated, message: { ...dated.message, timestamp: time } }
			: dated;
	});
}

/** Two steps of 2,000 tokens, then 40,000: to fold one of the two would pay after hundreds of requests. */
const LONG = [
	user("begin ".repeat(400)),
	...step("a", 2_000),
	...step("b", 2_000),
	...step("c", 40_000),
];
const FOLDING = [...step("d", 10), reply("", call("f", "send_dmail", {}), call("g", "bash", {}))];

export function fake(
	ageMs: number,
	options: FakeOptions = {},
	drafts: readonly Draft[] = [...LONG, ...FOLDING],
) {
	return fakePi(aged(drafts, ageMs), options);
}

export function fold(
	pi: FakePi,
	first: number,
	last: number | undefined,
	timing: Settings["timing"] = "auto",
) {
	const wish = { fromStep: first, toStep: last, callId: "f", live: true };
	const made = foldNow(pi.pi, pi.ctx, { wish, summary: "what was done", by: "model", timing });
	assert.ok(made.ok, made.ok ? "" : made.reason);
	return made;
}

export function sceneOf({ pi, ctx }: FakePi): Scene {
	const log = readLog(ctx);
	const replayer = replayLog(log);
	const view = replayer.view({ asking: true });
	return { log, replayer, view, pricing: pricingOf(pi, ctx, { log, replayer, view }) };
}

export function due(pi: FakePi, timing: Settings["timing"] = "auto"): LandRecord | undefined {
	return landingDue(sceneOf(pi), timing);
}

export function recordOf({ entries }: FakePi): FoldRecord {
	const entry = entries.at(-1);
	return entry?.type === "custom" ? (entry.data as FoldRecord) : assert.fail();
}

/** Adds entries to the session, dated now. */
export function grow(pi: FakePi, ...drafts: readonly Draft[]): void {
	for (const [index, entry] of aged(drafts, 0).entries())
		pi.entries.push({
			...entry,
			id: `g${pi.entries.length}.${index}`,
			parentId: pi.entries.at(-1)?.id ?? null,
		});
}

export const WARM = 1_000;
export const COLD = 400_000;
/** The same entries, all of them older. */
export function shifted(entries: readonly SessionEntry[], ms: number): SessionEntry[] {
	return entries.map((entry) => {
		const timestamp = new Date(Date.parse(entry.timestamp) - ms).toISOString();
		const dated = { ...entry, timestamp };
		return dated.type === "message"
			? { ...dated, message: { ...dated.message, timestamp: dated.message.timestamp - ms } }
			: dated;
	});
}
