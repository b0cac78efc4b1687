import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { PiMessage } from "../../src/session/entry.ts";
import { match } from "../../src/session/match.ts";

const user = (content: string, timestamp: number): PiMessage => ({
	role: "user",
	content,
	timestamp,
});

const result = (toolCallId: string, timestamp: number): PiMessage => ({
	role: "toolResult",
	toolCallId,
	toolName: "bash",
	content: [{ type: "text", text: `${timestamp}` }],
	isError: false,
	timestamp,
});

function reply(ids: readonly string[], timestamp: number, text = "on it"): PiMessage {
	const calls = ids.map((id) => ({ type: "toolCall", id, name: "bash", arguments: {} }) as const);
	const content = [{ type: "text", text } as const, ...calls];
	return { role: "assistant", provider: "p", model: "m", content, timestamp };
}

const bash = (command: string, timestamp: number): PiMessage => ({
	role: "bashExecution",
	command,
	output: "",
	cancelled: false,
	truncated: false,
	timestamp,
});

const custom = (content: string, timestamp: number): PiMessage => ({
	role: "custom",
	customType: "plan",
	content,
	display: true,
	timestamp,
});

/** Few ids, texts and times, so that much collides; a time may be missing. */
const few = fc.constantFrom("a", "b");
const time = fc.constantFrom(1, 2, 3, Number.NaN);
const message: fc.Arbitrary<PiMessage> = fc.oneof(
	fc.tuple(few, time).map(([text, at]) => user(text, at)),
	fc.tuple(few, time).map(([id, at]) => result(id, at)),
	fc
		.tuple(fc.array(few, { maxLength: 2 }), time, few)
		.map(([ids, at, text]) => reply(ids, at, text)),
	fc.tuple(few, time).map(([text, at]) => custom(text, at)),
	fc.tuple(few, time).map(([text, at]) => bash(text, at)),
	few.map((summary) => ({ role: "branchSummary", summary, fromId: null, timestamp: 1 }) as const),
	time.map((timestamp) => ({ role: "system", content: "", timestamp }) as const),
);
const messages = fc.array(message, { maxLength: 24 });

/** Some of a list, in order. */
function some(list: readonly PiMessage[], keep: readonly boolean[]): PiMessage[] {
	return list.filter((_, index) => keep[index] ?? false).map((one) => structuredClone(one));
}

const known = [
	user("go", 1),
	reply(["functions.bash:2"], 2),
	result("functions.bash:2", 3),
	reply(["functions.bash:2"], 4),
	result("functions.bash:2", 5),
];
const [go, first, firstResult, second, secondResult] = known as [
	PiMessage,
	PiMessage,
	PiMessage,
	PiMessage,
	PiMessage,
];
const untimed = (one: PiMessage): PiMessage => ({ ...one, timestamp: Number.NaN });

const rows: [name: string, list: PiMessage[], matches: number[]][] = [
	["nothing", [], []],
	["all of it", known, [0, 1, 2, 3, 4]],
	["the end of it", [second, secondResult], [3, 4]],
	["a hole", [go, second, secondResult], [0, 3, 4]],
	["another order matches what is in order", [second, go, first, firstResult], [-1, 0, 1, 2]],
	["another time and other words", [user("stop", 9), first], [-1, 1]],
	["another time and the same words", [{ ...go, timestamp: 9 }, first], [0, 1]],
	["another role", [go, user("x", 2), firstResult], [0, -1, 2]],
	["other calls", [go, reply(["functions.bash:3"], 2), firstResult], [0, -1, 2]],
	["more calls", [go, reply(["functions.bash:2", "b"], 2), firstResult], [0, -1, 2]],
	["no times: the first that fits", [go, untimed(first), untimed(firstResult)], [0, 1, 2]],
	["no times in a gap", [go, first, firstResult, untimed(second), secondResult], [0, 1, 2, 3, 4]],
	["no time and other words", [untimed(user("stop", 1)), first], [-1, 1]],
	["no time and the same words", [untimed(go), first], [0, 1]],
];

