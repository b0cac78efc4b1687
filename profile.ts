// The shell's door to the profiler: arguments in, standard output, exit code. What the commands do is in
// src/report; it is loaded behind the caches.

import { startFast } from "./src/report/startup.ts";

startFast(new URL(".", import.meta.url).href);
const { run } = await import("./src/report/shell.ts");

// the global one: to import it loads parts of Node that nobody asked for
const { stdout, stderr, env } = process;
// whoever reads a pipe may stop reading: that is no error of ours
stdout.on("error", (error: NodeJS.ErrnoException) => {
	if (error.code !== "EPIPE") throw error;
	process.exit(0);
});
process.exitCode = await run(process.argv.slice(2), {
	out: (text) => void stdout.write(text),
	err: (text) => void stderr.write(text),
	paper: {
		kind: stdout.isTTY ? "terminal" : "pipe",
		columns: stdout.isTTY ? stdout.columns : 80,
		colour: stdout.isTTY === true && !env["NO_COLOR"],
	},
	watched: stderr.isTTY === true,
	interactive: process.stdin.isTTY === true && stdout.isTTY === true,
	env,
	cwd: process.cwd(),
});
