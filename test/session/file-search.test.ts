// Finding session files where a disk has more than them: links to nowhere, long first lines, equal times.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, test } from "node:test";
import { findSessions, sessionsRoot } from "../../src/session/file-search.ts";

const root = mkdtempSync(join(tmpdir(), "search-"));
after(() => rmSync(root, { recursive: true }));

test("the home directory may be written as ~", () => {
	assert.equal(sessionsRoot({ PI_CODING_AGENT_SESSION_DIR: "~" }), homedir());
});

test("nothing is found where there is nothing", () => {
	assert.deepEqual(findSessions(join(root, "nowhere")), []);
});

test("a link to nowhere is no session, and of equal times the name decides", () => {
	const header = (more: object) =>
		JSON.stringify({ type: "session", version: 3, id: "s", ...more });
	writeFileSync(join(root, "b.jsonl"), `${header({ cwd: "x".repeat(9_000) })}\n`);
	writeFileSync(join(root, "a.jsonl"), `${header({ parentSession: join(root, "gone.jsonl") })}\n`);
	writeFileSync(join(root, "c.jsonl"), "no header\n");
	for (const name of ["c", "a", "b"]) utimesSync(join(root, `${name}.jsonl`), 1_000, 1_000);
	symlinkSync(join(root, "gone.jsonl"), join(root, "link.jsonl"));
	const found = findSessions(root);
	assert.deepEqual(
		found.map(({ file, header: head }) => [basename(file), head?.id]),
		[
			["a.jsonl", "s"],
			["b.jsonl", "s"],
			["c.jsonl", undefined],
		],
	);
	assert.equal(found[0]?.parent, join(root, "gone.jsonl"));
});
