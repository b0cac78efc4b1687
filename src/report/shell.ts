// What the shell asks for: the help, and which command the arguments mean. Each command is loaded when it is
// asked for.

import { type Command, type Io, OK, refuseUsage } from "./io.ts";

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
--json    everything, for programs (docs/*.schema.json)
--csv     the requests, for spreadsheets
--view    to walk through in a terminal
--offset  from which character on to read; --limit: how many characters at most
--policy  none, recorded, suffix:X, batch:M, cold, auto, oracle, net, compact; default: all
--rates   own, or a price list by name; also --refresh, --summary-ratio, --keep, --foldable, --window
--list    the sessions of this directory; --all: of every project; --deep: with their sums

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
	return load ? (await load())(rest, io) : (await commandOf(args))(args, io);
}
