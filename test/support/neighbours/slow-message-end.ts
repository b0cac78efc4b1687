// A neighbour that takes 80 ms over every message: on 0.73 the session lags behind the messages by more
// and more.

import { setTimeout } from "node:timers/promises";
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

export default function register(pi: ExtensionAPI): void {
	pi.on("message_end", async () => {
		await setTimeout(80);
	});
}
