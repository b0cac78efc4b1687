// Which session an argument means: a path, a path under the sessions root, or part of an id.

import { resolve } from "node:path";
import { type FilePlace, MISSING, placeAt } from "../session/file-place.ts";
import type { Found } from "../session/file-search.ts";
import { type Io, refuseUsage, tellUnread, UNREADABLE } from "./io.ts";
import { printable } from "./printable.ts";

/** The file that is meant, or the exit code after saying why there is none. */
export type Choice = { readonly file: string } | { readonly code: number };

/**
 * Finds the session of an argument: a path as it stands, then under the sessions root, then an id:
 * exactly, by its beginning, by any part. Several matches are refused with the candidates, and a
 * directory, device or pipe is refused before its name is taken for part of an id.
 */
export async function chooseSession(argument: string, io: Io): Promise<Choice> {
	if (argument === "")
		return { code: refuseUsage(io, "a session's name is empty; say a path or an id") };
	const path = resolve(io.cwd, argument);
	if (isFile(path)) return { file: path };
	const { sessionsRoot } = await import("../session/file-root.ts");
	const root = sessionsRoot(io.env, io.cwd, tellUnread(io));
	const inside = resolve(root, argument);
	if (isFile(inside)) return { file: inside };
	const { wrong, doubt } = lookAt(argument, [path, inside]);
	if (wrong === MISSING)
		return { code: refuseToRead(argument, `${wrong}, here or in ${printable(root)}`, io) };
	if (wrong !== undefined) return { code: refuseToRead(argument, wrong, io) };
	const unread: Unread[] = [];
	const keep = (place: string, reason: string) => unread.push({ place, reason });
	const { findSessions } = await import("../session/file-search.ts");
	const matches = mayBeId(argument) ? matchesOf(argument, findSessions(root, keep)) : [];
	const [match, ...others] = matches;
	if (!match) return { code: refuseMatch(argument, { unread, doubt }, io) };
	if (others.length === 0) return { file: match.file };
	const list = matches.map(({ file, header }) => `  ${header?.id ?? "?"}  ${file}`);
	const said = `${printable(argument)} matches ${matches.length} sessions; say more of the id, or the path:`;
	return { code: refuseUsage(io, `${said}\n${list.map(printable).join("\n")}`) };
}

/** What could not be looked into. */
interface Unread {
	readonly place: string;
	readonly reason: string;
}

function refuseToRead(place: string, reason: string, io: Io): number {
	io.err(`${io.name}: ${printable(shortened(place))}: ${reason}\n`);
	return UNREADABLE;
}

/** Says that no session matches, or what stands in the way of saying so. */
function refuseMatch(
	argument: string,
	{ unread, doubt }: { readonly unread: readonly Unread[]; readonly doubt: Unread | undefined },
	io: Io,
): number {
	const none = `no session matches ${printable(shortened(argument))}`;
	const [first, ...others] = unread;
	if (first) {
		const more = others.length === 0 ? "" : `; ${others.length} more could not be read either`;
		return refuseToRead(first.place, `${first.reason}${more}; ${none} in what can be read`, io);
	}
	return doubt ? refuseToRead(doubt.place, doubt.reason, io) : refuseUsage(io, none);
}

/** More of a name says nothing in a refusal. */
const SAID = 200;

function shortened(name: string): string {
	return name.length > SAID ? `${name.slice(0, SAID)}…` : name;
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

/** Why an argument is neither a file nor part of an id, or what kept its paths from being looked at. */
function lookAt(
	argument: string,
	paths: readonly string[],
): { readonly wrong?: string; readonly doubt?: Unread | undefined } {
	const places = paths.map((path) => ({ place: path, ...placeAt(path) }));
	const isAny = (wanted: FilePlace["kind"]) => places.some(({ kind }) => kind === wanted);
	if (isAny("directory")) return { wrong: "it is a directory; name a session in it" };
	if (isAny("other")) return { wrong: "it is not a regular file" };
	const [doubt] = places.flatMap(({ place, reason }) => (reason ? [{ place, reason }] : []));
	return doubt || mayBeId(argument) ? { doubt } : { wrong: MISSING };
}

function mayBeId(argument: string): boolean {
	return !/[/\\]|\.jsonl$/.test(argument);
}

function isFile(path: string): boolean {
	return placeAt(path).kind === "file";
}
