// Pages of a source, as properties: nothing lost, nothing twice, no character cut.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Block } from "../../src/session/entry.ts";
import { readSession } from "../../src/session/file.ts";
import { readSource } from "../../src/session/source.ts";
import { PAGE_LENGTH, pageOf } from "../../src/session/source-page.ts";
import { type SourceText, writeSource } from "../../src/session/source-text.ts";
import { textsOf } from "../support/kept-session.ts";
import {
	bash,
	call,
	compaction,
	custom,
	type Draft,
	image,
	record,
	reply,
	result,
	session,
	user,
} from "../support/session-entries.ts";
import { recordedPath, testRecorded } from "./recorded.ts";

function pages(source: SourceText, limit: number): string[] {
	const texts: string[] = [];
	for (let at: number | null = 0; at !== null; ) {
		const page = pageOf(source, at, limit);
		assert.equal(page.offset, at);
		texts.push(page.text);
		at = page.next;
	}
	return texts;
}

function plain(text: string): SourceText {
	return { text, images: [] };
}

const anyText = fc.string({
	unit: fc.oneof(
		fc.constantFrom("\n", " "),
		fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
	),
	maxLength: 60,
});

test("pages put together are the source, at any page size", () => {
	fc.assert(
		fc.property(anyText, fc.integer({ min: -1, max: 70 }), (text, limit) => {
			assert.equal(pages(plain(text), limit).join(""), text);
		}),
	);
});

test("no page cuts a character in two or is empty, and none but a single character is too long", () => {
	fc.assert(
		fc.property(anyText, fc.integer({ min: 1, max: 9 }), (text, limit) => {
			for (const page of pages(plain(text), limit)) {
				assert.equal(Buffer.from(page).toString(), page);
				assert.ok(page.length <= limit || Array.from(page).length === 1);
				assert.ok(page !== "" || text === "");
			}
		}),
	);
});

test("an offset inside a character begins before it, one past the end gives nothing", () => {
	assert.equal(pageOf(plain("a😀b"), 2, 9).text, "😀b");
	assert.deepEqual(pageOf(plain("abc"), 7, 9), {
		text: "",
		offset: 3,
		next: null,
		total: 3,
		images: [],
	});
	assert.equal(pageOf(plain("abc"), Number.NaN, Number.NaN).text, "a");
	assert.equal(pageOf(plain("abc"), -5, Number.POSITIVE_INFINITY).text, "abc");
});

test("an image is given on the page on which its name begins, once", () => {
	const source = writeSource({
		entries: session(user([{ type: "text", text: "x".repeat(100) }, image, image])),
		reader: "model",
		firstStep: 1,
	});
	for (const limit of [1, 7, 30, 1_000]) {
		let images = 0;
		for (let at: number | null = 0; at !== null; ) {
			const page = pageOf(source, at, limit);
			images += page.images.length;
			at = page.next;
		}
		assert.equal(images, 2);
	}
});

const anyArguments = fc.dictionary(
	fc.stringMatching(/^[a-z]{1,5}$/),
	fc.jsonValue({ maxDepth: 3 }),
);
const anyBlocks = fc.array(
	fc.oneof(
		anyText.map((text): Block => ({ type: "text", text })),
		fc.constant(image),
	),
	{ maxLength: 3 },
);
const anyDraft: fc.Arbitrary<Draft> = fc.oneof(
	anyText.map(user),
	anyBlocks.map(user),
	fc
		.tuple(anyText, fc.uuid(), anyArguments)
		.map(([text, id, args]) => reply(text, call(id, "tool", args))),
	fc
		.tuple(fc.uuid(), anyBlocks, fc.boolean())
		.map(([id, blocks, isError]) => result(id, blocks, { isError })),
	fc
		.tuple(anyText, anyText, fc.boolean())
		.map(([command, output, hidden]) => bash(command, output, 1, hidden)),
	anyText.map((text) => custom("x", text)),
	anyText.map((text) => compaction("e0", text)),
);
const anyBranch = fc
	.array(anyDraft, { minLength: 2, maxLength: 12 })
	.map((drafts) => session(...drafts));

test("every text of every entry stands in the source to the letter and in order", () => {
	fc.assert(
		fc.property(anyBranch, fc.nat(), (entries, seed) => {
			const from = seed % (entries.length - 1);
			const source = readSource({
				record: {
					kind: "fold",
					v: 0,
					id: "r",
					fromEntryId: `e${from}`,
					toEntryId: `e${entries.length - 1}`,
					summary: "s",
				},
				branch: entries,
				reader: "person",
			});
			assert.ok(source.ok);
			assert.deepEqual(source.entries, entries.slice(from, -1));
			let at = 0;
			for (const text of source.entries.flatMap(textsOf)) {
				const found = source.text.indexOf(text, at);
				assert.ok(found >= 0, `${JSON.stringify(text)} after ${at} in ${source.text}`);
				at = found + text.length;
			}
		}),
	);
});

test("what comes after a fold changes nothing in its source, but for a context edit", () => {
	fc.assert(
		fc.property(anyBranch, fc.array(anyDraft, { maxLength: 4 }), (entries, later) => {
			const to = entries.length;
			const fold = { id: "abcd", fromEntryId: "e0", toEntryId: null, summary: "s" };
			const own = record("dmail.fold", { v: 1, ...fold, by: "user", digest: "00" });
			const tail = [own, ...later, record("dmail.drop", { v: 1, id: "abcd" })];
			const branch = [...entries, ...tail.map((draft, at) => draft(to + at))];
			const read = (upTo: number) =>
				readSource({
					record: { kind: "fold", v: 1, ...fold },
					branch: branch.slice(0, upTo),
					reader: "model",
				});
			assert.deepEqual(read(branch.length), read(to + 1));
		}),
	);
});

testRecorded("the source of a recorded session in pages", (file) => {
	const { entries } = readSession(recordedPath(file));
	for (const reader of ["model", "person"] as const) {
		const source = writeSource({ entries, reader, firstStep: 1 });
		for (const limit of [PAGE_LENGTH, 997])
			assert.equal(pages(source, limit).join(""), source.text);
	}
});
