// `/dmail return` on a real pi of each generation: back at the end of the folded steps, all of them in view, and
// still there after a restart; a move that is cancelled changes nothing.

import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
	call,
	EXTENSION,
	HOSTS,
	type Home,
	makeHome,
	neighbour,
	runPrint,
	sessionEntries,
	sessionFile,
	writeSettings,
} from "../support/real-pi.ts";
import { RpcPi } from "../support/real-pi-rpc.ts";
import type { Turn } from "../support/scripted-provider.ts";
import { assertMarkers, assertPaired, chipsOf, countText } from "../support/wire.ts";

const FILES = ["a", "b", "c"] as const;

/** Step 1 is folded by step 2, step 3 by step 4, all of them by step 6; step 5 reads the last file. */
const TURNS: readonly Turn[] = [
	call("bash", { command: "cat a.txt" }),
	call("send_dmail", { fromStep: 1, summary: "File a is read." }),
	call("bash", { command: "cat b.txt" }),
	call("send_dmail", { fromStep: 3, summary: "File b is read." }),
	call("bash", { command: "cat c.txt" }),
	call("send_dmail", { fromStep: 1, summary: "All three files are read." }),
	{ text: "Done." },
];

function foldIds(home: Home): string[] {
	return sessionEntries(home).flatMap(({ customType, data }) =>
		customType === "dmail.fold" ? [String(data?.["id"])] : [],
	);
}

for (const host of HOSTS)
	test(`${host}: return goes to the end of the folded steps and stays there`, async (t) => {
		const home = makeHome(host);
		t.after(() => home.remove());
		writeSettings(home, { dmail: { timing: "now" } });
		for (const name of FILES)
			writeFileSync(join(home.cwd, `${name}.txt`), `the text of ${name}\n${"~ ".repeat(2_000)}\n`);
		const first = await runPrint(home, "Read all.", { script: TURNS, extensions: [EXTENSION] });
		assert.deepEqual([first.code, first.stderr], [0, ""]);
		const [inner = "", , outer = ""] = foldIds(home);
		const block = join(home.root, "block");
		writeFileSync(block, "");

		const pi = new RpcPi(home, {
			extensions: [EXTENSION, neighbour("cancel-tree")],
			args: ["-c"],
			env: { CANCEL_TREE: block },
			script: [{ text: "Here I am.", delayMs: 500 }],
		});
		const say = async (command: string) => {
			const from = pi.notices().length;
			const before = readFileSync(sessionFile(home), "utf8").length;
			await pi.command(command);
			if (pi.notices().length === from)
				await pi.next(pi.events.length, ({ method }) => method === "notify");
			const added = readFileSync(sessionFile(home), "utf8").slice(before);
			const types = added
				.split("\n")
				.filter((line) => line !== "")
				.map((line) => JSON.parse(line));
			return { told: pi.notices().slice(from).join("\n"), added: types };
		};
		const cancelled = await say(`/dmail return ${outer}`);
		assert.match(cancelled.told, /cancelled the move; nothing changed$/);
		assert.deepEqual(cancelled.added, []);
		assert.match(
			(await say("/dmail return zz")).told,
			/^\[dmail\] there is no fold "zz"; the folds are /,
		);
		rmSync(block);
		// while the model answers it waits
		const from = pi.events.length;
		await pi.send({ type: "prompt", message: "Wait." });
		const waiting = say(`/dmail return ${outer}`);
		await pi.settle(from);
		await pi.next(from, ({ method }) => method === "notify");
		const events = pi.events.slice(from);
		const at = (is: (event: (typeof events)[number]) => boolean) => events.findIndex(is);
		assert.ok(at(({ type }) => type === "agent_end") < at(({ method }) => method === "notify"));
		const moved = await waiting;
		assert.match(
			moved.told,
			new RegExp(`^\\[dmail\\] back at the end of fold ${outer}: steps 1–5 are in view; `),
		);
		const ours = moved.added.filter(({ customType }) => customType === "dmail.open");
		assert.deepEqual(
			ours.map(({ data }) => [data.id, data.inner?.length]),
			[[outer, 2]],
		);
		assert.deepEqual(
			moved.added.filter(({ type }) => type === "label").map(({ label }) => label),
			host === "0.73.1" ? [] : [`fold ${outer}, steps 1–5`],
		);
		// killed: what is not in the file by now is lost
		await pi.kill();

		const again = await runPrint(home, "Go on.", {
			script: [{ text: "On I go." }],
			extensions: [EXTENSION],
			args: ["-c"],
		});
		assert.deepEqual([again.code, again.stderr], [0, ""]);
		const request = again.requests[0] ?? assert.fail();
		assert.deepEqual(chipsOf(request), []);
		assertPaired(again.requests);
		assertMarkers(request);
		for (const name of FILES) assert.equal(countText(request, `the text of ${name}`), 1, name);
		for (const summary of ["File a is read.", "File b is read."])
			assert.equal(countText(request, summary), 1, summary);
		assert.equal(countText(request, "All three files are read."), 0, "that came later");
		assert.equal(countText(request, "Done."), 0);

		// a fold of the branch that was left does not exist here; one that is inside still does
		const shut = await runPrint(home, `/dmail shut ${inner}`, {
			script: [],
			extensions: [EXTENSION],
			args: ["-c"],
		});
		assert.match(shut.stderr, new RegExp(`^\\[dmail\\] fold ${inner} is shut: `));
		const gone = await runPrint(home, `/dmail return ${outer}`, {
			script: [],
			extensions: [EXTENSION],
			args: ["-c"],
		});
		assert.match(gone.stderr, new RegExp(`^\\[dmail\\] there is no fold "${outer}"; `));
	});
