// What a recorded fold is said to cost and save: what its landing changes in the request, and nothing that is
// spent in any case.

import assert from "node:assert/strict";
import { test } from "node:test";
import { encode, type LandRecord } from "../../fold.ts";
import { foldNow, previewFold } from "../../src/pi/folding.ts";
import { heldFolds } from "../../src/pi/moment.ts";
import { priceLines } from "../../src/pi/price-text.ts";
import { landRecord, quoteTogether } from "../../src/pi/timing.ts";
import type { FakePi } from "../support/fake-pi.ts";
import { call, record, reply, result, user } from "../support/session-entries.ts";
import { fake, grow, sceneOf, step, WARM } from "./held-session.ts";

const LONG = [user("begin ".repeat(400)), ...step("a", 2_000), ...step("b", 2_000)];
const LATER = [...step("c", 20_000), ...step("d", 2_500), ...step("e", 20_000)];

/** A fold in the newest reply's call, beside a call of another tool, and the answers to both. */
function foldIn(pi: FakePi, id: string, [first, last]: readonly [number, number], length: number) {
	const summary = "fact ".repeat(length / 5);
	const asked = { fromStep: first, toStep: last, summary };
	grow(pi, reply("", call(id, "send_dmail", asked), call(`${id}x`, "bash", {})));
	const wish = { fromStep: first, toStep: last, callId: id, live: true };
	const made = foldNow(pi.pi, pi.ctx, { wish, summary, by: "model", timing: "auto" });
	assert.ok(made.ok, made.ok ? "" : made.reason);
	assert.equal(made.timing.lands, false);
	grow(pi, result(id, "held"), result(`${id}x`, "done"));
	return made;
}

/** By how much the next request shrinks as a record lands what it names. */
function shrinks(pi: FakePi, land: LandRecord): number {
	const before = sceneOf(pi).replayer.size(true);
	const { customType, data } = encode(land);
	grow(pi, record(customType, data));
	return before - sceneOf(pi).replayer.size(true);
}

test("landing a held fold is priced by what it takes out of the request, the summary in its call included", () => {
	for (const length of [40, 2_400, 8_000]) {
		const pi = fake(WARM, {}, [...LONG, ...LATER]);
		const { quote, tokensBefore, tokensAfter } = foldIn(pi, "f", [1, 2], length);
		assert.equal(quote.perRequestTokens, tokensBefore - tokensAfter, "as its result says");
		const scene = sceneOf(pi);
		const later = quoteTogether(scene, heldFolds(scene));
		const land = landRecord(scene, heldFolds(scene));
		assert.ok(later && land);
		assert.equal(later.perRequestTokens, quote.perRequestTokens);
		assert.equal(land.predicted?.perRequestTokens, shrinks(pi, land));
		assert.equal(later.prompt, scene.pricing.head + sceneOf(pi).replayer.size(true));
	}
});

test("a call in the range of another fold goes with that, and is not counted twice", () => {
	const pi = fake(WARM, {}, LONG);
	grow(pi, ...LATER);
	foldIn(pi, "f", [1, 2], 4_000);
	grow(pi, ...step("g", 2_000), ...step("h", 30_000));
	foldIn(pi, "i", [5, 7], 4_000);
	for (const count of [1, 2]) {
		const copy = fake(WARM, {}, []);
		copy.entries.push(...pi.entries);
		const scene = sceneOf(copy);
		const held = heldFolds(scene);
		assert.equal(held.length, 2);
		const land = landRecord(scene, held.slice(0, count));
		assert.ok(land);
		assert.equal(land.predicted?.perRequestTokens, shrinks(copy, land));
	}
});

test("what a held fold is said to cost leaves out what its summary took to write, a preview has it and says so", () => {
	const summary = "fact ".repeat(1_600);
	const wish = { fromStep: 1, toStep: 2, callId: "p", live: true };
	const previewed = fake(WARM, {}, [...LONG, ...LATER]);
	grow(previewed, reply("", call("p", "send_dmail", {}), call("px", "bash", {})));
	const preview = previewFold(previewed.pi, previewed.ctx, {
		...{ wish, summary, by: "model", timing: "auto" },
	});
	assert.ok(preview.ok);
	assert.ok(preview.quote.writing > 0);
	assert.match(
		priceLines(preview.quote)[1] ?? "",
		/, writing the summary \(\$0\.0\d+\) included \(/,
	);
	const pi = fake(WARM, {}, [...LONG, ...LATER]);
	const made = foldIn(pi, "f", [1, 2], 8_000);
	assert.equal(made.quote.writing, 0);
	assert.equal(made.quote, made.timing.quote);
	const near = (one: number, other: number) => Math.abs(one - other) < 0.05 * other;
	assert.ok(near(made.quote.dC, preview.timing.quote.dC), "once recorded, as a preview foretells");
	assert.ok(preview.quote.dC - made.quote.dC > 5 * 1_900, "the output of its summary");
	grow(pi, reply("on I go"));
	const scene = sceneOf(pi);
	const listed = quoteTogether(scene, heldFolds(scene));
	assert.ok(listed && near(listed.dC, made.quote.dC), `${listed?.dC} is near ${made.quote.dC}`);
});

test("whether a fold lands at once is weighed against holding it with its summary in the call as well", () => {
	const summary = "fact ".repeat(220);
	const asked = { fromStep: 4, summary };
	const made = (args: Record<string, unknown>) => {
		const pi = fake(WARM, {}, [...LONG, ...step("c", 5_000), ...step("d", 400)]);
		grow(pi, reply("", call("f", "send_dmail", args), call("g", "bash", {})));
		const wish = { fromStep: 4, callId: "f", live: true };
		const fold = foldNow(pi.pi, pi.ctx, { wish, summary, by: "model", timing: "auto" });
		assert.ok(fold.ok, fold.ok ? "" : fold.reason);
		return fold;
	};
	assert.equal(made({ fromStep: 4 }).timing.lands, false, "a call without it has nothing to lose");
	const { timing, weight, quote } = made(asked);
	assert.equal(timing.lands && timing.why, "pays");
	assert.equal(quote.perRequestTokens, weight.replaced - weight.chip, "against not folding");
	assert.ok(quote.writing > 0);
});
