// A neighbour that fails on every request; the host reports it and goes on.

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { onMessages } from "./on-messages.ts";

export default function register(pi: ExtensionAPI): void {
	onMessages(pi, () => {
		throw new Error("the neighbour failed");
	});
}
