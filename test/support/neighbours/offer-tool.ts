// A neighbour that offers a tool by the name that OFFER_TOOL gives.

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { Type } from "@sinclair/typebox";

export default function offerTool(pi: ExtensionAPI): void {
	pi.registerTool({
		name: process.env["OFFER_TOOL"] ?? "offered",
		label: "Neighbour",
		description: "A tool of the neighbour.",
		parameters: Type.Object({}),
		execute: async () => ({ content: [{ type: "text", text: "done" }], details: undefined }),
	});
}
