// Finding session files where a disk has more than them: links to nowhere, long first lines, equal times.

import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { findSessions } from "../../src/session/file-search.ts";
import { scratch } from "../support/scratch.ts";

const root = scratch();

test("nothing is found where there is nothing, or no directory", () => {
	assert.deepEqual(findSessions(join(root, "nowhere")), []);
	const file = join(root, "file");
	writeFileSync(file, "");
	assert.deepEqual(findSessions(file), []);
});

test("a file whose name is no text is passed over, and the others are found", (t) => {
	const directory = scratch();
	writeFileSync(join(directory, "a.jsonl"), "");
	try {
		writeFileSync(
			Buffer.concat([Buffer.from(`${directory}/b`), Buffer.of(0xff), Buffer.from(".jsonl")]),
			"",
		);
	} catch {
		t.skip("names of files are always text here");
		return;
	}
	assert.deepEqual(
		findSessions(directory).map(({ file }) => basename(file)),
		["a.jsonl"],
	);
});

test("a link to nowhere is no session, and of equal times the name decides", () => {
	const header = (more: object) =>
		JSON.stringify({ type: "session", version: 3, id: "s", ...more });
	writeFileSync(join(root, "b.jsonl"), `${header({ cwd: "x".repeat(9_000) })}\n`);
	writeFileSync(join(root, "a.jsonl"), `${header({ parentSession: join(root, "gone.jsonl") })}\n`);
	writeFileSync(join(root, "c.jsonl"), "no header\n");
	for (const name of ["c", "a", "b"]) utimesSync(join(root, `${name}.jsonl`), 1_000, 1_000);
	symlinkSync(join(root, "gone.jsonl"), join(root, "link.jsonl"));
	mkdirSync(join(root, "0"));
	writeFileSync(join(root, "0", "d.jsonl"), "");
	utimesSync(join(root, "0", "d.jsonl"), 1_000, 1_000);
	const found = findSessions(root);
	assert.deepEqual(
		found.map(({ file, header: head }) => [basename(file), head?.id]),
		[
			["d.jsonl", undefined],
			["a.jsonl", "s"],
			["b.jsonl", "s"],
			["c.jsonl", undefined],
		],
	);
	assert.equal(found[1]?.parent, join(root, "gone.jsonl"));
});

test("what is no session is told by its beginning alone", () => {
	const directory = scratch();
	const header = '{"type":"session","version":3,"id":"s","cwd":"/x"}\n';
	const entry = (text: string) =>
		`{"type":"message","id":"a","parentId":null,"timestamp":"","message":{"role":"user","content":"${text}"}}\n`;
	const files: Readonly<Record<string, string>> = {
		whole: `${header}${entry("x")}`,
		header: header.trimEnd(),
		long: `${header}${entry("x".repeat(200_000))}`,
		headless: entry("x"),
		glued: `${entry("x").trimEnd()}${header}`,
		stream: `${header}{"type":"agent_start"}\n${"x".repeat(9_000)}`,
		empty: "",
		blank: "\n\n",
		text: `${"words of no record\n".repeat(9)}`,
		endless: "x".repeat(1 << 17),
	};
	for (const [name, text] of Object.entries(files))
		writeFileSync(join(directory, `${name}.jsonl`), text);
	const faults = findSessions(directory).flatMap(({ file, fault }) =>
		fault === undefined ? [] : [[basename(file, ".jsonl"), fault]],
	);
	assert.deepEqual(Object.fromEntries(faults), {
		stream: "this is what pi prints in its JSON mode, not a session file",
		empty: "the file is empty",
		blank: "none of its 2 lines is a record of a session",
		text: "none of its 9 lines is a record of a session",
		endless: "it does not begin as a session does",
	});
});
