// Reads the lines of a session file into entries of today's form. Never throws and does no I/O: what
// cannot be read is told as a problem, with its place in the tree kept where that can still be told.

import { BREAKS_OFF, type Fields, type Salvaged, salvage, takeApart } from "./damage.ts";
import type { SessionEntry, SessionHeader, UnknownEntry } from "./entry.ts";
import {
	isFields,
	isKnown,
	isWellFormed,
	misplacementOf,
	type Place,
	readEntry,
	readHeader,
	readPlace,
	textOf,
} from "./migration.ts";

/** Something in a file that could not be read as it stands. */
export interface Problem {
	/** 1-based */
	readonly line: number;
	readonly reason: string;
}

/** Who is told what a file has in it, in file order. */
export interface Sink {
	header(header: SessionHeader): void;
	entry(entry: SessionEntry, line: number): void;
	problem(problem: Problem): void;
}

/** A session as a whole. */
export interface Session {
	/** absent where the file has none */
	readonly header: SessionHeader | undefined;
	/** the format of the file; entries are of version 3 whatever it is */
	readonly version: number;
	readonly entries: readonly SessionEntry[];
	/** for each entry its line, 1-based */
	readonly entryLines: readonly number[];
	readonly problems: readonly Problem[];
	readonly lines: number;
	/** why this is no session at all */
	readonly refusal: string | undefined;
}

/** Reads a text as a session. */
export function parseSession(text: string): Session {
	const collector = new Collector();
	const parser = new SessionParser(collector);
	// only \n ends a line: U+2028 and its like stand inside of strings
	const lines = text.split("\n");
	const rest = lines.pop();
	for (const line of lines) parser.line(line);
	parser.end(rest);
	return collector.session(parser);
}

/** What a parser knows at its end. */
type Whole = Pick<Session, "version" | "lines" | "refusal">;

/** A sink that keeps everything. */
export class Collector implements Sink {
	private head: SessionHeader | undefined;
	private readonly entries: SessionEntry[] = [];
	private readonly entryLines: number[] = [];
	private readonly problems: Problem[] = [];

	header(header: SessionHeader): void {
		this.head = header;
	}

	entry(entry: SessionEntry, line: number): void {
		this.entries.push(entry);
		this.entryLines.push(line);
	}

	problem(problem: Problem): void {
		this.problems.push(problem);
	}

	/** What was collected, once the end was reached. */
	session({ version, lines, refusal }: Whole): Session {
		const { head: header, entries, entryLines, problems } = this;
		return { header, version, entries, entryLines, problems, lines, refusal };
	}
}

/**
 * Reads line by line, so that a file of any size can be read.
 *
 * - records glued together on one line are read as if each had its own
 * - a record that cannot be read leaves an entry of type `unknown`, by the ids that stand at its head; if
 *   those are gone too and the next entry names a parent that nobody saw, that is who it was
 * - an entry that comes twice counts once
 * - versions 1 and 2 are brought up to date: entries without an id get `v1-<line>` and the entry before
 *   them for a parent, `firstKeptEntryIndex` counts records with the header as 0, `hookMessage` is `custom`
 */
export class SessionParser {
	/** why this is no session at all; nothing is read from there on */
	refusal: string | undefined;
	/** lines read so far */
	lines = 0;
	private readonly sink: Sink;
	private head: SessionHeader | undefined;
	/** entries of a type that is known */
	private known = 0;
	/** the newest entry's id */
	private newest: string | null = null;
	/** by id: when it was stored, to tell the same entry from another with its id */
	private readonly seen = new Map<string, string>();
	/** ids by record, the header's place included: what `firstKeptEntryIndex` points into */
	private readonly order: string[] = [];
	/** where an entry stands that is being read */
	private readonly place: Place = {
		id: () => this.placeName(),
		parentId: () => this.newest,
		order: this.order,
	};
	private readonly unknownTypes = new Set<string>();
	/** a damaged region that may go on */
	private damage: Damage | undefined;
	/** records on this line so far */
	private onLine = 0;

	constructor(sink: Sink) {
		this.sink = sink;
	}

	/** The format of the file; without a header, what its entries tell. */
	get version(): number {
		if (this.head) return this.head.version ?? 1;
		return this.newest?.startsWith("v1-") ? 1 : 3;
	}

	/** Takes the next line, without its `\n`. */
	line(text: string): void {
		this.startLine();
		if (this.refusal !== undefined) return;
		const line = this.lines === 1 && text.startsWith("\ufeff") ? text.slice(1) : text;
		if (line === "" || line === "\r") return;
		let value: unknown;
		try {
			value = JSON.parse(line);
		} catch {
			this.takeApart(line);
			return;
		}
		if (isFields(value)) this.take(value);
		else this.lose("not an object", "");
	}

	/** Comes to the end; `rest` is what stands after the last `\n`. */
	end(rest = ""): void {
		const before = this.damage;
		if (rest !== "") this.line(rest);
		const { damage } = this;
		if (damage && damage !== before && damage.reason === BREAKS_OFF)
			damage.reason = "the file ends in the middle of this record";
		this.settle({});
		this.refusal ??= this.emptiness();
		if (this.refusal === undefined && !this.head)
			this.sink.problem({ line: 1, reason: "the file has no header" });
	}

	/** Passes over a line that could not even be decoded. */
	skip(reason: string): void {
		this.startLine();
		if (this.refusal === undefined) this.lose(reason, "");
	}

	private startLine(): void {
		this.lines++;
		this.onLine = 0;
	}

	private emptiness(): string | undefined {
		if (this.head || this.known > 0) return undefined;
		if (this.lines === 0) return "the file is empty";
		return `none of its ${this.lines} lines is a record of a session`;
	}

