// Checks folds against their digests. Digests are made of stored text, which profiling does not keep, so
// this reads the file a second time, as a whole.

import { createHash } from "node:crypto";
import { decode } from "../../fold.ts";
import type { SessionEntry } from "../session/entry.ts";
import { readSession } from "../session/file.ts";
import { verifySource } from "../session/source.ts";
import { SessionTree } from "../session/tree.ts";
import type { FoldRow } from "./profile.ts";

/**
 * The rows with `verified` filled in: whether the stored entries are those that were folded; null where a
 * record cannot prove it.
 *
 * @param rows of this very file, all of them, in file order
 */
export function verifyFolds(file: string, rows: readonly FoldRow[]): FoldRow[] {
	const tree = new SessionTree<SessionEntry>();
	const { entries, entryLines } = readSession(file);
	for (const [at, entry] of entries.entries()) tree.add(entry, entryLines[at] ?? 0);
	const active = tree.branch();
	const here = new Set(active);
	const records = entries.filter(isFold);
	return rows.map((row, i) => {
		const entry = records[i];
		const record = entry?.type === "custom" && decode(entry.customType, entry.data, entry.id);
		if (!entry || !record || record.kind !== "fold") return row;
		const branch = here.has(entry) ? active : tree.branch(entry.id);
		return { ...row, verified: verifySource({ record, branch, hash: sha256 }) };
	});
}

function isFold(entry: SessionEntry): boolean {
	return entry.type === "custom" && entry.customType === "dmail.fold";
}

/** SHA-256 in lower-case hex. */
export function sha256(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}
