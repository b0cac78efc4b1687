// What the profiler is measured against: reads the lines of a file with readline, parses each, does
// nothing with it.

import { createReadStream } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";

const input = createReadStream(process.argv[2] ?? "");
let entries = 0;
for await (const line of createInterface({ input }))
	if (line !== "" && typeof JSON.parse(line) === "object") entries++;
console.log(entries);
