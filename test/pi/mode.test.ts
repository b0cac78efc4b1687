import assert from "node:assert/strict";
import { test } from "node:test";
import type { TimedMode } from "../../src/pi/log.ts";
import { decideMode } from "../../src/pi/mode.ts";

const START = 1_000;

function command(enabled: boolean, time: number, by: "user" | "auto" = "user"): TimedMode {
	return { record: { kind: "mode", enabled, nudge: true, by }, time };
}

function enabled(inputs: {
	records?: TimedMode[];
	disabled?: boolean;
	setting?: boolean;
}): boolean {
	const { records = [], disabled = false, setting = true } = inputs;
	return decideMode({ records, processStart: START, disabled, setting }).enabled;
}

test("without a command or the flag the setting decides", () => {
	assert.equal(enabled({}), true);
	assert.equal(enabled({ setting: false }), false);
});

test("an older command of the session wins over the setting", () => {
	assert.equal(enabled({ records: [command(false, 10)] }), false);
	assert.equal(enabled({ records: [command(false, 10), command(true, 20)], setting: false }), true);
});

test("the flag wins over an older command, a command of this process over the flag", () => {
	assert.equal(enabled({ records: [command(true, 10)], disabled: true }), false);
	assert.equal(enabled({ records: [command(true, 2_000)], disabled: true }), true);
});

test("records that the extension made itself decide nothing", () => {
	assert.equal(enabled({ records: [command(false, 2_000, "auto")] }), true);
	assert.equal(enabled({ records: [command(false, 10), command(true, 20, "auto")] }), false);
});

test("the reason names what decided", () => {
	const why = (records: TimedMode[], disabled: boolean, setting: boolean) =>
		decideMode({ records, processStart: START, disabled, setting }).why;
	assert.equal(why([], true, true), "--dmail-disabled");
	assert.equal(why([], false, false), "dmail.enabled is false in settings");
	assert.equal(why([command(false, 2_000)], true, true), "set by /dmail");
	assert.equal(why([command(false, 10)], false, true), "set by /dmail earlier in this session");
});
