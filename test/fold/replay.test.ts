// Laws 16 and 17: one replayer serves the hook, the profiler and the tests alike.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { foldContext, Replayer } from "../../fold.ts";
import { anyBranch, handOf, meddling } from "../support/arbitrary.ts";
import { cases } from "../support/cases.ts";
import { textHost } from "../support/notation.ts";
import { projection } from "./branch.ts";
import { equalsOracle } from "./checked-view.ts";
import { checkView } from "./integrity.ts";

test("16: the replayer equals the slow, obvious oracle; advancing it request by request equals starting anew", () => {
	fc.assert(
		fc.property(anyBranch, (branch) => {
			const advanced = new Replayer(textHost);
			for (const [at, entry] of branch.entries()) {
				advanced.push(entry);
				const seen = branch.slice(0, at + 1);
				const asking = at % 2 === 0;
				equalsOracle(seen, advanced, { asking });
				checkView(seen, advanced.view({ asking }), advanced.visible);
				const fresh = foldContext(seen, textHost, { asking });
				assert.deepEqual(advanced.view({ asking }).messages, fresh.messages);
			}
		}),
		cases(),
	);
});

test("16: so does the view of a list in hand that others have meddled with", () => {
	fc.assert(
		fc.property(anyBranch, meddling, fc.boolean(), (branch, meddled, asking) => {
			const replayer = new Replayer(textHost);
			for (const entry of branch) replayer.push(entry);
			const hand = handOf(projection(branch), meddled, branch);
			equalsOracle(branch, replayer, { asking, hand });
		}),
		cases(),
	);
});
