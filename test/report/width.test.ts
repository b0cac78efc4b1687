// Paths on a narrow terminal: cut in the middle, never in a pipe.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { profileSession } from "../../src/report/command-session.ts";
import { clipMiddle, widthOf } from "../../src/report/width.ts";
import { askIn } from "../support/run-command.ts";
import { scratch } from "../support/scratch.ts";

const text = fc.string({ unit: fc.constantFrom("a", "/", "漢", "é", "👍🏽") });

test("a text that is cut in the middle fits, and begins and ends as it did", () => {
	fc.assert(
		fc.property(text, fc.nat(40), (whole, columns) => {
			const cut = clipMiddle(whole, columns);
			if (widthOf(whole) <= columns) return assert.equal(cut, whole);
			assert.ok(widthOf(cut) <= columns);
			const [head = "", tail = ""] = cut.split("…");
			assert.ok(whole.startsWith(head) && whole.endsWith(tail));
			// a wide character may not fit any more
			assert.ok(widthOf(cut) >= columns - 1);
		}),
	);
	assert.equal(clipMiddle("/home/me/project", 9), "/hom…ject");
});

test("the places that a report names fit a terminal, and are whole in a pipe", async () => {
	const root = scratch();
	const directory = join(root, "a-directory-with-a-long-name", "漢字の名前の長いディレクトリ");
	mkdirSync(directory, { recursive: true });
	const file = join(directory, "a-session-with-a-long-name.jsonl");
	const cwd = `/home/me/${"long/".repeat(20)}end`;
	const header = { type: "session", version: 3, id: "s", timestamp: "2026-01-05T09:00:00.000Z" };
	writeFileSync(file, `${JSON.stringify({ ...header, cwd })}\n`);
	const piped = await askIn(root, profileSession, [file]);
	assert.ok(piped.out.includes(`\n  ${file}\n  in ${cwd}\n`));
	const paper = { kind: "terminal", columns: 60, colour: false } as const;
	const { out } = await askIn(root, profileSession, [file], { paper });
	for (const line of out.split("\n")) assert.ok(widthOf(line) <= 60, line);
	assert.match(out, /\n {2}\S+….*with-a-long-name\.jsonl\n {2}in \/home\/me\/.*….*\/end\n/);
});
