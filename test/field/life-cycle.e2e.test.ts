// On real pis: print mode ends without a word of ours, and a new session knows nothing of the one before it.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { foldingHome } from "../support/folding-run.ts";
import { EXTENSION, HOSTS, type Home, runPrint } from "../support/real-pi.ts";
import { RpcPi } from "../support/real-pi-rpc.ts";
import type { Turn } from "../support/scripted-provider.ts";
import { chipsOf, markersOf, type WireRequest } from "../support/wire.ts";

const extensions = [EXTENSION];

/** The lines of ours in each session file, by the file's name; later sessions come later. */
function ours({ sessionDir }: Home): number[] {
	const files = readdirSync(sessionDir).filter((name) => name.endsWith(".jsonl"));
	return files
		.sort()
		.map((name) => readFileSync(join(sessionDir, name), "utf8").match(/"dmail\./g)?.length ?? 0);
}

/** Reads two parts and folds that, where it is asked about parts; else it answers. Closes over nothing. */
function model({ index, messages }: WireRequest): Turn | string {
	if (!JSON.stringify(messages[0]).includes("parts") || index > 2) return "an answer";
	const fold = { name: "send_dmail", args: { fromStep: 1, summary: "both are read" } };
	const read = { name: "read", args: { path: index === 0 ? "a.txt" : "b.txt" } };
	return { calls: [index === 2 ? fold : read] };
}

for (const host of HOSTS) {
	test(`L02: ${host}: a print run ends with its answer, an empty stderr and exit code 0`, async (t) => {
		const home = foldingHome(t, host);
		const run = await runPrint(home, "hello", { script: ["hello back"], extensions });
		assert.deepEqual([run.code, run.stderr, run.stdout.trim()], [0, "", "hello back"]);
		assert.deepEqual(ours(home), [0], "L06: and leaves no entry of ours");
	});

	test(`L03, L05, L06: ${host}: a new session beside a folded one has no fold, no number and no entry of it`, async (t) => {
		const home = foldingHome(t, host);
		const pi = new RpcPi(home, { script: model, extensions });
		await pi.ask("Read the parts.");
		assert.match(pi.status("dmail") ?? "", /^D-MAIL ON −/);
		await pi.send({ type: "new_session" });
		assert.equal(pi.status("dmail"), "D-MAIL ON");
		await pi.ask("hello");
		await pi.ask("and again");
		const { requests, code, stderr } = await pi.close();
		assert.deepEqual([code, stderr], [0, ""]);
		assert.deepEqual(
			requests.map((request) => chipsOf(request).length),
			[0, 0, 0, 1, 0, 0],
		);
		assert.deepEqual(
			requests.slice(4).map((request) => markersOf(request).map(({ step }) => step)),
			[[1], [1, 2]],
		);
		assert.deepEqual(
			ours(home).map((count) => count > 0),
			[true, false],
		);
	});
}
