import assert from "node:assert/strict";
import { test } from "node:test";
import { convertToLlm as convertToday } from "@earendil-works/pi-coding-agent";
import { convertToLlm as convertOld } from "@mariozechner/pi-coding-agent";
import type { AssistantMessage, Content, PiMessage } from "../../src/session/entry.ts";
import { countMarkers, foldOfChip, isNote, piHost, unmark } from "../../src/session/message.ts";

const text = (value: string) => ({ type: "text", text: value }) as const;
const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
const call = (id: string, args: Record<string, unknown>) =>
	({ type: "toolCall", id, name: "send_dmail", arguments: args }) as const;

function user(content: Content): PiMessage {
	return { role: "user", content, timestamp: 5 };
}

function result(content: Content): PiMessage {
	return {
		role: "toolResult",
		toolCallId: "c1",
		toolName: "read",
		content,
		isError: false,
		timestamp: 6,
	};
}

function reply(content: Content, stopReason = "toolUse"): AssistantMessage {
	return { role: "assistant", provider: "p", model: "m", content, stopReason, timestamp: 7 };
}

const NAME = { id: "a1b2", at: 7 };

/** What both hosts make of a message; they must agree. */
function converted(message: PiMessage): unknown[] {
	const today = convertToday([message] as unknown as Parameters<typeof convertToday>[0]);
	const old = convertOld([message] as unknown as Parameters<typeof convertOld>[0]);
	assert.deepEqual(today, old);
	return today;
}

test("a chip is sent in the user's role, as one text block", () => {
	const chip = piHost.chip('<dmail fold="a1b2">…</dmail>', NAME);
	assert.deepEqual(converted(chip), [
		{ role: "user", content: [text('<dmail fold="a1b2">…</dmail>')], timestamp: 0 },
	]);
	assert.deepEqual(chip, piHost.chip('<dmail fold="a1b2">…</dmail>', NAME));
	assert.deepEqual(foldOfChip(chip), NAME);
	assert.equal(piHost.kind(chip), "custom");
});

test("a note is sent in the user's role, as one text block", () => {
	const note = piHost.note("[step 2]");
	assert.deepEqual(converted(note), [{ role: "user", content: [text("[step 2]")], timestamp: 0 }]);
	assert.ok(isNote(note));
	assert.ok(!isNote(piHost.chip("[step 2]", NAME)));
	assert.ok(!isNote(user("[step 2]")));
});

test("a marker is a block of its own at the end of a message", () => {
	const rows: [Content, Content][] = [
		["hello", [text("hello"), text("[step 1]")]],
		["", [text("[step 1]")]],
		[
			[text("a"), image],
			[text("a"), image, text("[step 1]")],
		],
		[[], [text("[step 1]")]],
		[null, [text("[step 1]")]],
	];
	for (const [content, marked] of rows)
		for (const make of [user, result]) {
			const message = make(content);
			const before = structuredClone(message);
			assert.deepEqual(piHost.mark(message, "[step 1]"), { ...message, content: marked });
			assert.deepEqual(message, before, "the message itself is not changed");
			assert.deepEqual(converted(piHost.mark(message, "[step 1]")), [
				{ ...message, content: marked },
			]);
		}
});

test("a marked chip is still sent as one message", () => {
	const chip = piHost.mark(piHost.chip("folded", NAME), "[step 9]");
	assert.deepEqual(converted(chip), [
		{ role: "user", content: [text("folded"), text("[step 9]")], timestamp: 0 },
	]);
});

test("a marker can be counted and taken off again", () => {
	for (const content of ["hello", [text("a"), image], [text("[step 7]")], "[step 7]"]) {
		const message = user(content);
		const own = countMarkers(message);
		const marked = piHost.mark(message, "[step 8] Steps 2-7 hold 21,000 tokens.");
		assert.equal(countMarkers(marked), own + 1);
		assert.deepEqual(
			converted(unmark(marked, 1)),
			converted(piHost.mark(message, "")).map(dropLast),
		);
	}
	assert.equal(countMarkers(user("see [step 3]")), 0);
	assert.equal(
		countMarkers({ role: "branchSummary", summary: "[step 3]", fromId: null, timestamp: 1 }),
		0,
	);
});

test("a pointer stands for the summary of one call, everything else is the very same", () => {
	const thinking = { type: "thinking", thinking: "hm", thinkingSignature: "s" } as const;
	const mine = call("b", { fromStep: 3, summary: "did it", extra: { deep: [1] } });
	const other = call("a", { fromStep: 1, summary: "first" });
	const message = reply([thinking, other, mine]);
	const before = structuredClone(message);
	const pointed = piHost.point(message, "b", "(in the chip of fold a1b2)") as AssistantMessage;
	assert.deepEqual(pointed, {
		...message,
		content: [
			thinking,
			other,
			call("b", { fromStep: 3, summary: "(in the chip of fold a1b2)", extra: { deep: [1] } }),
		],
	});
	assert.equal(pointed.content?.[0], thinking);
	assert.equal(pointed.content?.[1], other);
	assert.deepEqual(message, before, "the message itself is not changed");
	assert.deepEqual(Object.keys(mine.arguments), ["fromStep", "summary", "extra"], "order is kept");
	assert.deepEqual(converted(pointed), [pointed]);
});

test("a reply without such a call stays the very same", () => {
	const message = reply([call("a", { summary: "first" }), call("b", { fromStep: 2 })]);
	for (const id of ["b", "c", ""]) assert.equal(piHost.point(message, id, "(…)"), message);
	const odd = reply("plain");
	assert.equal(piHost.point(odd, "a", "(…)"), odd);
	const chip = piHost.chip("text", NAME);
	assert.equal(piHost.point(chip, "a", "(…)"), chip);
});

test("two calls with one id take one pointer each, in order", () => {
	const first = "(in the chip of fold aaaa)";
	const second = "(fold bbbb, now in the chip of fold aaaa)";
	const message = reply([call("x", { summary: "one" }), call("x", { summary: "two" })]);
	const pointed = piHost.point(piHost.point(message, "x", first), "x", second);
	assert.deepEqual(pointed, reply([call("x", { summary: first }), call("x", { summary: second })]));
	assert.equal(piHost.point(pointed, "x", first), pointed, "a pointer is not replaced");
});

test("a message of the chip's type without a fold's id is no chip of ours", () => {
	const chip = piHost.chip("folded", NAME);
	for (const details of [undefined, null, {}, { fold: 7 }, "a1b2"])
		assert.equal(foldOfChip({ ...chip, details } as PiMessage), undefined);
});

test("kinds are those of the algebra", () => {
	assert.equal(piHost.kind(user("a")), "user");
	assert.equal(piHost.kind(result("a")), "result");
	assert.equal(piHost.callId(result("a")), "c1");
	assert.equal(piHost.callId(user("a")), undefined);
	for (const stop of ["stop", "length", "toolUse"])
		assert.equal(piHost.kind(reply([], stop)), "assistant");
	for (const stop of ["error", "aborted", "deferred", "pending"])
		assert.equal(piHost.kind(reply([], stop)), "attempt");
});

function dropLast(message: unknown): unknown {
	const { content, ...rest } = message as { content: readonly unknown[] };
	return { ...rest, content: content.slice(0, -1) };
}
