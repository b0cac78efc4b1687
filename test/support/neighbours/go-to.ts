// Gives clients without a terminal what `/tree` does: `/go-to ID` leaves the branch for that entry and has
// what is left summarised.

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

export default function register(pi: ExtensionAPI): void {
	pi.registerCommand("go-to", {
		description: "Leave the branch for an entry",
		handler: async (id, ctx) => {
			await ctx.navigateTree(id.trim(), { summarize: true });
		},
	});
}
