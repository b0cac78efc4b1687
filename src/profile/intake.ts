// Takes a session in, entry by entry, and keeps of each what profiling needs: its place in the tree, its
// size, its usage. Never a message's text, so that a file of any length fits into memory.

import type { Entry, Kind } from "../../fold.ts";
import { readUsage } from "../price/usage.ts";
import { askedAt, isMessage } from "../session/asked.ts";
import type { SessionEntry, SessionHeader } from "../session/entry.ts";
import type { Problem, Sink } from "../session/parse.ts";
import { SessionTree } from "../session/tree.ts";
import { Oddities } from "./asides.ts";
import { Column, Names } from "./column.ts";
import { faultsOfReply, faultsOfTree } from "./faults.ts";
import { Replies } from "./replies.ts";
import { reduceEntry, type Sized } from "./sized.ts";
import { patchOf, type SystemPatch } from "./system-prompt.ts";

/** An entry of the file: what the algebra sees of it, and its parent. */
export type Node = Entry<Sized> & { readonly parentId: string | null };

/** A switch of the extension: from this entry on, by its number in the file, it was on or off. */
export interface Mode {
	readonly entry: number;
	readonly enabled: boolean;
	/** whether markers also said when there was much to fold */
	readonly nudge: boolean;
}

/** A use of the cache that was no reply. */
export interface Warming {
	readonly entry: number;
	/** ms since 1970 */
	readonly at: number;
}

/** A message for a running agent is stored right behind the results that it waited for; ms. */
const STEERED = 1_000;

/** A session file as profiling sees it. Entries are named by their position in the file, from 0. */
export class Intake implements Sink {
	head: SessionHeader | undefined;
	readonly tree = new SessionTree<Node>();
	readonly replies = new Replies();
	/** switches of the extension, in file order */
	readonly modes: Mode[] = [];
	readonly warmings: Warming[] = [];
	/** records and compactions that were stored while the reply after them was on its way: it was asked for without */
	readonly late = new Set<number>();
	/** messages that came to the agent at rest, as far as times tell: what they began is a run of its own */
	readonly prompts = new Set<number>();
	/** what system messages say of the prompt and the tools */
	readonly systems = new Map<number, SystemPatch>();
	/** usage outside of replies */
	readonly other = { entries: 0, costUsd: 0 };
	/** whether any record of ours is in the file */
	hasRecords = false;
	/** whether the file says what the system prompt is: only newer hosts store it */
	hasSystem = false;
	readonly oddities = new Oddities();
	private readonly told: Problem[] = [];
	private readonly levels = new Names();
	/** id of the newest entry: kept once, since the next one names it as its parent as a rule */
	private newest = "";
	/** records and compactions since the newest message, and when they were stored */
	private since: { readonly entry: number; readonly storedMs: number }[] = [];
	private messageMs = Number.NaN;
	private readonly replyNumbers = new Column();
	private readonly thinking = new Column();

	header(header: SessionHeader): void {
		this.head = header;
	}

	problem(problem: Problem): void {
		this.told.push(problem);
	}

	entry(entry: SessionEntry, line: number): void {
		const reduced = reduceEntry(entry, (id) => this.tree.get(id));
		const storedMs = Date.parse(entry.timestamp);
		this.replyNumbers.push(this.takeReply(entry, storedMs, line));
		this.thinking.push(this.levels.numberOf(levelOf(entry)));
		this.takeRest(entry, reduced);
		this.takeTime(entry, storedMs, reduced);
		const reply = this.replyNumbers.at(this.tree.nodes.length);
		this.oddities.look(entry, this.tree.nodes.length, !Number.isNaN(this.replies.promptOf(reply)));
		const parentId = entry.parentId === this.newest ? this.newest : entry.parentId;
		this.tree.add(Object.assign(reduced, { parentId }), line);
		this.newest = reduced.id;
	}

	/** Everything that is wrong with the file. */
	get problems(): Problem[] {
		return [...this.told, ...faultsOfTree(this.tree)];
	}

	/** The number of the reply that an entry is; -1: it is none. */
	replyOf(entry: number): number {
		return this.replyNumbers.at(entry);
	}

	/** The thinking level that an entry sets, or that a reply was made at, by number; -1: it says none. */
	thinkingOf(entry: number): number {
		return this.thinking.at(entry);
	}

	private takeReply(entry: SessionEntry, storedMs: number, line: number): number {
		if (entry.type !== "message" || entry.message.role !== "assistant") return -1;
		const problems = this.replies.push(entry.message, storedMs);
		for (const reason of faultsOfReply(problems, entry.message.content))
			this.told.push({ line, reason });
		return this.replies.length - 1;
	}

	private takeTime(entry: SessionEntry, storedMs: number, { kind }: Entry<Sized>): void {
		if (!isMessage(entry)) {
			if (kind === "record" || kind === "compaction")
				this.since.push({ entry: this.tree.nodes.length, storedMs });
			return;
		}
		const askedMs = askedAt(entry);
		// a message that is later than the request says that the clock cannot be trusted
		if (entry.parentId === this.newest && !(this.messageMs > askedMs))
			for (const one of this.since) if (one.storedMs > askedMs) this.late.add(one.entry);
		this.since = [];
		// unknown times tell nothing
		if (WORDS.has(kind) && !(storedMs - this.messageMs <= STEERED))
			this.prompts.add(this.tree.nodes.length);
		this.messageMs = storedMs;
	}

	private takeRest(entry: SessionEntry, { record }: Entry<Sized>): void {
		const at = this.tree.nodes.length;
		switch (entry.type) {
			case "message":
				if (entry.message.role === "system") {
					this.hasSystem = true;
					this.systems.set(at, patchOf(entry.message));
				}
				if (entry.message.role === "toolResult") this.takeUsage(entry.message.usage);
				break;
			case "custom":
				if (record) this.hasRecords = true;
				if (record?.kind === "mode")
					this.modes.push({ entry: at, enabled: record.enabled, nudge: record.nudge });
				break;
			case "compaction":
			case "branch_summary":
				this.takeUsage(entry.usage);
				break;
			case "usage":
				this.takeUsage(entry.usage);
				this.warmings.push({ entry: at, at: Date.parse(entry.timestamp) });
				break;
			default:
				break;
		}
	}

	private takeUsage(value: unknown): void {
		const { usage } = readUsage(value);
		if (!usage) return;
		this.other.entries++;
		this.other.costUsd += usage.costUsd ?? 0;
	}
}

/** What may begin a run. */
const WORDS: ReadonlySet<Kind> = new Set(["user", "custom", "bash"]);

function levelOf(entry: SessionEntry): string | undefined {
	if (entry.type === "thinking_level_change") return entry.thinkingLevel;
	if (entry.type !== "message" || entry.message.role !== "assistant") return undefined;
	const { thinkingLevel } = entry.message;
	return typeof thinkingLevel === "string" ? thinkingLevel : undefined;
}
