// A neighbour that leaves the oldest step out of every request, call and results together.

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { onMessages } from "./on-messages.ts";

export default function register(pi: ExtensionAPI): void {
	onMessages(pi, (event) => {
		const first = event.messages.findIndex((message) => message.role === "assistant");
		let end = first + 1;
		while (event.messages[end]?.role === "toolResult") end++;
		// the newest step is what the agent is working on
		if (first < 0 || end >= event.messages.length) return undefined;
		return { messages: [...event.messages.slice(0, first), ...event.messages.slice(end)] };
	});
}
