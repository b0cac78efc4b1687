// What git shows goes into a fold's notes, and calls of one batch see each other, on a real pi of each
// generation: git is asked before anything is decided, and a project that pi does not trust is never asked.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
	EXTENSION,
	HOSTS,
	type Home,
	makeHome,
	runPrint,
	writeSettings,
} from "../support/real-pi.ts";
import type { Turn } from "../support/scripted-provider.ts";
import { assertPaired, chipsOf, textOf, type WireRequest } from "../support/wire.ts";

const LOOK = "for i in $(seq 400); do echo line $i of a long listing; done";

/** Two steps; a command and a write change a file each. The third step folds, in a batch. */
const TURNS: readonly Turn[] = [
	{ calls: [{ name: "bash", args: { command: `${LOOK}; echo made > by-command.txt` } }] },
	{
		calls: [
			{ name: "bash", args: { command: LOOK } },
			{ name: "write", args: { path: "by-write.txt", content: "x\n" } },
		],
	},
	{
		calls: [
			{ name: "send_dmail", args: { fromStep: 2, summary: "The second listing is read." } },
			{ name: "send_dmail", args: { fromStep: 1, summary: "by-write.txt is written." } },
			{ name: "send_dmail", args: { fromStep: 2, summary: "The second listing, once more." } },
			{ name: "send_dmail", args: { fromStep: 1, preview: true } },
			{ name: "read_dmail", args: {} },
		],
	},
	{ text: "Done." },
];

function inGit(home: Home): void {
	const git = (...args: string[]) => execFileSync("git", args, { cwd: home.cwd, stdio: "ignore" });
	git("init", "-q");
	writeFileSync(join(home.cwd, "before.txt"), "old\n");
}

function lastResults(request: WireRequest | undefined): string[] {
	return (request?.messages ?? []).slice(-5).map(textOf);
}

for (const host of HOSTS)
	test(`${host}: git tells what a command changed, and a batch decides in order`, async (t) => {
		const home = makeHome(host);
		t.after(() => home.remove());
		writeSettings(home, { dmail: { timing: "now" } });
		inGit(home);
		const { code, stderr, requests } = await runPrint(home, "Look.", {
			script: TURNS,
			extensions: [EXTENSION],
		});
		assert.deepEqual([code, stderr], [0, ""]);
		assertPaired(requests);
		const [second = "", both = "", again = "", preview = "", index = ""] = lastResults(requests[3]);
		assert.match(second, /^Folded step 2 as fold /);
		assert.match(both, /^Folded steps 1–2 as fold /);
		assert.match(both, /^Changed, but not in your summary: by-command\.txt\.$/m);
		for (const text of [both, chipsOf(requests[3] ?? assert.fail())[0] ?? ""]) {
			assert.match(text, /^Files changed: by-write\.txt$/m);
			assert.match(text, /^Changed otherwise \(git\): by-command\.txt$/m);
		}
		assert.match(again, /inside fold \w+ \(steps 1–2\)/, "it is told what the one before did");
		assert.match(preview, /^Nothing was folded\./);
		assert.match(index, /^2 folds, oldest first:\n.* absorbed by .*\n.* landed /);
	});

for (const host of HOSTS)
	test(`${host}: a project that is not trusted is not asked`, async (t) => {
		const home = makeHome(host);
		t.after(() => home.remove());
		writeSettings(home, { dmail: { timing: "now" } });
		inGit(home);
		mkdirSync(join(home.cwd, ".pi"));
		writeFileSync(join(home.cwd, ".pi", "settings.json"), "{}");
		const { requests } = await runPrint(home, "Look.", { script: TURNS, extensions: [EXTENSION] });
		const [, both = ""] = lastResults(requests[3]);
		assert.match(both, /^Files changed: by-write\.txt$/m);
		// 0.73 knows no trust
		assert.equal(/by-command/.test(both), host === "0.73.1");
	});
