// A neighbour that fails on every request; the host reports it and goes on.

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

export default function register(pi: ExtensionAPI): void {
	pi.on("context", () => {
		throw new Error("the neighbour failed");
	});
}
