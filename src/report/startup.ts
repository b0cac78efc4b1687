// Makes every start but the first a fast one. Caches only, in the directory of Node's own: whatever goes wrong
// with them says nothing, and everything runs without.

import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import {
	enableCompileCache,
	getCompileCacheDir,
	registerHooks,
	stripTypeScriptTypes,
} from "node:module";

/** A file of ours as Node runs it, and the state of the file that it was made from. */
interface Stripped {
	readonly size: number;
	readonly modifiedMs: number;
	readonly code: string;
}

type Missing = Omit<Stripped, "code"> & { readonly source: string };

/**
 * Turns on Node's cache of compiled code, and one of our files without their types: Node strips them at every
 * start, and takes longer over it than over a session of a few megabytes.
 *
 * @param root the URL of the directory whose `.ts` files are kept
 */
export function startFast(root: string): void {
	enableCompileCache();
	const directory = getCompileCacheDir();
	if (directory === undefined || !isOurs(directory)) return;
	const file = `${directory}/pi-dmail-${encodeURIComponent(root).slice(-100)}.json`;
	const known = readKnown(file);
	const missing = new Map<string, Missing>();
	registerHooks({
		// a file of ours names another one by its path: nothing has to be searched for
		resolve(specifier, context, nextResolve) {
			const { parentURL } = context;
			if (!/^\..*\.ts$/.test(specifier) || !parentURL?.startsWith(root))
				return nextResolve(specifier, context);
			return { url: new URL(specifier, parentURL).href, shortCircuit: true };
		},
		load(url, context, nextLoad) {
			if (!url.startsWith(root) || !url.endsWith(".ts")) return nextLoad(url, context);
			const { size, mtimeMs: modifiedMs } = statSync(new URL(url));
			const found = known[url];
			if (found?.size === size && found.modifiedMs === modifiedMs)
				return { format: "module", source: found.code, shortCircuit: true };
			const loaded = nextLoad(url, context);
			missing.set(url, { size, modifiedMs, source: String(loaded.source) });
			return loaded;
		},
	});
	// at the end nobody waits for it, and Node has no time left to call the stripping experimental
	process.once("exit", () => {
		if (missing.size > 0) write(file, { ...known, ...strip(missing) });
	});
}

/** A directory that others may write to may hold code of theirs. */
function isOurs(directory: string): boolean {
	const stats = statSync(directory, { throwIfNoEntry: false });
	const isShared = stats === undefined || (stats.mode & 0o022) !== 0;
	return !isShared && (process.getuid === undefined || stats.uid === process.getuid());
}

function readKnown(file: string): Readonly<Record<string, Stripped>> {
	try {
		return JSON.parse(readFileSync(file, "utf8")) ?? {};
	} catch {
		return {};
	}
}

function strip(missing: ReadonlyMap<string, Missing>): Record<string, Stripped> {
	const stripped: Record<string, Stripped> = {};
	for (const [url, { source, size, modifiedMs }] of missing)
		stripped[url] = { size, modifiedMs, code: stripTypeScriptTypes(source) };
	return stripped;
}

/** In one move, since others may be reading or writing it. */
function write(file: string, known: Readonly<Record<string, Stripped>>): void {
	try {
		writeFileSync(`${file}.${process.pid}`, JSON.stringify(known), { mode: 0o600 });
		renameSync(`${file}.${process.pid}`, file);
	} catch {}
}
