// What happens to folds when pi compacts. A compaction that they made unnecessary is cancelled; where it is
// needed the net folds, if it can; else pi's own summariser reads the folded conversation. While D-Mail is
// off, and where anything here fails, pi compacts as it would without us.

import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import type { PiMessage } from "../session/entry.ts";
import { OwnChecks } from "./compaction-cause.ts";
import type { BeforeCompact } from "./compaction-watch.ts";
import type { Dmail } from "./dmail.ts";
import { onDemand } from "./on-demand.ts";

type Handler<E, R> = (event: E, ctx: ExtensionContext) => R;

/** Follows each session's runs from its start; what answers is loaded when pi first asks. */
export function registerCompaction(pi: ExtensionAPI, dmail: Dmail): void {
	const checks = new OwnChecks();
	const newWatch = () =>
		onDemand(async () => {
			const { Watch } = await import("./compaction-watch.ts");
			return new Watch(pi, dmail, checks);
		});
	let watch = newWatch();
	const on = pi.on as unknown as <E, R>(event: string, handler: Handler<E, R>) => void;
	pi.on("session_start", () => {
		checks.clear();
		watch = newWatch();
	});
	pi.on("input", () => checks.takePrompt());
	pi.on("before_agent_start", () => checks.clear());
	pi.on("agent_start", () => checks.clear());
	on("agent_end", ({ messages }: { messages: readonly PiMessage[] }) => {
		const reply = messages.findLast((message) => message?.role === "assistant");
		checks.endRun(reply && "stopReason" in reply ? reply.stopReason : undefined);
	});
	on("session_before_compact", async (event: BeforeCompact, ctx) =>
		// folds that are not applied make no compaction unnecessary
		dmail.mode.enabled && !dmail.astray ? (await watch()).answer(event, ctx) : undefined,
	);
	pi.on("session_compact", async (_event, ctx) => {
		if (dmail.mode.enabled) (await watch()).settle(ctx);
	});
}
