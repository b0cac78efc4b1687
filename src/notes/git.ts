// Files that changed while a stretch of steps ran and that no edit or write explains, as git shows them.
// Runs git without locks and never a command that the repository's configuration names, writes nothing, and
// knows nothing rather than guess: any trouble gives `undefined`.

import { execFile } from "node:child_process";
import { lstat } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { promisify } from "node:util";
import type { SessionEntry } from "../session/entry.ts";
import { onOneLine } from "./place.ts";

/** Longest time that git and the look at its files may take together, in milliseconds. */
const GIT_LIMIT_MS = 500;
/** A kernel's idea of now, which files are stamped with, may be a tick behind the clock's. */
const TICK_MS = 20;

/** A stretch of time, in milliseconds since 1970; both ends are in. */
export interface Span {
	readonly from: number;
	readonly to: number;
}

/** What to ask git. */
export interface Question {
	readonly cwd: string;
	readonly span: Span;
	/** files that edits and writes changed, as `factsOf` names them */
	readonly explained: readonly string[];
	/** 500 where absent */
	readonly limitMs?: number | undefined;
}

/** The time in which these entries were stored; `undefined` where none of them tells. */
export function spanOf(entries: readonly SessionEntry[]): Span | undefined {
	const times = entries.map(({ timestamp }) => Date.parse(timestamp)).filter(Number.isFinite);
	const from = times.at(0);
	const to = times.at(-1);
	return from === undefined || to === undefined || to < from ? undefined : { from, to };
}

/**
 * The changed files of the work tree, named from `cwd` and sorted, that were last written within the span
 * and that nothing explains. A directory that git does not track ends in `/`; it is explained by any file
 * in it. Deleted files have no time and are not listed.
 *
 * @returns `undefined` where git is missing, fails, is too slow, or `cwd` is in no work tree
 */
export async function changedByOthers(question: Question): Promise<string[] | undefined> {
	const deadline = AbortSignal.timeout(question.limitMs ?? GIT_LIMIT_MS);
	const late = new Promise<undefined>((done) => {
		deadline.addEventListener("abort", () => done(undefined), { once: true });
	});
	return Promise.race([look(question, deadline).catch(() => undefined), late]);
}

async function look(question: Question, signal: AbortSignal): Promise<string[] | undefined> {
	const { cwd, span } = question;
	const ask = asker(cwd, signal);
	const [keys, prefix] = await Promise.all([
		ask([], ["config", "--list", "--name-only", "-z"]),
		ask([], ["rev-parse", "--show-prefix"]),
	]);
	const filters = filtersOf(keys);
	if (filters.some((name) => name.includes("="))) return undefined; // `-c` could not switch it off
	const status = await ask(filters.flatMap(switchOff), STATUS);
	const open = pathsOf(status)
		.map((path) => ({ ...path, name: fromHere(path.name, prefix.trimEnd()) }))
		.filter(({ name }) => !isExplained(name, question));
	const within = await Promise.all(open.map(({ name }) => isWithin(resolve(cwd, name), span)));
	const kept = open.filter((_, index) => within[index]);
	const compared = kept.filter((path) => path.isCompared).map(({ name }) => name);
	if (filters.length > 0 && compared.length > 0) {
		const drivers = driversOf(await ask([], ["check-attr", "-z", "filter", "--", ...compared]));
		// without its filter nobody can say whether such a file differs from what is stored
		if (drivers.some((driver) => filters.includes(driver))) return undefined;
	}
	return kept.map(({ name }) => onOneLine(name)).sort();
}

/** A submodule would be asked under its own configuration; a move would be searched for in contents. */
const STATUS = ["status", "--porcelain", "-z", "--ignore-submodules=all", "--no-renames"];

/**
 * What a repository may have git start, switched off: a monitor of files, hooks. `git status` has no
 * other use for a command but filters, and to fetch what a partial clone lacks.
 */
const QUIET = [
	"--no-pager",
	"--no-optional-locks",
	...["-c", "core.fsmonitor=false"],
	...["-c", "core.hooksPath=/dev/null"],
];

const run = promisify(execFile);

type Ask = (config: readonly string[], command: readonly string[]) => Promise<string>;

/** Runs git's commands in `cwd`, one at a call, and gives what they print. */
function asker(cwd: string, signal: AbortSignal): Ask {
	// no protocol is called "none": nothing is fetched, also by a git that does not know the first name.
	// GIT_CONFIG would have `git config` list another file than the one that `git status` obeys
	const env = { ...process.env, GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" };
	Reflect.deleteProperty(env, "GIT_CONFIG");
	const options = { cwd, env, signal, windowsHide: true, maxBuffer: 4_000_000 };
	return async (config, command) =>
		(await run("git", [...QUIET, ...config, ...command], options)).stdout;
}

/** The names of the filters that a list of configured keys, ended by NULs, sets anything of. */
function filtersOf(keys: string): string[] {
	const names = keys.split("\0").map((key) => /^filter\.(.*)\.[^.]*$/s.exec(key)?.[1]);
	return [...new Set(names.filter((name) => name !== undefined))];
}

/** Options of git under which the filter takes every content as it is. */
function switchOff(filter: string): string[] {
	const keys = ["clean=", "smudge=", "process=", "required=false"];
	return keys.flatMap((key) => ["-c", `filter.${filter}.${key}`]);
}

/** The filters of `check-attr -z`, which prints path, attribute and value of each. */
function driversOf(attributes: string): string[] {
	return attributes.split("\0").filter((_, index) => index % 3 === 2);
}

interface Path {
	readonly name: string;
	/** whether git had to compare what is in the file with what is stored */
	readonly isCompared: boolean;
}

/** The paths of `status --porcelain -z --no-renames`, from the root of the work tree. */
function pathsOf(status: string): Path[] {
	return status
		.split("\0")
		.filter((record) => record.length > 3)
		.map((record) => ({ name: record.slice(3), isCompared: record[1] === "M" }));
}

/** `prefix` is where the working directory lies in the work tree: empty, or with a slash at its end. */
function fromHere(path: string, prefix: string): string {
	if (path.startsWith(prefix)) return path.slice(prefix.length);
	return "../".repeat(prefix.split("/").length - 1) + path;
}

function isExplained(name: string, { cwd, explained }: Question): boolean {
	const changed = resolve(cwd, name);
	return explained.some((one) => {
		const path = one.startsWith("~/") ? resolve(homedir(), one.slice(2)) : resolve(cwd, one);
		return path === changed || (name.endsWith("/") && path.startsWith(`${changed}/`));
	});
}

async function isWithin(path: string, { from, to }: Span): Promise<boolean> {
	try {
		const { mtimeMs } = await lstat(path);
		return mtimeMs >= from - TICK_MS && mtimeMs <= to;
	} catch {
		return false;
	}
}
