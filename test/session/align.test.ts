import assert from "node:assert/strict";
import { test } from "node:test";
import type { Generation } from "../../src/session/branch.ts";
import type { PiMessage, SessionEntry } from "../../src/session/entry.ts";
import { piHost } from "../../src/session/message.ts";
import { aligned, Chat, sent } from "../support/chat.ts";
import { foreign, foreignPair } from "./neighbour.ts";
import { folded, line, text } from "./sketch.ts";

function withText(message: PiMessage | undefined, value: string): PiMessage {
	return { ...message, content: [text(value)] } as PiMessage;
}

function view(
	entries: readonly SessionEntry[],
	list: readonly PiMessage[],
	generation: Generation = "1.6",
): string {
	return line(sent(entries, list, generation).messages);
}

const chat = new Chat().user().step("a").step("b").step("c");

test("a list as pi hands it out aligns one to one", () => {
	const list = chat.list();
	const { at, list: same, live } = aligned(chat.entries, list);
	assert.deepEqual(at, [0, 1, 2, 3, 4, 5, 6]);
	assert.equal(same, list);
	assert.deepEqual(live, []);
});

test("old messages that are gone leave the rest in place", () => {
	assert.deepEqual(aligned(chat.entries, chat.list().slice(3)).at, [3, 4, 5, 6]);
});

test("an edited result is still that result, and stays as it was edited", () => {
	const list = chat.list();
	const pruned = withText(list[2], "pruned");
	const { messages } = sent(chat.entries, list.with(2, pruned));
	assert.deepEqual(messages[2], { ...pruned, content: [text("pruned"), text("[step 2]")] });
});

test("what another extension put in stands where it was put, without a marker", () => {
	assert.equal(
		view(chat.entries, chat.list().toSpliced(3, 0, foreign(), ...foreignPair())),
		"U‹1› A R‹2› U A R A R‹3› A R‹4›",
	);
	assert.equal(view(chat.entries, [...chat.list(), foreign()]), "U‹1› A R‹2› A R‹3› A R‹4› U");
});

test("calls that share an id are told apart by their times", () => {
	const repeating = new Chat().user().step("functions.bash:1").step("functions.bash:1");
	const list = repeating.list();
	assert.deepEqual(aligned(repeating.entries, list.toSpliced(1, 2)).at, [0, 3, 4]);
	assert.deepEqual(aligned(repeating.entries, list.slice(0, 3)).at, [0, 1, 2]);
});

test("messages of one moment are told apart by their calls", () => {
	const batch = new Chat().user().reply(["a", "b", "c"]).result("a").result("b").result("c");
	for (const entry of batch.entries)
		if (entry.type === "message") Object.assign(entry.message, { timestamp: 7 });
	assert.deepEqual(aligned(batch.entries, batch.list().toSpliced(3, 1)).at, [0, 1, 2, 4]);
});

test("equal custom messages are told apart by their times where they have them, else taken in order", () => {
	const plans = new Chat().user().custom("plan", "same").custom("plan", "same").reply();
	const list = plans.list();
	assert.deepEqual(aligned(plans.entries, list.toSpliced(1, 1)).at, [0, 2, 3]);
	const other = list.map((message) =>
		message.role === "custom" ? { ...message, timestamp: 3 } : message,
	);
	assert.deepEqual(aligned(plans.entries, other.toSpliced(1, 1)).at, [0, 1, 3]);
});

test("a custom message is itself by type and content, whatever its time", () => {
	const plans = new Chat().user().custom("plan", "one").custom("plan", "two").reply();
	const list = plans
		.list()
		.map((message) => (message.role === "custom" ? { ...message, timestamp: 3 } : message));
	assert.deepEqual(aligned(plans.entries, list).at, [0, 1, 2, 3]);
	assert.deepEqual(aligned(plans.entries, list.toSpliced(1, 1)).at, [0, 2, 3]);
	const other = list.with(1, { ...list[1], customType: "todo" } as PiMessage);
	assert.deepEqual(aligned(plans.entries, other).at, [0, -1, 2, 3]);
});

