// Gives clients without a terminal what `/tree` does without a summary: `/move-to ID` stands at that entry.

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

export default function register(pi: ExtensionAPI): void {
	pi.registerCommand("move-to", {
		description: "Stand at an entry of the session",
		handler: async (id, ctx) => {
			await ctx.navigateTree(id.trim(), { summarize: false });
		},
	});
}
