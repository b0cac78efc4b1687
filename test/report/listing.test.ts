// The list of sessions on a narrow terminal.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { listCommand } from "../../src/report/command-list.ts";
import { profileSession } from "../../src/report/command-session.ts";
import { askIn } from "../support/run-command.ts";
import { scratch } from "../support/scratch.ts";

const root = scratch();
const IDS = [
	"019ee609-d823-7a11-8f00-0000000000aa",
	"019ee609-d823-7a11-9f00-0000000000bb",
	"019ee609-d823-7a12-8f00-0000000000cc",
];
for (const [i, id] of IDS.entries()) {
	const cwd = `/home/me/a-project-with-a-long-name/${i}`;
	const header = { type: "session", version: 3, id, timestamp: "2026-01-05T09:00:00.000Z", cwd };
	mkdirSync(join(root, `${i}`));
	writeFileSync(join(root, `${i}/s.jsonl`), `${JSON.stringify(header)}\n`);
}

test("an id that is cut is still told from every other one, and names its session as it is shown", async () => {
	for (const columns of [40, 60, 80, 120]) {
		const paper = { kind: "terminal", columns, colour: false } as const;
		for (const more of [[], ["a-long-name/0"]]) {
			const { out } = await askIn(root, listCommand, ["--list", "--all", ...more], { paper });
			const shown = out.match(/019e[^ ]*/g) ?? [];
			assert.equal(shown.length, more.length === 0 ? 3 : 1);
			for (const line of out.split("\n")) assert.ok(line.length <= columns, line);
			for (const id of shown) {
				const { code, err } = await askIn(root, profileSession, [id, "--json"]);
				assert.deepEqual([id, code, err], [id, 0, ""]);
			}
			assert.equal(new Set(shown).size, shown.length);
		}
	}
});
