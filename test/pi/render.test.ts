// How folds look in the transcript: collapsed and expanded, a preview unlike a fold, a refusal like one, and
// never a line over the width.

import assert from "node:assert/strict";
import { test } from "node:test";
import { visibleWidth } from "@mariozechner/pi-tui";
import fc from "fast-check";
import {
	type Paint,
	renderChip,
	renderCut,
	renderReadCall,
	renderReadResult,
	renderSendCall,
	renderSendResult,
} from "../../src/pi/render.ts";

const paint = {
	fg: (color: string, text: string) => `‹${color}:${text}›`,
	bg: (_: string, text: string) => text,
	bold: (text: string) => text,
} as unknown as Paint;

const coloured = {
	fg: (_: string, text: string) => `\u001b[36m${text}\u001b[39m`,
	bg: (_: string, text: string) => `\u001b[46m${text}\u001b[49m`,
	bold: (text: string) => `\u001b[1m${text}\u001b[22m`,
} as unknown as Paint;

const ENDED = { expanded: false, isError: false };

function lines(component: { render(width: number): readonly string[] } | undefined, width = 200) {
	return (component?.render(width) ?? []).map((line) => line.trimEnd());
}

function result(text: string, details?: unknown) {
	return { content: [{ type: "text", text }], details };
}

const DETAILS = {
	id: "ab12",
	by: "model",
	preview: false,
	fromStep: 3,
	toStep: 7,
	tokensBefore: 100_000,
	tokensAfter: 40_000,
	perRequestTokens: 60_000,
	requestsToPay: 1.4,
};

test("a call shows its steps and the first line of its summary; expanded the whole", () => {
	const args = { fromStep: 3, toStep: 7, summary: "Done: all.\nOpen: nothing." };
	assert.deepEqual(lines(renderSendCall(args, paint, { expanded: false })), [
		"‹toolTitle:send_dmail› ‹accent:steps 3–7›",
		"‹muted:Done: all. …›",
	]);
	assert.match(
		lines(renderSendCall(args, paint, { expanded: true })).join("\n"),
		/Open: nothing\./,
	);
	const open = { fromStep: 3, preview: true };
	assert.deepEqual(lines(renderSendCall(open, paint, { expanded: false })), [
		"‹toolTitle:send_dmail› ‹warning:preview of ›‹accent:step 3 onward›",
	]);
});

test("a fold's result is one line with its id and effect; expanded it is all that the model was told", () => {
	const told = result("Folded steps 3–7 as fold ab12.\nNext request: …", DETAILS);
	const [line, ...rest] = lines(renderSendResult(told, { expanded: false }, paint, ENDED));
	assert.match(
		line ?? "",
		/^‹success:◆ folded steps 3–7 as ab12›‹muted:: −60k tokens a request, pays after 2 requests›/,
	);
	assert.match(line ?? "", /to expand/);
	assert.equal(rest.length, 0);
	const expanded = lines(renderSendResult(told, { expanded: true }, paint, ENDED)).join("\n");
	assert.match(expanded, /Folded steps 3–7 as fold ab12\.\nNext request: …/);
});

test("a fold of a cut that the user pinned says so", () => {
	const told = result("Folded.", { ...DETAILS, by: "user" });
	const shown = lines(renderSendResult(told, { expanded: false }, paint, ENDED)).join("");
	assert.match(shown, /as ab12, as you pinned it/);
});

test("a preview looks different from a fold, a refusal looks refused and shows its reason", () => {
	const { id: _, ...preview } = { ...DETAILS, preview: true };
	const shown = lines(
		renderSendResult(result("Nothing.", preview), { expanded: false }, paint, ENDED),
	);
	assert.match(shown[0] ?? "", /^‹warning:◇ preview, nothing folded: steps 3–7›/);
	const refused = result("there is no step 9; steps 1–5 can be folded", {});
	for (const expanded of [false, true])
		assert.deepEqual(
			lines(renderSendResult(refused, { expanded }, paint, { expanded, isError: true })),
			["‹error:✗ refused: there is no step 9; steps 1–5 can be folded›"],
		);
});

test("a result without our details shows its text", () => {
	for (const details of [undefined, null, {}, 3, { fromStep: "x" }]) {
		const shown = lines(
			renderSendResult(result("as it was", details), { expanded: false }, paint, ENDED),
		);
		assert.deepEqual(shown, ["‹toolOutput:as it was›"]);
	}
});

