// Which session an argument means: a path, a path under the sessions root, or part of an id.

import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Found } from "../session/file-search.ts";
import { type Io, refuseUsage, UNREADABLE } from "./io.ts";
import { printable } from "./printable.ts";

/** The file that is meant, or the exit code after saying why there is none. */
export type Choice = { readonly file: string } | { readonly code: number };

/**
 * Finds the session of an argument: a path as it stands, then under the sessions root, then an id:
 * exactly, by its beginning, by any part. Several matches are refused with the candidates, and a
 * directory, device or pipe is refused before its name is taken for part of an id.
 */
export async function chooseSession(argument: string, io: Io): Promise<Choice> {
	const path = resolve(io.cwd, argument);
	if (isFile(path)) return { file: path };
	const { findSessions, sessionsRoot } = await import("../session/file-search.ts");
	const root = sessionsRoot(io.env);
	const inside = resolve(root, argument);
	if (isFile(inside)) return { file: inside };
	const wrong = whatIsWrong(argument, [path, inside]);
	if (wrong !== undefined) {
		const where = wrong === MISSING ? `, here or in ${printable(root)}` : "";
		io.err(`${io.name}: ${printable(argument)}: ${wrong}${where}\n`);
		return { code: UNREADABLE };
	}
	const matches = matchesOf(argument, findSessions(root));
	const [match, ...others] = matches;
	if (!match) return { code: refuseUsage(io, `no session matches ${printable(argument)}`) };
	if (others.length === 0) return { file: match.file };
	const list = matches.map(({ file, header }) => `  ${header?.id ?? "?"}  ${file}`);
	const said = `${printable(argument)} matches ${matches.length} sessions; say more of the id, or the path:`;
	return { code: refuseUsage(io, `${said}\n${list.map(printable).join("\n")}`) };
}

function matchesOf(part: string, sessions: readonly Found[]): Found[] {
	// as a listing shows one that it had to cut
	const wanted = part.toLowerCase().replace(/…$/, "");
	const fits: ((id: string) => boolean)[] = [
		(id) => id === wanted,
		(id) => id.startsWith(wanted),
		(id) => id.includes(wanted),
	];
	for (const fit of fits) {
		const matches = sessions.filter(({ header }) => header && fit(header.id.toLowerCase()));
		if (matches.length > 0) return matches;
	}
	return [];
}

const MISSING = "there is no such file";

/** Why an argument is neither a file nor part of an id. */
function whatIsWrong(argument: string, paths: readonly string[]): string | undefined {
	const there = paths.flatMap((path) => statSync(path, { throwIfNoEntry: false }) ?? []);
	if (there.some((one) => one.isDirectory())) return "it is a directory; name a session in it";
	if (there.length > 0) return "it is not a regular file";
	return /[/\\]|\.jsonl$/.test(argument) ? MISSING : undefined;
}

function isFile(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
