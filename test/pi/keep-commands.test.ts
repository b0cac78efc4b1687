// The words of `/dmail` that keep: open, shut, drop, pin, unpin, return, list. One that changes nothing says so
// and appends nothing; one that changes something appends one record.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readChoices } from "../../src/pi/picker-dialog.ts";
import { rowLabel } from "../../src/pi/picker-rows.ts";
import { type Commands, typeCommands } from "../support/fake-commands.ts";
import type { FakeOptions } from "../support/fake-pi.ts";
import { type Deed, KeptSession } from "../support/kept-session.ts";
import {
	call,
	compaction,
	custom,
	LONG,
	longSteps,
	record,
	reply,
	result,
	session,
	user,
} from "../support/session-entries.ts";

const step = (name: string) => [reply(name, call(name, "bash", {})), result(name, LONG)];
const say = (...drafts: Extract<Deed, { do: "say" }>["drafts"]): Deed => ({ do: "say", drafts });

/** Five steps; the first folded, the second and third folded, then all three. */
function threeFolds(): KeptSession {
	return new KeptSession([
		say(user("go"), ...step("one")),
		{ do: "fold", from: 0, to: 0 },
		say(...step("two"), ...step("three")),
		{ do: "fold", from: 1, to: 1 },
		say(reply("four"), user("and?"), reply("five")),
		{ do: "fold", from: 0, to: 2 },
	]);
}

interface Typed extends Commands {
	readonly ids: readonly string[];
	/** runs a line; returns what was said and the kinds of records it appended */
	type(line: string): Promise<[said: string, ...appended: string[]]>;
}

function typing(options: FakeOptions = {}, session = threeFolds()): Typed {
	const commands = typeCommands(session.branch, options);
	const { entries } = commands.fake;
	return {
		...commands,
		ids: session.made.map((made) => made.record.id),
		async type(line) {
			const from = entries.length;
			const said = await commands.run(line);
			return [
				said.replace(/^(refused: )?\[dmail\] /, "$1"),
				...entries
					.slice(from)
					.map((entry) => (entry.type === "custom" ? entry.customType : entry.type)),
			];
		},
	};
}

test("open and shut say what they change, once", async () => {
	const { type, ids } = typing();
	const [, , outer] = ids;
	assert.deepEqual(await type(`/dmail open ${outer?.toUpperCase()}`), [
		`fold ${outer} is open and shows steps 1–3 (~8.6k tokens) from the next request on, but for the 2 folds inside it; /dmail shut ${outer} hides it again`,
		"dmail.open",
	]);
	assert.deepEqual(await type(`/dmail open ${outer}`), [
		`refused: fold ${outer} is open already; nothing changed`,
	]);
	assert.deepEqual(await type(`/dmail shut ${outer}`), [
		`fold ${outer} is shut: its summary stands for steps 1–3 from the next request on`,
		"dmail.shut",
	]);
	assert.deepEqual(await type(`/dmail shut ${outer}`), [
		`refused: fold ${outer} is not open; nothing changed`,
	]);
});

test("opening an outer fold shows its inner chips, and they can be opened then", async () => {
	const { type, ids, fake } = typing();
	const [inner, , outer] = ids;
	assert.deepEqual(await type(`/dmail open ${inner}`), [
		`refused: fold ${inner} lies inside fold ${outer}: open that one first; nothing changed`,
	]);
	await type(`/dmail open ${outer}`);
	assert.match(
		(await type("/dmail list"))[0],
		new RegExp(`${inner} .* landed .*\n.* landed .*\n${outer} .* open `),
	);
	assert.equal((await type(`/dmail open ${inner}`))[1], "dmail.open");
	assert.deepEqual(fake.dialogs, []);
});

test("ids that are missing or unknown are refused with those that there are", async () => {
	const { type, ids } = typing();
	const [a, b, c] = ids;
	for (const word of ["open", "shut", "return"])
		assert.deepEqual(await type(`/dmail ${word}`), [
			`refused: name a fold: /dmail ${word} ID; /dmail list shows them`,
		]);
	for (const word of ["open", "shut", "drop", "return"])
		assert.deepEqual(await type(`/dmail ${word} zz`), [
			`refused: there is no fold "zz"; the folds are ${c}, ${b}, ${a}`,
		]);
	const bare = typing({}, new KeptSession([say(user("hi"))]));
	assert.deepEqual(await bare.type("/dmail open zz"), [
		'refused: there is no fold "zz"; nothing is folded yet',
	]);
	assert.deepEqual(await bare.type("/dmail list"), ["there are no folds on this branch"]);
});

