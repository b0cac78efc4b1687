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
	readonly id?: string | undefined;
	/** `undefined`: not to be found; `null`: it is a root */
	readonly parentId?: string | null | undefined;
	readonly timestamp?: string | undefined;
}

/** How records of pi begin. Blocks of a message begin alike but with other types. */
const HEAD =
	/\{"type":"(?:session|message|custom|custom_message|compaction|branch_summary|context_edit|usage|thinking_level_change|model_change|label|session_info)"/g;

/** The reason of a record whose end is not there. */
export const BREAKS_OFF = "the record breaks off";

/** A line with more heads than this is not worth the time: its rest is one damaged piece. */
const HEADS_TRIED = 64;

/** Records and rests in the order in which they stand; white space between records is nothing. */
export function takeApart(line: string): Piece[] {
	const pieces: Piece[] = [];
	for (let at = 0; at < line.length; ) {
		const open = line.indexOf("{", at);
		const start = open < 0 ? line.length : open;
		addJunk(pieces, line.slice(at, start));
		if (open < 0) break;
		const found = recordAt(line, start);
		if (found.kind === "record") {
			pieces.push({ kind: "record", value: found.value });
			at = found.end;
		} else {
			at = nextRecord(line, start + 1) ?? found.end ?? line.length;
			pieces.push({ kind: "rest", text: line.slice(start, at), reason: found.reason });
		}
	}
	return pieces;
}

/** Reads the flat fields that stand at the head of what was a record, or else the pair of ids. */
export function salvage(text: string): Salvaged {
	const fields = leadingFields(text);
	const id = fields.get("id");
	if (id) return { id, parentId: fields.get("parentId"), timestamp: named(fields, "timestamp") };
	const pair = /"id":"([^"\\]+)","parentId":(?:"([^"\\]+)"|null)/.exec(text);
	return pair ? { id: pair[1], parentId: pair[2] ?? null } : {};
}

/** Why a text is no JSON, without the excerpts that the engine's own message carries. */
function reasonOf(error: unknown): string {
	const message = error instanceof Error ? error.message : String(error);
	const short = message.replace(/(?:, \.{0,3}"| \(line ).*$/s, "");
	return short.replace(/\p{Cc}/gu, "\ufffd").slice(0, 120);
}

type Found =
	| { readonly kind: "record"; readonly value: Fields; readonly end: number }
	| { readonly kind: "none"; readonly end: number | undefined; readonly reason: string };

/** The object that begins at `start`; what is wrong, and where it seems to end, if it is none. */
function recordAt(line: string, start: number): Found {
	const end = closingBrace(line, start);
	if (end === undefined) return { kind: "none", end, reason: BREAKS_OFF };
	try {
		return { kind: "record", value: JSON.parse(line.slice(start, end)), end };
	} catch (error) {
		return { kind: "none", end, reason: reasonOf(error) };
	}
}

/**
 * Where the next whole record begins. It must look like one of pi's and be followed by nothing or by the
 * next: an object inside of a damaged record is followed by a comma or a bracket.
 */
function nextRecord(line: string, from: number): number | undefined {
	HEAD.lastIndex = from;
	for (let tried = 0; tried < HEADS_TRIED; tried++) {
		const head = HEAD.exec(line);
		if (!head) return undefined;
		const found = recordAt(line, head.index);
		if (found.kind === "record" && /^[\s\0]*(?:\{|$)/.test(line.slice(found.end, found.end + 64)))
			return head.index;
	}
	return undefined;
}

/** One past the brace that closes the one at `start`, braces inside strings aside. */
function closingBrace(line: string, start: number): number | undefined {
	let depth = 0;
	let inString = false;
	for (let at = start; at < line.length; at++) {
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
		fields.set(name, value ?? null);
	}
	return fields;
}

function named(fields: ReadonlyMap<string, string | null>, name: string): string | undefined {
	return fields.get(name) ?? undefined;
}
