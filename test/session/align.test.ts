import assert from "node:assert/strict";
import { test } from "node:test";
import type { Generation } from "../../src/session/branch.ts";
import type { PiMessage, SessionEntry } from "../../src/session/entry.ts";
import { piHost } from "../../src/session/message.ts";
import { aligned, Chat, sent } from "./chat.ts";

const text = (value: string) => ({ type: "text", text: value }) as const;

/** A user message that no branch has. */
const foreign = (value = "be brief"): PiMessage => ({ role: "user", content: value, timestamp: 5 });

/** A reply and its result that no branch has. */
function foreignPair(): PiMessage[] {
	return new Chat()
		.user()
		.step("theirs")
		.list()
		.slice(1)
		.map((message) => ({ ...message, timestamp: 6 }));
}

function withText(message: PiMessage | undefined, value: string): PiMessage {
	return { ...message, content: [text(value)] } as PiMessage;
}

/** A view in one line: roles by letter, markers as ‹n›, chips as C, notes as m. */
function line(messages: readonly PiMessage[]): string {
	return messages.map(word).join(" ");
}

function word(message: PiMessage): string {
	const said = JSON.stringify(message);
	const marker = /\[step (\d+)\]"\}\]/.exec(said)?.[1];
	const suffix = marker ? `‹${marker}›` : "";
	if (message.role === "custom" && message.customType === "dmail.fold") return `C${suffix}`;
	if (message.role === "custom" && message.customType === "dmail.marker") return `m${suffix}`;
	const pointed = said.includes("(in the chip of fold ") ? "*" : "";
	return (
		{ user: "U", assistant: "A", toolResult: "R", custom: "c", bashExecution: "!" }[
			message.role as string
		] +
		pointed +
		suffix
	);
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

/** Steps 1 and 2 folded by step 3, as the model does it. */
function folded(): Chat {
	const session = new Chat().user().step("a").step("b").reply(["c"]);
	const call = session.entries.at(-1);
	if (call?.type === "message")
		Object.assign(call.message, {
			content: [
				{ type: "toolCall", id: "c", name: "send_dmail", arguments: { fromStep: 1, summary: "S" } },
			],
		});
	return session.fold("e1", "e5", { callId: "c", fromStep: 1, toStep: 2 }).result("c");
}

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

test("a list that went through us is taken back to what it was", () => {
	const session = folded();
	const once = sent(session.entries, session.list()).messages;
	const { list, at, chips } = aligned(session.entries, once);
	assert.equal(line(list), "U C A* R");
	assert.deepEqual(at, [0, 1, 5, 7]);
	assert.deepEqual([...chips.keys()], [6]);
	assert.deepEqual(sent(session.entries, once).messages, once);
});

test("what a tool printed is never taken for a marker of ours", () => {
	const forged = new Chat().user().reply(["a"]).result("a", "[step 9]");
	const list = forged.list();
	assert.deepEqual(aligned(forged.entries, list).list, list);
	assert.deepEqual(aligned(forged.entries.slice(0, 2), list, "0.73").list, list);
	const { messages } = sent(forged.entries, list);
	assert.deepEqual(messages[2], {
		...list[2],
		content: [text("[step 9]"), text("[step 2]")],
	});
	assert.deepEqual(sent(forged.entries, messages).messages, messages);
});

test("a chip of a fold that is not in view is a message like any other", () => {
	const chip = piHost.chip("<dmail>theirs</dmail>", { id: "abcd", at: 0 });
	const list = chat.list().toSpliced(1, 0, chip);
	assert.deepEqual(aligned(chat.entries, list).at, [0, -1, 1, 2, 3, 4, 5, 6]);
	assert.equal(sent(chat.entries, list).messages[1], chip);
});

/** Passes what an earlier pass of ours left of a session's list through us again. */
function sendsTheSameTwice(session: Chat, list: readonly PiMessage[], host: Generation = "1.6") {
	const once = sent(session.entries, list, host).messages;
	assert.deepEqual(sent(session.entries, structuredClone(once), host).messages, once);
}

/** A session in which the prompt changed while two steps were made that were folded later, the request kept. */
function foldedOverSystem(): Chat {
	const session = new Chat().reply();
	const system: PiMessage = { role: "system", content: "be brief", timestamp: 9 };
	session.push({ type: "message", message: system });
	return session.user().reply().reply(["fold"]).fold("e0", "e4", { keep: "e2" }).result("fold");
}

test("a second pass finds what a chip keeps, also before a system message of its range", () => {
	const session = foldedOverSystem();
	for (const host of ["1.6", "0.73"] as const) sendsTheSameTwice(session, session.list(host), host);
});

test("a second pass finds a chip whose range a neighbour cut into", () => {
	const system = foldedOverSystem();
	sendsTheSameTwice(system, system.list().slice(1));
	const session = new Chat().user().reply().custom().fold("e0", null);
	for (const from of [1, 2]) sendsTheSameTwice(session, session.list("0.73").slice(from), "0.73");
	const asked = new Chat().custom().custom().user().fold("e1", "e3").reply();
	sendsTheSameTwice(asked, asked.list().toSpliced(2, 1));
});

test("a second pass knows a chip whose fold's id was given once more", () => {
	const session = folded();
	session.fold("e0", null, { id: "f006", held: true });
	sendsTheSameTwice(session, session.list());
});

test("a second pass tells two chips of one id apart, also where a neighbour took one of them out", () => {
	const session = new Chat().user().step("a").step("b").step("c");
	session.fold("e1", "e3", { id: "f00d" }).fold("e5", "e7", { id: "f00d" });
	assert.equal(view(session.entries, session.list()), "U‹1› C‹2› A R‹3› C‹4›");
	sendsTheSameTwice(session, session.list());
	sendsTheSameTwice(session, session.list().slice(3));
	sendsTheSameTwice(session, session.list().slice(0, 5));
});

test("a result without an id that comes twice goes under the chip of its call both times", () => {
	const session = new Chat().user().reply(["", "a"]).result("").result("a").result("").reply();
	session.fold("e1", "e3").push({ type: "context_edit", targetId: "e2", replacement: null });
	for (const host of ["1.6", "0.73"] as const)
		assert.equal(view(session.entries, session.list(host), host), "U‹1› C‹2› A m‹3›");
});

test("a reply without a time in a list that was cut short is the one whose results follow it", () => {
	const session = new Chat().user().step("same").reply([], "error").reply().step("same");
	const [call, result] = session.list().slice(-2);
	const list = [{ ...call, timestamp: Number.NaN }, result] as PiMessage[];
	assert.deepEqual(aligned(session.entries, list).at, [5, 6]);
	assert.equal(line(sent(session.entries, list).messages), "m‹2› m‹3› A R‹4›");
});

test("a number that an attempt was asked for before a fold is not taken for the folded reply's", () => {
	const chat = new Chat().reply([], "error").fold("e0", null).user().reply().fold("e2", null);
	const once = sent(chat.entries, chat.list()).messages;
	assert.deepEqual(sent(chat.entries, structuredClone(once)).messages, once);
});

test("a marker is known behind what another extension added to a result that ends like one", () => {
	const chat = new Chat().user().reply(["a"]).result("a", "[step 9]");
	const list = chat.list();
	const result = list[2] as PiMessage & { content: object[] };
	list[2] = {
		...result,
		content: [...result.content, { type: "text", text: "checked" }],
	} as PiMessage;
	const once = sent(chat.entries, list).messages;
	assert.deepEqual(sent(chat.entries, structuredClone(once)).messages, once);
});

test("a second pass finds a reply that waits for its results where the branch lags behind it", () => {
	const session = new Chat().user().step("a").reply(["b"]);
	const list = session.list("0.73");
	for (const behind of [1, 2, 3]) {
		const entries = session.entries.slice(0, -behind);
		const once = sent(entries, list, "0.73").messages;
		assert.equal(line(once), "U‹1› A R‹2› A");
		assert.deepEqual(sent(entries, structuredClone(once), "0.73").messages, once);
	}
});
