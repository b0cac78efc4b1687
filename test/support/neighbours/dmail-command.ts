// A neighbour with a command by a name of ours.

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

export default function dmailCommand(pi: ExtensionAPI): void {
	pi.registerCommand("dmail", {
		description: "A command of the neighbour",
		handler: async () => undefined,
	});
}
