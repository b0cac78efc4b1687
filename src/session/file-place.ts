// What stands at a path, and the words for what a system refuses. Looks at names and sizes, never into a file.

import { type Stats, statSync } from "node:fs";

/** What stands at a path. */
export interface FilePlace {
	readonly kind: "file" | "directory" | "other" | "nothing" | "unknown";
	/** 0 where there is no file */
	readonly bytes: number;
	/** why it is unknown */
	readonly reason: string | undefined;
}

/** Is told what could not be read, and why. What is not there is nothing to tell. */
export type Unread = (path: string, reason: string) => void;

const NOTHING: FilePlace = { kind: "nothing", bytes: 0, reason: undefined };

/** Looks at a path, through links. Never throws for what a disk is. */
export function placeAt(path: string): FilePlace {
	try {
		const stats = statSync(path, { throwIfNoEntry: false });
		return stats ? { kind: kindOf(stats), bytes: stats.size, reason: undefined } : NOTHING;
	} catch (error) {
		const reason = refusalOf(error);
		return reason === MISSING ? NOTHING : { kind: "unknown", bytes: 0, reason };
	}
}

function kindOf(stats: Stats): FilePlace["kind"] {
	if (stats.isFile()) return "file";
	return stats.isDirectory() ? "directory" : "other";
}

/** The words for nothing at all. */
export const MISSING = "there is no such file";

const SAYINGS: ReadonlyMap<unknown, string> = new Map([
	["ENOENT", MISSING],
	["ENOTDIR", "a part of its path is no directory"],
	["EISDIR", "it is a directory"],
	["EACCES", "it may not be read"],
	["EPERM", "it may not be read"],
	["ELOOP", "its links lead in a circle"],
	["ENAMETOOLONG", "the name is too long for a file"],
]);

/** Why the system refused, in words. What is no answer of the system is thrown on: it is a bug. */
export function refusalOf(error: unknown): string {
	if (!(error instanceof Error && "syscall" in error && "code" in error)) throw error;
	return SAYINGS.get(error.code) ?? `it cannot be read: ${error.code}`;
}
