// The commands on real pis: over RPC as notices and selections, in print mode on stderr, and a cut that the
// model answers. Both hosts.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
	EXTENSION,
	HOSTS,
	type Home,
	makeHome,
	runPrint,
	sessionEntries,
} from "../support/real-pi.ts";
import { type Answer, RpcPi } from "../support/real-pi-rpc.ts";
import type { Script, Turn } from "../support/scripted-provider.ts";
import { textOf } from "../support/wire.ts";

const list = (count: number): Turn => ({
	calls: [{ name: "bash", args: { command: `seq 1 ${count} | tr '\\n' ' '` } }],
});
const fold = (args: Record<string, unknown>): Turn => ({ calls: [{ name: "send_dmail", args }] });

const SCRIPT: Script = [
	list(1_500),
	list(1_400),
	"Both are read.",
	fold({ fromStep: 3, summary: "The cut is what counts, not these steps." }),
	"It is folded.",
	"And on.",
];

/** Picks step 4 to now, and writes the summary itself. */
const answer: Answer = ({ method, title, options }) => {
	if (method === "editor") return { value: "Summed up by the user." };
	if (method !== "select") return undefined;
	const wanted = ["step 4:", "step 5:", "I write"][TITLES.indexOf(String(title))];
	const chosen = (options as string[]).find((one) => one.startsWith(wanted ?? "\n"));
	return chosen === undefined ? undefined : { value: chosen };
};

const TITLES = [
	"Fold: the first step",
	"Fold from step 4: the last step",
	"Who writes the summary?",
];

function folds(home: Home) {
	return sessionEntries(home).flatMap(({ customType, data }) =>
		customType === "dmail.fold" && data ? [data] : [],
	);
}

/** Pins step 1 while the model writes its second reply; gives back where the events of the run begin. */
async function pinInRun(pi: RpcPi): Promise<number> {
	const from = pi.events.length;
	await pi.send({ type: "prompt", message: "read the lists" });
	await pi.next(from, ({ type }) => type === "tool_execution_end");
	await pi.next(pi.events.length, ({ type }) => type === "message_start");
	await pi.command("/dmail fold 1 1");
	return from;
}

