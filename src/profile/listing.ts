// Many sessions at a glance. Each reply counts once, however many files have it: forks, copies and files
// that grew share their history, and it was paid for once.

import { isUnpriced, promptTokens, readUsage } from "../price/usage.ts";
import type { AssistantMessage, SessionEntry, SessionHeader } from "../session/entry.ts";
import { readSessionInto } from "../session/file.ts";
import type { Found } from "../session/file-search.ts";
import type { Problem, Sink } from "../session/parse.ts";
import { SessionTree } from "../session/tree.ts";
import { faultsOfReply, faultsOfTree, type KeepingNode } from "./faults.ts";
import { timeOf } from "./time.ts";

/** One session. Nulls where only the first line was read. */
export interface ListingRow {
	readonly file: string;
	readonly id: string | null;
	readonly cwd: string | null;
	/** ISO 8601, UTC */
	readonly startedAt: string | null;
	readonly modified: string | null;
	readonly bytes: number;
	/** the file that it was forked from or belongs to */
	readonly parent: string | null;
	/** replies that belong to this file */
	readonly requests: number | null;
	/** fold records */
	readonly folds: number | null;
	readonly prompt: number | null;
	readonly cacheHit: number | null;
	readonly costUsd: number | null;
	readonly unpriced: number | null;
	/** replies that belong to another file */
	readonly shared: number | null;
	readonly problems: number | null;
}

/** What `--list --json` says. */
export interface Listing {
	readonly sessions: readonly ListingRow[];
	readonly totals: {
		readonly sessions: number;
		readonly requests: number | null;
		readonly prompt: number | null;
		readonly output: number | null;
		readonly costUsd: number | null;
		readonly unpriced: number | null;
	};
}

/** A listing of files that were read, and those that could not be. */
export interface DeepListing extends Listing {
	readonly refusals: readonly { readonly file: string; readonly reason: string }[];
	/** by file: how many of its replies have no usage; where that is all of them its sums are null */
	readonly unmeasured: ReadonlyMap<string, number>;
}

/** What first lines and directories say of sessions. */
export function listSessions(found: readonly Found[]): Listing {
	const totals = { requests: null, prompt: null, output: null, costUsd: null, unpriced: null };
	return {
		sessions: found.map((one) => rowOf(one, UNREAD)),
		totals: { sessions: found.length, ...totals },
	};
}

/**
 * The same with every file read to its end. One that cannot be read is a row with a problem; it takes
 * nothing from the others.
 *
 * @param progress is told the bytes read so far, over all files
 */
export function listDeeply(
	found: readonly Found[],
	progress?: (bytes: number) => void,
): DeepListing {
	const pool = new Pool();
	const tallies = new Map<Found, Tally>();
	const refusals: { file: string; reason: string }[] = [];
	let before = 0;
	// in the order in which they started: a reply belongs to the first file that has it
	for (const one of [...found].sort(byStart)) {
		const tally = new Tally(pool);
		const reading = readSessionInto(one.file, tally, (bytes) => progress?.(before + bytes));
		tally.end();
		before += reading.bytes;
		if (reading.refusal !== undefined) {
			tally.problems++;
			tally.isRefused = true;
			refusals.push({ file: one.file, reason: reading.refusal });
		}
		tallies.set(one, tally);
	}
	const sums = pool.sum();
	const sessions = found.map((one) => rowOf(one, countsOf(tallies.get(one), sums)));
	const unmeasured = new Map<string, number>();
	for (const [{ file }, tally] of tallies) unmeasured.set(file, sums.get(tally)?.unmeasured ?? 0);
	return { sessions, totals: totalsOf(sessions, sums.values()), refusals, unmeasured };
}

type Counts = Pick<
	ListingRow,
	"requests" | "folds" | "prompt" | "cacheHit" | "costUsd" | "unpriced" | "shared" | "problems"
>;

const UNREAD: Counts = {
	requests: null,
	folds: null,
	prompt: null,
	cacheHit: null,
	costUsd: null,
	unpriced: null,
	shared: null,
	problems: null,
};

function rowOf({ file, header, bytes, modifiedMs, parent }: Found, counts: Counts): ListingRow {
	return {
		file,
		id: header?.id || null,
		cwd: header?.cwd || null,
		startedAt: timeOf(startOf(header)),
		modified: timeOf(modifiedMs),
		bytes,
		parent: parent ?? null,
		...counts,
	};
}

function startOf(header: SessionHeader | undefined): number {
	return Date.parse(header?.timestamp ?? "");
}

function byStart(a: Found, b: Found): number {
	const late = Number.POSITIVE_INFINITY;
	const [first, second] = [startOf(a.header) || late, startOf(b.header) || late];
	if (first !== second) return first < second ? -1 : 1;
	return a.file < b.file ? -1 : 1;
}

/** What a reply used; the columns of a listing. */
interface Used {
	readonly prompt: number;
	readonly cacheRead: number;
	readonly output: number;
	readonly costUsd: number;
	readonly unpriced: boolean;
	readonly unmeasured: boolean;
}

const NOTHING = { prompt: 0, cacheRead: 0, output: 0, costUsd: 0 } as const;
const UNMEASURED: Used = { ...NOTHING, unpriced: false, unmeasured: true };

