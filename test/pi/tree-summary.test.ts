// What `/tree` has summarised of a branch that is left: in small cases, and on real pis.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { foldEntries } from "../../src/pi/tree-entries.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { Chat } from "../support/chat.ts";
import { writePartFiles } from "../support/part-files.ts";
import {
	EXTENSION,
	HOSTS,
	type HostVersion,
	makeHome,
	neighbour,
	sessionEntries,
	writeSettings,
} from "../support/real-pi.ts";
import { RpcPi } from "../support/real-pi-rpc.ts";
import type { Script } from "../support/scripted-provider.ts";
import { textOf } from "../support/wire.ts";
import { logOf, randomChats } from "./random-chat.ts";

/** U1 · steps 1–3 (e1–e6) · fold of 1–2 · U2 · step 4. */
function chat(): Chat {
	const one = new Chat().user("first").step("a").step("b").step("c");
	return one.fold("e1", "e5", { summary: "a and b are done" }).user("second").step("d");
}

function read(one: Chat, from: number): readonly SessionEntry[] {
	return foldEntries(logOf(one), one.entries.slice(from));
}

function tell(entries: readonly SessionEntry[]): string[] {
	return entries.map((entry) => {
		if (entry.type !== "message" || !("content" in entry.message)) return entry.type;
		const { role, content } = entry.message;
		const text = typeof content === "string" ? content : JSON.stringify(content);
		const found = /(?:a and b are done|output \d+|reply \d+|request \d+|first|second)/.exec(text);
		return `${role} ${found?.[0]}`;
	});
}

test("a fold's steps are read by its summary, all else as it is stored", () => {
	const one = chat();
	assert.deepEqual(tell(read(one, 0)), [
		"user first",
		"assistant a and b are done",
		"assistant reply 5",
		"toolResult output 6",
		"custom",
		"user second",
		"assistant reply 9",
		"toolResult output 10",
	]);
	assert.equal(read(one, 0)[0], one.entries[0], "what is read as it is stored is the entry itself");
});

test("of a fold that began before the branches parted the summary is told once, at the beginning", () => {
	assert.deepEqual(tell(read(chat(), 3)).slice(0, 2), [
		"assistant a and b are done",
		"assistant reply 5",
	]);
	assert.deepEqual(tell(read(chat(), 5)).slice(0, 1), ["assistant reply 5"]);
});

test("folds before a compaction are read as folded, and the compaction's summary stays", () => {
	const one = chat().compaction("e8").user("third");
	const told = tell(read(one, 0));
	assert.deepEqual(told.slice(0, 3), [
		"user first",
		"assistant a and b are done",
		"assistant reply 5",
	]);
	assert.deepEqual(told.slice(-2), ["compaction", "user undefined"]);
});

test("messages of ours and of others inside a fold are not read", () => {
	const one = new Chat().user("first").reply(["a"]).custom("plan").result("a").step("b");
	one.custom("dmail.cut", "Fold now.").fold("e1", "e4", { summary: "a and b are done" });
	assert.deepEqual(tell(read(one, 0)), [
		"user first",
		"assistant a and b are done",
		"assistant reply 4",
		"toolResult output 5",
		"custom",
	]);
});

test("whatever the session: nothing stored changes, the order stays, and nothing of ours is read", () => {
	fc.assert(
		fc.property(randomChats(), fc.nat(), (one, from) => {
			const before = JSON.stringify(one.entries);
			const entries = one.entries.slice(from % one.entries.length);
			const told = foldEntries(logOf(one), entries);
			assert.equal(JSON.stringify(one.entries), before);
			const ids = told.map(({ id }) => id);
			assert.equal(new Set(ids).size, ids.length);
			const stored = told.filter((entry) => entries.includes(entry));
			const order = stored.map((entry) => entries.indexOf(entry));
			assert.deepEqual(
				order,
				order.toSorted((a, b) => a - b),
			);
			const text = JSON.stringify(told.filter(({ type }) => type === "message"));
			assert.doesNotMatch(text, /<dmail|\[step \d+\]"/);
		}),
		{ numRuns: 200 },
	);
});

function homeFor(t: TestContext, host: HostVersion) {
	const home = makeHome(host);
	t.after(() => home.remove());
	writePartFiles(home, 4);
	writeSettings(home, { dmail: { timing: "now" } });
	return home;
}

const SCRIPT: Script = (request) => {
	if (request.kind === "summary") return "what the branch had";
	const n = request.index;
	const read = { name: "read", args: { path: `part-${n}.txt` } };
	const fold = { name: "send_dmail", args: { fromStep: 2, summary: "The parts only have lines." } };
	if (n === 0) return "the first answer";
	if (n < 4) return { text: `part ${n} now`, calls: [read] };
	return n === 4 ? { text: "I fold.", calls: [fold] } : `done ${n}`;
};

for (const host of HOSTS)
	test(`${host}: a branch that is left is summarised as it was folded; off, as it is stored`, async (t) => {
		for (const off of [false, true]) {
			const home = homeFor(t, host);
			const extensions = [EXTENSION, neighbour("go-to")];
			const pi = new RpcPi(home, { script: SCRIPT, extensions });
			await pi.ask("first");
			await pi.ask("read the parts");
			if (off) await pi.command("/dmail off");
			const target = sessionEntries(home).find((entry) => entry.message?.role === "assistant");
			await pi.command(`/go-to ${target?.id}`);
			await pi.ask("and now");
			const { requests } = await pi.close();
			const text = requests
				.filter(({ kind }) => kind === "summary")
				.flatMap(({ messages }) => messages.map(textOf))
				.join("\n");
			assert.match(text, /read the parts/);
			if (off) assert.match(text, /part 1 now/);
			else {
				assert.match(text, /The parts only have lines\./);
				assert.doesNotMatch(text, /part 1 now|<dmail|send_dmail|\[step \d+\]/);
			}
			const last = requests.at(-1) ?? assert.fail();
			assert.ok(last.messages.map(textOf).join("\n").includes("what the branch had"));
		}
	});
