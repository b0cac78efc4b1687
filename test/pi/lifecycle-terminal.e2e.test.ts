// `/reload` and `/tree` as a person types them, in a real terminal on both hosts: badge, numbers and what is
// sent are right after each, and what a branch that is left had is told as it was folded.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
	EXTENSION,
	HOSTS,
	makeHome,
	readWire,
	sessionEntries,
	sessionFile,
} from "../support/real-pi.ts";
import { KEYS, openPi } from "../support/terminal.ts";
import { AS_TOLD, promptFor } from "../support/told-script.ts";
import { assertPaired, chipsOf, textOf } from "../support/wire.ts";

const list = (text: string) => ({
	text,
	calls: [{ name: "bash", args: { command: "seq 1 900 | tr '\\n' ' '" } }],
});
const SUMMARY = "Both lists are numbers in order.";
const WORK = [
	list("Here is list one."),
	list("Here is list two."),
	{ calls: [{ name: "send_dmail", args: { fromStep: 1, summary: SUMMARY } }] },
	"Both are read.",
];

const SAVES = /D-MAIL ON −\d\.\dk/;
const SAVES_NOTHING = /D-MAIL ON\s*$/m;

for (const host of HOSTS)
	test(`${host}: after /reload and /tree badge, numbers and folds are those of where the session stands`, async (t) => {
		const home = makeHome(host);
		t.after(() => home.remove());
		const launch = { script: AS_TOLD, extensions: [EXTENSION] };
		const terminal = openPi(home, launch, { columns: 100, rows: 44 });
		t.after(() => terminal.close());
		/** A reply on the screen: the prompt has its words too, but not on a line of their own. */
		const reply = (text: string) => `\n ${text}\n`;
		const ask = async (label: string, turns: Parameters<typeof promptFor>[1], end: string) => {
			await terminal.type(promptFor(label, turns));
			await terminal.waitFor(reply(end));
		};
		const stored = () => readFileSync(sessionFile(home), "utf8");
		/**
		 * What the command says of sizes and folds. pi takes earlier answers off the screen when it reloads or moves;
		 * where it did not, the new one stands below a line that came after them.
		 */
		const status = async (below = ""): Promise<string> => {
			if (below === "") await terminal.waitWithout("conversation: ");
			await terminal.type("/dmail status");
			const said = new RegExp(`${below}[^]*(conversation: .*)[^]*^ (folds: .*)[^]*^─`, "m");
			const [, sizes, folds] = said.exec(await terminal.waitFor(said)) ?? [];
			return `${sizes}\n${folds}`;
		};
		/** Stands at the reply that has this text, as it is chosen from the list. */
		const go = async (text: string, choice: "No summary" | "Summarize") => {
			await terminal.type("/tree");
			await terminal.waitFor("Session Tree");
			terminal.press(...`assistant ${text}`);
			await terminal.waitFor("(1/1)");
			terminal.press(KEYS.enter);
			await terminal.waitFor("Summarize branch?");
			if (choice === "Summarize") terminal.press(KEYS.down);
			await terminal.waitFor(`→ ${choice}`);
			terminal.press(KEYS.enter);
		};

		await terminal.waitFor(SAVES_NOTHING);
		await ask("work", WORK, "Both are read.");
		const [badge] = SAVES.exec(await terminal.waitFor(SAVES)) ?? [];
		const before = await status("^ Both are read\\.$");
		assert.match(before, /folds: 1 landed, 0 held/);

		const bytes = stored();
		await terminal.type("/reload");
		await terminal.waitFor("Reloaded keybindings");
		// pi draws the footer a moment later than the line
		assert.equal(SAVES.exec(await terminal.waitFor(SAVES))?.[0], badge);
		assert.equal(await status(), before);
		assert.equal(stored(), bytes, "a reload appends nothing");
		await ask("again", ["Fine, again."], "Fine, again.");
		const reloaded = readWire(home).at(-1) ?? assert.fail();
		assert.match(chipsOf(reloaded).join(), /Both lists are numbers in order/);
		assert.equal(reloaded.tools.filter((name) => name === "send_dmail").length, 1);

		const [there, unmoved] = [await status("^ Fine, again\\.$"), stored()];
		await go("list one", "No summary");
		await terminal.waitFor(SAVES_NOTHING);
		const far = await status();
		assert.match(far, /folds: 0 landed, 0 held/);
		// the labels of the steps are all the difference
		const [, sent, raw] = /~(\d{2,3}) tokens sent now, ~(\d{2,3}) raw/.exec(far) ?? [];
		assert.ok(Number(sent) - Number(raw) < 20, far);
		await go("Fine, again", "No summary");
		assert.equal(SAVES.exec(await terminal.waitFor(SAVES))?.[0], badge);
		assert.equal(await status(), there);
		assert.equal(stored(), unmoved, "a move appends nothing");

		await go("list one", "Summarize");
		await terminal.waitFor(SAVES_NOTHING);
		const asked = readWire(home).filter(({ kind }) => kind === "summary");
		const text = asked.flatMap(({ messages }) => messages.map(textOf)).join("\n");
		assert.match(text, /Both lists are numbers in order\./);
		assert.match(text, /Fine, again\./);
		assert.doesNotMatch(text, /list two|899 900|<dmail|send_dmail|\[step \d+\]/);
		assert.match(await status(), /folds: 0 landed, 0 held/);
		await ask("on", ["On the other branch."], "On the other branch.");
		const other = readWire(home).at(-1) ?? assert.fail();
		assert.deepEqual(chipsOf(other), []);
		assert.ok(other.messages.map(textOf).join("\n").includes("A summary of the conversation."));

		terminal.press(KEYS.control("d"));
		assert.equal(await terminal.exit(), 0);
		// the last one goes on behind a reply whose result was left: no provider is sent that without pi's own answer
		assertPaired(readWire(home).slice(0, -1));
		const records = sessionEntries(home).filter(({ customType }) =>
			customType?.startsWith("dmail."),
		);
		assert.deepEqual(
			records.map(({ customType }) => customType),
			["dmail.fold"],
		);
	});
