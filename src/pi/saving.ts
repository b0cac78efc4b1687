// What folding keeps out of a request.

import type { Entry, View } from "../../fold.ts";
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
