// What a report says of estimates that are known in part, or whose fit says nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { profileOf, rowsOf, textOf } from "../field/profiled.ts";

const START = Date.UTC(2026, 0, 5, 9);

interface Asked {
	readonly model?: string;
	readonly input?: number;
	readonly cacheRead?: number;
	readonly cacheWrite?: number;
	/** US dollars by part of the prompt; absent: no cost was recorded */
	readonly cost?: Readonly<Record<string, number>>;
	/** characters that the user said */
	readonly words?: number;
	readonly measured?: false;
}

/** A session in which every reply answers a word of the user, a minute after the one before. */
function session(asked: readonly Asked[]): object[] {
	const records: object[] = [];
	const push = (atMs: number, message: object) =>
		records.push({
			type: "message",
			id: `e${records.length}`,
			parentId: records.length > 0 ? `e${records.length - 1}` : null,
			timestamp: new Date(atMs).toISOString(),
			message: { ...message, timestamp: atMs },
		});
	for (const [i, { model = "a", cost, words = 4, measured, ...tokens }] of asked.entries()) {
		const atMs = START + i * 60_000;
		push(atMs, { role: "user", content: "w".repeat(words) });
		const usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 1, ...tokens };
		const used = measured === false ? {} : { usage: cost ? { ...usage, cost } : usage };
		const said = { provider: "p", model, stopReason: "stop", ...used };
		push(atMs + 1, { role: "assistant", content: [{ type: "text", text: "Done." }], ...said });
	}
	return records;
}

const WRITTEN: Asked = { cacheWrite: 10_000, cost: { cacheWrite: 0.0375 } };
const READ: Asked = { cacheRead: 10_000, cost: { cacheRead: 0.003 } };

test("what a miss cost is not known where the session shows no price of a cache read", () => {
	const other = { ...WRITTEN, model: "b" };
	const profile = profileOf(session([WRITTEN, READ, other]));
	const [first, , late] = rowsOf(profile).map(({ miss }) => miss[0]);
	assert.ok(Math.abs((first?.costUsd ?? 0) - 0.0345) < 1e-9);
	assert.deepEqual(late, { cause: "model", tokens: 10_000, costUsd: null });
	assert.match(textOf(profile), /^model +~10\.0k +~50% +–$/m);
});

test("a cost that is known in part is a lower bound, and null in JSON", () => {
	const missed = [WRITTEN, READ, WRITTEN, { ...WRITTEN, model: "b" }];
	const back = [{ ...READ, model: "b", cost: {} }, WRITTEN];
	const profile = profileOf(session([...missed, ...back]));
	const [, model] = profile.totals.miss;
	assert.deepEqual(model, { cause: "model", tokens: 20_000, costUsd: null });
	assert.match(textOf(profile), /^model +~20\.0k +~50% +≥~\$0\.03$/m);
});

test("parts of a prompt that was measured in part are lower bounds as it is", () => {
	const text = textOf(profileOf(session([WRITTEN, READ, { measured: false }])));
	assert.match(text, /prompt ≥20\.0k: cached ≥10\.0k, written ≥10\.0k, fresh ≥0;/);
	assert.match(textOf(profileOf(session([WRITTEN, READ]))), /20\.0k: cached 10\.0k, written 10/);
});

test("a line through one or two requests says nothing of its error", () => {
	const one = profileOf(session([{ input: 5_000 }]));
	assert.equal(one.calibration.error, null);
	assert.match(textOf(one), /calibrated on 1 request: ~5\.0k \+ ~1\.00 × estimate$/m);
	assert.equal(profileOf(session([{ input: 50 }, { input: 90 }])).calibration.error, null);
});

test("a line that fits nothing is said not to, whatever its error", () => {
	const sizes = [1, 2, 1, 2].map((input) => ({ input, words: 400_000 }));
	const profile = profileOf(session(sizes));
	assert.ok((profile.calibration.error ?? 0) > 1);
	assert.match(textOf(profile), /calibrated on 4 requests: .* × estimate, which does not fit: /);
	assert.doesNotMatch(textOf(profile), /median error/);
});
