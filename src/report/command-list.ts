// `profile --list`: the sessions of this project, or of all. Loads no more than it needs: on a few megabytes
// most of the time goes into loading.

import { realpathSync } from "node:fs";
import { type DeepListing, type Listing, listDeeply, listSessions } from "../profile/listing.ts";
import { sessionsRoot } from "../session/file-root.ts";
import { type Found, findSessions } from "../session/file-search.ts";
import { type Io, OK, readArguments, refuseUsage, tellUnread, UNREADABLE } from "./io.ts";
import { jsonText } from "./json.ts";
import { plural } from "./number.ts";
import { printable } from "./printable.ts";
import { startProgress } from "./progress.ts";

const OPTIONS = {
	list: { type: "boolean" },
	all: { type: "boolean" },
	deep: { type: "boolean" },
	json: { type: "boolean" },
} as const;

/** Lists sessions; a query is looked for in id, project and file name. */
export async function listCommand(args: readonly string[], io: Io): Promise<number> {
	const parsed = readArguments("--list", args, OPTIONS);
	if (typeof parsed === "string") return refuseUsage(io, parsed);
	const { values, positionals } = parsed;
	if (positionals.length > 1)
		return refuseUsage(io, `--list takes one query, not ${positionals.length}`);
	const root = sessionsRoot(io.env, io.cwd, tellUnread(io));
	const unread: string[] = [];
	const every = findSessions(root, (path, reason) => unread.push(`${path}: ${reason}`));
	const there = every.filter((one) => values.all || isHere(one, io.cwd));
	const query = positionals[0] ?? "";
	const found = there.filter((one) => fits(one, query));
	const { listing, faults, unmeasured } = values.deep ? readAll(found, io) : glanceAt(found);
	const sessions = there.filter(({ fault }) => !fault).length;
	const isUnfit = found.length === 0 && sessions > 0;
	if (values.json) io.out(`${jsonText(listing, 1)}\n`);
	else if (isUnfit) tellUnfit(query, sessions, values.all, io);
	// that there is none may not be said where it could not be seen
	else if (found.length > 0 || unread.length === 0) {
		const { drawListing } = await import("./listing.ts");
		const ids = every.flatMap(({ header }) => header?.id ?? []);
		io.out(drawListing(listing, io.paper, unmeasured, ids));
		if (found.length === 0) tellNone(values.all === true, root, io);
	}
	for (const line of unread) io.err(`${io.name}: ${printable(line)}\n`);
	tellFaults(faults, io);
	return unread.length > 0 || (values.deep && faults.length > 0) ? UNREADABLE : OK;
}

/** What a listing has to say: what is no session is told apart from those that are. */
interface Listed {
	readonly listing: Listing;
	readonly faults: DeepListing["refusals"];
	readonly unmeasured?: DeepListing["unmeasured"];
}

function readAll(found: readonly Found[], io: Io): Listed {
	const progress = startProgress(
		io,
		found.reduce((sum, one) => sum + one.bytes, 0),
	);
	const { sessions, totals, refusals, unmeasured } = listDeeply(found, progress.report);
	progress.done();
	return { listing: { sessions, totals }, faults: refusals, unmeasured };
}

function glanceAt(found: readonly Found[]): Listed {
	const faults = found.flatMap(({ file, fault }) => (fault ? [{ file, reason: fault }] : []));
	return { listing: listSessions(found.filter(({ fault }) => !fault)), faults };
}

/** More than this are counted, not named. */
const NAMED = 50;

function tellFaults(faults: Listed["faults"], io: Io): void {
	const tell = tellUnread(io);
	for (const { file, reason } of faults.slice(0, NAMED)) tell(file, reason);
	if (faults.length > NAMED)
		io.err(`${io.name}: … and ${plural(faults.length - NAMED, "file", "files")} more\n`);
}

function tellUnfit(query: string, count: number, all: boolean | undefined, io: Io): void {
	const those = count === 1 ? "the one session" : `none of the ${count} sessions`;
	const matches = `${count === 1 ? "does not match" : "matches"} ${JSON.stringify(query)}`;
	const where = all ? "" : ` of ${io.cwd}`;
	const hint = all ? "" : "; --all looks in every project";
	io.err(`${io.name}: ${printable(`${those}${where} ${matches}${hint}`)}\n`);
}

function tellNone(all: boolean, root: string, io: Io): void {
	const where = all ? "" : ` of ${printable(io.cwd)}`;
	const hint = all ? "" : "; --all lists every project";
	io.err(`${io.name}: no session${where} under ${printable(root)}${hint}\n`);
}

/** A project is the working directory that the header names, never the folder that a file lies in. */
function isHere({ header }: Found, cwd: string): boolean {
	if (!header) return false;
	return header.cwd === cwd || real(header.cwd) === real(cwd);
}

function real(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return path;
	}
}

function fits({ file, header }: Found, query: string): boolean {
	const wanted = query.toLowerCase();
	return [file, header?.id ?? "", header?.cwd ?? ""].some((text) =>
		text.toLowerCase().includes(wanted),
	);
}
