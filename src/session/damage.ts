// Takes a line apart that is not one JSON record: records glued together, torn, or with junk between.
// Works on the text alone and never throws; parse.ts decides what the pieces mean.

/** A piece of a damaged line. */
export type Piece =
	/** a whole JSON object */
	| { readonly kind: "record"; readonly value: Fields }
	/** what is left of a record, or text that never was one */
	| { readonly kind: "rest"; readonly text: string; readonly reason: string };

/** A JSON object of unknown make. */
export type Fields = Readonly<Record<string, unknown>>;

/** What can still be told of a record that cannot be read. */
export interface Salvaged {
	/** whether it begins as a record does: else it may be the later part of one */
	readonly begins?: boolean | undefined;
	readonly id?: string | undefined;
	/** `undefined`: not to be found; `null`: it is a root */
	readonly parentId?: string | null | undefined;
	readonly timestamp?: string | undefined;
}

/** The types of pi's records. Blocks of a message begin as records do, but with other types. */
const TYPES = [
	"session",
	"message",
	"custom",
	"custom_message",
	"compaction",
	"branch_summary",
	"context_edit",
	"usage",
	"thinking_level_change",
	"model_change",
	"label",
	"session_info",
];

/** How records of pi begin. */
const HEAD = new RegExp(`\\{"type":"(?:${TYPES.join("|")})"`, "g");

/** How any object begins that could be a record of another writer. */
const OBJECT = /\{"/g;

/** The reason of a record whose end is not there. */
export const BREAKS_OFF = "the record breaks off";

/** A line with more heads than this is not worth the time: its rest is one damaged piece. */
const HEADS_TRIED = 64;

/**
 * Records and rests in the order in which they stand; white space between records is nothing. After text that
 * belongs to no record only what begins as pi's records do is one: the later part of a record that was broken
 * over lines has objects of its own.
 */
export function takeApart(line: string): Piece[] {
	const pieces: Piece[] = [];
	for (let at = 0; at < line.length; ) {
		const open = line.indexOf("{", at);
		const start = open < 0 ? line.length : open;
		if (open < 0 || !BLANK.test(line.slice(at, start))) {
			const next = nextRecord(line, at) ?? line.length;
			addJunk(pieces, line.slice(at, next));
			at = next;
			continue;
		}
		addJunk(pieces, line.slice(at, start));
		const found = recordAt(line, start);
		if (found.kind === "record") {
			pieces.push({ kind: "record", value: found.value });
			at = found.end;
		} else {
			at = nextRecord(line, start + 1) ?? line.length;
			pieces.push({ kind: "rest", text: line.slice(start, at), reason: found.reason });
		}
	}
	return pieces;
}

/** What may stand before a record. */
const BLANK = /^[\s\0]*$/;

/** Reads the flat fields that stand at the head of what was a record, or else the pair of ids. */
export function salvage(text: string): Salvaged {
	const fields = HEADED.test(text) ? leadingFields(text) : undefined;
	const begins = fields !== undefined && isHead(fields);
	const id = begins ? fields.get("id") : undefined;
	if (begins && id) {
		const timestamp = fields.get("timestamp") ?? undefined;
		return { begins, id, parentId: fields.get("parentId"), timestamp };
	}
	const pair = /"id":"([^"\\]+)","parentId":(?:"([^"\\]+)"|null)/.exec(text);
	return pair ? { begins, id: pair[1], parentId: pair[2] ?? null } : { begins };
}

