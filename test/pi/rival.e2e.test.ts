// Another extension that offers a tool by a name of ours: pi starts all the same, ours says so once and stays
// off, and the other one's tool is the one that is offered.

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
