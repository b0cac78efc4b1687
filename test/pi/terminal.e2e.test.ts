// What a person sees in a real terminal, on both hosts: badge, notices, picker, editor, a fold collapsed and
// expanded, a refusal, a pinned cut; and that no width of the window ends pi.

import assert from "node:assert/strict";
import { test } from "node:test";
import { EXTENSION, HOSTS, makeHome, sessionEntries } from "../support/real-pi.ts";
import type { Script } from "../support/scripted-provider.ts";
import { KEYS, openPi, type Terminal } from "../support/terminal.ts";

const SUMMARY =
	"Done: both lists are read.\nLearned: all of 日本語 and 👩‍👩‍👧 is fine.\nOpen: nothing.";
const CUT_SUMMARY = "The third list was read, as asked.";

const OWN_SUMMARY = "All three lists are read; I saw them myself.";

const list = (text: string, count: number) => ({
	text,
	calls: [{ name: "bash", args: { command: `seq 1 ${count} | tr '\\n' ' '` } }],
});

const fold = (args: Record<string, unknown>) => ({ calls: [{ name: "send_dmail", args }] });

const SCRIPT: Script = [
	list("I read the first list.", 900),
	list("日本語のリストを読む 👩‍👩‍👧", 800),
	fold({ fromStep: 1, preview: true }),
	fold({ fromStep: 9, summary: "of what is not there" }),
	fold({ fromStep: 1, toStep: 2, summary: SUMMARY }),
	"Both are read.",
	list("I read a third list.", 700),
	"That is all.",
	// the cut that the user pinned wins over these steps
	fold({ fromStep: 8, summary: CUT_SUMMARY }),
	"It is folded.",
];

const LIMIT = 30_000;

/** The rows of the picker on the screen. */
function rows(terminal: Terminal): string[] {
	return terminal.lines().filter((line) => /^[→ ] steps? \d/.test(line));
}

for (const host of HOSTS)
	test(`${host}: badge, folds, picker and cuts read well in a terminal of any width`, async (t) => {
		const home = makeHome(host);
		t.after(() => home.remove());
		const launch = { script: SCRIPT, extensions: [EXTENSION] };
		const terminal = openPi(home, launch, { columns: 80, rows: 40 });
		t.after(() => terminal.close());
		const see = (text: string | RegExp) => terminal.waitFor(text, LIMIT);
		await see(/D-MAIL ON\s*$/m);

		await terminal.type("read the lists");
		await see("Both are read.");
		await see(/D-MAIL ON −1\.\dk/);
		const collapsed = terminal.screen();
		assert.match(
			collapsed,
			/send_dmail preview of step 1 onward\n ◇ preview, nothing folded: steps 1–2 would be −1/,
		);
		assert.match(
			collapsed,
			/send_dmail step 9 onward\n of what is not there\n ✗ refused: there is no step 9/,
		);
		assert.match(
			collapsed,
			/send_dmail steps 1–2\n Done: both lists are read\. …\n ◆ folded steps 1–2 as [0-9a-f]{4}: −1/,
		);
		assert.match(collapsed, /\(ctrl\+o to expand\)/);
		assert.doesNotMatch(collapsed, /Open: nothing/);
		if (host === "1.6.0")
			assert.match(collapsed, / ◆ fold [0-9a-f]{4} · steps 1–2 · by the model · Done/);

		terminal.press(KEYS.control("o"));
		const expanded = await see(
			/Open: nothing\.[\s\S]*Folded steps 1–2 as fold [0-9a-f]{4}; your summary[\s\S]*Leaves room for ~/,
		);
		assert.match(expanded, /Learned: all of 日本語 and 👩‍👩‍👧 is fine\./);
		assert.match(expanded, /Next request: ~[\s\S]*Saves ~[\s\S]*Costs [\s\S]*Leaves room for ~/);
		terminal.press(KEYS.control("o"));
		await see(/ctrl\+o to expand/);

		await terminal.type("one more");
		await see("That is all.");
		// a step that is typed is what Enter takes, and not the pin that begins with it
		await terminal.type("/dmail pin 7-8");
		await see("[dmail] pinned steps 7–8");
		terminal.press("/dmail unpin ");
		await see("→ (all pinned steps)");
		terminal.press("7");
		await terminal.waitWithout("(all pinned steps)");
		await see("/dmail unpin 7");
		assert.doesNotMatch(terminal.screen(), /^→ 7-8/m);
		terminal.press(KEYS.enter);
		await see("[dmail] unpinned steps 7–8");
		// with the list of steps open, Enter takes up what was typed, and no step that nobody chose
		terminal.press("/dmail fold ");
		await see("→ (choose the steps from a list)");
		terminal.press(KEYS.enter);
		await terminal.waitWithout("(choose the steps from a list)");
		terminal.press(KEYS.enter);
		await see("choose the first step");
		assert.deepEqual(
			rows(terminal).map((row) => /^. steps? [\d–]+/.exec(row)?.[0]),
			["→ step 8", "  step 7", "  step 6", "  step 5", "  step 4", "  step 3", "  steps 1–2"],
		);
		assert.match(rows(terminal)[6] ?? "", /−\d\S* +pays after \d+ +◆ Done: both lists are read\./);
		for (const columns of [20, 60, 120, 300, 80]) {
			terminal.resize({ columns, rows: 40 });
			await see(
				new RegExp(`^─{${columns}}\\nFold: [\\s\\S]*\\n→ step 8 [\\s\\S]*\\n─{${columns}}$`, "m"),
			);
		}
		terminal.press("j", KEYS.enter);
		await see("from step 7: choose the last step");
		terminal.press("/", "t", "h", "i", "r", "d");
		await see("/third");
		assert.equal(rows(terminal).length, 1);
		terminal.press(KEYS.escape);
		await see(/→ step 7[\s\S]*esc back/);
		terminal.press(KEYS.enter);
		await see("Fold step 7: who writes the summary?");
		terminal.press(KEYS.enter);
		await see("It is folded.");
		const cut = terminal.screen();
		assert.match(cut, /\[dmail\] pinned a cut: step 7; the model is asked to fold now/);
		assert.match(cut, /\[dmail\] cut pinned: step 7/);
		assert.match(cut, /◆ folded step 7 as [0-9a-f]{4}, as you pinned it/);

		await terminal.type("/send-dmail");
		await see("choose the first step");
		terminal.press(KEYS.end, KEYS.enter);
		await see("from step 1: choose the last step");
		terminal.press(KEYS.enter);
		await see("Fold steps 1–10: who writes the summary?");
		terminal.press(KEYS.down, KEYS.enter);
		await see("Summary of steps 1–10");
		terminal.press(OWN_SUMMARY);
		await see(OWN_SUMMARY);
		terminal.press(KEYS.enter);
		await see(/\[dmail\] folded steps 1–10 as fold [0-9a-f]{4}; your summary takes their place/);

		await terminal.type("/dmail off");
		await see("⚠ D-MAIL OFF");
		terminal.press(KEYS.control("d"));
		assert.equal(await terminal.exit(), 0);
		const folds = sessionEntries(home).filter((entry) => entry.customType === "dmail.fold");
		assert.deepEqual(
			folds.map(({ data }) => [
				data?.["by"],
				data?.["fromStep"],
				data?.["toStep"],
				data?.["summary"],
			]),
			[
				["model", 1, 2, SUMMARY],
				["user", 7, 7, CUT_SUMMARY],
				["user", 1, 10, OWN_SUMMARY],
			],
		);
	});
