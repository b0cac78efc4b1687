// The words of `/dmail` that take steps: what each answers, and each way to be refused.

import assert from "node:assert/strict";
import { test } from "node:test";
import { completeSteps, readSteps } from "../../src/pi/command-steps.ts";
import { type Commands, typeCommands } from "../support/fake-commands.ts";
import type { FakeOptions } from "../support/fake-pi.ts";
import { call, LONG, longSteps, reply, result, session, user } from "../support/session-entries.ts";

/** Four steps: two with big results, an answer, and the answer to a second prompt. */
function branch() {
	return session(
		user("look at it"),
		reply("I look.", call("a", "bash", { command: "ls" })),
		result("a", LONG),
		reply("", call("b", "read", { path: "src/a.ts" })),
		result("b", LONG),
		reply("Found it."),
		user("thanks, and now?"),
		reply("Nothing is left."),
	);
}

function commands(options: FakeOptions = {}, entries = branch()): Commands {
	return typeCommands(entries, options);
}

function folds({ fake }: Commands) {
	return fake.entries.flatMap((entry) =>
		entry.type === "custom" && entry.customType === "dmail.fold"
			? [entry.data as Record<string, unknown>]
			: [],
	);
}

test("steps and a summary are read from an argument, anything else is refused with the usage", () => {
	assert.deepEqual(readSteps("", "fold"), { fromStep: undefined, toStep: undefined });
	assert.deepEqual(readSteps("3", "fold"), { fromStep: 3, toStep: undefined });
	assert.deepEqual(readSteps(" 3  7 ", "fold"), { fromStep: 3, toStep: 7 });
	assert.deepEqual(readSteps("3 7 -- a -- b\nc", "fold"), {
		fromStep: 3,
		toStep: 7,
		summary: "a -- b\nc",
	});
	assert.deepEqual(readSteps("-- all of it", "price"), {
		fromStep: undefined,
		toStep: undefined,
		summary: "all of it",
	});
	for (const wrong of ["x", "0", "-1", "1.5", "3 seven", "1 2 3", "1 --", "1 --  "])
		assert.match(String(readSteps(wrong, "price")), /write \/dmail price \[step\]/, wrong);
});

test("fold with a summary folds at once, on the user's own account, and says what that saves", async () => {
	const run = commands();
	const said = await run.run("/dmail fold 1 2 -- both files read, nothing wrong");
	const [record, ...others] = folds(run);
	assert.equal(others.length, 0);
	assert.equal(record?.["by"], "user");
	assert.equal(record?.["summary"], "both files read, nothing wrong");
	assert.deepEqual([record?.["fromStep"], record?.["toStep"]], [1, 2]);
	assert.equal(run.fake.sent.length, 0, "the model is not asked");
	assert.match(said, new RegExp(`folded steps 1–2 as fold ${record?.["id"]}`));
	assert.match(said, /Saves ~\d/);
});

test("price, preview of a cut and fold print the same numbers, and the record keeps them", async () => {
	const run = commands();
	const price = await run.run("/dmail price 1 2 -- both files read");
	const fold = await run.run("/dmail fold 1 2 -- both files read");
	const numbers = (text: string) =>
		text.split("\n").filter((line) => /^(Next|Saves|Costs|Leaves)/.test(line));
	assert.equal(numbers(price).length, 4);
	assert.deepEqual(numbers(price), numbers(fold));
	const predicted = folds(run)[0]?.["predicted"] as Record<string, number>;
	const { removedTokens = 0, perRequestTokens = 0 } = predicted;
	assert.ok(removedTokens > 5_000 && perRequestTokens < removedTokens);
	assert.match(price, new RegExp(`removes ~${(removedTokens / 1000).toFixed(1)}k`));
	assert.match(
		price,
		/input \$3, output \$15, cache read \$0\.30, cache write \$3\.75 per million/,
	);
	assert.equal(folds(run).length, 1);
});

test("price without a step prices all that is in view, and changes nothing", async () => {
	const run = commands();
	const before = run.fake.entries.length;
	assert.match(await run.run("/dmail price"), /folding steps 1–4 with a summary of ~300 tokens/);
	assert.equal(run.fake.entries.length, before);
});

for (const [why, model] of [
	["without prices", { provider: "p", id: "m", contextWindow: 100_000 }],
	[
		"that is free",
		{
			provider: "p",
			id: "m",
			contextWindow: 100_000,
			cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
		},
	],
] as const)
	test(`a model ${why} gets tokens and no money`, async () => {
		const run = commands({ model });
		for (const line of ["/dmail price 1 2", "/dmail status", "/dmail fold 1 2 -- both read"]) {
			const said = await run.run(line);
			assert.doesNotMatch(said, /\$/, line);
			assert.match(said, /~\d/, line);
		}
	});

