// What a fold keeps of its steps beside the summary: what their entries prove, and what git shows to have
// changed meanwhile. Asks git before anything is decided, since an answer takes time; never in a project
// that pi does not trust.

import type { ExtensionContext } from "@mariozechner/pi-coding-agent";
import type { FoldRecord, Range, Wish } from "../../fold.ts";
import { type Facts, factsOf } from "../notes/facts.ts";
import { changedByOthers, spanOf } from "../notes/git.ts";
import { notesOf } from "../notes/notes.ts";
import { type Receipt, receiptOf } from "../notes/receipt.ts";
import { chooseRange, openCut } from "./cut.ts";
import { type Log, readLog, replayLog } from "./log.ts";

/** Files that changed while a range of steps ran, though no edit or write of theirs explains it. */
export interface GitChanges {
	readonly range: Range;
	readonly paths: readonly string[];
}

/**
 * Asks git about the steps that somebody wishes to fold.
 *
 * @returns `undefined` where nothing is known: no git, no answer in time, no trust, no such steps
 */
export async function askGit(ctx: ExtensionContext, wish: Wish): Promise<GitChanges | undefined> {
	if (!isTrusted(ctx)) return undefined;
	const log = readLog(ctx);
	const replayer = replayLog(log);
	const pinned = wish.callId === undefined ? undefined : openCut(log, replayer);
	const { proposal } = chooseRange(replayer, wish, pinned);
	if (!proposal.ok) return undefined;
	const { range } = proposal;
	const { cwd } = log;
	const entries = log.stored.slice(range.from, range.to);
	const span = spanOf(entries);
	if (!span) return undefined;
	const explained = factsOf(entries, cwd).changed.map(({ name }) => name);
	const paths = await changedByOthers({ cwd, span, explained });
	return paths && { range, paths };
}

/** The notes of a fold over this range. What git said of another range is not known of this one. */
export function notesIn(log: Log, range: Range, git: GitChanges | undefined): string[] {
	return notesOf(factsIn(log, range), pathsIn(range, git));
}

/** The receipt of a fold that was made over this range. */
export function receiptFor(
	log: Log,
	range: Range,
	record: FoldRecord,
	git: GitChanges | undefined,
): Receipt {
	const entries = log.stored.slice(range.from, range.to);
	return receiptOf(entries, factsIn(log, range), record.summary, pathsIn(range, git));
}

function factsIn({ stored, cwd }: Log, { from, to }: Range): Facts {
	return factsOf(stored.slice(from, to), cwd);
}

function pathsIn({ from, to }: Range, git: GitChanges | undefined): readonly string[] {
	return git && git.range.from === from && git.range.to === to ? git.paths : [];
}

/** 0.73 knows no trust: whoever starts it in a project has decided. */
function isTrusted(ctx: ExtensionContext): boolean {
	const host = ctx as { isProjectTrusted?: () => boolean };
	return host.isProjectTrusted?.() ?? true;
}
