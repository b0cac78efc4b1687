// A run that end-to-end tests share: two folds, a refold, parallel batches, call ids that repeat. Only
// data, the files that it reads, and a home for them.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Home, type HostVersion, makeHome, writeSettings } from "./real-pi.ts";
import type { Turn } from "./scripted-provider.ts";
import type { ExpectedFold } from "./wire-folds.ts";

/** What the user says: the second prompt comes after the first one is answered. */
export const FIRST_PROMPT = 'Read the parts in order, "quotes" and\nline ends and all.';
export const SECOND_PROMPT = "Now read the last part.";

const NAMES = ["a", "b", "c", "d", "e", "f", "g", "h"] as const;

/** A home that is gone after the test, with the files of the run; folds land at once. */
export function foldingHome(t: TestContext, host: HostVersion): Home {
	const home = makeHome(host);
	t.after(() => home.remove());
	writeParts(home);
	writeSettings(home, { dmail: { timing: "now" } });
	return home;
}

/** Writes the files that the run reads: `a.txt` to `h.txt`, 2 KB each, no two lines alike. */
export function writeParts(home: Home): void {
	for (const name of NAMES) writeFileSync(join(home.cwd, `${name}.txt`), partText(name));
}

function partText(name: string): string {
	const lines = Array.from(
		{ length: 40 },
		(_, line) => `part ${name}, line ${line}: ${"~".repeat(30)}`,
	);
	return `${lines.join("\n")}\n`;
}

const SUMMARIES = [
	"Parts a and b are read; they hold tildes. A third command failed with exit 3.",
	"Parts d and e are read too; tildes again.",
	"Parts a to g are read: all hold tildes. Nothing else is open.",
] as const;

// not by a shell: pi loses what a short command prints when the machine is busy
const read = (name: string, id?: string) => ({
	name: "read",
	args: { path: `${name}.txt` },
	...(id === undefined ? {} : { id }),
});
const fold = (fromStep: number, summary: string) => ({
	name: "send_dmail",
	args: { fromStep, summary },
});

/** One turn per request of the first prompt: steps 1 to 9. */
export const FIRST_TURNS: readonly Turn[] = [
	{
		calls: [
			read("a", "call:0"),
			{ name: "bash", args: { command: "exit 3" } },
			read("b", "call:2"),
		],
	},
	{ calls: [read("c", "call:0")] },
	{ text: "These are done.", calls: [fold(1, SUMMARIES[0])] },
	{ calls: [read("d", "call:0")] },
	{ calls: [read("e", "call:0")] },
	{ calls: [read("f"), fold(4, SUMMARIES[1]), { name: "bash", args: { command: "true" } }] },
	{ calls: [read("g")] },
	{ calls: [fold(1, SUMMARIES[2])] },
	{ text: "All parts but one are read." },
];

/** One turn per request of the second prompt: steps 10 and 11. */
export const SECOND_TURNS: readonly Turn[] = [
	{ calls: [read("h", "call:0")] },
	{ text: "Now all parts are read." },
];

/** The folds of the run. The second one's start, step 4, is the one after the first fold's call. */
export const RUN_FOLDS: readonly ExpectedFold[] = [
	{ request: 3, fromStep: 1, summary: SUMMARIES[0], until: 8 },
	{ request: 6, fromStep: 4, summary: SUMMARIES[1], until: 8 },
	{ request: 8, fromStep: 1, summary: SUMMARIES[2] },
];
