// Runs a command of the shell in this process and keeps what it writes.

import type { Command, Io } from "../../src/report/io.ts";

/** What a command wrote, and its exit code. */
export interface Answer {
	readonly code: number;
	readonly out: string;
	readonly err: string;
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
		name: "profile",
		env: { PI_CODING_AGENT_SESSION_DIR: directory },
		cwd: directory,
		...io,
	});
	return { code, out, err };
}
