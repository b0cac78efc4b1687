// A neighbour that ends every request with a message of its own, as retrieval extensions do.

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { onMessages } from "./on-messages.ts";

export default function register(pi: ExtensionAPI): void {
	onMessages(pi, (event) => ({
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
