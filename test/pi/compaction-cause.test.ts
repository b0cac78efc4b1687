import assert from "node:assert/strict";
import { test } from "node:test";
import { type Asked, concludeCause, OwnChecks } from "../../src/pi/compaction-cause.ts";

const FULL: Asked = {
	overflows: false,
	reply: { stopReason: "stop", total: 950 },
	estimate: 960,
	limit: 900,
};

test("0.73 asks once after a run and once before the next prompt; what comes beside is the user's", () => {
	const checks = new OwnChecks();
	assert.equal(concludeCause(FULL, checks), "manual", "nothing ran yet");
	checks.endRun("stop");
	assert.equal(concludeCause(FULL, checks), "threshold");
	assert.equal(concludeCause(FULL, checks), "manual", "typed after the check");
	checks.takePrompt();
	assert.equal(concludeCause(FULL, checks), "threshold");
	assert.equal(concludeCause(FULL, checks), "manual");
});

test("a prompt that comes in before the check after the run leaves room for both", () => {
	const checks = new OwnChecks();
	checks.endRun("stop");
	checks.takePrompt();
	assert.deepEqual(
		[1, 2, 3].map(() => concludeCause(FULL, checks)),
		["threshold", "threshold", "manual"],
	);
});

test("a new run takes back what was not asked", () => {
	const checks = new OwnChecks();
	checks.endRun("stop");
	checks.takePrompt();
	checks.clear();
	assert.equal(concludeCause(FULL, checks), "manual");
});

test("an aborted run is not followed by a check", () => {
	const checks = new OwnChecks();
	checks.endRun("aborted");
	assert.equal(concludeCause(FULL, checks), "manual");
});

test("below its own limit, with compaction off or without a window 0.73 asks for nothing itself", () => {
	const checks = new OwnChecks();
	checks.endRun("stop");
	const small = { ...FULL, reply: { stopReason: "stop", total: 900 } };
	assert.equal(concludeCause(small, checks), "manual");
	assert.equal(concludeCause({ ...FULL, limit: null }, checks), "manual");
	assert.equal(concludeCause(FULL, checks), "threshold", "none of these was the check");
});

test("after a failed reply 0.73 goes by its estimate", () => {
	const failed = { ...FULL, reply: { stopReason: "error", total: 0 } };
	const checks = new OwnChecks();
	checks.endRun("error");
	assert.equal(concludeCause({ ...failed, estimate: 800 }, checks), "manual");
	assert.equal(concludeCause(failed, checks), "threshold");
});

test("a reply that did not fit is an overflow, whoever asks", () => {
	assert.equal(concludeCause({ ...FULL, overflows: true }, new OwnChecks()), "overflow");
});
