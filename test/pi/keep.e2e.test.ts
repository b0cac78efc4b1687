// Nothing is lost, on a real pi of each generation: fold, search for what only the folded text has, read it,
// open, edit with it, shut, pin and be refused, drop, and end with the raw branch. The wire log shows each.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
	call,
	EXTENSION,
	foldsOf,
	HOSTS,
	type Home,
	makeHome,
	runPrint,
	sessionEntries,
	sessionFile,
	writeSettings,
} from "../support/real-pi.ts";
import { RpcPi } from "../support/real-pi-rpc.ts";
import type { Turn } from "../support/scripted-provider.ts";
import {
	assertPaired,
	assertPrefixes,
	chipsOf,
	countText,
	textOf,
	type WireRequest,
} from "../support/wire.ts";

const NEEDLE = "the needle is 4711";
const PROMPT = "Find the needle.";
const SUMMARY = "Both files are read; hay.txt has what was looked for.\nNothing was written down.";

function writeHay(home: Home): void {
	const hay = "hay ".repeat(40);
	const lines = Array.from({ length: 60 }, (_, line) => (line === 55 ? NEEDLE : `${line} ${hay}`));
	writeFileSync(join(home.cwd, "hay.txt"), `${lines.join("\n")}\n`);
	writeFileSync(join(home.cwd, "out.txt"), "needle: ?\n");
}

/** Steps 1 to 3 are folded by step 4. */
const TURNS: readonly Turn[] = [
	call("bash", { command: "cat hay.txt" }),
	call("bash", { command: "cat out.txt; exit 3" }),
	call("write", { path: "log.txt", content: "looked\n" }),
	call("send_dmail", { fromStep: 1, summary: SUMMARY }),
	{
		calls: [
			{ name: "read_dmail", args: {} },
			{ name: "read_dmail", args: { query: "Needle IS" } },
		],
	},
	{ text: "It is in the fold." },
];

function records(home: Home): string[] {
	return sessionEntries(home).flatMap(({ customType }) =>
		customType?.startsWith("dmail.") && customType !== "dmail.mode" ? [customType] : [],
	);
}

function last(requests: readonly WireRequest[]): WireRequest {
	return requests.at(-1) ?? assert.fail("no request");
}

/** The texts of the newest results in a request, oldest first. */
function results(request: WireRequest): string[] {
	return request.messages.filter(({ role }) => role === "toolResult").map(textOf);
}

