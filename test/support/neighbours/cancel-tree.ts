// A neighbour that cancels moves in the session tree while CANCEL_TREE names a file that exists.

import { existsSync } from "node:fs";
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

export default function cancelTree(pi: ExtensionAPI): void {
	pi.on("session_before_tree", () => ({ cancel: existsSync(process.env["CANCEL_TREE"] ?? "") }));
}
