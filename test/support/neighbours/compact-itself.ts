// A neighbour that compacts by itself, on `/compact-now`, and writes the summary of every compaction.

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

export default function register(pi: ExtensionAPI): void {
	pi.registerCommand("compact-now", {
		description: "Compacts the session",
		handler: (_text, context) =>
			new Promise((resolve) => {
				context.compact({ onComplete: () => resolve(), onError: () => resolve() });
			}),
	});
	pi.on("session_before_compact", ({ preparation: { firstKeptEntryId, tokensBefore } }) => ({
		compaction: { summary: "(a summary by the neighbour)", firstKeptEntryId, tokensBefore },
	}));
}
