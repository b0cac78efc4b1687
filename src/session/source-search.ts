// Finds lines in a source. Pure; what it gives is the source's own lines and where they begin.

/** What to look for. */
export interface Query {
	/** a plain text, or a regular expression where `regex` is set: for people, since one can take forever */
	readonly text: string;
	readonly regex?: boolean | undefined;
	readonly ignoreCase?: boolean | undefined;
	/** lines shown before and after each match; none where absent */
	readonly context?: number | undefined;
	/** at most this many matching lines; all where absent */
	readonly limit?: number | undefined;
}

/** A line of a source, matching or beside one that does. */
interface FoundLine {
	/** 1-based */
	readonly line: number;
	/** where it begins, in UTF-16 units from the beginning of the source: a page can start here */
	readonly offset: number;
	readonly text: string;
	readonly hit: boolean;
}

/** What was found, in order; where line numbers do not follow each other there is a gap. */
export interface Found {
	readonly ok: true;
	readonly lines: readonly FoundLine[];
	/** how many lines match, also those over the limit */
	readonly hits: number;
}

/** Why nothing can be looked for. */
export interface BadQuery {
	readonly ok: false;
	readonly reason: string;
}

/** The lines of a text that match, each once, with those around them. Only `\n` ends a line. */
export function searchSource(text: string, query: Query): Found | BadQuery {
	const matches = matcher(query);
	if ("reason" in matches) return matches;
	const lines = text.split("\n");
	const all: number[] = [];
	lines.forEach((line, at) => {
		if (matches.test(line)) all.push(at);
	});
	const hits = new Set(all.slice(0, query.limit ?? all.length));
	return { ok: true, lines: gather(lines, hits, query.context ?? 0), hits: all.length };
}

/** How lines are told. */
export interface Telling {
	/** a line is named by its number, or by the offset of what is shown of it; by its number where absent */
	readonly by?: "line" | "offset" | undefined;
	/** a longer line is shown around its match, cut at whole characters; whole lines where absent */
	readonly width?: number | undefined;
}

/** What was found, as text: `12: line` for a match, `11- line` beside one, `--` where lines are left out. */
export function tellFound(found: Found, query: Query, telling: Telling = {}): string {
	const { by = "line", width = Number.POSITIVE_INFINITY } = telling;
	const matches = matcher(query);
	const told: string[] = [];
	let last = 0;
	for (const one of found.lines) {
		const { line, offset, hit } = one;
		if (last > 0 && line !== last + 1) told.push("--");
		last = line;
		const at = "reason" in matches || !hit ? 0 : matches.at(one.text);
		const { from, text } = around(one.text, at, width);
		told.push(`${by === "line" ? line : offset + from}${hit ? ":" : "-"} ${text}`);
	}
	return told.join("\n");
}

interface Matcher {
	test(line: string): boolean;
	/** where the first match begins in a line that has one */
	at(line: string): number;
}

function matcher({ text, regex, ignoreCase }: Query): Matcher | BadQuery {
	if (text === "") return { ok: false, reason: "nothing to look for; say a text" };
	const source = regex ? text : text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
	try {
		const pattern = new RegExp(source, ignoreCase ? "i" : "");
		return {
			test: (line) => pattern.test(line),
			at: (line) => line.search(pattern),
		};
	} catch (error) {
		return { ok: false, reason: `not a regular expression: ${(error as SyntaxError).message}` };
	}
}

function gather(lines: readonly string[], hits: ReadonlySet<number>, context: number): FoundLine[] {
	const shown = new Set<number>();
	for (const hit of hits)
		for (let at = Math.max(0, hit - context); at <= hit + context && at < lines.length; at++)
			shown.add(at);
	const found: FoundLine[] = [];
	let offset = 0;
	lines.forEach((text, at) => {
		if (shown.has(at)) found.push({ line: at + 1, offset, text, hit: hits.has(at) });
		offset += text.length + 1;
	});
	return found;
}

/** A part of a line and where it begins in it, in UTF-16 units. */
interface Part {
	readonly from: number;
	readonly text: string;
}

function around(text: string, at: number, width: number): Part {
	if (text.length <= width) return { from: 0, text };
	const points = Array.from(text);
	if (points.length <= width) return { from: 0, text };
	const before = Array.from(text.slice(0, at)).length;
	const from = Math.max(0, Math.min(before - Math.floor(width / 4), points.length - width));
	const cut = points.slice(from, from + width).join("");
	const told = `${from > 0 ? "…" : ""}${cut}${from + width < points.length ? "…" : ""}`;
	return { from: points.slice(0, from).join("").length, text: told };
}
