// The neighbours together, on both hosts: each does what later tests say it does.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { call, HOSTS, makeHome, neighbour, runPrint } from "./real-pi.ts";
import { assertPaired, countText, textOf } from "./wire.ts";

const SCRIPT = [call("read", { path: "one.txt" }), call("read", { path: "two.txt" }), "done"];
const NAMES = [
	"empty",
	"edit-results",
	"throw-in-context",
	"remove-old",
	"append-tail",
	"set-status",
];

for (const host of HOSTS)
	test(`${host}: neighbours edit, append, remove, dawdle and fail`, async (t) => {
		const home = makeHome(host);
		t.after(() => home.remove());
		for (const name of ["one", "two"])
			writeFileSync(join(home.cwd, `${name}.txt`), `${name}, read\n`);
		const extensions = [...NAMES, "slow-message-end"].map(neighbour);
		const started = Date.now();
		const { requests, stderr, code } = await runPrint(home, "go", { script: SCRIPT, extensions });
		assert.equal(code, 0);
		assertPaired(requests);
		const last = requests.at(-1) ?? assert.fail();
		assert.deepEqual([countText(last, "one, read\n"), countText(last, "two, read\n")], [0, 1]);
		assert.equal(countText(last, "(checked by the neighbour)"), 1);
		assert.equal(textOf(last.messages.at(-1) ?? assert.fail()), "(a reminder by the neighbour)");
		assert.match(stderr, /the neighbour failed/);
		assert.ok(Date.now() - started > 6 * 80, "six messages took 80 ms each");
	});
