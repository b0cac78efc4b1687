// Brings the folds of a session file back: what each was made of, as stored, whatever became of it and
// wherever in the file it is. Reads the file as it is now, also while pi writes to it; changes nothing.

import type { FoldRecord } from "../../fold.ts";
import type { SessionEntry } from "../session/entry.ts";
import { readSession } from "../session/file.ts";
import { type FoldSource, readSource, type SourceRefusal } from "../session/source.ts";
import { listFolds } from "../session/source-list.ts";
import { SessionTree } from "../session/tree.ts";
import { sha256 } from "./verify.ts";

/** A fold of a file. */
export interface Recoverable {
	readonly record: FoldRecord;
	/** the entry that stores its record: the id of a record that tells none */
	readonly entryId: string;
	/** what is wrong with its record */
	readonly damage?: string | undefined;
	/** its source, once its digest holds; with `force` also where it does not, with what is wrong */
	read(force?: boolean): FoldSource | SourceRefusal;
}

/** What a file has to recover. */
export interface Recovery {
	/** in file order */
	readonly folds: readonly Recoverable[];
	/** why the file could not be read as a session */
	readonly refusal: string | undefined;
}

/** Reads a file. Never throws for what a file is. */
export function recoverFolds(file: string): Recovery {
	const tree = new SessionTree<SessionEntry>();
	const { entries, entryLines, refusal } = readSession(file);
	for (const [at, entry] of entries.entries()) tree.add(entry, entryLines[at] ?? 0);
	const active = tree.branch();
	const here = new Set(active);
	const branchOf = (entry: SessionEntry) => (here.has(entry) ? active : tree.branch(entry.id));
	const folds = listFolds(entries).map(({ record, at, damage }): Recoverable => {
		const own = entries[at];
		return {
			record,
			entryId: own?.id ?? "",
			damage,
			read(force) {
				const branch = own ? branchOf(own) : [];
				const position = own ? branch.indexOf(own) : -1;
				const at = position < 0 ? undefined : position;
				return readSource({ record, branch, at, reader: "person", hash: sha256, force });
			},
		};
	});
	return { folds, refusal };
}
