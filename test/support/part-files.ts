// Files for scripted runs to read, each of a known size. Reading is steadier than running commands: under
// load pi loses the output of short ones that run beside each other.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "./real-pi.ts";

/** Writes `part-0.txt`, `part-1.txt` …: 100 lines `part N line L ~~~`, about 900 tokens each. */
export function writePartFiles(home: Home, count: number): void {
	for (let part = 0; part < count; part++) {
		const lines = Array.from(
			{ length: 100 },
			(_, at) => `part ${part} line ${at + 1} ${"~".repeat(18)}`,
		);
		writeFileSync(join(home.cwd, `part-${part}.txt`), `${lines.join("\n")}\n`);
	}
}

/** Writes a file of so many lines with 64 characters each. */
export function writeLines(home: Home, name: string, count: number): void {
	const lines = Array.from({ length: count }, (_, at) => `${at}`.padEnd(63, "~"));
	writeFileSync(join(home.cwd, name), `${lines.join("\n")}\n`);
}

/** Writes `a.txt`, `b.txt` and `c.txt` of 90 short lines each, and `long.txt` of 500. */
export function writeShortAndLong(home: Home): void {
	const counts = { a: 90, b: 90, c: 90, long: 500 };
	for (const [name, count] of Object.entries(counts)) {
		const lines = Array.from({ length: count }, (_, line) => `${name} ${line}: ${"~".repeat(40)}`);
		writeFileSync(join(home.cwd, `${name}.txt`), lines.join("\n"));
	}
}