for (const host of HOSTS) {
	test(`${host}: over RPC commands answer by notices, a cut is answered by the model, rows are selected`, async (t) => {
		const home = makeHome(host);
		t.after(() => home.remove());
		const pi = new RpcPi(
			home,
			{ script: SCRIPT, extensions: [EXTENSION], limitMs: 60_000 },
			answer,
		);
		const ask = async (line: string) => {
			const from = pi.notices().length;
			await pi.command(line);
			return pi.notices().slice(from).join("\n");
		};
		await pi.ask("read the lists");
		assert.match(
			await ask("/dmail status"),
			/is on \(the default\)[\s\S]*prices: input \$3, output \$15/,
		);
		const price = await ask("/dmail price 1 2 -- Both lists are read.");
		assert.match(price, /folding steps 1–2 with your summary[\s\S]*; pays /);
		assert.match(await ask("/dmail fold 7"), /there is no step 7; steps 1–3 can be folded/);
		assert.match(await ask("/dmail list"), /no folds on this branch/);
		assert.match(await ask("/dmail fly"), /there is no "fly"; the words are\n {2}fold/);
		assert.equal(folds(home).length, 0);

		const from = pi.events.length;
		assert.match(
			await ask("/send-dmail 1"),
			/pinned a cut: step 1 onward; the model is asked to fold now/,
		);
		await pi.settle(from);
		const [pinned] = folds(home);
		const cut = sessionEntries(home).find((entry) => entry.customType === "dmail.cut");
		assert.deepEqual(
			[pinned?.["by"], pinned?.["fromStep"], pinned?.["toStep"], pinned?.["cutEntryId"]],
			["user", 1, 3, cut?.id],
		);
		assert.match(pi.status("dmail") ?? "", /^D-MAIL ON −/);

		assert.match(await ask("/dmail fold 5 -- nothing at all"), /the chip would not be smaller/);
		assert.match(await ask("/dmail fold"), /(folded|recorded) steps 4–5 as fold/);
		assert.equal(folds(home).at(-1)?.["summary"], "Summed up by the user.");
		await pi.ask("and on");
		const { code, stderr, requests } = await pi.close();
		assert.deepEqual([code, stderr], [0, ""]);
		const asked = requests[3]?.messages.map(textOf) ?? [];
		assert.ok(
			asked.some((text) => text.startsWith("The user pinned a cut: fold step 1 onward now.")),
		);
		assert.match(requests[3]?.system ?? "", /send_dmail/, "the model knows what a fold is");
		const told = requests[4]?.messages.map(textOf).join("\n") ?? "";
		assert.match(told, /Folded steps 1–3 as fold [\s\S]*On the user's behalf/);
		assert.doesNotMatch(told, /1398 1399 1400/, "the folded lists are not sent");
	});

	test(`${host}: a cut in a session that goes on waits for the prompt where the policy is not known yet`, async (t) => {
		const home = makeHome(host);
		t.after(() => home.remove());
		const launch = { extensions: [EXTENSION], limitMs: 60_000 };
		await runPrint(home, "read the lists", { ...launch, script: SCRIPT });
		const turns: Script = [fold({ fromStep: 3, summary: "As it was pinned." }), "Done."];
		const pi = new RpcPi(home, { ...launch, script: turns, args: ["-c"] });
		const from = pi.events.length;
		await pi.command("/dmail fold 1 2");
		const waits = host === "0.73.1";
		assert.match(
			pi.notices().at(-1) ?? "",
			waits ? /asked with your next prompt/ : /asked to fold now/,
		);
		if (waits) await pi.ask("go on");
		else await pi.settle(from);
		const { requests } = await pi.close();
		assert.match(
			requests[0]?.system ?? "",
			/send_dmail/,
			"the first request that asks knows the policy",
		);
		const [made] = folds(home);
		assert.deepEqual([made?.["by"], made?.["fromStep"], made?.["toStep"]], ["user", 1, 2]);
	});

	test(`${host}: a cut pinned in the middle of a run reaches the model with its next request`, async (t) => {
		const home = makeHome(host);
		t.after(() => home.remove());
		const script: Script = [
			list(1_500),
			{ ...list(1_400), delayMs: 1_500 },
			fold({ fromStep: 2, summary: "The first list is read." }),
			"Done.",
		];
		const pi = new RpcPi(home, { script, extensions: [EXTENSION], limitMs: 60_000 });
		const from = await pinInRun(pi);
		assert.match(pi.notices().at(-1) ?? "", /the model is asked with its next request/);
		await pi.settle(from);
		const { requests } = await pi.close();
		const pinned = requests.map(({ messages }) =>
			messages.some((message) => textOf(message).startsWith("The user pinned a cut")),
		);
		assert.deepEqual(pinned.slice(0, 3), [false, false, true]);
		const [made] = folds(home);
		assert.deepEqual([made?.["by"], made?.["fromStep"], made?.["toStep"]], ["user", 1, 1]);
	});

	test(`${host}: a cut taken back before the run took it in never asks the model for a fold`, async (t) => {
		const home = makeHome(host);
		t.after(() => home.remove());
		const script: Script = [list(1_500), { ...list(1_400), delayMs: 1_500 }, "Read.", "Done."];
		const pi = new RpcPi(home, { script, extensions: [EXTENSION], limitMs: 60_000 });
		const from = await pinInRun(pi);
		await pi.command("/dmail drop");
		assert.match(pi.notices().at(-1) ?? "", /the cut that was pinned, step 1, is taken back/);
		await pi.settle(from);
		const { requests } = await pi.close();
		const texts = requests.flatMap(({ messages }) => messages.map(textOf));
		assert.ok(!texts.some((text) => text.startsWith("The user pinned a cut")));
		assert.ok(texts.some((text) => text.startsWith("The user took the pinned cut of step 1 back")));
		assert.equal(folds(home).length, 0);
	});

	test(`${host}: in print mode commands answer on stderr`, async (t) => {
		const home = makeHome(host);
		t.after(() => home.remove());
		const launch = { script: SCRIPT, extensions: [EXTENSION], limitMs: 60_000 };
		await runPrint(home, "read the lists", launch);
		const run = async (line: string) => {
			const { stderr, requests } = await runPrint(home, line, { ...launch, args: ["-c"] });
			assert.equal(requests.length, 0);
			return stderr;
		};
		assert.match(
			await run("/dmail status"),
			/^\[dmail\] is on \(the default\)\n[\s\S]*cache: kept for/,
		);
		assert.match(await run("/dmail fold"), /name a step, \/dmail fold STEP[\s\S]*step 1: −\d/);
		assert.match(await run("/dmail fold 1 2 -- Both lists are read."), /folded steps 1–2 as fold/);
		assert.equal(folds(home).length, 1);
	});
}