test("the room is what pi's own compaction settings leave, per model where pi has that", async () => {
	const room = async (settings: Record<string, unknown>) => {
		const said = await commands({ settings }).run("/dmail price 1 2 -- x");
		return /Leaves room for ~(\S+)k tokens (before .*)\./.exec(said)?.slice(1);
	};
	assert.deepEqual(await room({}), ["183", "before pi compacts"]);
	assert.deepEqual(await room({ compaction: { reserveTokens: 50_000 } }), [
		"150",
		"before pi compacts",
	]);
	const override = { "p/m": { reserveTokens: 100_000 } };
	assert.deepEqual(await room({ compaction: { reserveTokens: 5, modelOverrides: override } }), [
		"100",
		"before pi compacts",
	]);
	assert.deepEqual(await room({ compaction: { enabled: false } }), [
		"200",
		"before the window is full",
	]);
});

test("a fold is refused with the reason, and nothing is appended", async () => {
	const run = commands();
	await run.run("/dmail fold 1 2 -- both files are fine");
	const before = run.fake.entries.length;
	const refused = async (line: string, why: RegExp) => {
		assert.match(await run.run(line), why, line);
		assert.match(await run.run(line), /^refused: /);
		assert.equal(run.fake.entries.length, before, line);
	};
	await refused("/dmail fold 9 -- x", /there is no step 9; steps 1–4 can be folded/);
	await refused("/dmail fold 3 2 -- x", /step 2 comes before step 3/);
	await refused("/dmail fold 2 2 -- x", /step 2 lies inside fold/);
	await refused("/dmail fold 4 -- x", /the chip would not be smaller than what it replaces/);
	await refused(`/dmail fold 1 -- ${"x".repeat(20_001)}`, /the limit is 20000/);
	await refused("/dmail fold 1 -- (in the chip of fold ab12)", /only points at another fold/);
	await refused("/dmail fold 4", /the chip would not be smaller than what it replaces/);
	await refused("/dmail fold one", /"one" is not a step/);
	await refused("/dmail price 9", /there is no step 9/);
	await run.run("/dmail off");
	assert.match(await run.run("/dmail fold 1"), /refused: .*is off, nothing was folded/);
	assert.match(await run.run("/send-dmail 1"), /refused: .*is off, nothing was folded/);
});

test("fold in a session without a finished step is refused", async () => {
	const run = commands({}, session(user("hello")));
	assert.match(await run.run("/dmail fold"), /refused: .*no step is finished yet/);
	assert.match(await run.run("/dmail fold 1"), /refused: .*no step is finished yet/);
	assert.match(await run.run("/dmail price"), /refused: .*no step is finished yet/);
	assert.match(
		await run.run("/dmail net"),
		/refused: .*nothing was folded: no step is finished yet$/,
	);
});

test("list names every fold with what became of it", async () => {
	const run = commands();
	assert.match(await run.run("/dmail list"), /there are no folds on this branch/);
	await run.run("/dmail fold 1 1 -- the first file");
	await run.run("/dmail fold 1 2 -- both files");
	const [inner, outer] = folds(run).map((record) => record["id"]);
	const said = (await run.run("/dmail list")).split("\n");
	assert.match(
		said[1] ?? "",
		new RegExp(`^${inner}  step 1 +~\\S+  absorbed by ${outer}  user  the first file$`),
	);
	assert.match(said[2] ?? "", new RegExp(`^${outer}  steps 1–2  ~\\S+  landed +user  both files$`));
});

test("status says why, the sizes now and raw, what the folds are, prices and cache", async () => {
	const run = commands();
	await run.run("/dmail fold 1 2 -- both files read");
	const said = await run.run("/dmail status");
	assert.match(said, /is on \(the default\)/);
	assert.match(
		said,
		/conversation: ~\d+ tokens sent now, ~5\.\dk raw; ~5\.\dk \(9\d%\) are kept out/,
	);
	assert.match(said, /folds: 1 landed, 0 held, 0 skipped/);
	assert.match(said, /prices: input \$3/);
	assert.match(said, /cache: kept for 5 min, last used .* ago: cold/);
	await run.run("/dmail off");
	const off = await run.run("/dmail status");
	assert.match(off, /is off \(set by \/dmail\)/);
	assert.match(off, /~5\.\dk tokens sent now, ~5\.\dk raw\n/);
	assert.match(off, /folds: 1 landed, .*; none is applied while off/);
});

