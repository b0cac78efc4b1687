import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Content, PiMessage } from "../../src/session/entry.ts";
import { wordsOf } from "../../src/session/words.ts";

const user = (content: Content): PiMessage => ({ role: "user", content, timestamp: 1 });
const image = (mimeType: string) => ({ type: "image", data: "AAAA", mimeType }) as const;
const said = (content: Content) => wordsOf(user(content));

test("what the user wrote is verbatim", () => {
	const text = "  fix <file> & </file>\n\n```\n[step 3]\n``` 漢 \n";
	assert.equal(said(text), text);
	assert.equal(said([{ type: "text", text }]), text);
	assert.equal(
		said([
			{ type: "text", text: "one" },
			{ type: "text", text: "two" },
		]),
		"one\ntwo",
	);
});

test("a message without words has none", () => {
	for (const content of ["", " \n", [], null, undefined, [{ type: "text", text: "" } as const]])
		assert.equal(said(content), undefined);
});

test("only the user has words", () => {
	const custom: PiMessage = {
		role: "custom",
		customType: "x",
		content: "do this",
		display: true,
		timestamp: 1,
	};
	assert.equal(wordsOf(custom), undefined);
	assert.equal(
		wordsOf({ role: "branchSummary", summary: "s", fromId: null, timestamp: 1 }),
		undefined,
	);
});

test("attached files are named, the prompt after them is quoted", () => {
	const attached =
		'<file name="/home/me/a b.ts">\nconst a = 1;\n</file>\n<file name="/c.md">\n\n</file>\nfix it';
	assert.equal(said(attached), "[file: /home/me/a b.ts]\n[file: /c.md]\nfix it");
	assert.equal(
		said(`piped in${attached}`),
		`piped in${"[file: /home/me/a b.ts]"}\n[file: /c.md]\nfix it`,
	);
	assert.equal(said('<file name="C:\\a.txt">\nx\n</file>\n'), "[file: C:\\a.txt]\n");
	assert.equal(said('<file name="/end">\nx\n</file>'), "[file: /end]\n");
});

test("a file that holds an attached file ends where that one ends, and its rest is quoted", () => {
	const inner = '<file name="/b.md">\nx\n</file>\n';
	assert.equal(
		said(`<file name="/a.md">\nsee\n${inner}and more\n</file>\nread it`),
		"[file: /a.md]\nand more\n</file>\nread it",
	);
});

test("the file of an image is named, and so is the image", () => {
	const content = [
		{ type: "text", text: '<file name="/p.png">[resized to 10x10]</file>\nwhat is it?' } as const,
		image("image/png"),
	];
	assert.equal(said(content), "[file: /p.png]\nwhat is it?\n[1 image: image/png]");
});

test("images are named with their number and types", () => {
	assert.equal(said([image("image/png")]), "[1 image: image/png]");
	assert.equal(said([image("image/png"), image("image/png")]), "[2 images: image/png]");
	assert.equal(
		said([image("image/png"), image("image/jpeg"), image("image/png")]),
		"[3 images: 2 image/png, 1 image/jpeg]",
	);
});

test("what only looks like an attached file is quoted", () => {
	for (const text of [
		'<file name="/a">\nnever ends',
		'<file name="relative">\nx\n</file>\n',
		'the tag <file name="/a">x</file> is odd',
		`<file name="/a">${"x".repeat(2_000)}</file>\n`,
		'<file name="/a\n">\nx\n</file>\n',
	])
		assert.equal(said(text), text);
});

test("a file that contains an end of its own ends there: words are never lost", () => {
	const text = '<file name="/a">\nx\n</file>\nrest of it\n</file>\nplease';
	assert.equal(said(text), "[file: /a]\nrest of it\n</file>\nplease");
});

test("a skill is named, its arguments are quoted", () => {
	const skill =
		'<skill name="review" location="/s/SKILL.md">\nReferences are relative to /s.\n\nLook.\n</skill>';
	assert.equal(said(skill), "[skill: review]");
	assert.equal(
		said(`${skill}\n\nthe last commit\nonly`),
		"[skill: review]\n\nthe last commit\nonly",
	);
	assert.equal(said(`see ${skill}`), `see ${skill}`);
});

test("a command is quoted with how it ended, without its output", () => {
	const bash = (fields: object): PiMessage => ({
		role: "bashExecution",
		command: "ls -la\npwd",
		output: "secret",
		cancelled: false,
		truncated: false,
		timestamp: 1,
		...fields,
	});
	assert.equal(wordsOf(bash({ exitCode: 2 })), "!ls -la\npwd\n[exit code 2]");
	assert.equal(wordsOf(bash({})), "!ls -la\npwd\n[exit code unknown]");
	assert.equal(wordsOf(bash({ cancelled: true })), "!ls -la\npwd\n[cancelled]");
	assert.equal(wordsOf(bash({ exitCode: 0, excludeFromContext: true })), undefined);
});

test("text without a tag is verbatim, whatever it is", () => {
	fc.assert(
		fc.property(fc.string({ unit: "grapheme" }), (text) => {
			fc.pre(text.trim() !== "" && !text.includes("<"));
			assert.equal(said(text), text);
		}),
	);
});

test("many blocks that never end are kept as they are", () => {
	const text = '<file name="/a">\n'.repeat(40_000);
	assert.equal(said(`${text}\n</file>x`), `${text}\n</file>x`);
});