test("drop takes back the newest fold in view, after asking in a terminal and nowhere else", async () => {
	const { type, ids, fake } = typing({ mode: "tui", answers: [undefined, "No", "Yes"] });
	const [inner, , outer] = ids;
	for (const _ of ["left", "refused"])
		assert.deepEqual(await type("/dmail drop"), [`fold ${outer} stays; nothing changed`]);
	assert.deepEqual(await type("/dmail drop"), [
		`fold ${outer} is taken back: the conversation has steps 1–3 (~8.6k tokens) from the next request on, but for the 2 folds inside it`,
		"dmail.drop",
	]);
	assert.equal(fake.dialogs.length, 3);
	assert.match(fake.dialogs[0]?.title ?? "", new RegExp(`^Take back fold ${outer}, steps 1–3\\?`));
	assert.match(fake.dialogs[0]?.options[0] ?? "", /^No/, "the answer that Enter gives at once");
	assert.deepEqual(await type(`/dmail drop ${outer}`), [
		`refused: fold ${outer} was dropped; nothing changed`,
	]);
	assert.deepEqual(await type(`/dmail open ${outer}`), [
		`refused: fold ${outer} was dropped; nothing changed`,
	]);
	const rpc = typing({ mode: "rpc" });
	assert.equal((await rpc.type("/dmail drop"))[1], "dmail.drop");
	assert.equal((await rpc.type(`/dmail drop ${inner}`))[1], "dmail.drop");
	assert.deepEqual(rpc.fake.dialogs, []);
});

test("a fold that hides nothing now can be dropped too; one that was compacted away not", async () => {
	const { type, ids } = typing();
	const [inner, , outer] = ids;
	assert.deepEqual(await type(`/dmail drop ${inner}`), [
		`fold ${inner} is taken back: what is in view stays as it is`,
		"dmail.drop",
	]);
	const session = threeFolds();
	session.happen(say(compaction(session.branch.at(-2)?.id ?? "", "so far"), reply("six")));
	const compacted = typing({}, session);
	for (const word of ["open", "drop"])
		assert.deepEqual(await compacted.type(`/dmail ${word} ${inner}`), [
			`refused: fold ${inner} was compacted away; it can still be read; nothing changed`,
		]);
	assert.ok(outer);
});

test("pin and unpin say which steps, and append one record or none", async () => {
	const { type, ids } = typing();
	const [, , outer] = ids;
	assert.deepEqual(await type("/dmail pin 3"), [
		`refused: steps 1–3 are in fold ${outer} (landed); drop that fold first, or pin other steps; nothing changed`,
	]);
	assert.deepEqual(await type("/dmail pin 4 - 5"), [
		"pinned steps 4–5; no fold may cover them until /dmail unpin",
		"dmail.pin",
	]);
	assert.deepEqual(await type("/dmail pin 4"), [
		"refused: step 4 is pinned already; nothing changed",
	]);
	assert.deepEqual(await type("/dmail pin x"), [
		'refused: name the steps: /dmail pin STEP[-STEP], not "x"',
	]);
	assert.match((await type("/dmail list"))[0], /\nkept from folding: steps 4–5$/);
	assert.match((await type("/dmail fold 4 5 -- a summary"))[0], /^refused: steps 4–5 are pinned/);
	assert.deepEqual(await type("/dmail unpin 9"), [
		"refused: there is no step 9; the steps are 1–5; nothing changed",
	]);
	assert.deepEqual(await type("/dmail unpin 5"), [
		"unpinned steps 4–5; they may be folded",
		"dmail.unpin",
	]);
	assert.deepEqual(await type("/dmail unpin"), ["refused: no step is pinned; nothing changed"]);
	assert.equal(
		(await type("/dmail pin 5"))[0],
		"pinned step 5; no fold may cover it until /dmail unpin",
	);
	assert.equal(
		(await type("/dmail pin 4"))[0],
		"pinned step 4; no fold may cover it until /dmail unpin",
	);
	assert.equal((await type("/dmail unpin 4"))[0], "unpinned step 4; it may be folded");
	await type("/dmail pin 4");
	assert.deepEqual(await type("/dmail pin 4-5"), [
		"pinned steps 4–5, in place of step 4, step 5; no fold may cover them until /dmail unpin",
		"dmail.pin",
	]);
	assert.match((await type("/dmail list"))[0], /\nkept from folding: steps 4–5$/);
	assert.equal((await type("/dmail unpin 5"))[0], "unpinned steps 4–5; they may be folded");
	await type("/dmail pin 4");
	await type("/dmail pin 5");
	assert.equal((await type("/dmail unpin"))[0], "unpinned step 4, step 5; they may be folded");
});

