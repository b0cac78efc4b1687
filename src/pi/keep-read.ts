// What a model reads of folds: the index, a page of one, lines that match. Pure: answers from a branch in
// hand, changes nothing, and gives no word of a source away whose digest does not hold.

import type { Replayer } from "../../fold.ts";
import type { ImageBlock, PiMessage } from "../session/entry.ts";
import { type FoldSource, readSource } from "../session/source.ts";
import { withoutNested } from "../session/source-list.ts";
import { PAGE_LENGTH, pageOf } from "../session/source-page.ts";
import { searchSource, tellFound } from "../session/source-search.ts";
import { chooseFold, type Kept, keptFolds, tellFold, tellPins, tellSteps } from "./keep.ts";
import { type Log, sha256 } from "./log.ts";

/** What is asked for. Without fold and query it is the index. */
export interface ReadWish {
	readonly fold?: string | undefined;
	readonly query?: string | undefined;
	/** of a page: its first character; else so many lines are passed over */
	readonly offset?: number | undefined;
	/** of a page: at most so many characters; else so many lines */
	readonly limit?: number | undefined;
}

/** What is given. */
export interface Reading {
	readonly ok: true;
	/** the answer in words of ours */
	readonly text: string;
	/** stored text, to the letter */
	readonly page?: string | undefined;
	readonly images: readonly ImageBlock[];
}

/** Why nothing is: rule, values, way out. */
export interface NotRead {
	readonly ok: false;
	readonly reason: string;
}

/** Answers from the branch. */
export function readFolds(
	log: Log,
	replayer: Replayer<PiMessage>,
	asked: ReadWish,
): Reading | NotRead {
	const wish = withinBounds(asked);
	const folds = keptFolds(log, replayer);
	const choice = wish.fold === undefined ? undefined : chooseFold(folds, wish.fold);
	if (choice && !choice.ok) return choice;
	if (wish.query !== undefined)
		return choice ? searchOne(log, choice.fold, wish) : searchAll(log, folds, wish);
	return choice ? readPage(log, choice.fold, wish) : index(folds, replayer, wish);
}

/** A model may ask for anything: no offset is below the beginning, no limit below one. */
function withinBounds({ offset = 0, limit, ...rest }: ReadWish): ReadWish {
	const atLeastOne = limit === undefined ? {} : { limit: Math.max(1, limit) };
	return { ...rest, offset: Math.max(0, offset), ...atLeastOne };
}

const INDEX_LINES = 50;

function index(
	folds: readonly Kept[],
	replayer: Replayer<PiMessage>,
	{ offset = 0, limit = INDEX_LINES }: ReadWish,
): Reading {
	if (folds.length === 0) return said(["Nothing is folded yet."]);
	const lines = withinPage(folds.slice(offset, offset + limit).map(tellFold));
	const next = offset + lines.length;
	const more = next < folds.length ? `; more with "offset": ${next}` : "";
	const pins = tellPins(replayer);
	const pinned = pins === "" ? [] : [`Pinned by the user: ${pins}.`];
	return said([`${count(folds.length, "fold")}, oldest first${more}:`, ...lines, ...pinned]);
}

function readPage(log: Log, fold: Kept, { offset = 0, limit }: ReadWish): Reading | NotRead {
	const source = sourceOf(log, fold);
	if (!source.ok) return source;
	const page = pageOf(source, offset, Math.min(limit ?? PAGE_LENGTH, PAGE_LENGTH));
	if (page.text === "" && page.total > 0)
		return refuse(`fold ${fold.record.id} has ${page.total} characters, ${offset} is past its end`);
	const end = page.offset + page.text.length;
	const what = `Fold ${fold.record.id}, ${tellSteps(fold)}, ${source.proof}`;
	const next =
		page.next === null
			? "the end"
			: `next: read_dmail({"fold":"${fold.record.id}","offset":${page.next}})`;
	return {
		ok: true,
		text: `${what}; characters ${page.offset}–${end} of ${page.total}, ${next}.`,
		page: page.text,
		images: page.images.map(({ image }) => image),
	};
}

const HITS = 20;
const HIT_WIDTH = 200;

/** A fold and its source, ready to be searched. */
interface Searched extends Source {
	readonly id: string;
}

function searchOne(log: Log, fold: Kept, wish: ReadWish): Reading | NotRead {
	const source = sourceOf(log, fold);
	return source.ok ? search([{ ...source, id: fold.record.id }], [], wish) : source;
}

/** Searches every fold; what lies in several is found in the outermost. */
function searchAll(log: Log, folds: readonly Kept[], wish: ReadWish): Reading | NotRead {
	const readable: Searched[] = [];
	const refused: string[] = [];
	for (const fold of folds) {
		const source = sourceOf(log, fold);
		if (source.ok) readable.push({ ...source, id: fold.record.id });
		else refused.push(`Not searched: ${source.reason}.`);
	}
	return search(withoutNested(readable), refused, wish);
}

function search(
	searched: readonly Searched[],
	refused: readonly string[],
	{ query = "", offset = 0, limit = HITS }: ReadWish,
): Reading | NotRead {
	if (query.includes("\n"))
		return refuse("a query is looked for line by line: leave line ends out");
	const asked = { text: query, ignoreCase: true };
	const hits = searched.flatMap(({ id, text }) => {
		const found = searchSource(text, asked);
		if (!found.ok) return [];
		return found.lines.map((line) => ({
			id,
			tell: () => tellFound({ ...found, lines: [line] }, asked, { by: "offset", width: HIT_WIDTH }),
		}));
	});
	const shown = withinPage(
		hits.slice(offset, offset + limit).map(({ id, tell }) => `${id} ${tell()}`),
	);
	const next = offset + shown.length;
	const more = next < hits.length ? `; more with "offset": ${next}` : "";
	const example = hits.length > 0 ? ", as fold and offset to read from" : "";
	return said([
		`${count(hits.length, "line")} found${example}${more}${shown.length > 0 ? ":" : "."}`,
		...shown,
		...refused,
	]);
}

interface Source extends FoldSource {
	/** what is known of its truth, in words */
	readonly proof: string;
}

function sourceOf(log: Log, { record, at, state, reason }: Kept): Source | NotRead {
	const source = readSource({ record, branch: log.stored, at, reader: "model", hash: sha256 });
	if (!source.ok) return refuse(`fold ${record.id} is not shown; it is ${source.reason}`);
	const proof = source.verified ? "verified" : "unverified: its record has no digest";
	const damage = state === "unreadable" ? ` (its record is damaged: ${reason})` : "";
	return { ...source, proof: proof + damage };
}

/** As many lines as one page holds, and one at least. */
function withinPage(lines: readonly string[]): string[] {
	let length = 0;
	const fits = (line: string) => {
		length += line.length + 1;
		return length <= PAGE_LENGTH;
	};
	const end = lines.findIndex((line, at) => !fits(line) && at > 0);
	return lines.slice(0, end < 0 ? lines.length : end);
}

function count(number: number, what: string): string {
	return `${number} ${what}${number === 1 ? "" : "s"}`;
}

function said(lines: readonly string[]): Reading {
	return { ok: true, text: lines.join("\n"), images: [] };
}

function refuse(reason: string): NotRead {
	return { ok: false, reason };
}
