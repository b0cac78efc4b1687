// The shell's door to the profiler: arguments in, standard output, exit code. What the commands do is in
// src/shell; each is loaded when it is asked for.

import process from "node:process";
import { type Command, type Io, OK, refuseUsage, USAGE } from "./src/shell/io.ts";

const HELP = `Profile a session of pi: what each request sent, what it cost, what folding changed.

  node profile.ts <session> [--last N] [--json | --csv]

<session> is a path, a path under pi's sessions, or part of a session's id.
--last N  the newest N requests only
--json    everything, for programs (docs/profile.schema.json)
--csv     the requests, for spreadsheets
`;

const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {};

async function profileSession(args: readonly string[], io: Io): Promise<number> {
	return (await import("./src/shell/session.ts")).profileSession(args, io);
}

async function run(args: readonly string[], io: Io): Promise<number> {
	const [name = "", ...rest] = args;
	if (args.includes("--help") || args.includes("-h")) {
		io.out(HELP);
		return OK;
	}
	if (args.length === 0) return refuseUsage(io, "name a session");
	const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
	return load ? (await load())(rest, io) : profileSession(args, io);
}

const { stdout, stderr, env } = process;
// whoever reads a pipe may stop reading: that is no error
stdout.on("error", (error: NodeJS.ErrnoException) =>
	process.exit(error.code === "EPIPE" ? OK : USAGE),
);
const io: Io = {
	out: (text) => void stdout.write(text),
	err: (text) => void stderr.write(text),
	paper: {
		kind: stdout.isTTY ? "terminal" : "pipe",
		columns: stdout.isTTY ? stdout.columns : 80,
		colour: stdout.isTTY === true && !env["NO_COLOR"],
	},
	watched: stderr.isTTY === true,
	env,
	cwd: process.cwd(),
};
process.exitCode = await run(process.argv.slice(2), io);
