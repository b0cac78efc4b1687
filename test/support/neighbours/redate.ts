// A neighbour that rebuilds what is sent and gives every message the time of the request.

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { onMessages } from "./on-messages.ts";

export default function register(pi: ExtensionAPI): void {
	onMessages(pi, (event) => ({
		messages: event.messages.map((message) => ({ ...message, timestamp: Date.now() })),
	}));
}
