// Runs a command of the shell over a session that exists only for a test.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command, Io } from "../../src/report/io.ts";
import { type Answer, askIn } from "../support/run-command.ts";
import { inDirectory } from "../support/scratch.ts";
import { fileOf } from "./profiled.ts";

/** Runs a command whose first argument is a session of these records, or a file with this text. */
export function askShell(
	command: Command,
	args: readonly string[],
	session: readonly object[] | string,
	io: Partial<Io> = {},
): Promise<Answer> {
	return inDirectory((directory) => {
		const file = join(directory, "session.jsonl");
		writeFileSync(file, typeof session === "string" ? session : fileOf(session));
		return askIn(directory, command, [file, ...args], io);
	});
}
