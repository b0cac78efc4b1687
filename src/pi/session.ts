// The life of a session: what is read when it starts, and the tools that it offers.

import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import { tellRenamed } from "./command-names.ts";
import type { Dmail } from "./dmail.ts";
import { readTool } from "./read-tool.ts";
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
		for (const renamed of tellRenamed(pi)) dmail.tell(ctx, renamed);
	});
	pi.on("session_shutdown", () => dmail.end());
	pi.on("session_tree", (_event, ctx) => dmail.refresh(ctx));
	pi.on("agent_start", () => dmail.startRun());
	// an extension that listens makes 0.73 bring the session up to date before a tool runs
	pi.on("tool_call", () => undefined);
}

/**
 * Registers the tools now and not when the extension loads: pi refuses to start with two tools of one
 * name, and only now it can be seen whether another extension has one of them.
 */
function offer(pi: ExtensionAPI, dmail: Dmail, ctx: ExtensionContext): void {
	const send = sendTool(pi, dmail);
	const read = readTool(pi, dmail);
	const rival = rivalTo(pi, [send, read]);
	dmail.rival = rival && `${rival.sourceInfo.path} offers ${rival.name}`;
	if (rival) {
		dmail.tell(ctx, `${dmail.rival} too; this extension stays off`);
		return;
	}
	pi.registerTool(send);
	pi.registerTool(read);
}

/** Another extension's tool with a name of ours; ours are known by what they say of themselves. */
function rivalTo(pi: ExtensionAPI, ours: readonly { name: string; description: string }[]) {
	return pi
		.getAllTools()
		.find(({ name, description }) =>
			ours.some((tool) => tool.name === name && tool.description !== description),
		);
}
