import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { foldContext, propose, Replayer } from "../../fold.ts";
import { type Generation, projection, readBranch } from "../../src/session/branch.ts";
import type { PiMessage, SessionEntry } from "../../src/session/entry.ts";
import { piHost } from "../../src/session/message.ts";
import { aligned, Chat, sent } from "./chat.ts";

/** One thing that happens in a session. Call ids repeat after a while, as with some models. */
const event = fc.oneof(
	{ weight: 3, arbitrary: fc.constant("user") },
	{ weight: 8, arbitrary: fc.constant("step") },
	{ weight: 2, arbitrary: fc.constant("batch") },
	{ weight: 2, arbitrary: fc.constant("answer") },
	{ weight: 1, arbitrary: fc.constant("failed") },
	{ weight: 1, arbitrary: fc.constant("bash") },
	{ weight: 2, arbitrary: fc.constant("custom") },
	{ weight: 3, arbitrary: fc.constant("fold") },
	{ weight: 1, arbitrary: fc.constant("compaction") },
);
const session = fc
	.array(fc.tuple(event, fc.nat(), fc.nat()), { minLength: 1, maxLength: 40 })
	.map((events) => {
		const chat = new Chat().user();
		for (const [name, one, other] of events) happen(chat, name, [one, other]);
		return chat;
	});

function happen(chat: Chat, name: string, [one, other]: [number, number]): void {
	const id = `functions.bash:${chat.entries.length % 7}`;
	if (name === "user") chat.user();
	else if (name === "step") chat.step(id);
	else if (name === "batch") chat.step(id, `functions.read:${chat.entries.length % 5}`);
	else if (name === "answer") chat.reply();
	else if (name === "failed") chat.reply([], "error");
	else if (name === "bash") chat.bash();
	else if (name === "custom") chat.custom("plan", `plan ${chat.entries.length % 3}`);
	else if (name === "fold") foldSome(chat, one, other);
	else if (chat.entries.length > 4) chat.compaction(`e${one % chat.entries.length}`);
}

/** A fold that `propose` says yes to, if the steps drawn give one. */
function foldSome(chat: Chat, one: number, other: number): void {
	const replayer = new Replayer(piHost);
	for (const entry of readBranch(chat.entries, "1.6")) replayer.push(entry);
	const { count } = replayer.steps;
	if (count === 0) return;
	const fromStep = 1 + (one % count);
	const toStep = fromStep + (other % (count - fromStep + 1));
	const proposal = propose(replayer, { fromStep, toStep, live: one % 2 === 0 });
	if (!proposal.ok) return;
	const { ok: _ok, range: _range, fromEntryId, toEntryId, ...more } = proposal;
	chat.fold(fromEntryId, toEntryId, more);
}

/** What 0.73 stores late are messages; a compaction or a record is never behind. */
function withoutNewest(entries: readonly SessionEntry[], count: number): SessionEntry[] {
	const last = entries.findLastIndex((entry) => entry.type !== "message");
	return entries.slice(0, Math.max(last + 1, entries.length - count));
}

/** What another extension does to the list before ours gets it. */
interface Neighbour {
	readonly does: "edit" | "remove" | "append" | "pair" | "insert" | "untime" | "trim";
	readonly where: number;
}
const neighbour: fc.Arbitrary<Neighbour> = fc.record({
	does: fc.constantFrom("edit", "remove", "append", "pair", "insert", "untime", "trim"),
	where: fc.nat({ max: 60 }),
});
const generation = fc.constantFrom<Generation>("1.6", "0.73");

const foreign = (value: string): PiMessage => ({
	role: "user",
	content: [{ type: "text", text: value }],
	timestamp: 5,
});

function meddle(list: readonly PiMessage[], { does, where }: Neighbour): PiMessage[] {
	const at = where % (list.length + 1);
	const message = list[at];
	switch (does) {
		case "edit":
			return message && "content" in message && message.role !== "custom"
				? list.with(at, edited(message))
				: [...list];
		case "remove":
			return withoutStep(list, at);
		case "append":
			return [...list, foreign("at the tail")];
		case "insert":
			return isInside(list, at) ? [...list] : list.toSpliced(at, 0, foreign("in the middle"));
		case "pair":
			return isInside(list, at) ? [...list] : list.toSpliced(at, 0, ...pair());
		case "untime":
			return message ? list.with(at, { ...message, timestamp: Number.NaN }) : [...list];
		case "trim":
			return list.slice(isInside(list, at) ? 0 : at);
	}
}

function edited(message: PiMessage): PiMessage {
	const text = { type: "text", text: "pruned by a neighbour" } as const;
	if (message.role !== "assistant") return { ...message, content: [text] } as PiMessage;
	const calls = (message.content as readonly { type: string }[]).filter(
		(b) => b.type === "toolCall",
	);
	return { ...message, content: [text, ...calls] } as PiMessage;
}

function pair(): PiMessage[] {
	const [, call, result] = new Chat().user().step("foreign").list();
	return call && result
		? [
				{ ...call, timestamp: 6 },
				{ ...result, timestamp: 7 },
			]
		: [];
}

/** Whether a place is between a call and its results, where nobody who means well puts anything. */
function isInside(list: readonly PiMessage[], at: number): boolean {
	return list[at]?.role === "toolResult";
}

