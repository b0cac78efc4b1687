// Writes down how large the list is that the host hands in, before anybody folds it: one JSON line per
// request in the file RAW_LOG. Load it before the extension.

import { appendFileSync } from "node:fs";
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { estimateTokens } from "../../../src/session/size.ts";

/** What the host would have sent. */
export interface RawSize {
	readonly messages: number;
	/** estimated, as the extension does */
	readonly tokens: number;
}

export default function register(pi: ExtensionAPI): void {
	pi.on("context", ({ messages }) => {
		const tokens = messages.reduce((sum, message) => sum + estimateTokens(message), 0);
		const size: RawSize = { messages: messages.length, tokens };
		appendFileSync(process.env["RAW_LOG"] ?? "", `${JSON.stringify(size)}\n`);
	});
}
