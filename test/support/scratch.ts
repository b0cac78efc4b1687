// Directories that exist only for a test.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

/** A directory that is gone once the test is over, or the file of tests where it is asked for outside of one. */
export function scratch(): string {
	const directory = make();
	after(() => remove(directory));
	return directory;
}

/** Calls back with a directory that is gone right afterwards: for what runs many times in one test. */
export function inDirectory<T>(use: (directory: string) => T): T {
	const directory = make();
	let result: T;
	try {
		result = use(directory);
	} catch (error) {
		remove(directory);
		throw error;
	}
	if (result instanceof Promise) return result.finally(() => remove(directory)) as T;
	remove(directory);
	return result;
}

/** With links resolved: what is read back from a disk names directories by their own paths. */
function make(): string {
	return realpathSync(mkdtempSync(join(tmpdir(), "dmail-test-")));
}

function remove(directory: string): void {
	rmSync(directory, { recursive: true, force: true });
}
