// Looks at the beginning of a file for what a listing needs: the header, or why the file is no session. Reads no
// more than it must, and never more than the larger of its two sizes.

import { closeSync, openSync, readSync } from "node:fs";
import type { SessionEntry, SessionHeader } from "./entry.ts";
import { SessionParser, type Sink } from "./parse.ts";

/** What the beginning of a file tells. */
export interface Head {
	readonly header: SessionHeader | undefined;
	/** why this is no session */
	readonly fault: string | undefined;
}

/** In bytes. A header has a few hundred as a rule. */
const SIZES = [1 << 12, 1 << 16];

/** The head of a file. Throws what the system refuses. */
export function readHead(path: string): Head {
	const file = openSync(path, "r");
	try {
		for (const size of SIZES) {
			const buffer = Buffer.allocUnsafe(size);
			const length = readSync(file, buffer, 0, size, 0);
			const head = headOf(buffer.toString("utf8", 0, length), length < size);
			if (head) return head;
		}
	} finally {
		closeSync(file);
	}
	return { header: undefined, fault: "it does not begin as a session does" };
}

/** What a text tells that is all of a file or the beginning of one; undefined: not enough. */
function headOf(text: string, isWhole: boolean): Head | undefined {
	const first = new First();
	const parser = new SessionParser(first);
	const lines = text.split("\n");
	const rest = lines.pop();
	for (const line of lines) {
		parser.line(line);
		// what follows a header tells a session from what pi prints in its JSON mode
		if (parser.refusal !== undefined || first.hasEntry) break;
	}
	if (isWhole && !first.hasEntry) parser.end(rest);
	const { head: header, hasEntry } = first;
	if (!isWhole && parser.refusal === undefined && !header && !hasEntry) return undefined;
	return { header, fault: parser.refusal };
}

/** Keeps the header, and whether an entry follows. */
class First implements Sink {
	head: SessionHeader | undefined;
	hasEntry = false;

	header(header: SessionHeader): void {
		this.head = header;
	}

	entry({ type }: SessionEntry): void {
		this.hasEntry ||= type !== "unknown";
	}

	problem(): void {}
}
