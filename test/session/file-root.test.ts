// Where sessions are looked for: as pi does, and never silently elsewhere.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { sessionsRoot } from "../../src/session/file-root.ts";
import { scratch } from "../support/scratch.ts";

const root = scratch();

test("the home directory may be written as ~", () => {
	assert.equal(sessionsRoot({ PI_CODING_AGENT_SESSION_DIR: "~" }, root), homedir());
});

test("without any setting sessions are kept in the home directory", () => {
	const { HOME } = process.env;
	try {
		process.env["HOME"] = join(root, "home");
		assert.equal(sessionsRoot({}, root), join(root, "home", ".pi", "agent", "sessions"));
	} finally {
		process.env["HOME"] = HOME;
	}
});

/** A project and an agent directory with settings; what the root is then, and what was told. */
function rootWith(settings: { readonly project?: string; readonly agent?: string }) {
	const directory = scratch();
	const [cwd, agent] = [join(directory, "project"), join(directory, "agent")];
	mkdirSync(join(cwd, ".pi"), { recursive: true });
	mkdirSync(agent);
	if (settings.project !== undefined)
		writeFileSync(join(cwd, ".pi", "settings.json"), settings.project);
	if (settings.agent !== undefined) writeFileSync(join(agent, "settings.json"), settings.agent);
	const told: string[] = [];
	const found = sessionsRoot({ PI_CODING_AGENT_DIR: agent }, cwd, (path, reason) =>
		told.push(`${path.slice(directory.length + 1)}: ${reason}`),
	);
	return { found: found.replace(`${directory}/`, ""), told };
}

test("a project's settings come before those of the agent directory", () => {
	const agent = '{"sessionDir":"/agent"}';
	const rows: readonly [string | undefined, string][] = [
		[undefined, "/agent"],
		["", "/agent"],
		["{}", "/agent"],
		['{"sessionDir":"/own"}', "/own"],
		['\ufeff{"sessionDir":"/own"}', "/own"],
		['{"sessionDir":"mine/here"}', "project/mine/here"],
		['{"sessionDir":"~/mine"}', join(homedir(), "mine")],
		['{"sessionDir":"file:///own%20one"}', "/own one"],
		['{"sessionDir":""}', "agent/sessions"],
		['{"sessionDir":null}', "agent/sessions"],
	];
	for (const [project, found] of rows)
		assert.deepEqual(rootWith(project === undefined ? { agent } : { project, agent }), {
			found,
			told: [],
		});
});

test("settings that cannot be used are told, and say nothing", () => {
	const broken = "it is no JSON object; taken to say nothing";
	const none = 'its "sessionDir" is no path; taken to say nothing';
	for (const [text, told] of [
		["{ broken", broken],
		["[]", broken],
		["5", broken],
		['{"sessionDir":5}', none],
		['{"sessionDir":{"a":1}}', none],
		['{"sessionDir":"file://elsewhere/x"}', none],
	] as const) {
		assert.deepEqual(rootWith({ project: text, agent: '{"sessionDir":"/agent"}' }), {
			found: "/agent",
			told: [`project/.pi/settings.json: ${told}`],
		});
		assert.deepEqual(rootWith({ agent: text }), {
			found: "agent/sessions",
			told: [`agent/settings.json: ${told}`],
		});
	}
	const cwd = scratch();
	const [project, agent] = [join(cwd, ".pi"), join(cwd, "agent")];
	for (const directory of [project, agent]) mkdirSync(directory);
	symlinkSync("settings.json", join(project, "settings.json"));
	execFileSync("mkfifo", [join(agent, "settings.json")]);
	const told: string[] = [];
	sessionsRoot({ PI_CODING_AGENT_DIR: agent }, cwd, (_, reason) => told.push(reason));
	assert.deepEqual(told, [
		"its links lead in a circle; taken to say nothing",
		"it is not a regular file; taken to say nothing",
	]);
});

test("what the environment says is relative to where one stands, and comes first", () => {
	const env = { PI_CODING_AGENT_SESSION_DIR: "here", PI_CODING_AGENT_DIR: "agent" };
	assert.equal(sessionsRoot(env, root), join(root, "here"));
	assert.equal(sessionsRoot({ PI_CODING_AGENT_DIR: "agent" }, root), join(root, "agent/sessions"));
});
