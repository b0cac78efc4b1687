// Standard output and error as the shell's door needs them. What is no terminal is written to at once and whole:
// Node's own stream would keep in memory what a slow reader has not taken yet, and takes time to load.

import { fstatSync, writeSync } from "node:fs";

/** Whether a terminal may be behind a file descriptor; Node's own stream says for sure. */
export function mayBeTerminal(descriptor: number): boolean {
	return fstatSync(descriptor).isCharacterDevice();
}

/** How long a full pipe is left alone, in ms, where whoever made it asked for writes that do not wait. */
const PATIENCE_MS = 2;

/** Why the system did not write. */
interface Refusal {
	readonly code: unknown;
	readonly message: string;
}

/**
 * Writes to a file, a pipe, a socket or a device, and comes back when all of it is on its way.
 *
 * @returns what the system refused it with: `EPIPE` where nobody reads it any more; undefined: nothing
 */
export function writeWhole(descriptor: number, text: string): Refusal | undefined {
	const bytes = Buffer.from(text);
	for (let at = 0; at < bytes.length; )
		try {
			at += writeSync(descriptor, bytes, at);
		} catch (error) {
			if (!(error instanceof Error && "code" in error)) throw error;
			const { code, message } = error;
			if (code !== "EAGAIN") return { code, message };
			Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PATIENCE_MS);
		}
	return undefined;
}