for (const [name, list, matches] of rows)
	test(`matching: ${name}`, () => assert.deepEqual(match(known, list), matches));

test("a reply without calls and time is found by what it says", () => {
	const branch = [reply([], 1, "one"), reply([], 2, "two")];
	assert.deepEqual(match(branch, [reply([], Number.NaN, "two")]), [1]);
});

test("a reply of nothing but thoughts and without time is found by them", () => {
	const thinks = (thinking: string, timestamp: number): PiMessage => ({
		role: "assistant",
		provider: "p",
		model: "m",
		content: [{ type: "thinking", thinking }],
		timestamp,
	});
	assert.deepEqual(match([thinks("one", 1), thinks("two", 2)], [thinks("two", Number.NaN)]), [1]);
});

test("of replies with the same calls the one without time is the one whose result follows it", () => {
	const known = [user("go", 1), reply(["a"], 2), result("a", 3), reply(["a"], 4), result("a", 5)];
	const list = [user("go", 1), reply(["a"], Number.NaN), result("a", 5)];
	assert.deepEqual(match(known, list), [0, 3, 4]);
	assert.deepEqual(match(known.slice(0, 3), list.slice(0, 2)), [0, 1]);
});

const redated = (list: readonly PiMessage[], timestamp = 9): PiMessage[] =>
	list.map((one) => ({ ...one, timestamp }));

test("messages that all have another time are found by their calls, or by what they say", () => {
	assert.deepEqual(match(known, redated(known)), [0, 1, 2, 3, 4]);
	const branch = [user("go", 1), reply(["a"], 2), result("a", 3), reply(["b"], 4), result("b", 5)];
	const pruned = redated(branch).map((one) =>
		one.role === "toolResult" ? { ...one, content: "pruned" } : one,
	);
	assert.deepEqual(match(branch, pruned), [0, 1, 2, 3, 4]);
	assert.deepEqual(match(branch, pruned.slice(3)), [3, 4]);
	assert.deepEqual(match(branch, [...pruned, ...redated([reply(["c"], 6)])]), [0, 1, 2, 3, 4, -1]);
});

test("messages of one role that have another time are found between the others", () => {
	for (const role of ["user", "assistant", "toolResult"] as const) {
		const list = known.map((one) => (one.role === role ? { ...one, timestamp: 9 } : one));
		assert.deepEqual(match(known, list), [0, 1, 2, 3, 4], role);
	}
});

test("a new time that another message has by chance misleads nobody", () => {
	assert.deepEqual(match(known, redated(known, 5)), [0, 1, 2, 3, 4]);
	const branch = [user("go", 1), reply([], 2), user("on", 3)];
	assert.deepEqual(match(branch, redated(branch, 3)), [0, 1, 2]);
});

test("of equals in a list that was cut short and has new times the one whose like stands by it is found", () => {
	const poll = (at: number) => [reply(["bash:0"], at), result("bash:0", at + 1)];
	const branch = [user("go", 1), ...poll(2), ...poll(4), user("on", 6), ...poll(7), user("so", 9)];
	assert.deepEqual(match(branch, redated(branch.slice(3), 20)), [3, 4, 5, 6, 7, 8]);
	assert.deepEqual(match(branch, redated(branch, 20)), [...branch.keys()]);
});

test("a message that only was moved is no other one with a new time", () => {
	const branch = [user("go", 1), user("a", 2), user("b", 3), user("go", 4)];
	const [, , b, go] = branch as [PiMessage, PiMessage, PiMessage, PiMessage];
	assert.deepEqual(match(branch, [go, b]), [-1, 2]);
});