test("status counts a fold that cannot be applied, and says why", async () => {
	const run = commands();
	run.fake.pi.appendEntry("dmail.fold", { fromEntryId: "gone", toEntryId: "e3", summary: "lost" });
	const said = await run.run("/dmail status");
	assert.match(said, /1 skipped/);
	assert.match(said, /is not applied: its first entry gone is not on this branch/);
});

test("status counts the folds before pi's compaction, one in the singular", async () => {
	for (const [folds, line] of [
		[["1 1"], "1 of them lies before pi's compaction; it stays readable"],
		[["1 1", "2 2"], "2 of them lie before pi's compaction; they stay readable"],
	] as const) {
		const run = commands();
		for (const steps of folds) await run.run(`/dmail fold ${steps} -- read`);
		run.fake.entries.push({
			type: "compaction",
			id: "compacted",
			parentId: run.fake.entries.at(-1)?.id ?? null,
			timestamp: new Date().toISOString(),
			summary: "So far.",
			firstKeptEntryId: "e6",
			tokensBefore: 1,
		});
		assert.ok((await run.run("/dmail status")).includes(line), line);
		assert.match(await run.run("/dmail list"), /skipped: before pi's compaction/);
	}
});

test("words, steps and ends are completed, as whole arguments", () => {
	const run = commands();
	const values = (typed: string, name: "dmail" | "send-dmail" = "dmail") =>
		run.complete(name, typed)?.map((one) => one.value);
	const words = "fold price list status open shut drop return pin unpin land net on off";
	assert.deepEqual(values(""), words.split(" "), "what is used most first");
	assert.deepEqual(values("st"), ["status"]);
	assert.deepEqual(values("fold "), ["fold ", "fold 4", "fold 3", "fold 2", "fold 1"]);
	assert.deepEqual(values("", "send-dmail"), ["", "4", "3", "2", "1"]);
	assert.equal(run.complete("dmail", "price ")?.[0]?.label, "(all steps in view)");
	assert.deepEqual(values("FOLD 2 "), ["FOLD 2 ", "fold 2 4", "fold 2 3", "fold 2 2"]);
	assert.deepEqual(values("ST"), ["status"]);
	assert.equal(values("price 2"), undefined, "all is typed: Enter runs it");
	assert.equal(values("status"), undefined);
	assert.deepEqual(values("fold 2 "), ["fold 2 ", "fold 2 4", "fold 2 3", "fold 2 2"]);
	assert.equal(run.complete("dmail", "fold 2 ")?.[0]?.label, "(from there to now)");
	assert.deepEqual(values("3 ", "send-dmail"), ["3 ", "3 4", "3 3"]);
	assert.equal(values("fold 2 3 -- su"), undefined);
	assert.equal(values("status x"), undefined);
	run.dmail.end();
	assert.equal(values("fold "), undefined, "between two sessions there is nothing to complete");
});

test("a step that is typed is not completed to another one, in view or not", async () => {
	const run = commands({}, session(user("count"), ...longSteps(13)));
	assert.match(await run.run("/dmail fold 1 1 -- the first count"), /step 1 as fold/);
	for (const typed of ["pin 1", "fold 1", "price 1", "fold 2 1"])
		assert.equal(run.complete("dmail", typed), null, typed);
	assert.equal(run.complete("send-dmail", "1"), null);
});

test("a word is the same in capitals, what follows it is left as it was typed", async () => {
	const run = commands();
	assert.equal(await run.run("/dmail Status"), await run.run("/dmail status"));
	assert.match(await run.run("/dmail FOLD 1 2 -- Both FILES read"), /folded steps 1–2 as fold/);
	assert.equal(folds(run)[0]?.["summary"], "Both FILES read");
	const id = String(folds(run)[0]?.["id"]).toUpperCase();
	assert.match(await run.run(`/dmail Open ${id}`), /is open and shows steps 1–2/);
	assert.match(await run.run("/dmail fly"), /there is no "fly"/);
});

test("a fold of one step is told as one", async () => {
	const run = commands();
	const said = await run.run("/dmail fold 2 2 -- a file read");
	assert.match(said, /(folded|recorded) step 2 as fold .*(your summary takes its place|held it)/);
	assert.doesNotMatch(said, /these steps|their place|fold them/);
});

test("steps under a fold are not offered for completion", async () => {
	const run = commands();
	await run.run("/dmail fold 1 2 -- both files read");
	assert.deepEqual(
		completeSteps(run.dmail, "").map((one) => one.value),
		["4", "3"],
	);
});

test("without dialogs a list of starts with their savings takes the picker's place", async () => {
	const run = commands({ hasUI: false });
	const written: string[] = [];
	const { write } = process.stderr;
	process.stderr.write = ((text: string) => written.push(text) > 0) as typeof write;
	try {
		await run.run("/dmail fold");
	} finally {
		process.stderr.write = write;
	}
	assert.match(written.join(""), /name a step, \/dmail fold STEP/);
	assert.match(written.join(""), /step 1: −\d/);
});

test("where a client asks instead of a terminal, start, end and author are selected one by one", async () => {
	const run = commands({ answers: ["step 1", "step 2", "I write", "both files read"] });
	assert.match(await run.run("/dmail fold"), /folded steps 1–2 as fold/);
	const titles = run.fake.dialogs.map(({ title }) => title);
	assert.deepEqual(titles, [
		"Fold: the first step",
		"Fold from step 1: the last step",
		"Who writes the summary?",
		"Summary of steps 1–2",
	]);
	const [starts, ends] = run.fake.dialogs.map(({ options }) => options);
	assert.deepEqual(
		starts?.map((one) => one.split(":")[0]),
		["step 4", "step 3", "step 2", "step 1"],
	);
	assert.equal(ends?.length, 4);
	assert.match(starts?.[3] ?? "", /^step 1: −\d\.\dk tokens, pays .* · I look\.$/);
});

test("leaving a dialog folds nothing, at any of them", async () => {
	for (const answers of [[], ["step 1"], ["step 1", "step 2"], ["step 1", "step 2", "I write"]]) {
		const run = commands({ answers });
		assert.match(await run.run("/dmail fold"), /nothing was folded/);
		assert.equal(folds(run).length + run.fake.sent.length, 0);
	}
});

test("fold without a summary pins a cut: the model is asked, and the price is that of its summary", async () => {
	const run = commands();
	const said = await run.run("/dmail fold 1 2");
	assert.match(said, /pinned a cut: steps 1–2; the model is asked to fold now/);
	assert.match(said, /Saves ~5\.\dk/);
	assert.equal(folds(run).length, 0);
	const [cut] = run.fake.sent;
	assert.deepEqual(cut?.message.details, { v: 1, fromStep: 1, toStep: 2 });
	assert.match(await run.run("/dmail status"), /a cut is pinned: steps 1–2/);
	await run.run("/send-dmail 2");
	assert.match(
		JSON.stringify(run.fake.sent[1]?.message.content),
		/, instead of the one before: fold step 2 onward/,
	);
	assert.match(await run.run("/dmail status"), /a cut is pinned: step 2 onward/);
	await run.run("/dmail fold 1 2 -- I sum it up myself");
	assert.doesNotMatch(await run.run("/dmail status"), /a cut is pinned/);
	assert.match(JSON.stringify(run.fake.sent[2]?.message.content), /That settles the pinned cut/);
});

test("a cut is refused where the tool is not offered, and a fold of the user's own is not", async () => {
	const run = commands({ tools: ["bash"] });
	assert.match(
		await run.run("/dmail fold 1 2"),
		/refused: .*send_dmail is not offered to the model/,
	);
	assert.equal(run.fake.sent.length, 0);
	assert.match(await run.run("/dmail fold 1 2 -- my own words"), /folded steps 1–2/);
});

test("drop takes an open cut back before any fold", async () => {
	const run = commands();
	await run.run("/dmail fold 1 1 -- the first file");
	await run.run("/dmail fold 2 2");
	assert.equal(
		run.complete("dmail", "drop ")?.[0]?.label,
		"(the pinned cut, else the newest fold in view)",
	);
	assert.match(await run.run("/dmail drop"), /the cut that was pinned, step 2, is taken back/);
	assert.doesNotMatch(await run.run("/dmail status"), /a cut is pinned/);
	assert.match(await run.run("/dmail status"), /folds: 1 landed/);
	assert.match(await run.run("/dmail drop"), /fold [0-9a-f]{4} is taken back/);
});

test("a fold in a live run keeps the request that is being worked on, at idle it is quoted", async () => {
	for (const idle of [true, false]) {
		const run = commands({ idle });
		assert.match(await run.run("/dmail fold 1 4 -- all of it"), /folded steps 1–4/);
		assert.equal(folds(run)[0]?.["keep"], idle ? undefined : "e6");
	}
});