interface Sum {
	requests: number;
	prompt: number;
	cacheRead: number;
	output: number;
	costUsd: number;
	unpriced: number;
	unmeasured: number;
}

/** A reply of one or more files. */
interface Pooled {
	/** the file that it belongs to */
	readonly owner: Tally;
	used: Used;
	/** the file that had it last, and how often that one had it before */
	holder: Tally;
	repeats: number;
}

/** Every reply of all files, once: the whole row with the most output, the last of equal ones. */
class Pool {
	private readonly replies = new Map<string, Pooled>();

	/**
	 * Takes a reply in and says whether it belongs to the file it came from. Two entries of one file are two
	 * replies, whatever they have in common; the second is the same as the second of another file.
	 */
	add(key: string, holder: Tally, used: Used): boolean {
		const known = this.replies.get(key);
		if (!known) {
			this.replies.set(key, { owner: holder, used, holder, repeats: 0 });
			return true;
		}
		if (known.holder === holder) return this.add(`${++known.repeats} ${key}`, holder, used);
		known.holder = holder;
		known.repeats = 0;
		if (used.output >= known.used.output) known.used = used;
		return false;
	}

	/** Sums by the file that the replies belong to. */
	sum(): Map<Tally, Sum> {
		const sums = new Map<Tally, Sum>();
		for (const { owner, used } of this.replies.values()) {
			const sum = sums.get(owner) ?? newSum();
			sum.requests++;
			sum.prompt += used.prompt;
			sum.cacheRead += used.cacheRead;
			sum.output += used.output;
			sum.costUsd += used.costUsd;
			sum.unpriced += used.unpriced ? 1 : 0;
			sum.unmeasured += used.unmeasured ? 1 : 0;
			sums.set(owner, sum);
		}
		return sums;
	}
}

function newSum(): Sum {
	return { ...NOTHING, requests: 0, unpriced: 0, unmeasured: 0 };
}

/** Counts one file while it is read. */
class Tally implements Sink {
	folds = 0;
	shared = 0;
	problems = 0;
	/** whether the file is none that can be read */
	isRefused = false;
	/** while the file is read */
	private tree: SessionTree<KeepingNode> | undefined = new SessionTree();
	private readonly pool: Pool;

	constructor(pool: Pool) {
		this.pool = pool;
	}

	header(): void {}

	problem(_: Problem): void {
		this.problems++;
	}

	entry(entry: SessionEntry, line: number): void {
		this.tree?.add(nodeOf(entry), line);
		if (entry.type === "custom" && entry.customType === "dmail.fold") this.folds++;
		if (entry.type !== "message" || entry.message.role !== "assistant") return;
		const { usage, problems } = readUsage(entry.message.usage);
		this.problems += faultsOfReply(problems, entry.message.content).length;
		const used = usage
			? {
					prompt: promptTokens(usage),
					cacheRead: usage.cacheRead,
					output: usage.output,
					costUsd: usage.costUsd ?? 0,
					unpriced: isUnpriced(usage),
					unmeasured: false,
				}
			: UNMEASURED;
		if (!this.pool.add(keyOf(entry, entry.message), this, used)) this.shared++;
	}

	/** All of the file was read. */
	end(): void {
		if (this.tree) this.problems += faultsOfTree(this.tree).length;
		this.tree = undefined;
	}
}

function nodeOf(entry: SessionEntry): KeepingNode {
	const { id, parentId } = entry;
	if (entry.type !== "compaction") return { id, parentId };
	return { id, parentId, firstKeptEntryId: entry.firstKeptEntryId ?? undefined };
}

/**
 * Which reply it is, whatever file it stands in: its own id and when it was asked for, which copies of it share,
 * also where they differ in what they say was used. Some providers number their replies anew for each client, so
 * the id alone would not do; a reply without a time is told by its entry.
 */
function keyOf(entry: SessionEntry, { responseId, timestamp, model }: AssistantMessage): string {
	const time = timestamp ? `${timestamp}` : `${entry.timestamp} ${entry.id}`;
	return `${(typeof responseId === "string" && responseId) || model}\n${time}`;
}

function countsOf(tally: Tally | undefined, sums: ReadonlyMap<Tally, Sum>): Counts {
	if (!tally) return UNREAD;
	const { requests, cacheRead, unpriced, unmeasured, ...used } = sums.get(tally) ?? newSum();
	const { folds, shared, problems } = tally;
	if (tally.isRefused && requests + shared + folds === 0) return { ...UNREAD, problems };
	// unknown, not nothing
	const isKnown = requests === 0 || unmeasured < requests;
	const prompt = isKnown ? used.prompt : null;
	const costUsd = isKnown ? used.costUsd : null;
	const cacheHit = prompt !== null && prompt > 0 ? cacheRead / prompt : null;
	return { requests, folds, prompt, cacheHit, costUsd, unpriced, shared, problems };
}

function totalsOf(sessions: readonly ListingRow[], sums: Iterable<Sum>): Listing["totals"] {
	const totals = {
		sessions: sessions.length,
		requests: 0,
		prompt: 0,
		output: 0,
		costUsd: 0,
		unpriced: 0,
	};
	for (const sum of sums) {
		totals.requests += sum.requests;
		totals.prompt += sum.prompt;
		totals.output += sum.output;
		totals.costUsd += sum.costUsd;
		totals.unpriced += sum.unpriced;
	}
	return totals;
}
