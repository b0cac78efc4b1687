// A neighbour that ends every request with a message of its own, as retrieval extensions do.

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

export default function register(pi: ExtensionAPI): void {
	pi.on("context", (event) => ({
		messages: [
			...event.messages,
			{
				role: "custom",
				customType: "neighbour",
				content: "(a reminder by the neighbour)",
				display: false,
				timestamp: 0,
			},
		],
	}));
}
