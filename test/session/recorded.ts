// Recorded sessions, where they are at hand: beside the repository, or where DMAIL_SESSIONS points.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = process.env["DMAIL_SESSIONS"] ?? join(import.meta.dirname, "../../../shared/sessions");

/** Where a recorded session or what goes with it lies. */
export function recordedPath(file: string): string {
	return join(ROOT, file);
}

/** One test for each recorded session; a single skipped one where there are none. */
export function testRecorded(name: string, check: (file: string) => void): void {
	const files = existsSync(ROOT) ? readdirSync(ROOT).filter((file) => file.endsWith(".jsonl")) : [];
	if (files.length === 0) test(name, (t) => t.skip(`no recorded sessions in ${ROOT}`));
	for (const file of files.sort()) test(`${name}: ${file}`, () => check(file));
}
