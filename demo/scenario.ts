// What the scripted model does in the demo: it looks something up in a copy of this project's sources,
// folds, goes on, re-folds, and answers. Only data.

import { call } from "../test/support/real-pi.ts";
import type { Turn } from "../test/support/scripted-provider.ts";
import type { ExpectedFold } from "../test/support/wire-folds.ts";

/** What the user says: two requests with D-Mail on, one after switching it off. */
export const PROMPTS = [
	"Where is the limit of a summary's length enforced, and what says so to the model? Change nothing.",
	"And what happens to a line in a summary that looks like one of your step markers?",
	"What did you find, in one line?",
] as const;

/** What the model writes when it folds for the first time. */
export const SUMMARY = `Done: looked up the limit of a summary's length.
Learned: SUMMARY_LIMIT (20,000 UTF-16 units) is declared in src/fold/record.ts; the codec refuses a longer one when it decodes, and src/fold/propose.ts is where a fold is decided.
A grep for a literal 20_001 found nothing (exit 1); counting the lines of src/fold/*.ts passed.
Open: answer the user.`;

/** What it writes when it folds everything, the first fold included. */
export const REFOLD = `Done: both questions are answered in the code.
1. SUMMARY_LIMIT (20,000) lies in src/fold/record.ts and is checked when a record is decoded.
2. src/fold/chip.ts passes a chip's body through breakMarkers of src/fold/marker.ts, so a line that is nothing but a marker is broken up; all else stays to the byte.
Open: check src/fold/marker.ts once more, then answer.`;

const read = (path: string) => ({ name: "read", args: { path } });
const bash = (command: string) => ({ name: "bash", args: { command } });
const fold = (summary: string) => ({ name: "send_dmail", args: { fromStep: 1, summary } });

/** One turn per request. Steps 1–6 answer the first prompt, 7–11 the second, 12 the third. */
export const TURNS: readonly Turn[] = [
	{
		text: "I look for the limit.",
		calls: [bash("grep -rn SUMMARY_LIMIT fold.ts src"), read("src/fold/record.ts")],
	},
	call("read", { path: "src/fold/propose.ts" }),
	call("bash", { command: "grep -rn 20_001 src" }),
	call("bash", { command: "wc -l src/fold/*.ts" }),
	{ text: "That is settled.", calls: [fold(SUMMARY), read("fold.ts")] },
	{ text: "The limit is enforced where a record is decoded, in src/fold/record.ts." },
	call("read", { path: "src/fold/chip.ts" }),
	{ calls: [read("src/fold/replay.ts"), read("src/fold/render.ts")] },
	{ text: "Both are settled.", calls: [fold(REFOLD)] },
	call("read", { path: "src/fold/marker.ts" }),
	{ text: "It is broken up with blanks; every other line stays as it was written." },
	{ text: "The limit is checked on decoding, and marker lines are broken up." },
];

/** What the turns fold; the second fold's summary says again what the first one's said. */
export const FOLDS: readonly ExpectedFold[] = [
	{ request: 5, fromStep: 1, summary: SUMMARY, until: 9 },
	{ request: 9, fromStep: 1, summary: REFOLD },
];