for (const host of HOSTS)
	test(`${host}: fold, find, read, open, edit, shut, pin, drop; and the branch is raw again`, async (t) => {
		const home = makeHome(host);
		t.after(() => home.remove());
		writeSettings(home, { dmail: { timing: "now" } });
		writeHay(home);

		// the model folds; only the fold has the needle, and a search finds it
		const first = await runPrint(home, PROMPT, { script: TURNS, extensions: [EXTENSION] });
		assert.deepEqual([first.code, first.stderr], [0, ""]);
		const [{ id } = assert.fail("no fold")] = foldsOf(home);
		const folded = last(first.requests);
		assert.equal(chipsOf(folded).length, 1);
		assert.equal(countText(folded, NEEDLE), 1, "what the search found");
		const [receipt = "", index = "", found = ""] = results(folded).slice(-3);
		assert.match(
			receipt,
			/^Folded: 3 steps, 6 entries, 3 tool results, 0 messages of the user\.$/m,
		);
		assert.match(receipt, /^Changed, but not in your summary: log\.txt\.$/m);
		for (const note of [
			/^Files changed: log\.txt$/m,
			/^Shell commands: 2, failed: 1: cat out\.txt; exit 3 \(exit 3\)$/m,
		])
			for (const text of [receipt, chipsOf(folded)[0] ?? ""]) assert.match(text, note);
		assert.match(
			index,
			new RegExp(`^1 fold, oldest first:\n${id} · steps 1–3 · ~\\S+ tokens · landed · Both files`),
		);
		const offset = Number(new RegExp(`^${id} (\\d+): ${NEEDLE}$`, "m").exec(found)?.[1]);
		assert.ok(offset > 8_000, found);

		const go = async (prompt: string, script: readonly Turn[]) => {
			const run = await runPrint(home, prompt, { script, extensions: [EXTENSION], args: ["-c"] });
			assert.deepEqual([run.code, run.stderr], [0, ""]);
			assertPaired(run.requests);
			return run.requests;
		};

		// a page is read without the view changing; then the fold is opened
		const opened = await go("Read it.", [
			call("read_dmail", { fold: id, offset, limit: 40 }),
			call("read_dmail", { fold: id, open: true }),
			call("edit", { path: "out.txt", edits: [{ oldText: "needle: ?", newText: NEEDLE }] }),
			{ text: "Written." },
		]);
		assertPrefixes(opened, [2]);
		const page = opened[1] ?? assert.fail();
		assert.equal(chipsOf(page).length, 1);
		assert.ok(textOf(page.messages.at(-1) ?? assert.fail()).includes(`\n${NEEDLE}\n`));
		for (const request of opened.slice(2)) {
			assert.deepEqual(chipsOf(request), []);
			assert.equal(countText(request, SUMMARY), 1, "the call reads as it was written");
		}
		assert.equal(readFileSync(join(home.cwd, "out.txt"), "utf8"), `${NEEDLE}\n`);

		// shut: the very bytes that were sent before
		const shut = await go("Hide it.", [
			call("read_dmail", { fold: id, open: false }),
			{ text: "Hidden." },
		]);
		const hidden = shut[1] ?? assert.fail();
		assert.deepEqual(hidden.messages.slice(0, page.messages.length), page.messages);
		assert.equal(chipsOf(hidden).length, 1);

		// a pin is refused under the fold, and a fold over a pin
		const pi = new RpcPi(home, {
			extensions: [EXTENSION],
			args: ["-c"],
			script: [
				call("send_dmail", { fromStep: 5, summary: "All of it is done and written down." }),
				{ text: "No." },
				{ text: "Bye." },
			],
		});
		const say = async (command: string) => {
			const from = pi.notices().length;
			const before = readFileSync(sessionFile(home), "utf8").length;
			await pi.command(command);
			const grown = readFileSync(sessionFile(home), "utf8").slice(before).split("\n").length - 1;
			return { told: pi.notices().slice(from).join("\n"), grown };
		};
		const under = await say("/dmail pin 2");
		assert.match(
			under.told,
			/steps 1–3 are in fold \w+ \(landed\); drop that fold first, or pin other steps; nothing changed/,
		);
		assert.equal(under.grown, 0);
		assert.deepEqual(await say("/dmail pin 6-7"), {
			told: "[dmail] pinned steps 6–7; no fold may cover them until /dmail unpin",
			grown: 1,
		});
		assert.equal((await say("/dmail pin 7")).grown, 0);
		await pi.ask("Fold the rest.");
		assert.match(
			(await say("/dmail list")).told,
			new RegExp(`${id} .*landed[\\s\\S]*\nkept from folding: steps 6–7$`),
		);

		// dropped for good: the raw branch
		assert.equal((await say(`/dmail drop ${id}`)).grown, 1);
		assert.deepEqual(await say("/dmail drop"), {
			told: "[dmail] no fold is in view; name one: /dmail drop ID",
			grown: 0,
		});
		assert.equal((await say(`/dmail open ${id}`)).grown, 0);
		assert.equal((await say("/dmail unpin 7")).grown, 1);
		await pi.ask("And now?");
		// the shell reads the dropped fold as it was, while pi has the session open
		const shell = (...args: string[]) =>
			execFileSync(process.execPath, [join(EXTENSION, "profile.ts"), ...args], {
				encoding: "utf8",
			});
		assert.ok(shell("read", sessionFile(home), id).includes(`\n${NEEDLE}\n`));
		const line = new RegExp(`^${id}:\\d+: ${NEEDLE}\n$`);
		assert.match(shell("grep", sessionFile(home), "needle is"), line);
		const { code, stderr, requests } = await pi.close();
		assert.deepEqual([code, stderr], [0, ""]);
		assert.match(
			results(requests[1] ?? assert.fail()).at(-1) ?? "",
			/^steps 6–7 are pinned by the user; /,
		);
		const raw = last(requests);
		assert.deepEqual(chipsOf(raw), []);
		assert.deepEqual(records(home), [
			"dmail.fold",
			"dmail.open",
			"dmail.shut",
			"dmail.pin",
			"dmail.drop",
			"dmail.unpin",
		]);
		const off = await runPrint(home, "Off.", {
			script: [{ text: "Off." }],
			extensions: [EXTENSION],
			args: ["-c", "--dmail-disabled=true"],
		});
		const offered = (request: WireRequest) => request.tools.filter((name) => /_dmail$/.test(name));
		assert.deepEqual(offered(raw), ["send_dmail", "read_dmail"]);
		assert.deepEqual(offered(last(off.requests)), [], "off withdraws both tools");
		assert.deepEqual(
			withoutMarkers(raw),
			withoutMarkers(last(off.requests)).slice(0, raw.messages.length),
		);
	});

function withoutMarkers(request: WireRequest) {
	return request.messages.map((message) => ({
		...message,
		content: message.content.filter((block) => !/^\[step \d+\]/.test(block.text ?? "")),
	}));
}
