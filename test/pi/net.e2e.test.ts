// The net on real pis of both generations: a model that never folds, in a window of 16,000 tokens.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { sha256 } from "../../src/pi/log.ts";
import { readSession } from "../../src/session/file.ts";
import { readSource } from "../../src/session/source.ts";
import { writePartFiles } from "../support/part-files.ts";
import {
	EXTENSION,
	foldsOf,
	HOSTS,
	type Home,
	type HostVersion,
	makeHome,
	sessionEntries,
	sessionFile,
	writeSettings,
} from "../support/real-pi.ts";
import { RpcPi } from "../support/real-pi-rpc.ts";
import type { Script } from "../support/scripted-provider.ts";
import {
	assertPaired,
	assertPrefixes,
	chipsOf,
	countText,
	textOf,
	type WireRequest,
} from "../support/wire.ts";

const WINDOW = 16_000;
const COMPACTION = { enabled: true, reserveTokens: 3_000, keepRecentTokens: 2_000 };

function homeFor(t: TestContext, host: HostVersion, net: boolean): Home {
	const home = makeHome(host);
	t.after(() => home.remove());
	writePartFiles(home, 60);
	writeSettings(home, { compaction: COMPACTION, dmail: { net } });
	return home;
}

function start(home: Home, script: Script, extensions: readonly string[] = [EXTENSION]): RpcPi {
	const env = { SCRIPTED_WINDOW: String(WINDOW) };
	return new RpcPi(home, { script, extensions, env, limitMs: 60_000 });
}

/** Reads two parts of 900 tokens for each prompt; never folds. */
const NEVER_FOLDS: Script = (request) => {
	if (request.kind === "summary") return "THE COMPACTION'S SUMMARY";
	const n = request.index;
	if (n % 3 === 2) return `done ${n}`;
	return { text: `I read part ${n}.`, calls: [{ name: "read", args: { path: `part-${n}.txt` } }] };
};

function prompt(nth: number): string {
	return `this is request number ${nth} of mine`;
}

function promptSize({ cacheRead, cacheWrite, input }: WireRequest): number {
	return cacheRead + cacheWrite + input;
}

