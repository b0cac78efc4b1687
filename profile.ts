// The shell's door to the profiler: arguments in, standard output, exit code. What the commands do is in
// src/report; each is loaded when it is asked for.

import { enableCompileCache } from "node:module";
import process from "node:process";
import { type Command, type Io, OK, refuseUsage } from "./src/report/io.ts";

const HELP = `Profile sessions of pi: what each request sent, what it cost, what folding changed.

  pi-dmail <session> [--last N] [--verify] [--json | --csv | --view]
  pi-dmail folds <session> [--json]
  pi-dmail read <session> ID [--offset N] [--limit N] [--json] [--force]
  pi-dmail grep <session> PATTERN [--fold ID] [-i] [--context N]
  pi-dmail paste <session> ID FILE
  pi-dmail what-if <session…> [--policy P] [--rates R] [--json]
  pi-dmail --list [query] [--all] [--deep] [--json]

<session> is a path, a path under pi's sessions, or part of a session's id.
--last N  the newest N requests only
--verify  check each fold against its digest
--json    everything, for programs (docs/profile.schema.json)
--csv     the requests, for spreadsheets
--view    to walk through in a terminal
--policy  none, recorded, suffix:X, batch:M, cold, auto, oracle, net, compact; default: all
--rates   own, or a price list by name; also --refresh, --summary-ratio, --keep, --foldable, --window
--list    the sessions of this directory; --all: of every project; --deep: with their sums

From a clone: node profile.ts …, or npm run profile -- …
`;

/** Commands by their first word. Without one, a session or a list is meant. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
	folds: async () => (await import("./src/report/command-folds.ts")).foldsCommand,
	read: async () => (await import("./src/report/command-read.ts")).readCommand,
	grep: async () => (await import("./src/report/command-grep.ts")).grepCommand,
	paste: async () => (await import("./src/report/command-paste.ts")).pasteCommand,
	"what-if": async () => (await import("./src/report/command-what-if.ts")).whatIfCommand,
};

async function commandOf(args: readonly string[]): Promise<Command> {
	if (args.includes("--list")) return (await import("./src/report/command-list.ts")).listCommand;
	return (await import("./src/report/command-session.ts")).profileSession;
}

async function run(args: readonly string[], io: Io): Promise<number> {
	const [name = "", ...rest] = args;
	if (args.includes("--help") || args.includes("-h")) {
		io.out(HELP);
		return OK;
	}
	if (args.length === 0) return refuseUsage(io, "name a session");
	const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
	return load ? (await load())(rest, io) : (await commandOf(args))(args, io);
}

// compiled once, not at every start; it is only a cache, so a failure says nothing
enableCompileCache();

const { stdout, stderr, env } = process;
// whoever reads a pipe may stop reading: that is no error of ours
stdout.on("error", (error: NodeJS.ErrnoException) => {
	if (error.code !== "EPIPE") throw error;
	process.exit(OK);
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
