import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import { checkSettings, DEFAULTS, readSettings } from "../../src/pi/settings.ts";
import { scratch } from "../support/scratch.ts";

/** A folder of pi's for this test, with the global settings; the project's settings are in `cwd`. */
function folders(t: TestContext, global: string | undefined): { agent: string; cwd: string } {
	const [agent, cwd] = [scratch(), scratch()];
	const before = process.env["PI_CODING_AGENT_DIR"];
	process.env["PI_CODING_AGENT_DIR"] = agent;
	t.after(() => {
		if (before === undefined) Reflect.deleteProperty(process.env, "PI_CODING_AGENT_DIR");
		else process.env["PI_CODING_AGENT_DIR"] = before;
	});
	if (global !== undefined) writeFileSync(join(agent, "settings.json"), global);
	mkdirSync(join(cwd, ".pi"));
	return { agent, cwd };
}

const contextOf = (cwd: string): ExtensionContext => ({ cwd }) as unknown as ExtensionContext;

/** A host that has merged the settings already, as pi 1.6 does, or one that cannot be asked. */
const hostOf = (settings?: unknown): ExtensionAPI =>
	(settings === undefined ? {} : { getSettings: () => settings }) as unknown as ExtensionAPI;

test("where a project says null, what the global file says counts, on either host and silently", (t) => {
	const { cwd } = folders(t, '{ "dmail": { "enabled": false } }');
	writeFileSync(join(cwd, ".pi", "settings.json"), '{ "dmail": null }');
	for (const host of [hostOf(), hostOf({ dmail: null })])
		assert.deepEqual(readSettings(host, contextOf(cwd)), { ...DEFAULTS, enabled: false });
});

test("a null over nothing is nothing, and one in the global file gets the one warning", (t) => {
	const { agent, cwd } = folders(t, undefined);
	writeFileSync(join(cwd, ".pi", "settings.json"), '{ "dmail": null }');
	for (const host of [hostOf(), hostOf({ dmail: null })])
		assert.deepEqual(readSettings(host, contextOf(cwd)), DEFAULTS);
	writeFileSync(join(agent, "settings.json"), '{ "dmail": null }');
	for (const host of [hostOf(), hostOf({ dmail: null })])
		assert.equal(readSettings(host, contextOf(cwd)).warnings.length, 1);
});

test("a settings file that may never end is not read", (t) => {
	const { cwd } = folders(t, '{ "dmail": { "net": false } }');
	execFileSync("mkfifo", [join(cwd, ".pi", "settings.json")]);
	assert.deepEqual(readSettings(hostOf(), contextOf(cwd)), { ...DEFAULTS, net: false });
});

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
