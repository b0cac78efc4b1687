// Another extension with something by a name of ours. A tool: pi starts all the same, ours says so once and
// stays off, and the other one's tool is the one that is offered. A command: ours says what to type. A second
// copy of ours: pi does not start, and says why.

import assert from "node:assert/strict";
import { test } from "node:test";
import { call, EXTENSION, HOSTS, makeHome, neighbour, runPrint } from "../support/real-pi.ts";
import { markersOf, textOf } from "../support/wire.ts";

for (const host of HOSTS)
	for (const tool of ["send_dmail", "read_dmail"])
		test(`${host}: a rival that offers ${tool} has it to itself`, async (t) => {
			const home = makeHome(host);
			t.after(() => home.remove());
			const { code, stderr, requests } = await runPrint(home, "go", {
				script: [call(tool, {}), "done"],
				extensions: [neighbour("offer-tool"), EXTENSION],
				env: { OFFER_TOOL: tool },
			});
			assert.equal(code, 0);
			const said = `[dmail] ${neighbour("offer-tool")} offers ${tool} too; this extension stays off\n`;
			assert.equal(stderr, said);
			assert.equal(textOf(requests[1]?.messages.at(-1) ?? assert.fail()), "done");
			for (const request of requests) {
				assert.deepEqual(
					request.tools.filter((name) => /_dmail$/.test(name)),
					[tool],
				);
				assert.deepEqual(markersOf(request), []);
			}
		});

for (const host of HOSTS)
	test(`${host}: beside another /dmail it is said what to type for ours`, async (t) => {
		const home = makeHome(host);
		t.after(() => home.remove());
		const extensions = [neighbour("dmail-command"), EXTENSION];
		const { code, stderr } = await runPrint(home, "go", { script: ["done"], extensions });
		assert.equal(code, 0);
		assert.equal(
			stderr,
			"[dmail] another extension has a command /dmail too; type /dmail:2 for the one of this extension\n",
		);
		const typed = await runPrint(home, "/dmail:2 off", { script: ["done"], extensions });
		assert.match(typed.stderr, /^\[dmail\] is off: /m);
		assert.deepEqual(typed.requests, []);
	});

for (const host of HOSTS)
	test(`${host}: with a second copy of ours pi does not start, and names what both have`, async (t) => {
		const home = makeHome(host);
		t.after(() => home.remove());
		const { code, stderr, requests } = await runPrint(home, "go", {
			script: ["done"],
			extensions: [EXTENSION, neighbour("second-copy")],
		});
		assert.equal(code, 1);
		assert.match(stderr, /Flag "--dmail-disabled" conflicts with /);
		assert.deepEqual(requests, []);
	});
