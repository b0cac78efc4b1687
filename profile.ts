// The shell's door to the profiler: arguments in, standard output, exit code. What the commands do is in
// src/report; it is loaded behind the caches.

import { startFast } from "./src/report/startup.ts";

startFast(new URL(".", import.meta.url).href);
const { mayBeTerminal, writeWhole } = await import("./src/report/output.ts");
const { run } = await import("./src/report/shell.ts");

// the global one: to import it loads parts of Node that nobody asked for, and so do its streams
const { env } = process;
const name = process.argv[1]?.endsWith("profile.ts") ? "profile" : "pi-dmail";
const terminal = mayBeTerminal(1) && process.stdout.isTTY ? process.stdout : undefined;
const cwd = workingDirectory();
process.exitCode =
	cwd === undefined
		? 1
		: await run(process.argv.slice(2), {
				name,
				out(text) {
					if (terminal) terminal.write(text);
					else leaveWhereRefused(writeWhole(1, text));
				},
				err: (text) => void process.stderr.write(text),
				paper: {
					kind: terminal ? "terminal" : "pipe",
					columns: terminal?.columns ?? 80,
					colour: terminal !== undefined && !env["NO_COLOR"],
				},
				watched: mayBeTerminal(2) && process.stderr.isTTY === true,
				interactive: terminal !== undefined && process.stdin.isTTY === true,
				env,
				cwd,
			});

/** Undefined after saying that it is gone: every path on the command line may be relative to it. */
function workingDirectory(): string | undefined {
	try {
		return process.cwd();
	} catch {
		const way = "change to one that is there (cd), then try again";
		process.stderr.write(`${name}: the working directory is gone or may not be read; ${way}\n`);
		return undefined;
	}
}

function leaveWhereRefused(refusal: ReturnType<typeof writeWhole>): void {
	if (!refusal) return;
	// whoever reads a pipe may stop reading: that is no error of ours
	if (refusal.code === "EPIPE") process.exit(0);
	process.stderr.write(`${name}: the output cannot be written: ${refusal.message}\n`);
	process.exit(1);
}
