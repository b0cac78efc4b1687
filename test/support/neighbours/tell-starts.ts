// A neighbour that says each time the host tells it that a session starts.

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

export default function register(pi: ExtensionAPI): void {
	pi.on("session_start", ({ reason }, context) => {
		context.ui.notify(`session_start: ${reason}`);
	});
}
