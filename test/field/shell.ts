// Runs a command of the shell over a session that exists only for a test, or over a directory of them.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command, Io } from "../../src/report/io.ts";
import { fileOf, inDirectory } from "./profiled.ts";

/** What a command wrote, and its exit code. */
interface Answer {
	readonly code: number;
	readonly out: string;
	readonly err: string;
}

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

/** Runs a command in a directory, under which pi's sessions lie. */
export async function askIn(
	directory: string,
	command: Command,
	args: readonly string[],
	io: Partial<Io> = {},
): Promise<Answer> {
	let out = "";
	let err = "";
	const code = await command(args, {
		out: (text) => {
			out += text;
		},
		err: (text) => {
			err += text;
		},
		paper: { kind: "pipe", columns: 200, colour: false },
		watched: false,
		interactive: false,
		env: { PI_CODING_AGENT_SESSION_DIR: directory },
		cwd: directory,
		...io,
	});
	return { code, out, err };
}
