import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encode } from "../../fold.ts";
import { type Ask, decide, measurePressure } from "../../src/pi/compaction-pressure.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { Chat } from "../support/chat.ts";
import { logOf } from "./random-chat.ts";

const LONG = "x".repeat(8_000);

/** Three steps with 2,000 tokens of output each; the last reply is measured. */
function measured(total: number): Chat {
	const chat = new Chat()
		.user("read")
		.reply(["a"])
		.result("a", LONG)
		.reply(["b"])
		.result("b", LONG);
	return measure(chat.reply(["c"]), total).result("c", LONG);
}

/** Gives the newest reply a usage, as pi would store it. */
function measure(chat: Chat, totalTokens: number): Chat {
	const entry = chat.entries.at(-1);
	if (entry?.type !== "message") throw new Error("the newest entry is no reply");
	const usage = { input: totalTokens, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens };
	const message = { ...entry.message, usage };
	chat.entries[chat.entries.length - 1] = { ...entry, message } as SessionEntry;
	return chat;
}

test("without a fold since the measure nothing landed: pi's number stands", () => {
	const { counted, landed, next } = measurePressure(logOf(measured(9_000)), [], 11_020);
	assert.deepEqual([counted, landed, next], [11_020, 0, 11_020]);
});

test("pi's number is reckoned as pi does where it is not given", () => {
	const { counted } = measurePressure(logOf(measured(9_000)), []);
	assert.ok(counted > 11_000 && counted < 11_050, `${counted}`);
});

test("a fold made since the measure is taken off, one made before it is in the measure", () => {
	const since = measured(9_000).fold("e1", "e5");
	const { landed, next } = measurePressure(logOf(since), [], 11_020);
	assert.ok(landed > 3_800 && landed < 4_000, `${landed}`);
	assert.equal(next, 11_020 - landed);
	measure(since.reply(), 5_000);
	assert.equal(measurePressure(logOf(since), []).landed, 0);
});

test("a held fold counts if it lands now, and only then", () => {
	const chat = measured(9_000).fold("e1", "e5", { held: true });
	const id = "f007";
	assert.equal(measurePressure(logOf(chat), []).landed, 0);
	assert.ok(measurePressure(logOf(chat), [id]).landed > 3_800);
});

test("a request measured while D-Mail was off was as it is stored", () => {
	const off = encode({ kind: "mode", enabled: false, nudge: true, by: "auto" });
	const chat = new Chat().user("read").step("a").reply(["b"]).result("b", LONG);
	chat.fold("e1", "e3").record(off);
	measure(chat.reply(), 9_000);
	assert.ok(measurePressure(logOf(chat), []).landed > 0);
});

test("where the estimate is above the measure, what landed is taken down by as much", () => {
	const full = measurePressure(logOf(measured(9_000).fold("e1", "e5")), []);
	const half = measurePressure(logOf(measured(2_000).fold("e1", "e5")), []);
	assert.equal(full.scale, 1);
	assert.ok(half.scale > 0.4 && half.scale < 0.6, `${half.scale}`);
	assert.ok(Math.abs(half.landed - full.landed * half.scale) < 1);
});

test("after a context edit pi's number is an estimate of what is stored: all folds count", () => {
	const chat = measured(9_000).fold("e1", "e5");
	measure(chat.reply(), 5_000);
	const at = chat.entries.length;
	const edit = { type: "context_edit", targetId: "e8", replacement: null } as const;
	const base = { id: `e${at}`, parentId: `e${at - 1}`, timestamp: new Date().toISOString() };
	chat.entries.push({ ...edit, ...base });
	assert.ok(measurePressure(logOf(chat), []).landed > 3_800);
	assert.equal(measurePressure(logOf(chat, "0.73"), []).landed, 0, "0.73 knows no edits");
});

const ASK: Ask = { cause: "threshold", instructed: false, limit: 10_000 };
const LANDED = { counted: 11_000, landed: 4_000, next: 7_000, scale: 1, measuredAt: "e5" };

test("a threshold compaction is cancelled where landed folds bring the request below the limit", () => {
	assert.equal(decide(ASK, LANDED), "cancel");
	assert.equal(decide(ASK, { ...LANDED, counted: 14_000, next: 10_000 }), "net");
});

test("never without a landed fold, an overflow, a manual one or one with instructions", () => {
	const pressures = fc.record({
		counted: fc.nat(30_000),
		landed: fc.integer({ min: -5_000, max: 20_000 }),
		next: fc.nat(30_000),
		scale: fc.constant(1),
		measuredAt: fc.constant("e5"),
	});
	fc.assert(
		fc.property(pressures, (pressure) => {
			assert.notEqual(decide(ASK, { ...pressure, landed: Math.min(0, pressure.landed) }), "cancel");
			for (const cause of ["manual", "overflow"] as const)
				assert.equal(decide({ ...ASK, cause }, pressure), "compact");
			assert.equal(decide({ ...ASK, instructed: true }, pressure), "compact");
			assert.equal(decide({ ...ASK, limit: null }, pressure), "compact");
			if (decide(ASK, pressure) === "cancel") assert.ok(pressure.next < 10_000);
		}),
	);
});

test("a batch that brought back 30,000 tokens is compacted, whatever was folded beside it", () => {
	const chat = measured(9_000).reply(["d"]).fold("e1", "e5").result("d", "z".repeat(120_000));
	const pressure = measurePressure(logOf(chat), []);
	assert.equal(decide({ ...ASK, limit: 32_000 }, pressure), "net");
	assert.ok(pressure.next > 36_000, `${pressure.next}`);
});
