// Ends this process when it uses more of the processor than it was allowed, also in the middle of an endless
// loop. Time that other work of the machine takes does not count.

import process from "node:process";
import { Worker } from "node:worker_threads";

const limit = new Int32Array(new SharedArrayBuffer(4));

/** Begins to watch; nothing is limited yet. */
export function watchCpu(): void {
	new Worker(new URL("cpu-limit-thread.ts", import.meta.url), { workerData: limit }).unref();
}

/** Lets the process use so much more from now on, in ms; without a number as much as it wants. */
export function allowCpu(ms?: number): void {
	Atomics.store(limit, 0, ms === undefined ? 0 : Math.ceil(cpuMs() + ms));
}

/** What the process has used so far, in ms. */
export function cpuMs(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1000;
}