test("a failed reply is not taken for the one that was made in its place", () => {
	const failed: PiMessage = { ...reply(["a"], 2), stopReason: "error" } as PiMessage;
	const again: PiMessage = { ...reply(["a"], 3), stopReason: "toolUse" } as PiMessage;
	assert.deepEqual(match([user("go", 1), failed], [user("go", 1), again]), [0, -1]);
	const named = (responseId: string, at: number) => ({ ...reply(["a"], at), responseId });
	assert.deepEqual(match([named("one", 1)], [named("two", 2)]), [-1]);
	const said = { ...named("one", 2), content: "(cut)" } as PiMessage;
	assert.deepEqual(match([{ ...reply([], 1), responseId: "one" } as PiMessage], [said]), [0]);
});

test("blocks of a kind that is not known tell messages apart by their kind", () => {
	const holds = (type: string) =>
		({ ...custom("", 1), content: [{ type }] }) as unknown as PiMessage;
	assert.deepEqual(match([holds("audio"), holds("video")], [holds("video")]), [1]);
});

test("a result that answers nothing and has no time matches nothing", () => {
	assert.deepEqual(match([result("", 1)], [result("", Number.NaN)]), [-1]);
});

test("a message with images is compared by them too", () => {
	const image = (data: string): PiMessage => ({
		role: "custom",
		customType: "plan",
		content: [{ type: "image", data, mimeType: "image/png" }],
		display: true,
		timestamp: 1,
	});
	assert.deepEqual(match([image("AA"), image("BB")], [image("BB")]), [1]);
});

test("a list matches itself, message by message", () => {
	fc.assert(
		fc.property(messages, (list) => {
			assert.deepEqual(match(list, structuredClone(list)), [...list.keys()]);
		}),
	);
});

test("every message of a list that lost some finds its like", () => {
	fc.assert(
		fc.property(messages, fc.array(fc.boolean(), { maxLength: 24 }), (list, keep) => {
			const left = some(list, keep);
			assert.ok(match(list, left).every((found) => found >= 0));
		}),
	);
});

test("matches increase, and never join other roles or calls, nor two times but by what is said", () => {
	fc.assert(
		fc.property(messages, messages, (branch, list) => {
			let reached = -1;
			for (const [index, found] of match(branch, list).entries()) {
				if (found < 0) continue;
				assert.ok(found > reached);
				reached = found;
				assertSame(branch[found], list[index]);
			}
		}),
	);
});

function assertSame(own: PiMessage | undefined, listed: PiMessage | undefined): void {
	assert.ok(own && listed && own.role === listed.role);
	if (own.role === "toolResult" && listed.role === "toolResult")
		assert.equal(own.toolCallId, listed.toolCallId);
	if (own.role === "assistant" && listed.role === "assistant")
		assert.deepEqual(idsOf(own.content), idsOf(listed.content));
	if (own.role === "custom" && listed.role === "custom") assert.equal(own.content, listed.content);
	else if (!("summary" in own) && isRedated(own, listed)) assert.equal(saidIn(own), saidIn(listed));
}

function isRedated({ timestamp: one }: PiMessage, { timestamp: other }: PiMessage): boolean {
	return Number.isFinite(one) && Number.isFinite(other) && one !== other;
}

/** What tells a message from others where its time does not; of a system message nothing does. */
function saidIn(message: PiMessage): string {
	if (message.role === "bashExecution") return message.command;
	if (message.role === "toolResult") return message.toolCallId;
	if (message.role === "system") return `${message.timestamp}`;
	const ids = "content" in message ? idsOf(message.content) : [];
	return "content" in message && ids.length === 0 ? JSON.stringify(message.content) : "";
}

function idsOf(content: unknown): string[] {
	if (!Array.isArray(content)) return [];
	return (content as { type: string; id: string }[]).flatMap(({ type, id }) =>
		type === "toolCall" ? [id] : [],
	);
}

test("many messages that cannot be told apart are matched in order", () => {
	const same = Array.from({ length: 30_000 }, () => custom("again", 1));
	const list = [user("new", 7), ...same.slice(0, 29_000), user("new", 8)];
	const matches = match([user("old", 5), ...same, user("old", 6)], list);
	assert.ok(matches.slice(1, -1).every((found, index, all) => found > (all[index - 1] ?? 0)));
	assert.equal(matches.filter((found) => found < 0).length, 2);
});
