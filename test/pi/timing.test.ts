// When folds land: what is recorded, what lands with it or before a request, read from a session alone.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { FoldRecord, LandRecord } from "../../fold.ts";
import { LAND } from "../../src/pi/command-land.ts";
import type { Dmail } from "../../src/pi/dmail.ts";
import { foldNow } from "../../src/pi/folding.ts";
import { readLog, replayLog } from "../../src/pi/log.ts";
import { heldFolds, type Scene } from "../../src/pi/moment.ts";
import { pricingOf } from "../../src/pi/price.ts";
import type { Settings } from "../../src/pi/settings.ts";
import { landingDue, outlook } from "../../src/pi/timing.ts";
import { landingLines } from "../../src/pi/timing-text.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { typeCommands } from "../support/fake-commands.ts";
import { type FakeOptions, type FakePi, fakePi, PRICED } from "../support/fake-pi.ts";
import {
	call,
	type Draft,
	record,
	reply,
	result,
	session,
	user,
} from "../support/session-entries.ts";

/** A step of so many tokens. */
function step(id: string, tokens: number): Draft[] {
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

function fake(
	ageMs: number,
	options: FakeOptions = {},
	drafts: readonly Draft[] = [...LONG, ...FOLDING],
) {
	return fakePi(aged(drafts, ageMs), options);
}

function fold(
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

function sceneOf({ pi, ctx }: FakePi): Scene {
	const log = readLog(ctx);
	const replayer = replayLog(log);
	const view = replayer.view({ asking: true });
	return { log, replayer, view, pricing: pricingOf(pi, ctx, { log, replayer, view }) };
}

function due(pi: FakePi, timing: Settings["timing"] = "auto"): LandRecord | undefined {
	return landingDue(sceneOf(pi), timing);
}

function recordOf({ entries }: FakePi): FoldRecord {
	const entry = entries.at(-1);
	return entry?.type === "custom" ? (entry.data as FoldRecord) : assert.fail();
}

/** Adds entries to the session, dated now. */
function grow(pi: FakePi, ...drafts: readonly Draft[]): void {
	for (const [index, entry] of aged(drafts, 0).entries())
		pi.entries.push({
			...entry,
			id: `g${pi.entries.length}.${index}`,
			parentId: pi.entries.at(-1)?.id ?? null,
		});
}

const WARM = 1_000;
const COLD = 400_000;

describe("a fold that is made", () => {
	test("mid-history it is held: the record says so, and no byte moves", () => {
		const pi = fake(WARM);
		const before = sceneOf(pi).view.messages;
		const made = fold(pi, 1, 1);
		assert.equal(made.timing.lands, false);
		assert.equal(recordOf(pi).held, true);
		assert.deepEqual(sceneOf(pi).view.messages, before);
		assert.equal(due(pi), undefined);
	});

	test("ending at now it lands", () => {
		const pi = fake(WARM);
		assert.equal(fold(pi, 1, undefined).timing.lands, true);
		assert.equal(recordOf(pi).held, undefined);
	});

	const rows: [string, number, FakeOptions, Settings["timing"]][] = [
		["when the cache is cold", COLD, {}, "auto"],
		["when the model has changed", WARM, { model: { ...PRICED, id: "other" } }, "auto"],
		[
			"where the provider has no cache",
			WARM,
			{ model: { ...PRICED, cost: { ...PRICED.cost, cacheRead: 0 } } },
			"auto",
		],
		["at 80 % of the window", WARM, { model: { ...PRICED, contextWindow: 55_000 } }, "auto"],
		["with timing `now`", WARM, {}, "now"],
	];
	for (const [name, age, options, timing] of rows)
		test(`it lands ${name}, and takes along what is held`, () => {
			const pi = fake(WARM);
			const first = fold(pi, 2, 2);
			assert.equal(first.timing.lands, false);
			const later = fakePi(shifted(pi.entries, age - WARM), options);
			const second = fold(later, 1, 1, timing);
			assert.ok(second.timing.lands);
			assert.deepEqual(recordOf(later).lands, [first.id]);
			const { folds } = sceneOf(later).replayer;
			assert.deepEqual(
				folds.map(({ state }) => state),
				["landed", "landed"],
			);
		});

	test("what pays together lands together: one large fold at the end takes both along", () => {
		const pi = fake(WARM);
		const ids = [fold(pi, 1, 1).id, fold(pi, 2, 2).id];
		const large = fold(pi, 3, undefined);
		assert.ok(large.timing.lands);
		assert.deepEqual([large.timing.why, large.timing.others], ["deeper cut", ids]);
		assert.deepEqual(recordOf(pi).lands, ids);
	});

	test("around one that is held it is decided without it, and absorbs it", () => {
		const pi = fake(WARM);
		fold(pi, 2, 2);
		assert.equal(fold(pi, 1, 3).timing.lands, true);
		assert.equal(recordOf(pi).lands, undefined);
		assert.deepEqual(
			sceneOf(pi).replayer.folds.map(({ state }) => state),
			["absorbed", "landed"],
		);
	});

	test("the words say that it waits, and for what", () => {
		const pi = fake(WARM);
		const { id, timing } = fold(pi, 1, 1);
		const said = landingLines(id, { fromStep: 1, toStep: 1 }, timing).join("\n");
		assert.match(
			said,
			new RegExp(`^Recorded step 1 as fold ${id}, and held it: landing now costs \\$0\\.\\d+ once`),
		);
		assert.match(
			said,
			/It lands by itself when that costs little: on a cold cache, .* else in about \d+ requests\./,
		);
		assert.match(said, / Until then this step is sent as it is; do not fold it again\.$/);
	});

	test("the words say which folds stand for its steps while it waits", () => {
		const pi = fake(WARM);
		const [a, b] = [fold(pi, 1, 1, "now").id, fold(pi, 2, 2, "now").id];
		const until = (last: number) => {
			const copy = fakePi(pi.entries);
			const made = fold(copy, 1, last);
			assert.equal(made.timing.lands, false);
			return / Until then (.*);/.exec(landingLines(made.id, made, made.timing).join("\n"))?.[1];
		};
		assert.equal(until(2), `folds ${a}, ${b} stand for these steps`);
		const partly = fakePi(fake(WARM).entries);
		const inner = fold(partly, 2, 2, "now").id;
		const made = fold(partly, 1, 2);
		assert.match(
			landingLines(made.id, made, made.timing).join("\n"),
			new RegExp(
				`Until then fold ${inner} stands for some of these steps, and the others are sent as they are; do not fold them again`,
			),
		);
	});
});

/** The same entries, all of them older. */
function shifted(entries: readonly SessionEntry[], ms: number): SessionEntry[] {
	return entries.map((entry) => {
		const timestamp = new Date(Date.parse(entry.timestamp) - ms).toISOString();
		const dated = { ...entry, timestamp };
		return dated.type === "message"
			? { ...dated, message: { ...dated.message, timestamp: dated.message.timestamp - ms } }
			: dated;
	});
}

describe("before a request", () => {
	/** A session with two held folds, so old, with this model. */
	function waiting(ageMs: number, options: FakeOptions = {}): { pi: FakePi; ids: string[] } {
		const made = fake(WARM);
		const ids = [fold(made, 2, 2).id, fold(made, 1, 1).id];
		return { pi: fakePi(shifted(made.entries, ageMs - WARM), options), ids: ids.toReversed() };
	}

	test("nothing lands while the cache is warm", () =>
		assert.equal(due(waiting(WARM).pi), undefined));

	test("all land together when it is cold, the first one first, and what it saves is foreseen", () => {
		const { pi, ids } = waiting(COLD);
		const record = due(pi);
		assert.deepEqual(record?.ids, ids);
		assert.ok((record?.predicted?.onceUsd ?? 0) < 0);
		assert.equal(record?.predicted?.requestsToPay, 0);
	});

	test("a request that warmed the cache keeps it warm", () => {
		const { pi } = waiting(COLD);
		const usage = { input: 0, output: 0, cacheRead: 1, cacheWrite: 0 };
		pi.entries.push({
			...{ type: "usage", kind: "cache_warming", provider: "p", model: "m", usage },
			...{
				id: "warm",
				parentId: pi.entries.at(-1)?.id ?? null,
				timestamp: new Date().toISOString(),
			},
		});
		assert.equal(due(pi), undefined);
	});

	test("they land in another model's first request, at 80 % of the window, and with `now`", () => {
		assert.equal(due(waiting(WARM, { model: { ...PRICED, id: "other" } }).pi)?.ids.length, 2);
		assert.equal(
			due(waiting(WARM, { model: { ...PRICED, contextWindow: 55_000 } }).pi)?.ids.length,
			2,
		);
		assert.equal(due(waiting(WARM).pi, "now")?.ids.length, 2);
	});

	test("they land where that keeps the request below a dearer tier, and not where it does not", () => {
		const tiered = (inputTokensAbove: number) => ({
			...PRICED,
			cost: { ...PRICED.cost, tiers: [{ ...PRICED.cost, inputTokensAbove, input: 6 }] },
		});
		const { prompt } = promptOf(waiting(WARM).pi);
		assert.equal(due(waiting(WARM, { model: tiered(prompt - 2_000) }).pi)?.ids.length, 2);
		assert.equal(due(waiting(WARM, { model: tiered(prompt - 20_000) }).pi), undefined);
		assert.equal(due(waiting(WARM, { model: tiered(prompt + 2_000) }).pi), undefined);
	});

	test("they land when the rent is due, as the outlook said", () => {
		const { pi } = waiting(WARM);
		const { requestsLeft } = outlook(sceneOf(pi), "auto");
		assert.ok(requestsLeft !== null && requestsLeft > 20, `${requestsLeft}`);
		let requests = 0;
		for (; !due(pi) && requests <= requestsLeft; requests++) grow(pi, ...step(`r${requests}`, 1));
		assert.ok(requests <= requestsLeft, `${requests} of ${requestsLeft}`);
		assert.ok(requests > 3);
	});

	test("it is the same after everything is read anew", () => {
		const { pi } = waiting(COLD);
		assert.deepEqual(due(pi)?.ids, due(fakePi(structuredClone(pi.entries)))?.ids);
	});

	function promptOf(pi: FakePi): { prompt: number } {
		const { pricing } = sceneOf(pi);
		return { prompt: pricing.head + pricing.layout.total };
	}
});

describe("switched off and on again", () => {
	const mode = (enabled: boolean) =>
		record("dmail.mode", { v: 1, enabled, nudge: true, by: "user" });

	/** One fold held, its last request so old; then off, these requests, and on. */
	function switched(ageMs: number, raw: readonly Draft[], options: FakeOptions = {}): FakePi {
		const made = fakePi(fake(WARM).entries, options);
		fold(made, 1, 1);
		const pi = fakePi(shifted(made.entries, ageMs - WARM), options);
		grow(pi, mode(false), ...raw, mode(true));
		return pi;
	}

	function byClaude(entry: SessionEntry): SessionEntry {
		if (entry.type !== "message" || entry.message.role !== "assistant") return entry;
		return { ...entry, message: { ...entry.message, model: "claude" } };
	}

	test("it lands with the first request where the folded prompt was last sent too long ago", () => {
		const pi = switched(COLD, step("raw", 100));
		assert.equal(due(pi)?.ids.length, 1);
		assert.equal(due(pi)?.predicted?.requestsToPay, 0);
	});

	test("in time it waits: the cache still has what was sent folded before", () => {
		const pi = switched(WARM, [...step("raw", 100), ...step("more", 100)]);
		assert.equal(due(pi), undefined);
		const { placed } = heldFolds(sceneOf(pi))[0] ?? assert.fail();
		assert.ok(placed.fresh > 200 && placed.fresh < 300, `${placed.fresh}`);
	});

	test("without a request in between nothing has changed", () => {
		assert.equal(due(switched(WARM, [])), undefined);
		assert.equal(due(switched(COLD, []))?.ids.length, 1);
	});

	test("it lands where so much came meanwhile that no entry is in reach", () => {
		const landsAfter = (turns: number) => {
			const talk = Array.from({ length: turns }, (_, turn) => [user(`and ${turn}`), reply("yes")]);
			const entries = switched(WARM, talk.flat()).entries.map(byClaude);
			return due(fakePi(entries, { model: { ...PRICED, id: "claude" } })) !== undefined;
		};
		assert.deepEqual([landsAfter(2), landsAfter(12)], [false, true]);
	});

	test("no rent is due for what was asked meanwhile", () => {
		const before = outlook(sceneOf(switched(WARM, [])), "auto").requestsLeft;
		const raw = Array.from({ length: 30 }, (_, i) => step(`raw${i}`, 1)).flat();
		const pi = switched(WARM, raw);
		assert.equal(due(pi), undefined);
		assert.ok(Math.abs((outlook(sceneOf(pi), "auto").requestsLeft ?? 0) - (before ?? 0)) <= 1);
	});
});

test("of held folds inside one another the outermost lands, and list, status and land say so", async () => {
	const pi = fake(WARM);
	const [inner, outer] = [fold(pi, 1, 1).id, fold(pi, 1, 2).id];
	assert.deepEqual(
		heldFolds(sceneOf(pi)).map((one) => one.fold.record.id),
		[outer],
	);
	const { run } = typeCommands(pi.entries);
	assert.match(
		await run("/dmail status"),
		/folds: 0 landed, 2 held \(1 superseded by others that are held\), 0 skipped\n/,
	);
	const list = await run("/dmail list");
	assert.match(list, new RegExp(`${inner}  step 1 .* held, superseded by ${outer}  model`));
	assert.match(list, new RegExp(`${outer}  steps 1–2 .* held +model`));
	assert.match(
		await run(`/dmail land ${inner}`),
		new RegExp(`^refused: .*fold ${inner} is superseded by fold ${outer}`),
	);
	await run(`/dmail drop ${outer}`);
	assert.doesNotMatch(await run("/dmail list"), /superseded/);
});

describe("/dmail land", () => {
	const dmail = (enabled: boolean) =>
		({
			mode: { enabled },
			settings: { timing: "auto" },
			recount: () => undefined,
		}) as unknown as Dmail;

	async function land(pi: FakePi, argument: string, enabled = true): Promise<string> {
		await LAND.run({ pi: pi.pi, ctx: pi.ctx, dmail: dmail(enabled), argument });
		return pi.notices.at(-1)?.text ?? "";
	}

	test("lands all that is held, or what is named; says so where nothing changes", async () => {
		const pi = fake(WARM);
		assert.match(await land(pi, ""), /no fold is held; nothing changed/);
		const [b, a] = [fold(pi, 2, 2).id, fold(pi, 1, 1).id];
		const count = pi.entries.length;
		assert.match(await land(pi, "zz"), new RegExp(`fold zz is not held; held are ${a}, ${b}`));
		assert.match(await land(pi, "", false), /is off, nothing lands/);
		assert.equal(pi.entries.length, count);
		assert.match(
			await land(pi, b),
			new RegExp(`fold ${b} lands with the next request: it costs \\$`),
		);
		assert.match(await land(pi, ""), new RegExp(`fold ${a} lands`));
		const states = sceneOf(pi).replayer.folds.map(({ state }) => state);
		assert.deepEqual([states, pi.entries.length], [["landed", "landed"], count + 2]);
	});
});
