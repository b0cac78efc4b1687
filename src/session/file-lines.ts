// Cuts bytes into lines. Only `\n` ends one, and each is decoded whole, so that neither a separator inside
// of a string nor a character on the border of two chunks is ever cut.

import { constants, isAscii, transcode } from "node:buffer";

/** Where lines go. */
export interface LineReader {
	line(text: string): void;
	/** a line that no string can hold */
	skip(reason: string): void;
}

const NEWLINE = 0x0a;
const EMPTY = Buffer.alloc(0);
/** Most lines fit into this. */
const LEAST = 1 << 16;
/** More than this is given back after the line that needed it. */
const SPARED = 1 << 22;

/** Keeps the bytes of a line until it is whole; of one that is too long only their number. */
export class LineCutter {
	private readonly reader: LineReader;
	private readonly limit: number;
	/** what came of the line so far; used again for the next, since many new ones would be garbage to look for */
	private begun = EMPTY;
	/** bytes of the line so far */
	private length = 0;

	/** @param limit the longest line in bytes */
	constructor(reader: LineReader, limit: number = constants.MAX_STRING_LENGTH) {
		this.reader = reader;
		this.limit = limit;
	}

	/** Takes the next bytes in; they may be overwritten afterwards. */
	push(chunk: Buffer): void {
		let from = 0;
		for (let to = chunk.indexOf(NEWLINE); to >= 0; to = chunk.indexOf(NEWLINE, from)) {
			if (this.length > 0) {
				this.keep(chunk.subarray(from, to));
				this.flush();
			} else if (to - from > this.limit) this.skip(to - from);
			else this.reader.line(decode(chunk.subarray(from, to)));
			from = to + 1;
		}
		if (from < chunk.length) this.keep(chunk.subarray(from));
	}

	/** What stands after the last `\n`. */
	rest(): string {
		if (this.length > this.limit) this.flush();
		const text = decode(this.begun.subarray(0, this.length));
		this.begun = EMPTY;
		this.length = 0;
		return text;
	}

	private keep(bytes: Buffer): void {
		const before = this.length;
		this.length += bytes.length;
		if (this.length > this.limit) this.begun = EMPTY;
		else {
			if (this.length > this.begun.length) this.grow(before);
			bytes.copy(this.begun, before);
		}
	}

	private grow(filled: number): void {
		const larger = Buffer.allocUnsafe(
			Math.max(this.length, Math.ceil(1.5 * this.begun.length), LEAST),
		);
		this.begun.copy(larger, 0, 0, filled);
		this.begun = larger;
	}

	private flush(): void {
		const { length, begun } = this;
		this.length = 0;
		if (begun.length > SPARED) this.begun = EMPTY;
		if (length > this.limit) this.skip(length);
		else this.reader.line(decode(begun.subarray(0, length)));
	}

	private skip(length: number): void {
		this.reader.skip(`a line of ${length} bytes is too long to be read`);
	}
}

/** Beyond this many bytes a second copy of the line is not worth the time that it saves. */
const TRANSCODED = 1 << 20;

/** The text of some bytes. Node's own decoder takes several times as long for both kinds of text. */
function decode(bytes: Buffer): string {
	if (isAscii(bytes)) return bytes.toString("latin1");
	if (bytes.length > TRANSCODED) return bytes.toString("utf8");
	try {
		return transcode(bytes, "utf8", "utf16le").toString("utf16le");
	} catch {
		// not UTF-8: only that decoder puts something in the place of what is wrong
		return bytes.toString("utf8");
	}
}
