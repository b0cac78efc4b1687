import assert from "node:assert/strict";
import { test } from "node:test";
import { estimateTokens as estimateToday } from "@earendil-works/pi-coding-agent";
import { estimateTokens as estimateOld } from "@mariozechner/pi-coding-agent";
import fc from "fast-check";
import { estimateText, estimateTokens } from "../../src/session/size.ts";

const text = (value: string) => ({ type: "text", text: value });
const image = { type: "image", mimeType: "image/png", data: "A".repeat(4_000_000) };

test("a text is a quarter of a token per character, rounded up", () => {
	assert.equal(estimateText(""), 0);
	assert.equal(estimateText("a"), 1);
	assert.equal(estimateText("abcd"), 1);
	assert.equal(estimateText("abcde"), 2);
});

test("a CJK character is a token, whatever its script and plane", () => {
	for (const one of ["漢", "か", "カ", "한", "。", "「", "\uff21", "ー", "𠀀", "ㄅ"])
		assert.equal(estimateText(one.repeat(10)), 10, one);
});

test("CJK and other text add up before rounding", () => {
	assert.equal(estimateText("ab漢"), 2);
	assert.equal(estimateText("漢ab字c"), 3);
	assert.equal(estimateText("é".repeat(8)), 2);
	assert.equal(estimateText("😀😀"), 1);
});

test("a Chinese text of 20,000 characters is 20,000 tokens", () => {
	assert.equal(estimateTokens({ role: "user", content: [text("汉".repeat(20_000))] }), 20_000);
});

test("an image is 1,200 tokens, whatever its base64, in any role", () => {
	for (const role of ["user", "toolResult", "custom"])
		assert.equal(estimateTokens({ role, content: [text("abcd"), image, image] }), 2_401, role);
});

test("a command kept from the model is nothing", () => {
	const bash = { role: "bashExecution", command: "ls", output: "a b" };
	assert.equal(estimateTokens(bash), 2);
	assert.equal(estimateTokens({ ...bash, excludeFromContext: true }), 0);
});

test("a damaged message is sized by what can be read", () => {
	const damaged = [
		{ role: "user", content: null },
		{ role: "assistant" },
		{ role: "toolResult", content: [null, {}, { type: "text" }, { type: "toolCall" }] },
		{ role: "bashExecution", command: 3 },
		{ role: "system", content: "", sections: null },
		{ role: "nobody" },
	];
	for (const message of damaged) assert.equal(estimateTokens(message), 0);
	assert.equal(estimateTokens({ role: "assistant", content: "four" }), 1);
});

const ascii = fc.string({ unit: "grapheme-ascii", maxLength: 40 });
const texts = fc.array(ascii.map(text), { maxLength: 3 });
const call = fc.record({ name: ascii, arguments: fc.dictionary(ascii, ascii) });
const plain = fc.oneof(
	fc.record({ role: fc.constantFrom("user", "toolResult", "custom"), content: texts }),
	fc.record({ role: fc.constantFrom("user", "custom"), content: ascii }),
	fc.record({
		role: fc.constant("assistant"),
		content: fc.array(
			fc.oneof(
				ascii.map(text),
				ascii.map((thinking) => ({ type: "thinking", thinking })),
				call.map((fields) => ({ type: "toolCall", id: "1", ...fields })),
			),
		),
	}),
	fc.record({ role: fc.constant("bashExecution"), command: ascii, output: ascii }),
	fc.record({ role: fc.constantFrom("branchSummary", "compactionSummary"), summary: ascii }),
);

test("without CJK, images and commands kept from the model it is the number of both hosts", () => {
	fc.assert(
		fc.property(plain, (message) => {
			const ours = estimateTokens(message);
			assert.equal(ours, estimateToday(message as Parameters<typeof estimateToday>[0]));
			assert.equal(ours, estimateOld(message as Parameters<typeof estimateOld>[0]));
		}),
	);
});

test("a system message counts its sections and the tools it adds, as today's host does", () => {
	const message = {
		role: "system",
		content: "",
		sections: { policy: "be brief", gone: null },
		toolsAdded: [{ name: "bash" }],
	};
	assert.equal(
		estimateTokens(message),
		estimateToday(message as unknown as Parameters<typeof estimateToday>[0]),
	);
});
