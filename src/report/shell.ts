// What the shell asks for: the help, and which command the arguments mean. Each command is loaded when it is
// asked for.

import { resolve } from "node:path";
import { type Command, type Io, isOption, OK, refuseUsage } from "./io.ts";

const HELP = `Profile sessions of pi: what requests sent and cost, and what folding changed.

  pi-dmail <session> [--last N] [--verify] [--json | --csv | --view]
  pi-dmail folds <session> [--json]
  pi-dmail read <session> ID [--offset N] [--limit N] [--json] [--force]
  pi-dmail grep <session> PATTERN [--fold ID] [-i] [--context N]
  pi-dmail paste <session> ID FILE
  pi-dmail what-if <session…> [--policy P] [--rates R] [--json]
  pi-dmail --list [query] [--all] [--deep] [--json]

<session> is a path, a path under pi's sessions, or part of a session's id.
Before a path that begins with - put -- or ./ if it is taken for an option.
--last N  the newest N requests only
--verify  check each fold against its digest
--json    everything, for programs (docs/*.schema.json)
--csv     the requests, for spreadsheets
--view    to walk through in a terminal
--list    the sessions of this directory; --all: of every project;
          --deep: with their sums
--offset  from which character on to read; --limit: how many at most
--force   print what is no longer as it was folded, too
--fold    search this fold only; -i: in any case; --context: lines around

Of what-if, with defaults in ():
--policy  none, recorded, suffix:X, batch:M, cold, auto, oracle, net, compact
          (all of them)
--rates   own, anthropic-5m, anthropic-1h, openai-free-writes,
          openai-paid-writes, gemini, deepseek (own: as each session recorded)
--refresh all or hit: whether a cache hit keeps alive all entries within what
          it read, or that one only (all)
--keep N            the newest finished steps that stay (2)
--foldable P        how much of the other steps may go (60%)
--summary-ratio P   what a summary takes of what it replaces (8%)
--window N          tokens of the model's window (guessed from the prompts)

Exit codes: 0 all done, 1 something could not be read, 2 wrong arguments.
From a clone: node profile.ts …, or npm run profile -- …
`;

/** Commands by their first word. Without one, a session or a list is meant. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
	folds: async () => (await import("./command-folds.ts")).foldsCommand,
	read: async () => (await import("./command-read.ts")).readCommand,
	grep: async () => (await import("./command-grep.ts")).grepCommand,
	paste: async () => (await import("./command-paste.ts")).pasteCommand,
	"what-if": async () => (await import("./command-what-if.ts")).whatIfCommand,
};

async function commandOf(args: readonly string[]): Promise<Command> {
	if (args.includes("--list")) return (await import("./command-list.ts")).listCommand;
	return (await import("./command-session.ts")).profileSession;
}

/** Runs what the arguments ask for and answers with the exit code. */
export async function run(args: readonly string[], io: Io): Promise<number> {
	const [name = "", ...rest] = args;
	if (args.includes("--help") || args.includes("-h")) {
		io.out(HELP);
		return OK;
	}
	if (args.length === 0) return refuseUsage(io, "name a session");
	const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
	if (load) return (await load())(await withPaths(rest, io), io);
	const named = await withPaths(args, io);
	return (await commandOf(named))(named, io);
}

/** The arguments with what looks like an option but is there as a path: all folders of pi begin with `--`. */
async function withPaths(args: readonly string[], io: Io): Promise<string[]> {
	const end = args.indexOf("--");
	const named: string[] = [];
	for (const [i, argument] of args.entries()) {
		const isPath = (end < 0 || i < end) && looksUnknown(argument);
		named.push(isPath ? await pathOf(argument, io) : argument);
	}
	return named;
}

function looksUnknown(argument: string): boolean {
	const name = /^--?([^=]+)/.exec(argument)?.[1];
	return name !== undefined && !isOption(name) && !/^\.?\d/.test(name);
}

/** The path that an argument is, from here or under the sessions root; itself where nothing is there. */
async function pathOf(argument: string, io: Io): Promise<string> {
	const { placeAt } = await import("../session/file-place.ts");
	const { sessionsRoot } = await import("../session/file-root.ts");
	const paths = [io.cwd, sessionsRoot(io.env, io.cwd)].map((root) => resolve(root, argument));
	return paths.find((path) => ["file", "directory"].includes(placeAt(path).kind)) ?? argument;
}