for (const host of HOSTS) {
	test(`${host}: a model that never folds reaches the threshold three times, and pi never compacts`, async (t) => {
		const home = homeFor(t, host, true);
		const pi = start(home, NEVER_FOLDS);
		const told = () => pi.notices().filter((text) => text.includes("without the model"));
		let prompts = 0;
		while (told().length < 3 && prompts < 20) await pi.ask(prompt(prompts++));
		await pi.ask(prompt(prompts++));
		const ends = pi.events.filter(({ type }) => type === "compaction_end");
		assert.ok(ends.length >= 3 && ends.every((event) => event["aborted"] === true));
		assert.equal(told().length, 3, "one notice each");
		const { requests } = await pi.close();
		const landings = requests.flatMap((request, index) => {
			const before = requests[index - 1];
			const changed = before && chipsOf(request).join() !== chipsOf(before).join();
			return changed ? [index] : [];
		});

		await t.test("no compaction, one record for each landing", () => {
			assert.ok(requests.every(({ kind }) => kind === "agent"));
			assert.ok(sessionEntries(home).every(({ type }) => type !== "compaction"));
			assert.deepEqual(
				foldsOf(home).map(({ by }) => by),
				["auto", "auto", "auto"],
			);
			assert.equal(landings.length, 3);
		});
		await t.test("every request stays under the window, after a landing under half of it", () => {
			for (const [index, request] of requests.entries()) {
				assert.ok(promptSize(request) < WINDOW, `request ${index}`);
				if (landings.includes(index)) assert.ok(promptSize(request) <= WINDOW / 2, `${index}`);
			}
		});
		await t.test("outside the landings each request is a prefix of the next", () => {
			assertPrefixes(requests, landings);
			assertPaired(requests);
		});
		await t.test("all that the user said is in every request", () => {
			const asked = new Set<number>();
			for (const request of requests) {
				for (let nth = 0; nth < prompts; nth++) {
					const count = countText(request, prompt(nth));
					assert.ok(count === 1 || (count === 0 && !asked.has(nth)), prompt(nth));
					if (count === 1) asked.add(nth);
				}
			}
			assert.equal(asked.size, prompts);
		});
		await t.test("every folded byte is readable, of absorbed nets too", () => {
			const branch = readSession(sessionFile(home)).entries;
			for (const record of foldsOf(home)) {
				const source = readSource({ record, branch, reader: "person", hash: sha256 });
				assert.ok(source.ok && source.verified === true);
				for (const line of [1, 50, 100])
					assert.ok(source.text.includes(`part 0 line ${line} ~~~`), `line ${line}`);
			}
		});
		await t.test("the chip says whose words it has, and how to look inside", () => {
			const [chip = ""] = chipsOf(requests.at(-1) ?? assert.fail());
			assert.match(chip, /Not your words/);
			assert.match(chip, /read_dmail\(\{"fold":"[0-9a-f]+"\}\)/);
			assert.match(chip, /^1\. I read part 0\. · read/m);
		});
	});

	test(`${host}: with dmail.net false pi compacts just as without the extension`, async (t) => {
		const script: Script = (request) => {
			if (request.kind === "summary") return "THE COMPACTION'S SUMMARY";
			const n = request.index;
			// the same measure with and without our tool and policy in the prompt
			const totalTokens = 450 * request.messages.length;
			const usage = { input: totalTokens, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens };
			if (n % 3 === 2) return { text: `done ${n}`, usage };
			return { calls: [{ name: "read", args: { path: `part-${n}.txt` } }], usage };
		};
		const runs = [];
		for (const extensions of [[EXTENSION], []]) {
			const home = homeFor(t, host, false);
			const pi = start(home, script, extensions);
			const isDone = () => pi.events.some(({ type }) => type === "compaction_end");
			for (let nth = 0; nth < 12 && !isDone(); nth++) await pi.ask(prompt(nth));
			await pi.ask("the last");
			const end = pi.events.find(({ type }) => type === "compaction_end");
			const { requests } = await pi.close();
			const summaries = requests.filter(({ kind }) => kind === "summary");
			assert.ok(sessionEntries(home).every(({ customType }) => customType !== "dmail.fold"));
			runs.push({
				aborted: end?.["aborted"],
				summaries: summaries.map(({ messages }) => messages.map(textOf)),
			});
		}
		const [ours, bare] = runs;
		assert.equal(ours?.aborted, false);
		assert.ok((ours?.summaries.length ?? 0) > 0);
		assert.deepEqual(ours, bare);
	});

	test(`${host}: /dmail net folds on demand, once, and not while off`, async (t) => {
		const home = homeFor(t, host, true);
		const pi = start(home, NEVER_FOLDS);
		await pi.command("/dmail net");
		assert.match(
			pi.notices().at(-1) ?? "",
			/^\[dmail\] nothing was folded: no step is finished yet$/,
		);
		for (let nth = 0; nth < 3; nth++) await pi.ask(prompt(nth));
		await pi.command("/dmail off");
		await pi.command("/dmail net");
		assert.match(pi.notices().at(-1) ?? "", /is off, nothing was folded/);
		await pi.command("/dmail on");
		assert.equal(foldsOf(home).length, 0);
		await pi.command("/dmail net");
		assert.match(
			pi.notices().at(-1) ?? "",
			/folded steps? 1\b[^(]* without the model \(fold [0-9a-f]+\)/,
		);
		await pi.command("/dmail net");
		assert.match(
			pi.notices().at(-1) ?? "",
			/nothing was folded: before the newest ~4\.0k tokens, which are left alone, steps? 1\b.* takes? ~\d+, and a record of them would take no fewer; /,
		);
		await pi.ask("and on");
		const { requests } = await pi.close();
		const [record, ...others] = foldsOf(home);
		assert.deepEqual([record?.by, record?.fromStep, others], ["auto", 1, []]);
		const last = requests.at(-1) ?? assert.fail();
		const [before] = requests.slice(-4);
		assert.equal(chipsOf(last).length, 1);
		assert.ok(before && chipsOf(before).length === 0);
		assertPaired(requests);
	});
}
