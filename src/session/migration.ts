// Turns one JSON object of a session file into a header or an entry of version 3, whatever version and
// whichever writer it is from. The only place where unchecked fields become an entry.

import type { Fields } from "./damage.ts";
import type { SessionEntry, SessionHeader, UnknownEntry } from "./entry.ts";

/** Where an entry stands, for one that does not say so itself, as those of version 1. */
export interface Place {
	/** the id it gets */
	id(): string;
	/** the entry before it */
	parentId(): string | null;
	/** ids by record, the header's place included: what `firstKeptEntryIndex` points into */
	readonly order: readonly string[];
}

/** Whether pi writes entries of this type. */
export function isKnown(type: string): boolean {
	return FORMS.has(type);
}

/** Whether a record of a known type has what its readers cannot do without. */
export function isWellFormed(fields: Fields, type: string): boolean {
	return FORMS.get(type)?.(fields) ?? false;
}

/** The entry as version 3 has it. */
export function readEntry(fields: Fields, type: string, place: Place): SessionEntry {
	const changes = changesOf(fields, type, place.order);
	const entry =
		!changes && isSound(fields) ? fields : { ...fields, ...baseOf(fields, place), ...changes };
	return entry as unknown as SessionEntry;
}

/** An entry that only keeps its place in the tree: it is not known or not well-formed. */
export function readPlace(fields: Fields, was: string, place: Place): UnknownEntry {
	return { type: "unknown", was, ...baseOf(fields, place) };
}

/** Whether a record names itself and its place as those of version 3 do: it needs no copy. */
function isSound({ id, parentId, timestamp }: Fields): boolean {
	return (
		typeof id === "string" &&
		id !== "" &&
		(parentId === null || (typeof parentId === "string" && parentId !== "")) &&
		typeof timestamp === "string"
	);
}

function baseOf(fields: Fields, place: Place) {
	const own = textOf(fields["id"]);
	return {
		id: own || place.id(),
		parentId: textOf(fields["parentId"]) || (own ? null : place.parentId()),
		timestamp: timeOf(fields["timestamp"]),
	};
}

/**
 * What is wrong with how a record names itself and its place, and what `readEntry` makes of it. pi takes all of
 * these for roots, and so lets go of the entries before them.
 *
 * @param isNamed whether entries of this file have ids: those of version 1 have neither
 */
export function misplacementOf({ id, parentId }: Fields, isNamed: boolean): string | undefined {
	if (id === undefined && parentId === undefined && !isNamed) return undefined;
	const hasId = textOf(id) !== "";
	if (parentId !== null && textOf(parentId) === "")
		return hasId
			? "its parentId names no entry; it is read as a root"
			: "neither its id nor its parentId is a name; it is read as what follows the entry before it";
	return hasId ? undefined : "its id is no name; none of the entries after it can point to it";
}

/** The header; what it lacks is empty. */
export function readHeader(fields: Fields): SessionHeader {
	return {
		type: "session",
		version: versionOf(fields["version"]),
		id: textOf(fields["id"]),
		timestamp: timeOf(fields["timestamp"]),
		cwd: textOf(fields["cwd"]),
		parentSession: textOf(fields["parentSession"]) || undefined,
		branchedFrom: textOf(fields["branchedFrom"]) || undefined,
	};
}

/** A whole number from 1 on, as pi takes what is less for its first format; absent where it is none. */
function versionOf(value: unknown): number | undefined {
	if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
	return Math.max(1, Math.floor(value));
}

/** The value if it is a text, else the empty one. */
export function textOf(value: unknown): string {
	return typeof value === "string" ? value : "";
}

/** Whether the value is a JSON object. */
export function isFields(value: unknown): value is Fields {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

const FORMS: ReadonlyMap<string, (fields: Fields) => boolean> = new Map([
	["message", ({ message }) => isFields(message) && typeof message["role"] === "string"],
	["custom", ({ customType }) => typeof customType === "string"],
	["custom_message", ({ customType }) => typeof customType === "string"],
	["compaction", ({ summary }) => typeof summary === "string"],
	["branch_summary", ({ summary }) => typeof summary === "string"],
	[
		"context_edit",
		({ targetId, replacement }) =>
			typeof targetId === "string" && (replacement === null || isFields(replacement)),
	],
	["usage", ({ usage }) => isFields(usage)],
	["thinking_level_change", ({ thinkingLevel }) => typeof thinkingLevel === "string"],
	["model_change", () => true],
	["label", ({ targetId }) => typeof targetId === "string"],
	["session_info", () => true],
] satisfies [string, (fields: { readonly [name: string]: unknown }) => boolean][]);

/** What older versions wrote otherwise. */
function changesOf(fields: Fields, type: string, order: readonly string[]): Fields | undefined {
	if (type === "compaction") {
		const index = fields["firstKeptEntryIndex"];
		if (typeof index !== "number" || fields["firstKeptEntryId"] !== undefined) return undefined;
		return { firstKeptEntryId: order[index] || undefined };
	}
	if (type !== "message") return undefined;
	const message = fields["message"] as Fields;
	return message["role"] === "hookMessage"
		? { message: { ...message, role: "custom" } }
		: undefined;
}

function timeOf(value: unknown): string {
	if (typeof value !== "number") return textOf(value);
	const time = new Date(value);
	return Number.isNaN(time.getTime()) ? "" : time.toISOString();
}
