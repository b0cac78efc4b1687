// Random sessions with folds for tests: entries of every kind, refolds, drops, compactions and forks, and
// for each fold what it was made of. Folds are made as the extension makes them, with real digests.

import { createHash } from "node:crypto";
import fc from "fast-check";
import { encode, type FoldRecord, propose, Replayer } from "../../fold.ts";
import type { Log } from "../../src/pi/log.ts";
import { readBranch, walk } from "../../src/session/branch.ts";
import { digestOf, foldId } from "../../src/session/digest.ts";
import type { Block, PiMessage, SessionEntry } from "../../src/session/entry.ts";
import { piHost } from "../../src/session/message.ts";
import {
	attempt,
	bash,
	call,
	compaction,
	custom,
	type Draft,
	edit,
	image,
	record,
	reply,
	result,
	user,
} from "./session-entries.ts";

/** A fold of the session and the entries that it was made of. */
export interface Made {
	readonly record: FoldRecord;
	readonly entries: readonly SessionEntry[];
}

/** One thing that happens; numbers choose among what is there. */
export type Deed =
	| { readonly do: "say"; readonly drafts: readonly Draft[] }
	| { readonly do: "fold"; readonly from: number; readonly to: number }
	| { readonly do: "open" | "shut" | "drop"; readonly which: number }
	| { readonly do: "compact" | "omit" | "fork"; readonly which: number };

export const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** A session to which things happen. */
export class KeptSession {
	/** in file order; not all of one branch */
	readonly entries: SessionEntry[] = [];
	readonly made: Made[] = [];
	private leaf: string | null = null;
	private readonly byId = new Map<string, SessionEntry>();

	constructor(deeds: readonly Deed[]) {
		for (const deed of deeds) this.happen(deed);
	}

	/** The branch in hand, as stored. */
	get branch(): SessionEntry[] {
		return walk((id) => this.byId.get(id), this.leaf);
	}

	/** The branch in hand, as the extension reads it. */
	get log(): Log {
		const stored = this.branch;
		return { generation: "1.6", cwd: "/", stored, branch: readBranch(stored, "1.6") };
	}

	/** The lines of its file. */
	get file(): string {
		const header = { type: "session", version: 3, id: "s", timestamp: "", cwd: "/" };
		return [header, ...this.entries].map((entry) => `${JSON.stringify(entry)}\n`).join("");
	}

	get replayer(): Replayer<PiMessage> {
		const replayer = new Replayer(piHost);
		for (const entry of this.log.branch) replayer.push(entry);
		return replayer;
	}

	happen(deed: Deed): void {
		switch (deed.do) {
			case "say":
				for (const draft of deed.drafts) this.append(draft);
				break;
			case "fold":
				this.fold(deed.from, deed.to);
				break;
			case "compact":
				this.append(compaction(nth(this.branch, deed.which)?.id ?? "none", "So far."));
				break;
			case "omit":
				this.append(edit(nth(this.branch, deed.which)?.id ?? "none", null));
				break;
			case "fork":
				this.leaf = nth(this.branch, deed.which)?.id ?? null;
				break;
			default: {
				const fold = nth(this.replayer.folds, deed.which);
				if (fold) this.append(record(`dmail.${deed.do}`, { v: 1, id: fold.record.id }));
			}
		}
	}

	private fold(from: number, to: number): void {
		const { replayer, branch } = this;
		const { count } = replayer.steps;
		const fromStep = 1 + (from % Math.max(1, count));
		const wish = { fromStep, toStep: Math.min(count, fromStep + to), live: false };
		const proposal = propose(replayer, wish);
		if (!proposal.ok) return;
		const { fromEntryId, toEntryId, toStep, range } = proposal;
		const entries = branch.slice(range.from, range.to);
		const summary = `summary ${this.made.length}`;
		const digest = digestOf(entries, sha256);
		const taken = (id: string) => this.made.some((one) => one.record.id === id);
		const id = foldId({ fromEntryId, toEntryId, digest, summary }, taken, sha256);
		const fold: FoldRecord = {
			kind: "fold",
			v: 1,
			id,
			fromEntryId,
			toEntryId,
			fromStep: proposal.fromStep,
			toStep,
			summary,
			digest,
			by: "user",
		};
		const { customType, data } = encode(fold);
		this.append(record(customType, data));
		this.made.push({ record: fold, entries });
	}

	private append(draft: Draft): void {
		const entry = { ...draft(this.entries.length), parentId: this.leaf };
		this.entries.push(entry);
		this.byId.set(entry.id, entry);
		this.leaf = entry.id;
	}
}

function nth<T>(list: readonly T[], which: number): T | undefined {
	return list[which % Math.max(1, list.length)];
}

const anyText = fc.string({
	unit: fc.oneof(
		fc.constantFrom("\n", " ", "a"),
		fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
	),
	maxLength: 40,
});
const anyBlocks = fc.array(
	fc.oneof(
		anyText.map((text): Block => ({ type: "text", text })),
		fc.constant(image),
	),
	{ maxLength: 2 },
);
const anySaying: fc.Arbitrary<readonly Draft[]> = fc.oneof(
	{ weight: 6, arbitrary: fc.tuple(anyText, fc.stringMatching(/^[a-z]$/), anyBlocks).map(step) },
	anyText.map((text) => [user(text)]),
	anyText.map((text) => [reply(text)]),
	anyText.map((text) => [attempt("error", text)]),
	fc.tuple(anyText, fc.boolean()).map(([text, hidden]) => [bash(text, text, 1, hidden)]),
	anyText.map((text) => [custom("plan", text)]),
);

function step([text, id, blocks]: [string, string, readonly Block[]]): readonly Draft[] {
	return [reply(text, call(id, "tool", { text, list: [text] })), result(id, blocks)];
}

const anyDeed: fc.Arbitrary<Deed> = fc.oneof(
	{ weight: 8, arbitrary: anySaying.map((drafts): Deed => ({ do: "say", drafts })) },
	{
		weight: 4,
		arbitrary: fc.record({ do: fc.constant("fold" as const), from: fc.nat(20), to: fc.nat(4) }),
	},
	fc.record({
		do: fc.constantFrom("open", "shut", "drop", "compact", "omit", "fork" as const),
		which: fc.nat(40),
	}),
);

/** A session to which up to 30 things happened. */
export const anyKeptSession = fc
	.array(anyDeed, { minLength: 6, maxLength: 30 })
	.map((deeds) => new KeptSession(deeds));

/** Every text that an entry stores, in the order in which it is stored. */
export function textsOf(entry: SessionEntry): string[] {
	if (entry.type === "compaction") return [entry.summary];
	const message = entry.type === "message" ? entry.message : entry;
	if ("role" in message && message.role === "bashExecution")
		return [message.command, message.output];
	return "content" in message ? stringsIn(message.content) : [];
}

function stringsIn(content: unknown): string[] {
	if (typeof content === "string") return [content];
	if (!Array.isArray(content)) return [];
	return content.flatMap((block) =>
		block.type === "toolCall" ? leaves(block.arguments) : block.type === "text" ? [block.text] : [],
	);
}

function leaves(value: unknown): string[] {
	if (typeof value === "string") return [value];
	return typeof value === "object" && value !== null ? Object.values(value).flatMap(leaves) : [];
}
