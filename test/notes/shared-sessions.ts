// Recorded sessions to try things on, where they are at hand: beside the repository, or where
// DMAIL_SESSIONS points.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readSession, type SessionFile } from "../../src/session/file.ts";

/** One test for every session at hand; a single skipped one where there are none. */
export function testShared(name: string, check: (session: SessionFile) => void): void {
	const root =
		process.env["DMAIL_SESSIONS"] ?? join(import.meta.dirname, "../../../shared/sessions");
	const files = existsSync(root) ? readdirSync(root).filter((file) => file.endsWith(".jsonl")) : [];
	if (files.length === 0) test(name, (t) => t.skip(`no recorded sessions in ${root}`));
	for (const file of files.sort())
		test(`${name}: ${file}`, () => check(readSession(join(root, file))));
}
