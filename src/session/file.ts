// Reads session files from disk, in chunks: memory does not grow with the file, only with what the caller
// keeps of it. Never writes, and a file may grow while it is read.

import { closeSync, openSync, readSync } from "node:fs";
import { LineCutter } from "./file-lines.ts";
import { refusalOf } from "./file-place.ts";
import { Collector, type Session, SessionParser, type Sink } from "./parse.ts";

/** What is known of a file once it was read to its end. */
export interface Reading {
	readonly bytes: number;
	readonly lines: number;
	/** the format of the file */
	readonly version: number;
	/** why it could not be read as a session */
	readonly refusal: string | undefined;
}

/** A whole session and the size of its file. */
export interface SessionFile extends Session {
	readonly bytes: number;
}

/** No more than what a core's own cache holds: the bytes are gone over three times, and are still there then. */
const CHUNK_BYTES = 1 << 18;

/** Lies ready for the next file: many new ones would make the collector look for garbage in between. */
let spare: Buffer | undefined;

/**
 * Reads a file and tells the sink what it has in it.
 *
 * @param progress is told the bytes read so far, after each chunk
 * @returns a refusal where the file cannot be opened or is no session; it never throws for what a file is
 */
export function readSessionInto(
	path: string,
	sink: Sink,
	progress?: (bytes: number) => void,
): Reading {
	const parser = new SessionParser(sink);
	const lines = new LineCutter(parser);
	let bytes = 0;
	try {
		for (const chunk of chunksOf(path)) {
			lines.push(chunk);
			bytes += chunk.length;
			progress?.(bytes);
			if (parser.refusal !== undefined) break;
		}
	} catch (error) {
		const refusal = refusalOf(error);
		return { bytes, lines: parser.lines, version: parser.version, refusal };
	}
	parser.end(lines.rest());
	return { bytes, lines: parser.lines, version: parser.version, refusal: parser.refusal };
}

/** Reads a whole session into memory. */
export function readSession(path: string): SessionFile {
	const collector = new Collector();
	const reading = readSessionInto(path, collector);
	return { ...collector.session(reading), bytes: reading.bytes };
}

/** The bytes of a file, a chunk at a time; each chunk is gone when the next one is asked for. */
function* chunksOf(path: string): Generator<Buffer> {
	const file = openSync(path, "r");
	const buffer = spare ?? Buffer.allocUnsafe(CHUNK_BYTES);
	spare = undefined;
	try {
		for (;;) {
			const length = readSync(file, buffer, 0, CHUNK_BYTES, null);
			if (length === 0) return;
			yield buffer.subarray(0, length);
		}
	} finally {
		spare = buffer;
		closeSync(file);
	}
}
