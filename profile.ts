// The shell's door to the profiler: arguments in, standard output, exit code. What the commands do is in
// src/report; it is loaded behind the caches.

import { startFast } from "./src/report/startup.ts";

startFast(new URL(".", import.meta.url).href);
const { mayBeTerminal, writeWhole } = await import("./src/report/output.ts");
const { run } = await import("./src/report/shell.ts");

// the global one: to import it loads parts of Node that nobody asked for, and so do its streams
const { env } = process;
const stdout = mayBeTerminal(1) ? process.stdout : undefined;
const isTerminal = stdout?.isTTY === true;
process.exitCode = await run(process.argv.slice(2), {
	name: process.argv[1]?.endsWith("profile.ts") ? "profile" : "pi-dmail",
	out(text) {
		if (stdout) stdout.write(text);
		// whoever reads a pipe may stop reading: that is no error of ours
		else if (!writeWhole(1, text)) process.exit(0);
	},
	err: (text) => void process.stderr.write(text),
	paper: {
		kind: isTerminal ? "terminal" : "pipe",
		columns: isTerminal ? stdout.columns : 80,
		colour: isTerminal && !env["NO_COLOR"],
	},
	watched: mayBeTerminal(2) && process.stderr.isTTY === true,
	interactive: isTerminal && process.stdin.isTTY === true,
	env,
	cwd: process.cwd(),
});
