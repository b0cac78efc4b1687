// Cuts bytes into lines. Only `\n` ends one, and each is decoded whole, so that neither a separator inside
// of a string nor a character on the border of two chunks is ever cut.

import { constants } from "node:buffer";

/** Where lines go. */
export interface LineReader {
	line(text: string): void;
	/** a line that no string can hold */
	skip(reason: string): void;
}

const NEWLINE = 0x0a;

/** Keeps the bytes of a line until it is whole; of one that is too long only their number. */
export class LineCutter {
	private readonly reader: LineReader;
	private readonly limit: number;
	private parts: Buffer[] = [];
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
			else this.reader.line(chunk.toString("utf8", from, to));
			from = to + 1;
		}
		if (from < chunk.length) this.keep(chunk.subarray(from));
	}

	/** What stands after the last `\n`. */
	rest(): string {
		if (this.length > this.limit) this.flush();
		const text = Buffer.concat(this.parts).toString("utf8");
		this.parts = [];
		this.length = 0;
		return text;
	}

	private keep(bytes: Buffer): void {
		this.length += bytes.length;
		if (this.length > this.limit) this.parts = [];
		else if (bytes.length > 0) this.parts.push(Buffer.from(bytes));
	}

	private flush(): void {
		const { length, parts } = this;
		this.parts = [];
		this.length = 0;
		if (length > this.limit) this.skip(length);
		else this.reader.line(Buffer.concat(parts).toString("utf8"));
	}

	private skip(length: number): void {
		this.reader.skip(`a line of ${length} bytes is too long to be read`);
	}
}