function withoutStep(list: readonly PiMessage[], at: number): PiMessage[] {
	let from = at;
	while (list[from]?.role === "toolResult") from--;
	let to = from + 1;
	while (list[to]?.role === "toolResult") to++;
	return list.filter((_, index) => index < from || index >= to);
}

/** Results without their call before them, as a provider would count them. */
function orphans(list: readonly PiMessage[]): number {
	let open: string[] = [];
	let count = 0;
	for (const message of list) {
		if (message.role === "assistant") open = piHostCalls(message);
		else if (message.role === "toolResult") {
			const at = open.indexOf(message.toolCallId);
			if (at < 0) count++;
			else open.splice(at, 1);
		} else open = [];
	}
	return count;
}

function piHostCalls(message: PiMessage): string[] {
	const blocks = "content" in message && Array.isArray(message.content) ? message.content : [];
	return blocks.flatMap((block) => (block.type === "toolCall" ? [block.id] : []));
}

test("an untouched list aligns one to one", () => {
	fc.assert(
		fc.property(session, generation, (chat, host) => {
			const list = chat.list(host);
			const { at, list: same, live } = aligned(chat.entries, list, host);
			assert.deepEqual(
				at,
				projection(chat.entries, host).map((shown) => shown.at),
			);
			assert.equal(same, list);
			assert.deepEqual(live, []);
		}),
	);
});

test("what is sent of an untouched list is the view of the branch", () => {
	fc.assert(
		fc.property(session, generation, (chat, host) => {
			const branch = readBranch(chat.entries, host);
			const view = foldContext(branch, piHost, { asking: true });
			assert.deepEqual(sent(chat.entries, chat.list(host), host).messages, view.messages);
		}),
	);
});

test("whatever a neighbour does, a match is monotone and by key", () => {
	fc.assert(
		fc.property(session, fc.array(neighbour, { maxLength: 6 }), generation, (chat, acts, host) => {
			const list = acts.reduce(meddle, chat.list(host));
			const shown = projection(chat.entries, host);
			const { at, list: same, live } = aligned(chat.entries, list, host);
			assert.equal(same, list, "nothing of ours was in it");
			assert.equal(at.length, list.length);
			let reached = 0;
			for (const [index, message] of list.entries()) {
				const position = at[index] ?? -1;
				if (position < 0) continue;
				if (position >= chat.entries.length) {
					assert.equal(live[position - chat.entries.length]?.message, message);
					assert.ok(at.slice(index).every((later) => later >= position || later < 0));
					continue;
				}
				const found = shown.findIndex((one, i) => i >= reached && one.at === position);
				assert.ok(found >= reached, "monotone");
				reached = found + 1;
				const own = shown[found]?.message;
				assert.equal(own?.role, message.role);
				if (message.role === "custom" || message.role === "compactionSummary") continue;
				if (!Number.isNaN(message.timestamp)) assert.equal(own?.timestamp, message.timestamp);
				assert.equal(piHost.callId(message), own && piHost.callId(own));
				assert.deepEqual(piHostCalls(message), own && piHostCalls(own));
			}
		}),
	);
});

test("what is sent has no orphan that the list did not have", () => {
	fc.assert(
		fc.property(session, fc.array(neighbour, { maxLength: 6 }), generation, (chat, acts, host) => {
			const list = acts.reduce(meddle, chat.list(host));
			const { messages } = sent(chat.entries, list, host);
			assert.ok(orphans(messages) <= orphans(list));
		}),
	);
});

test("what a neighbour put in stays, once", () => {
	fc.assert(
		fc.property(session, fc.array(neighbour, { maxLength: 6 }), generation, (chat, acts, host) => {
			const list = acts.reduce(meddle, chat.list(host));
			const isTheirs = (message: PiMessage) => message.timestamp >= 5 && message.timestamp <= 7;
			const { messages } = sent(chat.entries, list, host);
			assert.equal(messages.filter(isTheirs).length, list.filter(isTheirs).length);
		}),
	);
});

test("ours applied to its own output changes nothing", () => {
	fc.assert(
		fc.property(session, fc.array(neighbour, { maxLength: 6 }), generation, (chat, acts, host) => {
			const list = acts.reduce(meddle, chat.list(host));
			const once = sent(chat.entries, list, host).messages;
			const twice = sent(chat.entries, structuredClone(once), host).messages;
			assert.deepEqual(twice, once);
		}),
		{ numRuns: 500 },
	);
});

test("ours applied to its own output changes nothing while the branch lags behind", () => {
	fc.assert(
		fc.property(
			session,
			fc.array(neighbour, { maxLength: 3 }),
			fc.nat({ max: 4 }),
			(chat, acts, lag) => {
				const list = acts.reduce(meddle, chat.list("0.73"));
				const behind = withoutNewest(chat.entries, lag);
				const once = sent(behind, list, "0.73").messages;
				const twice = sent(behind, structuredClone(once), "0.73").messages;
				assert.deepEqual(twice, once);
			},
		),
		{ numRuns: 500 },
	);
});

test("no list that comes in is changed", () => {
	fc.assert(
		fc.property(session, fc.array(neighbour, { maxLength: 6 }), generation, (chat, acts, host) => {
			const list = acts.reduce(meddle, chat.list(host));
			const before = structuredClone(list);
			sent(chat.entries, sent(chat.entries, list, host).messages, host);
			assert.deepEqual(list, before);
		}),
	);
});