/** What begins otherwise may hold objects, but none of them is the record. */
const HEADED = /^[\s\0]*\{/;

/** Whether these are the first fields of a record, and not those of a block that a newline left alone. */
function isHead(fields: ReadonlyMap<string, string | null>): boolean {
	const type = fields.get("type");
	if (fields.size === 0 || fields.has("parentId") || fields.has("timestamp")) return true;
	return type === undefined ? fields.has("id") : TYPES.includes(type ?? "");
}

/** Why a text is no JSON, without the excerpts that the engine's own message carries. */
function reasonOf({ message }: SyntaxError): string {
	const short = message.replace(/(?:, \.{0,3}"| \(line ).*$/s, "");
	return short.replace(/\p{Cc}/gu, "\ufffd").slice(0, 120);
}

type Found =
	| { readonly kind: "record"; readonly value: Fields; readonly end: number }
	| { readonly kind: "none"; readonly reason: string };

/** The record that begins at `start`; what is wrong if it is none. */
function recordAt(line: string, start: number): Found {
	const end = closingBrace(line, start);
	if (end === undefined) return { kind: "none", reason: BREAKS_OFF };
	try {
		const value: Fields = JSON.parse(line.slice(start, end));
		if (isRecord(value)) return { kind: "record", value, end };
		return { kind: "none", reason: "an object that is no record" };
	} catch (error) {
		return { kind: "none", reason: reasonOf(error as SyntaxError) };
	}
}

/** Every writer of entries names the type, and gives what is not pi's a parent or a time. */
function isRecord(value: Fields): boolean {
	const { type } = value as { readonly type?: unknown };
	if (typeof type !== "string") return false;
	return TYPES.includes(type) || "parentId" in value || "timestamp" in value;
}

/**
 * Where the next whole record begins. It must look like one of pi's, or name itself and its parent, and be
 * followed by nothing or by the next: an object inside of a damaged record is followed by a comma or a bracket.
 */
function nextRecord(line: string, from: number): number | undefined {
	return find(HEAD, line, from, () => true) ?? find(OBJECT, line, from, isEntry);
}

function find(
	head: RegExp,
	line: string,
	from: number,
	fits: (value: Fields) => boolean,
): number | undefined {
	head.lastIndex = from;
	for (let tried = 0; tried < HEADS_TRIED; tried++) {
		const begun = head.exec(line);
		if (!begun) return undefined;
		const found = recordAt(line, begun.index);
		if (found.kind !== "record" || !fits(found.value)) continue;
		if (/^[\s\0]*(?:\{|$)/.test(line.slice(found.end, found.end + 64))) return begun.index;
	}
	return undefined;
}

function isEntry(value: Fields): boolean {
	return typeof value["id"] === "string" && "parentId" in value;
}

/** One past the brace that closes the one at `start`, braces inside strings aside. */
function closingBrace(line: string, start: number): number | undefined {
	let depth = 0;
	let inString = false;
	// behind the last brace there is no end to look for: a line of nothing but beginnings has none at all
	const last = line.lastIndexOf("}");
	for (let at = start; at <= last; at++) {
		const unit = line.charCodeAt(at);
		if (inString) {
			if (unit === BACKSLASH) at++;
			else if (unit === QUOTE) inString = false;
		} else if (unit === QUOTE) inString = true;
		else if (unit === OPEN) depth++;
		else if (unit === CLOSE && --depth === 0) return at + 1;
	}
	return undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

function addJunk(pieces: Piece[], text: string): void {
	const solid = text.replace(/\s/g, "");
	if (solid === "") return;
	const reason = /^\0+$/.test(solid)
		? `${solid.length} NUL bytes`
		: `${solid.length} characters that belong to no record`;
	pieces.push({ kind: "rest", text, reason });
}

function leadingFields(text: string): Map<string, string | null> {
	const fields = new Map<string, string | null>();
	const field = /[{,]\s*"(\w+)"\s*:\s*(?:"((?:[^"\\]|\\.)*)"|null|true|false|-?\d[\d.eE+-]*)/y;
	field.lastIndex = Math.max(0, text.indexOf("{"));
	for (let pair = field.exec(text); pair; pair = field.exec(text)) {
		const [, name = "", value] = pair;
		// what stands deeper in the record comes later
		if (!fields.has(name)) fields.set(name, value ?? null);
	}
	return fields;
}
