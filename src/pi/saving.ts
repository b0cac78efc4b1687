// What the folds of a session do: what they keep out of a request, and which of them cannot.

import { BEFORE_ERA, type Entry, type Replayer, type View } from "../../fold.ts";
import type { PiMessage } from "../session/entry.ts";
import { piHost } from "../session/message.ts";

/** Tokens that the chips in a view keep out of it. */
export function savedBy(branch: readonly Entry<PiMessage>[], view: View<PiMessage>): number {
	let saved = 0;
	for (const [index, source] of view.sources.entries()) {
		const message = view.messages[index];
		if (source.from !== "chip" || message === undefined) continue;
		for (let at = source.fold.from; at < source.fold.to; at++) saved += branch[at]?.tokens ?? 0;
		saved -= piHost.tokens(message);
	}
	return Math.max(0, saved);
}

/** Records that are not applied though nothing took them back, one sentence each. */
export function problemsOf(replayer: Replayer<PiMessage>): string[] {
	const skipped = replayer.folds.flatMap(({ record, state, reason }) =>
		state === "skipped" && reason !== BEFORE_ERA
			? [`fold ${record.id} is not applied: ${reason}; its steps go out as they are stored`]
			: [],
	);
	const unreadable = replayer.unreadable.map(
		({ of, reason }) => `a record (dmail.${of}) cannot be read: ${reason}; it is left out`,
	);
	return [...skipped, ...unreadable];
}