	private takeApart(line: string): void {
		const pieces = takeApart(line);
		const whole = new Set<unknown>();
		for (const piece of pieces) if (piece.kind === "record") whole.add(piece.value["id"]);
		for (const piece of pieces)
			if (piece.kind === "record") this.take(piece.value);
			else this.lose(piece.reason, piece.text, whole);
	}

	private take(fields: Fields): void {
		this.onLine++;
		const type = textOf(fields["type"]);
		if (type === "session") this.takeHeader(fields);
		else if (this.newest === null && EVENTS.has(type)) this.refusal = EVENT_STREAM;
		else if (type === "" && textOf(fields["id"]) === "") this.lose(NO_ENTRY, "");
		else {
			this.settle(fields);
			this.takeEntry(this.read(fields, type));
		}
	}

	private takeHeader(fields: Fields): void {
		this.settle({});
		this.order.push("");
		if (this.head) {
			this.report("a second header; the first one counts");
			return;
		}
		if (this.newest !== null) this.report("the header is not the first record");
		if (textOf(fields["id"]) === "") this.report("the header has no id");
		this.head = readHeader(fields);
		this.sink.header(this.head);
	}

	private takeEntry(entry: SessionEntry): void {
		const stored = this.seen.get(entry.id);
		if (stored !== undefined && stored === entry.timestamp) {
			this.report(`entry ${entry.id} is here a second time; it counts once`);
			return;
		}
		if (stored !== undefined) this.report(`another entry has the id ${entry.id} too`);
		this.emit(entry, this.lines);
	}

	private emit(entry: SessionEntry, line: number): void {
		if (entry.type !== "unknown") this.known++;
		this.order.push(entry.id);
		this.seen.set(entry.id, entry.timestamp);
		this.newest = entry.id;
		this.sink.entry(entry, line);
	}

	/** Remembers something unreadable; `whole` are ids of records that stand beside it and can be read. */
	private lose(reason: string, text: string, whole?: ReadonlySet<unknown>): void {
		const salvaged = salvage(text);
		// the later parts of a record that was broken over lines have no head of their own
		const isNew = salvaged.id !== undefined || salvaged.begins === true;
		if (!isNew && this.damage && this.lines <= this.damage.last + 1) {
			this.damage.last = this.lines;
			return;
		}
		this.settle(salvaged);
		this.damage = { first: this.lines, last: this.lines, reason, stub: undefined };
		if (isNew && !whole?.has(salvaged.id)) this.damage.stub = this.stubOf(salvaged);
	}

	/** The entry that keeps the place of a record which cannot be read, if there is a way to name it. */
	private stubOf({ id, parentId, timestamp = "" }: Salvaged): UnknownEntry | undefined {
		if (id === undefined) {
			if (this.version !== 1) return undefined;
			this.onLine++;
			return { type: "unknown", id: this.placeName(), parentId: this.newest, timestamp };
		}
		if (this.seen.has(id)) return undefined;
		const parent = parentId === undefined ? this.newest : parentId;
		return { type: "unknown", id, parentId: parent, timestamp };
	}

	/** Tells of the damage that is over now that `next` can be read, and fills the place of what was lost. */
	private settle(next: Fields | Salvaged): void {
		const { damage } = this;
		if (!damage) return;
		this.damage = undefined;
		const { first, last, reason, stub } = damage;
		const length = last - first + 1;
		this.sink.problem({ line: first, reason: length > 1 ? `${reason}; ${length} lines` : reason });
		const { id, parentId } = next as Fields;
		// after a torn write the same entry may have been written once more
		if (stub && stub.id !== id) this.emit(stub, first);
		const lost = textOf(parentId);
		if (lost !== "" && lost !== id && !this.seen.has(lost))
			this.emit({ type: "unknown", id: lost, parentId: this.newest, timestamp: "" }, first);
	}

	private read(fields: Fields, type: string): SessionEntry {
		const misplacement = misplacementOf(fields, (this.head?.version ?? 1) > 1);
		if (misplacement !== undefined) this.report(misplacement);
		if (isWellFormed(fields, type)) return readEntry(fields, type, this.place);
		if (isKnown(type)) this.report(`not a ${type} entry as pi writes it; ${KEPT}`);
		else {
			if (!this.unknownTypes.has(type)) this.report(`unknown type ${quoted(type)}; ${KEPT}`);
			this.unknownTypes.add(type);
		}
		return readPlace(fields, type, this.place);
	}

	/** What an entry without an id is called: the same on every reading. */
	private placeName(): string {
		return this.onLine > 1 ? `v1-${this.lines}.${this.onLine}` : `v1-${this.lines}`;
	}

	private report(reason: string): void {
		this.sink.problem({ line: this.lines, reason });
	}
}

/** A damaged region: lines that are next to each other, and whose place is to be kept. */
interface Damage {
	readonly first: number;
	last: number;
	reason: string;
	stub: UnknownEntry | undefined;
}

const NO_ENTRY = 'not a session entry (no "type")';

const KEPT = "only its place in the tree is kept";

const EVENT_STREAM = "this is what pi prints in its JSON mode, not a session file";

/** What stands at the head of such a stream, after a header like that of a session. */
const EVENTS: ReadonlySet<string> = new Set([
	"agent_start",
	"turn_start",
	"message_start",
	"message_update",
	"message_end",
	"entry_appended",
	"extension_ui_request",
	"queue_update",
	"response",
]);

function quoted(type: string): string {
	return JSON.stringify(type.length > 40 ? `${type.slice(0, 40)}…` : type);
}
