import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSettings, DEFAULTS } from "../../src/pi/settings.ts";

test("no settings are the defaults, without a word", () => {
	assert.deepEqual(checkSettings(undefined), DEFAULTS);
	assert.deepEqual(checkSettings({}), DEFAULTS);
});

test("each setting of the right type is taken", () => {
	const settings = checkSettings({ enabled: false, timing: "now", nudge: false, net: false });
	assert.deepEqual(settings, {
		enabled: false,
		timing: "now",
		nudge: false,
		net: false,
		warnings: [],
	});
});

for (const [raw, told] of [
	["off", /"dmail" must be an object/],
	[[], /"dmail" must be an object/],
	[null, /"dmail" must be an object/],
	[{ enabled: "false" }, /"dmail.enabled" must be true or false; using true/],
	[{ nudge: 0 }, /"dmail.nudge" must be true or false; using true/],
	[{ net: null }, /"dmail.net" must be true or false; using true/],
	[{ timing: "later" }, /"dmail.timing" must be "auto" or "now"; using "auto"/],
] as const)
	test(`a wrong type means the default and one warning: ${JSON.stringify(raw)}`, () => {
		const { warnings, ...settings } = checkSettings(raw);
		const { warnings: _none, ...defaults } = DEFAULTS;
		assert.deepEqual(settings, defaults);
		assert.equal(warnings.length, 1);
		assert.match(warnings[0] ?? "", told);
	});

test("one wrong setting leaves the others as they are set", () => {
	const settings = checkSettings({ enabled: 1, timing: "now" });
	assert.equal(settings.enabled, true);
	assert.equal(settings.timing, "now");
});

test("unknown keys are named in one warning, with the keys that there are", () => {
	const keys = "there are enabled, timing, nudge, net";
	assert.deepEqual(checkSettings({ nett: true, timing: "now" }), {
		...DEFAULTS,
		timing: "now",
		warnings: [`settings: "dmail.nett" is no setting; ${keys}`],
	});
	assert.deepEqual(checkSettings({ Net: false, warnings: [] }).warnings, [
		`settings: "dmail.Net", "dmail.warnings" are no settings; ${keys}`,
	]);
});
