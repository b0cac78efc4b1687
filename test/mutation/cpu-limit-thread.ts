// The thread that watches how much of the processor its process has used. Ends the whole process where that is
// more than was allowed; does nothing else.

import process from "node:process";
import { workerData } from "node:worker_threads";

const EVERY_MS = 100;

const limit: Int32Array = workerData;
const never = new Int32Array(new SharedArrayBuffer(4));

for (;;) {
	Atomics.wait(never, 0, 0, EVERY_MS);
	const allowed = Atomics.load(limit, 0);
	const { user, system } = process.cpuUsage();
	if (allowed > 0 && (user + system) / 1000 > allowed) process.kill(process.pid, "SIGKILL");
}
