// Files that changed while a stretch of steps ran and that no edit or write explains, as git shows them.
// Runs git without locks and without the repository's own monitor, writes nothing, and knows nothing
// rather than guess: any trouble gives `undefined`.

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

const run = promisify(execFile);

async function look(question: Question, signal: AbortSignal): Promise<string[]> {
	const { cwd, span } = question;
	const options = { cwd, signal, windowsHide: true, maxBuffer: 4_000_000 };
	const quiet = ["--no-optional-locks", "-c", "core.fsmonitor=false"];
	const [status, prefix] = await Promise.all([
		run("git", [...quiet, "status", "--porcelain", "-z"], options),
		run("git", [...quiet, "rev-parse", "--show-prefix"], options),
	]);
	const names = pathsOf(status.stdout).map((path) => fromHere(path, prefix.stdout.trimEnd()));
	const open = names.filter((name) => !isExplained(name, question));
	const kept = await Promise.all(
		open.map(async (name) => ((await isWithin(resolve(cwd, name), span)) ? name : undefined)),
	);
	return kept
		.filter((name) => name !== undefined)
		.map(onOneLine)
		.sort();
}

/** The paths of `status --porcelain -z`: from the root of the work tree, the old name of a move left out. */
function pathsOf(status: string): string[] {
	const paths: string[] = [];
	const records = status.split("\0");
	for (let at = 0; at < records.length; at++) {
		const record = records[at] ?? "";
		if (record.length < 4) continue;
		paths.push(record.slice(3));
		if (/[RC]/.test(record.slice(0, 2))) at++;
	}
	return paths;
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
