// Law 16: one replayer serves the hook, the profiler and the tests alike.

import assert from "node:assert/strict";
import { foldContext, Replayer } from "../../fold.ts";
import { textHost } from "../support/notation.ts";
import { equalsOracle } from "./checked-view.ts";
import { checkView } from "./integrity.ts";
import type { Law, World } from "./world.ts";

/** Law 16, looked at after every entry. */
export const REPLAY_LAWS: readonly Law[] = lawsLookingEvery(() => 1);

/** Law 16, looked at a few times only: the oracle is slow. */
export const QUICK_REPLAY_LAWS: readonly Law[] = lawsLookingEvery(({ branch }) =>
	Math.ceil(branch.length / 3),
);

function lawsLookingEvery(stride: (world: World) => number): Law[] {
	return [
		{
			sentence:
				"16: the replayer equals the slow, obvious oracle; advancing it request by request equals starting anew",
			check(world) {
				const { branch } = world;
				const every = stride(world);
				const advanced = new Replayer(textHost);
				for (const [at, entry] of branch.entries()) {
					advanced.push(entry);
					if ((branch.length - 1 - at) % every !== 0) continue;
					const seen = branch.slice(0, at + 1);
					const asking = at % 2 === 0;
					equalsOracle(seen, advanced, { asking });
					checkView(seen, advanced.view({ asking }), advanced.visible);
					const fresh = foldContext(seen, textHost, { asking });
					assert.deepEqual(advanced.view({ asking }).messages, fresh.messages);
				}
			},
		},
		{
			sentence: "16: so does the view of a list in hand that others have meddled with",
			check({ branch, chance: { asking }, hand, replayer }) {
				equalsOracle(branch, replayer, { asking, hand });
			},
		},
	];
}
