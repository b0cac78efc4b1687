// The same session with other compactions: none at all, for a net that stands in for them, or more of them,
// where pi would have compacted. Derives a tape from a tape.

import type { Request, Tape } from "./what-if-tape.ts";

/** pi's defaults: it compacts when less than this is left of the window, and keeps so much. */
const RESERVE = 16_384;
const KEPT = 20_000;
/** Windows that are common among models. */
const WINDOWS = [200_000, 400_000, 1_000_000] as const;
/** Tokens of a summary by pi: of those in sessions at hand the middle. */
const SUMMARY = 2_000;

/** Where a session is compacted, in tokens. */
export interface Limits {
	/** the context at which pi compacts */
	readonly threshold: number;
	readonly window: number;
}

/** The limits by a window, where it is known; else by the smallest common one that all prompts fit in. */
export function limitsOf(tape: Tape, window: number | undefined): Limits {
	const peak = tape.requests.reduce((most, { prompt }) => Math.max(most, prompt), 0);
	const chosen = window ?? WINDOWS.find((one) => one >= peak) ?? peak;
	return { window: chosen, threshold: chosen - RESERVE };
}

/** The recorded compactions: the request before and the one after each. */
export function compactions(tape: Tape): { before: Request; after: Request }[] {
	return tape.requests.flatMap((after, i) => {
		const before = tape.requests[i - 1];
		return after.compacted && before ? [{ before, after }] : [];
	});
}

/** Nothing is compacted: all since the first message is in every prompt. Notes where pi pressed for it. */
export function uncompacted(tape: Tape): Tape {
	const pressed = new Set(compactions(tape).map(({ after }) => after.number));
	const requests = tape.requests.map((request) => ({
		...movedTo(tape, request, { from: 0, lead: 0 }),
		compacted: false,
	}));
	return { ...tape, requests, pressed };
}

/** As pi does it: where the recording has no compaction, one wherever a prompt reaches the threshold. */
export function compactedAt(tape: Tape, { threshold }: Limits): Tape {
	if (tape.requests.some(({ compacted }) => compacted)) return tape;
	let era: Era | undefined;
	const requests = tape.requests.map((request) => {
		const now = era ? movedTo(tape, request, era) : request;
		if (now.prompt < threshold) return now;
		era = { from: keptFrom(tape, now), lead: SUMMARY };
		return { ...movedTo(tape, request, era), compacted: true };
	});
	return { ...tape, requests };
}

/** The first item that is kept, and the tokens of the summary before it. */
interface Era {
	readonly from: number;
	readonly lead: number;
}

function movedTo(tape: Tape, request: Request, era: Era): Request {
	const base = request.base - request.lead + era.lead;
	const items = (tape.items[request.to]?.offset ?? 0) - (tape.items[era.from]?.offset ?? 0);
	return { ...request, from: era.from, base, lead: era.lead, prompt: base + items };
}

/** The step from which on about as much is kept as pi keeps. */
function keptFrom({ items, steps }: Tape, { from, to }: Request): number {
	const end = items[to]?.offset ?? 0;
	const kept = steps.find(
		(step) => step.from > from && end - (items[step.from]?.offset ?? 0) <= KEPT,
	);
	return kept && kept.from < to ? kept.from : to;
}
