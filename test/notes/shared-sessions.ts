// Recorded sessions to try things on, where they are at hand: beside the repository, or where
// DMAIL_SESSIONS points.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { SessionEntry } from "../../src/session/entry.ts";

export interface Shared {
	readonly file: string;
	/** in the order of the file */
	readonly entries: readonly SessionEntry[];
}

/** One test for every session at hand; a single skipped one where there are none. */
export function testShared(name: string, check: (shared: Shared) => void): void {
	const root =
		process.env["DMAIL_SESSIONS"] ?? join(import.meta.dirname, "../../../shared/sessions");
	const files = existsSync(root) ? readdirSync(root).filter((file) => file.endsWith(".jsonl")) : [];
	if (files.length === 0) test(name, (t) => t.skip(`no recorded sessions in ${root}`));
	for (const file of files.sort())
		test(`${name}: ${file}`, () => check({ file, entries: read(join(root, file)) }));
}

function read(path: string): SessionEntry[] {
	const entries: SessionEntry[] = [];
	for (const line of readFileSync(path, "utf8").split("\n")) {
		try {
			const entry = JSON.parse(line);
			if (entry.type !== "session") entries.push(entry);
		} catch {
			// what cannot be read is the parser's business
		}
	}
	return entries;
}
