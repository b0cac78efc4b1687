// Where a compaction of a folded conversation cuts: not inside a fold, and counted by what is sent, not by
// what is stored. Pure.

import type { Replayer } from "../../fold.ts";
import type { PiMessage } from "../session/entry.ts";
import type { Piece } from "./compaction-text.ts";

/** What a cut has to heed. */
export interface CutWish {
	/** pi keeps at least so many tokens of the newest messages */
	readonly keep: number;
	/** a fold's edge or a turn's start that keeps more than this is no good cut, if there is a later one */
	readonly most: number;
	/** the position where pi would cut by what is stored */
	readonly own: number;
}

/** A compaction as it is to be made. */
export interface Cut {
	/** the position on the branch of the first message that is kept */
	readonly at: number;
	/** to be summarised: what came before the turn that the cut parts, or all of it if it parts none */
	readonly history: readonly PiMessage[];
	/** the beginning of the turn that the cut parts */
	readonly prefix: readonly PiMessage[];
}

/**
 * Chooses the cut: the latest edge of a fold or start of a turn that keeps enough of the view. Where that
 * keeps too much, since one turn is long, a step's start will do, as it does for pi. Where a fold stands for
 * all up to the end, its end will do too: nothing is kept.
 *
 * @returns `undefined` where nothing could be summarised
 */
export function chooseCut(
	replayer: Replayer<PiMessage>,
	pieces: readonly Piece[],
	wish: CutWish,
): Cut | undefined {
	const places = placesIn(replayer, pieces);
	const enough = places.filter((place) => place.kept >= wish.keep);
	const seam = enough.findLast((place) => place.isSeam);
	const chosen =
		seam && seam.kept <= wish.most
			? seam
			: (enough.at(-1) ??
				// less than pi keeps is in view at all: then where pi itself cuts, or at the end of the fold there
				places.find((place) => place.at >= wish.own) ??
				places.at(-1));
	return chosen && part(pieces, chosen);
}

/** A place where a cut is possible. */
interface Place {
	/** the piece that would be the first one kept; the number of pieces where none would */
	readonly index: number;
	readonly at: number;
	/** tokens of the view from here on */
	readonly kept: number;
	/** the edge of a fold, or the start of a turn */
	readonly isSeam: boolean;
}

/**
 * All places, in order: before each nothing is parted, and there is something to summarise. The end is one only
 * behind a fold that stands for all up to it: pi itself always keeps something, and that would be inside.
 */
function placesIn({ steps }: Replayer<PiMessage>, pieces: readonly Piece[]): Place[] {
	let kept = pieces.reduce((sum, { tokens }) => sum + tokens, 0);
	let isThere = false;
	const places: Place[] = [];
	for (const [index, piece] of pieces.entries()) {
		const { at } = piece;
		const before = pieces[index - 1];
		const isInside = !piece.isChip && piece.end !== undefined;
		const parts = steps.resultWithoutCall(at, steps.entries.length) >= 0;
		if (isThere && !isInside && !piece.isResult && !parts) {
			const isSeam = piece.opensTurn || piece.isChip || before?.end !== undefined;
			places.push({ index, at, kept, isSeam });
		}
		kept -= piece.tokens;
		isThere ||= piece.plain.length > 0;
	}
	// the request that a fold keeps stays as long as there is another place
	if (places.length === 0 || pieces.at(-1)?.isChip) places.push(...endIn(steps, pieces));
	return places;
}

/** The end, where the last piece is of a fold: its record is stored there, or what is not in view before that. */
function endIn(steps: Replayer<PiMessage>["steps"], pieces: readonly Piece[]): Place[] {
	const at = pieces.at(-1)?.end;
	if (at === undefined || steps.resultWithoutCall(at, steps.entries.length) >= 0) return [];
	return [{ index: pieces.length, at, kept: 0, isSeam: true }];
}

function part(pieces: readonly Piece[], { index, at }: Place): Cut {
	const first = pieces[index];
	const parts = first !== undefined && !first.opensTurn;
	const turn = parts ? pieces.slice(0, index).findLastIndex((piece) => piece.holdsTurn) : -1;
	const start = turn < 0 ? index : turn;
	const plain = (some: readonly Piece[]) => some.flatMap((piece) => piece.plain);
	return { at, history: plain(pieces.slice(0, start)), prefix: plain(pieces.slice(start, index)) };
}
