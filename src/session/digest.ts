// The proof that a folded range is what it was: a digest over its stored messages, and the ids made
// with it. Pure: the hash function is passed in.

import { messageOf } from "./branch.ts";
import type { SessionEntry } from "./entry.ts";

/** A hash over a text, in lower-case hex; SHA-256 wherever it matters. */
export type Hash = (text: string) => string;

/** What of a message counts. Usage, times and display are not what was said. */
const FIELDS = [
	"role",
	"content",
	"toolCallId",
	"toolName",
	"isError",
	"customType",
	"summary",
	"command",
	"output",
	"exitCode",
	"excludeFromContext",
] as const;

/**
 * The digest of a range: over the canonical JSON of its message entries in branch order, one a line.
 * Entries without a message (records, labels, model changes …) do not count.
 */
export function digestOf(entries: readonly SessionEntry[], hash: Hash): string {
	return hash(entries.flatMap(canonical).join("\n"));
}

/** The canonical JSON of one entry, alone in a list; empty for an entry without a message. */
export function canonical(entry: SessionEntry): string[] {
	if (entry.type === "compaction") return [];
	// the stored form, whatever the host shows of it: 0.73 is the one that shows content as it stands
	const message = messageOf(entry, "0.73");
	if (!message) return [];
	const fields = message as unknown as Readonly<Record<string, unknown>>;
	const counted = FIELDS.filter((field) => fields[field] !== undefined);
	return [JSON.stringify(sorted(Object.fromEntries(counted.map((key) => [key, fields[key]]))))];
}

/** The same value with the keys of every object in order. */
function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted);
	if (typeof value !== "object" || value === null) return value;
	const pairs = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
	return Object.fromEntries(pairs.map(([key, inner]) => [key, sorted(inner)]));
}

/** What the id of a fold is made of. */
export interface FoldIdentity {
	readonly fromEntryId: string;
	readonly toEntryId: string | null;
	readonly digest: string;
	readonly summary: string;
	readonly callId?: string | undefined;
}

/** A fold's id: 4 or more hex digits, as few as no other fold of the session has. */
export function foldId(fold: FoldIdentity, isTaken: (id: string) => boolean, hash: Hash): string {
	const { fromEntryId, toEntryId, digest, summary, callId } = fold;
	const digits = hash(JSON.stringify([fromEntryId, toEntryId, digest, summary, callId ?? null]));
	let length = 4;
	while (length < digits.length && isTaken(digits.slice(0, length))) length++;
	return digits.slice(0, length);
}