test("pinned steps are marked where a step is picked", async () => {
	const { run, fake } = typing();
	await run("/dmail pin 4");
	const choices = readChoices(fake.pi, fake.ctx);
	assert.deepEqual(
		choices.rows.map((row) => rowLabel(choices, row)),
		["five", "(pinned) four", "◆ summary 2"],
	);
});

test("return opens what is inside by the one record that it appends", async () => {
	const { type, ids, fake } = typing();
	const [first, second, outer] = ids;
	const target = fake.entries.findIndex(({ id }) => id === "e7");
	const [said, ...appended] = await type(`/dmail return ${outer}`);
	assert.match(said, new RegExp(`^back at the end of fold ${outer}: steps 1–3 are in view; `));
	assert.deepEqual(appended, []);
	assert.equal(fake.entries.length, target + 2, "what came later was left behind");
	const own = fake.entries.at(-1);
	assert.deepEqual(own?.type === "custom" && [own.customType, own.data], [
		"dmail.open",
		{ v: 1, id: outer, inner: [first] },
	]);
	assert.ok(second);
});

test("of one step that is in view again it is told as of one", async () => {
	const { type, ids } = typing();
	const [said] = await type(`/dmail return ${ids[0]}`);
	assert.match(said, new RegExp(`^back at the end of fold ${ids[0]}: step \\d is in view; `));
});

test("a move that is cancelled or fails, or to nowhere, changes nothing", async () => {
	const [id] = threeFolds().made.map((made) => made.record.id);
	assert.deepEqual(await typing({ move: { cancelled: true } }).type(`/dmail return ${id}`), [
		"refused: pi or an extension cancelled the move; nothing changed",
	]);
	assert.deepEqual(await typing({ move: "no way" }).type(`/dmail return ${id}`), [
		"refused: the move failed: no way; nothing changed",
	]);
	assert.deepEqual(await typing({ idle: false }).type(`/dmail return ${id}`), [
		"refused: the model has been asked something meanwhile; try again; nothing changed",
	]);
	const words = new KeptSession([say(user("a"), custom("plan", "b"), user("c"))]);
	const fields = { fromEntryId: "e0", toEntryId: "e2", summary: "plain" };
	words.happen(say(record("dmail.fold", fields)));
	assert.deepEqual(await typing({}, words).type("/dmail return e3"), [
		"refused: fold e3 has no step to return to; nothing changed",
	]);
});

test("what can be named is offered: folds by state, pins, and nothing that would be refused", async () => {
	const { complete, run, ids } = typing();
	const [inner, second, outer = ""] = ids;
	const offered = (typed: string) => complete("dmail", typed)?.map(({ value }) => value) ?? [];
	assert.deepEqual(offered("open "), [`open ${outer}`]);
	assert.deepEqual(offered(`open ${outer.slice(0, 2)}`), [`open ${outer}`]);
	assert.deepEqual(offered("shut "), []);
	const all = ["drop ", `drop ${outer}`, `drop ${second}`, `drop ${inner}`];
	assert.deepEqual(offered("drop "), all, "first what is typed, which takes the newest one back");
	assert.deepEqual(offered("return ").length, 3);
	assert.deepEqual(offered("pin "), ["pin 5", "pin 4"]);
	await run("/dmail pin 4-5");
	assert.deepEqual(offered("unpin "), ["unpin ", "unpin 4-5"]);
	assert.deepEqual(offered("unpin 9"), []);
	assert.deepEqual(offered("unpin 4"), [], "a step is not completed to several");
	assert.deepEqual(offered("unpin 4-"), ["unpin 4-5"]);
	await run(`/dmail drop ${outer}`);
	assert.deepEqual(offered("drop "), ["drop ", `drop ${second}`, `drop ${inner}`]);
});

test("an id that is typed is not completed to one that begins with it", async () => {
	const fold = (fromEntryId: string, toEntryId: string) =>
		record("dmail.fold", { fromEntryId, toEntryId, summary: "as read" });
	const { complete, run } = typeCommands(
		session(user("go"), ...step("one"), fold("e1", "e3"), ...longSteps(13), fold("e5", "e7")),
	);
	assert.match(await run("/dmail open e3"), /fold e3 is open/);
	assert.deepEqual(
		complete("dmail", "open ")?.map(({ value }) => value),
		["open e31"],
	);
	assert.equal(complete("dmail", "open e3"), null);
});

test("while off a fold is opened for later, and that is said", async () => {
	const { type, run, ids } = typing();
	await run("/dmail off");
	const [said, ...appended] = await type(`/dmail open ${ids[2]}`);
	assert.match(said, /; D-Mail is off, so nothing of it is sent now$/);
	assert.deepEqual(appended, ["dmail.open"]);
});
