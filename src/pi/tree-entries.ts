// The end of a branch as a summariser should read it. Makes new entries; the session's own are never changed.

import { type Entry, Replayer } from "../../fold.ts";
import type { PiMessage, SessionEntry } from "../session/entry.ts";
import { piHost } from "../session/message.ts";
import { land } from "./compaction-pressure.ts";
import { piecesOf } from "./compaction-text.ts";
import { heldIn, type Log } from "./log.ts";

/**
 * The entries as a summariser should read them: a fold's in the place of its steps, and without what is ours.
 *
 * @param log the branch that is left
 * @param entries its end, as pi would have it summarised
 */
export function foldEntries(log: Log, entries: readonly SessionEntry[]): SessionEntry[] {
	const first = entries[0];
	const start = log.stored.findIndex((entry) => entry.id === first?.id);
	if (!first || start < 0) return [...entries];
	const replayer = new Replayer(piHost, { folds: true, markers: false });
	for (const entry of log.branch) replayer.push(withoutEra(entry));
	land(replayer, heldIn(log));
	const pieces = new Map<number, PiMessage[]>();
	for (const { at, end = at + 1, isChip, plain } of piecesOf(replayer, replayer.view())) {
		// what a fold that began before the branches parted hides is told once, at the beginning
		const place = isChip && end > start ? Math.max(start, at) : at;
		pieces.set(place, [...(pieces.get(place) ?? []), ...plain]);
	}
	return log.stored.slice(start).flatMap((entry, index) => {
		const own = log.branch[start + index]?.message;
		const read = pieces.get(start + index) ?? [];
		if (read.length === 1 && read[0] === own) return [entry];
		const told = read.map((message, nth) => wrap(entry, message, nth));
		return own === undefined || entry.type === "compaction" ? [entry, ...told] : told;
	});
}

/** pi goes back beyond compactions here: so folds before one are read as folded too. */
function withoutEra(entry: Entry<PiMessage>): Entry<PiMessage> {
	return entry.kind === "compaction" ? { id: entry.id, kind: "other" } : entry;
}

/** An entry of our own that only the summariser sees. */
function wrap({ id, parentId, timestamp }: SessionEntry, message: PiMessage, nth: number) {
	return { type: "message", id: `${id}.${nth}`, parentId, timestamp, message } as const;
}
