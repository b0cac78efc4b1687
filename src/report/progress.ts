// Says how far long work has come, on standard error and only if somebody watches it for over a second.

import type { Io } from "./io.ts";
import { formatBytes } from "./number.ts";

const PATIENCE_MS = 1_000;
const STEP_MS = 200;

/** Progress of one piece of work. Call `done` at its end, whatever came of it. */
export interface Progress {
	/** @param bytes read so far */
	report(bytes: number): void;
	done(): void;
}

/** @param total bytes to be read; undefined where unknown */
export function startProgress(io: Io, total?: number): Progress {
	if (!io.watched) return { report() {}, done() {} };
	let due = performance.now() + PATIENCE_MS;
	let shown = false;
	return {
		report(bytes) {
			if (performance.now() < due) return;
			due = performance.now() + STEP_MS;
			shown = true;
			const share = total ? ` of ${formatBytes(total)}, ${Math.floor((bytes / total) * 100)}%` : "";
			io.err(`\r\u001b[Kreading: ${formatBytes(bytes)}${share}`);
		},
		done() {
			if (shown) io.err("\r\u001b[K");
		},
	};
}