test("what was read is cut to some lines; expanded all of it", () => {
	const text = Array.from({ length: 20 }, (_, at) => `line ${at}`).join("\n");
	const collapsed = lines(renderReadResult(result(text), { expanded: false }, paint, ENDED));
	assert.equal(collapsed.length, 7);
	assert.match(collapsed[6] ?? "", /14 more lines/);
	const expanded = lines(renderReadResult(result(text), { expanded: true }, paint, ENDED));
	assert.equal(expanded.length, 20);
	const call = (args: unknown) => lines(renderReadCall(args, paint))[0];
	assert.equal(call({}), "‹toolTitle:read_dmail› ‹accent:all folds›");
	assert.equal(
		call({ fold: "ab12", open: true }),
		"‹toolTitle:read_dmail› ‹accent:open fold ab12›",
	);
	assert.equal(
		call({ fold: "ab12", query: "x", offset: 40 }),
		'‹toolTitle:read_dmail› ‹accent:fold ab12 lines with "x" from 40›',
	);
});

test("a pinned cut shows its steps; expanded what the model was told", () => {
	const message = { content: "The user pinned a cut.", details: { v: 1, fromStep: 3, toStep: 7 } };
	assert.match(
		lines(renderCut(message, { expanded: false }, paint)).join("\n"),
		/cut pinned: steps 3–7/,
	);
	assert.match(
		lines(renderCut(message, { expanded: true }, paint)).join("\n"),
		/The user pinned a cut\./,
	);
	assert.match(
		lines(renderCut({ content: null }, { expanded: true }, paint)).join(""),
		/cut pinned/,
	);
	const back = { content: [{ type: "text", text: "Taken back." }], details: { v: 1 } };
	const shown = lines(renderCut(back, { expanded: true }, paint)).join("\n");
	assert.match(shown, /cut taken back/);
	assert.match(shown, /Taken back\./);
});

test("a chip is one line; expanded it has summary and notes; a broken record has none", () => {
	const data = {
		v: 1,
		id: "ab12",
		fromEntryId: "a",
		toEntryId: null,
		fromStep: 3,
		toStep: 7,
		summary: "Done: all.\nOpen: nothing.",
		digest: "00",
		by: "user",
		notes: ["Files read: a.ts"],
	};
	const entry = { id: "e9", data };
	assert.deepEqual(lines(renderChip(entry, { expanded: false }, paint)), [
		" ‹customMessageLabel:◆ fold ab12 · steps 3–7 · by the user · Done: all.›",
	]);
	const expanded = lines(renderChip(entry, { expanded: true }, paint)).join("\n");
	assert.match(expanded, /Open: nothing\.\n Files read: a\.ts/);
	const called = { id: "e9", data: { ...data, callId: "c" } };
	assert.equal(lines(renderChip(called, { expanded: true }, paint)).length, 1, "the call has it");
	assert.equal(renderChip({ id: "e9", data: { v: 7 } }, { expanded: false }, paint), undefined);
	assert.equal(renderChip({ id: "e9" }, { expanded: false }, paint), undefined);
});

const anything = fc.oneof(
	fc.string({ unit: "grapheme", maxLength: 200 }),
	fc.constantFrom(
		"日本語のテキストが長く続く場合".repeat(9),
		"👩‍👩‍👧‍👦🇯🇵🏳️‍🌈".repeat(20),
		"\u001b[2J\u001b[31mred\r\n\u0007\ttab",
		"x".repeat(700),
		"\ud800\u202e",
	),
);

test("no width, argument, result or record makes a renderer throw or paint over the width", () => {
	const args = fc.oneof(
		fc.jsonValue(),
		fc.record({ fromStep: fc.nat(), summary: anything, fold: anything, query: anything }),
	);
	const details = fc.oneof(fc.jsonValue(), fc.constant(DETAILS));
	const flags = fc.record({ expanded: fc.boolean(), isError: fc.boolean() });
	const width = fc.integer({ min: 20, max: 300 });
	fc.assert(
		fc.property(
			args,
			anything,
			details,
			fc.tuple(flags, width),
			(call, text, stored, [state, columns]) => {
				const told = result(text, stored);
				const data = { fromEntryId: "a", toEntryId: null, summary: text || "-" };
				for (const component of [
					renderSendCall(call, coloured, state),
					renderSendResult(told, state, coloured, state),
					renderReadCall(call, coloured),
					renderReadResult(told, state, coloured, state),
					renderCut({ content: text, details: stored }, state, coloured),
					renderChip({ id: "e1", data }, state, coloured),
				])
					for (const line of component?.render(columns) ?? []) {
						assert.ok(visibleWidth(line) <= columns, JSON.stringify(line));
					}
			},
		),
		{ numRuns: 200 },
	);
});