test("messages whose time was lost are found by their calls, or by what they say", () => {
	const timeless = chat.list().map((message) => {
		const { timestamp: _timestamp, ...rest } = message;
		return rest as PiMessage;
	});
	assert.deepEqual(aligned(chat.entries, timeless).at, [0, 1, 2, 3, 4, 5, 6]);
	assert.deepEqual(aligned(chat.entries, timeless.slice(3)).at, [3, 4, 5, 6]);
	const other = timeless.with(0, withText(timeless[0], "something else"));
	assert.deepEqual(aligned(chat.entries, other).at, [-1, 1, 2, 3, 4, 5, 6]);
});

/** A list whose messages another extension gave another time, wholly or by role. */
function redated(list: readonly PiMessage[], role?: PiMessage["role"]): PiMessage[] {
	return list.map((message, at) =>
		(role ?? message.role) === message.role ? { ...message, timestamp: 1_000 + at } : message,
	);
}

test("messages with new times are found by their calls, or by what they say, and folded", () => {
	const session = folded();
	for (const host of ["1.6", "0.73"] as const)
		for (const role of [undefined, "toolResult", "user", "assistant"] as const) {
			const list = redated(session.list(host), role);
			assert.equal(view(session.entries, list, host), "U‹1› C‹3› A* R‹4›");
		}
});

test("where all times are new, only what the branch lacks counts as live", () => {
	const list = redated(chat.list("0.73"));
	for (const known of [0, 1, 2, 4, 6, 7]) {
		const behind = chat.entries.slice(0, known);
		assert.equal(aligned(behind, list, "0.73").live.length, 7 - known);
		assert.equal(view(behind, list, "0.73"), "U‹1› A R‹2› A R‹3› A R‹4›");
	}
});

test("a list of which nothing is the branch's is strange, and none of it live", () => {
	const others = chat.list("0.73").map((message): PiMessage => {
		if (message.role === "user") return { ...message, content: "other words", timestamp: 1 };
		if (message.role === "toolResult") return { ...message, toolCallId: "x", timestamp: 1 };
		return { ...message, content: [text("other words")], timestamp: 1 } as PiMessage;
	});
	for (const host of ["1.6", "0.73"] as const) {
		const { at, live, isStrange } = aligned(chat.entries, others, host);
		assert.deepEqual(at, [-1, -1, -1, -1, -1, -1, -1]);
		assert.deepEqual([live, isStrange], [[], true]);
		assert.equal(aligned(chat.entries, chat.list(host).toSpliced(1, 4), host).isStrange, false);
		assert.equal(aligned(chat.entries.slice(0, 1), others, host).isStrange, false);
		const said = new Chat(chat.entries).reply();
		const all = [...others, ...said.list(host).slice(-1)];
		assert.equal(aligned(said.entries, all, host).isStrange, true, "one answer makes no list");
	}
});

test("a compaction's system message and summary share its place", () => {
	const compacted = new Chat().user().step("a").compaction("e1").step("b");
	const { entries } = compacted;
	Object.assign(entries[3] ?? {}, {
		systemMessage: { role: "system", content: "prompt", timestamp: 9 },
	});
	assert.deepEqual(aligned(entries, compacted.list()).at, [3, 3, 1, 2, 4, 5]);
});

test("an unmatched message at the end is foreign where the branch does not lag", () => {
	const list = new Chat().user().step("a").step("b").list();
	const behind = new Chat().user().step("a").entries;
	assert.deepEqual(aligned(behind, list).at, [0, 1, 2, -1, -1]);
	assert.equal(view(behind, list), "U‹1› A R‹2› A R");
});

test("where the branch lags, messages after the last match are live and get numbers", () => {
	const list = chat.list("0.73");
	for (const known of [0, 1, 2, 4, 6, 7]) {
		const behind = chat.entries.slice(0, known);
		const { at, live } = aligned(behind, list, "0.73");
		assert.deepEqual(at, [0, 1, 2, 3, 4, 5, 6]);
		assert.deepEqual(
			live.map(({ id, kind, callId }) => ({ id, kind, callId })),
			[
				{ id: "", kind: "user", callId: undefined },
				{ id: "", kind: "assistant", callId: undefined },
				{ id: "", kind: "result", callId: "a" },
				{ id: "", kind: "assistant", callId: undefined },
				{ id: "", kind: "result", callId: "b" },
				{ id: "", kind: "assistant", callId: undefined },
				{ id: "", kind: "result", callId: "c" },
			].slice(known),
		);
		assert.equal(view(behind, list, "0.73"), "U‹1› A R‹2› A R‹3› A R‹4›");
	}
});

