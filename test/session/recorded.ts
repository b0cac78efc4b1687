// Recorded sessions, where they are at hand: beside the repository, or where DMAIL_SESSIONS points.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { SessionEntry } from "../../src/session/entry.ts";
import { readSession } from "../../src/session/file.ts";
import { SessionTree } from "../../src/session/tree.ts";

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

/** The active branch of a recorded session, root first, and the folder it belongs to. */
export function recordedBranch(file: string): { branch: SessionEntry[]; cwd: string } {
	const { entries, entryLines, header } = readSession(recordedPath(file));
	const tree = new SessionTree<SessionEntry>();
	for (const [at, entry] of entries.entries()) tree.add(entry, entryLines[at] ?? 0);
	return { branch: tree.branch(), cwd: header?.cwd ?? "" };
}
