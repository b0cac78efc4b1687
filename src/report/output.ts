// Standard output and error as the shell's door needs them. What is no terminal is written to at once and whole:
// Node's own stream would keep in memory what a slow reader has not taken yet, and takes time to load.

import { fstatSync, writeSync } from "node:fs";

/** Whether a terminal may be behind a file descriptor; Node's own stream says for sure. */
export function mayBeTerminal(descriptor: number): boolean {
	return fstatSync(descriptor).isCharacterDevice();
}

/** How long a full pipe is left alone, in ms, where whoever made it asked for writes that do not wait. */
const PATIENCE_MS = 2;

/**
 * Writes to a file, a pipe or a socket, and comes back when all of it is on its way.
 *
 * @returns false where nobody reads it any more
 */
export function writeWhole(descriptor: number, text: string): boolean {
	const bytes = Buffer.from(text);
	for (let at = 0; at < bytes.length; )
		try {
			at += writeSync(descriptor, bytes, at);
		} catch (error) {
			const code = error instanceof Error && "code" in error ? error.code : undefined;
			if (code === "EPIPE") return false;
			if (code !== "EAGAIN") throw error;
			Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PATIENCE_MS);
		}
	return true;
}
