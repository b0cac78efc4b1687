// The life of a session: what is read when it starts, and the tool that it offers.

import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import { type Dmail, SEND_TOOL } from "./dmail.ts";
import { sendTool } from "./send-tool.ts";

export function registerSession(pi: ExtensionAPI, dmail: Dmail): void {
	pi.registerFlag("dmail-disabled", {
		type: "boolean",
		default: false,
		description: "Start with folding off (write --dmail-disabled=true)",
	});
	pi.on("session_start", (_event, ctx) => {
		offer(pi, dmail, ctx);
		dmail.start(ctx);
	});
	pi.on("session_tree", (_event, ctx) => dmail.refresh(ctx));
	pi.on("agent_start", () => dmail.startRun());
	// an extension that listens makes 0.73 bring the session up to date before a tool runs
	pi.on("tool_call", () => undefined);
}

/**
 * Registers the tool now and not when the extension loads: pi refuses to start with two tools of one
 * name, and only now it can be seen whether another extension has it.
 */
function offer(pi: ExtensionAPI, dmail: Dmail, ctx: ExtensionContext): void {
	const tool = sendTool(pi, dmail);
	const found = pi.getAllTools().find((one) => one.name === SEND_TOOL);
	const isOurs = !found || found.description === tool.description;
	dmail.rival = isOurs ? undefined : found.sourceInfo.path;
	if (isOurs) pi.registerTool(tool);
	else dmail.tell(ctx, `${dmail.rival} offers ${SEND_TOOL} too; this extension stays off`);
}
