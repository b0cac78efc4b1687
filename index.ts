// pi's door: wires the extension's parts to the host's events. No decisions here.

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { registerCommands } from "./src/pi/command-names.ts";
import { registerCompaction } from "./src/pi/compaction.ts";
import { registerContext } from "./src/pi/context.ts";
import { Dmail } from "./src/pi/dmail.ts";
import { registerEcho } from "./src/pi/echo.ts";
import { registerPolicy } from "./src/pi/policy.ts";
import { registerRenderers } from "./src/pi/render.ts";
import { registerSession } from "./src/pi/session.ts";
import { registerTreeSummary } from "./src/pi/tree-summary.ts";

export default function dmail(pi: ExtensionAPI): void {
	const dmail = new Dmail(pi);
	registerSession(pi, dmail);
	registerPolicy(pi, dmail);
	registerContext(pi, dmail);
	registerEcho(pi, dmail);
	registerCompaction(pi, dmail);
	registerTreeSummary(pi, dmail);
	registerCommands(pi, dmail);
	registerRenderers(pi);
}