test("an attempt that only the branch has leaves no trace, one that only the list has no number", () => {
	const failed = new Chat().user().reply([], "error").step("a");
	assert.equal(view(failed.entries, failed.list("0.73").toSpliced(1, 1), "0.73"), "U‹1› A R‹2›");
	assert.equal(view(failed.entries.slice(0, 1), failed.list("0.73"), "0.73"), "U‹1› A A R‹2›");
});

test("where the branch lags, what matches nothing in the middle is foreign all the same", () => {
	const list = chat.list("0.73").toSpliced(3, 0, foreign());
	assert.deepEqual(aligned(chat.entries, list, "0.73").at, [0, 1, 2, -1, 3, 4, 5, 6]);
});

test("a fold is applied to the list in hand", () => {
	const session = folded();
	assert.equal(view(session.entries, session.list()), "U‹1› C‹3› A* R‹4›");
});

test("what stood inside a folded range stands after its chip", () => {
	const session = folded();
	const list = session.list().toSpliced(3, 0, foreign());
	assert.equal(view(session.entries, list), "U‹1› C‹3› U A* R‹4›");
});

test("an unmatched result whose call is folded goes with it", () => {
	const session = folded();
	const again = { ...session.list()[2], timestamp: 8 } as PiMessage;
	assert.equal(view(session.entries, session.list().toSpliced(3, 0, again)), "U‹1› C‹3› A* R‹4›");
});

test("a chip stands at the first message of its range that is left", () => {
	const session = folded();
	assert.equal(view(session.entries, session.list().toSpliced(1, 2)), "U‹1› C‹3› A* R‹4›");
	assert.equal(view(session.entries, session.list().toSpliced(1, 4)), "U‹1› m‹3› A* R‹4›");
});

test("a chip quotes the user's words as they are in hand", () => {
	const session = new Chat().user("first").step("a").user("my key is 12345").step("b").step("c");
	session.fold("e1", "e8", { fromStep: 1, toStep: 2 });
	const list = session.list();
	const redacted = list.with(3, withText(list[3], "my key is (redacted)"));
	const once = sent(session.entries, redacted).messages;
	assert.match(JSON.stringify(once), /my key is \(redacted\)/);
	assert.doesNotMatch(JSON.stringify(once), /12345/);
	assert.deepEqual(sent(session.entries, once).messages, once, "nor after a second pass");
});

test("a chip of a fold that is not in view is a message like any other", () => {
	const chip = piHost.chip("<dmail>theirs</dmail>", { id: "abcd", at: 0 });
	const list = chat.list().toSpliced(1, 0, chip);
	assert.deepEqual(aligned(chat.entries, list).at, [0, -1, 1, 2, 3, 4, 5, 6]);
	assert.equal(sent(chat.entries, list).messages[1], chip);
});

test("a result without an id that comes twice goes under the chip of its call both times", () => {
	const session = new Chat().user().reply(["", "a"]).result("").result("a").result("").reply();
	session.fold("e1", "e3").push({ type: "context_edit", targetId: "e2", replacement: null });
	for (const host of ["1.6", "0.73"] as const)
		assert.equal(
			line(sent(session.entries, session.list(host), host).messages),
			"U‹1› C‹2› A m‹3›",
		);
});

test("a reply without a time in a list that was cut short is the one whose results follow it", () => {
	const session = new Chat().user().step("same").reply([], "error").reply().step("same");
	const [call, result] = session.list().slice(-2);
	const list = [{ ...call, timestamp: Number.NaN }, result] as PiMessage[];
	assert.deepEqual(aligned(session.entries, list).at, [5, 6]);
	assert.equal(line(sent(session.entries, list).messages), "m‹2› m‹3› A R‹4›");
});
