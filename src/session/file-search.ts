// Finds session files where pi keeps them. Reads directories and the beginnings of files, never a whole one.

import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { SessionHeader } from "./entry.ts";
import { readHead } from "./file-head.ts";
import { MISSING, refusalOf, type Unread } from "./file-place.ts";

/** A file that was found where sessions are; its header is absent where its first lines hold none. */
export interface Found {
	/** with links resolved */
	readonly file: string;
	readonly header: SessionHeader | undefined;
	/** why it is no session, as far as its first lines tell */
	readonly fault: string | undefined;
	readonly bytes: number;
	/** ms since 1970 */
	readonly modifiedMs: number;
	/** the session that this one was forked from or belongs to: a path, as `file` where it is there */
	readonly parent: string | undefined;
}

/**
 * Every session file under a directory, at any depth, each once however many links lead to it; newest
 * first. What cannot be read is passed over and told.
 */
export function findSessions(root: string, unread: Unread = () => {}): Found[] {
	const files = new Set<string>();
	const passed = new Set<string>();
	const waiting = [root];
	for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
		const directory = inquire(next, unread, () => realpathSync(next));
		if (directory === undefined || passed.has(directory)) continue;
		passed.add(directory);
		const entries = inquire(next, unread, () => readdirSync(directory, { withFileTypes: true }));
		for (const entry of entries ?? []) {
			const { path, kind } = placeOf(entry, directory, unread);
			if (kind?.isDirectory()) waiting.push(path);
			else if (kind?.isFile() && entry.name.endsWith(".jsonl")) files.add(path);
		}
	}
	return [...files]
		.map((file) => lookAt(file, files, unread))
		.filter((found) => found !== undefined)
		.sort((a, b) => b.modifiedMs - a.modifiedMs || (a.file < b.file ? -1 : 1));
}

/** Where an entry of a directory really lies, and what it is: only a link needs another look. */
function placeOf(
	entry: Dirent,
	directory: string,
	unread: Unread,
): { readonly path: string; readonly kind: Dirent | Stats | undefined } {
	const path = join(directory, entry.name);
	if (entry.isDirectory() || entry.isFile()) return { path, kind: entry };
	const kind = inquire(path, unread, () => statSync(path));
	return { path: attempt(() => realpathSync(path)) ?? path, kind };
}

function lookAt(file: string, files: ReadonlySet<string>, unread: Unread): Found | undefined {
	const stats = inquire(file, unread, () => statSync(file));
	const head = stats && inquire(file, unread, () => readHead(file));
	if (!head) return undefined;
	const { header, fault } = head;
	const named = header?.parentSession ?? header?.branchedFrom;
	return {
		file,
		header,
		fault,
		bytes: stats.size,
		modifiedMs: stats.mtimeMs,
		// the path may lead through links that pi was started with
		parent: named ? (attempt(() => realpathSync(named)) ?? named) : enclosing(file, files),
	};
}

/** Sessions of subagents lie in a directory that is named like the session they belong to. */
function enclosing(file: string, files: ReadonlySet<string>): string | undefined {
	for (let at = dirname(file); basename(at) !== ""; at = dirname(at))
		if (files.has(`${at}.jsonl`)) return `${at}.jsonl`;
	return undefined;
}

/** What a disk says may be wrong by the next moment: a failure is no answer. */
function attempt<T>(ask: () => T): T | undefined {
	try {
		return ask();
	} catch {
		return undefined;
	}
}

/** The answer of a disk; where it gives none, what it says of it is told. */
function inquire<T>(path: string, unread: Unread, ask: () => T): T | undefined {
	try {
		return ask();
	} catch (error) {
		const reason = refusalOf(error);
		if (reason !== MISSING) unread(path, reason);
		return undefined;
	}
}
