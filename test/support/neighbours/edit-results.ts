// A neighbour that stamps the tool results of every request: its work must be in what is sent.

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { onMessages } from "./on-messages.ts";

const STAMP = { type: "text", text: "(checked by the neighbour)" } as const;

export default function register(pi: ExtensionAPI): void {
	onMessages(pi, (event) => ({
		messages: event.messages.map((message) =>
			message.role === "toolResult"
				? { ...message, content: [...message.content, STAMP] }
				: message,
		),
	}));
}
