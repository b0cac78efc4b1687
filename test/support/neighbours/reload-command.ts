// A neighbour with a command that reloads all extensions, as `/reload` does in a terminal. Says why the host
// refuses, where it does.

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

export default function register(pi: ExtensionAPI): void {
	pi.registerCommand("load-anew", {
		description: "Loads all extensions anew",
		handler: async (_text, context) => {
			try {
				await context.reload();
			} catch (error) {
				context.ui.notify(String(error), "error");
			}
		},
	});
}
