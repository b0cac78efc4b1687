// A neighbour with a long text in the footer, beside which every other badge must still fit.

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

export default function register(pi: ExtensionAPI): void {
	pi.on("session_start", (_event, context) => {
		context.ui.setStatus(
			"a-neighbour",
			"a neighbour with a long status of sixty columns or so, 漢字 too",
		);
	});
}
