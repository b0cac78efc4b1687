// Loaded before a program (`node --import`): tells at its end how much memory it had at most, in bytes, in
// the file that BENCH_MEMORY names.

import { writeFileSync } from "node:fs";
import process from "node:process";

process.on("exit", () => {
	const { maxRSS } = process.resourceUsage();
	writeFileSync(process.env["BENCH_MEMORY"] ?? "/dev/null", String(maxRSS * 1_024));
});
