// The context hook: what pi is about to send, folded. It never throws and never guesses: on doubt the
// list goes out as it came.

import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import { firstNudgeAt, type Marks, Replayer, type View } from "../../fold.ts";
import { align } from "../session/align.ts";
import { projection } from "../session/branch.ts";
import type { PiMessage } from "../session/entry.ts";
import { piHost } from "../session/message.ts";
import type { Dmail } from "./dmail.ts";
import { generationOf, type Log, readLog } from "./log.ts";
import { savedBy } from "./saving.ts";

interface ContextResult {
	messages: PiMessage[];
}

type ContextHandler = (
	event: { messages: PiMessage[] },
	ctx: ExtensionContext,
) => ContextResult | undefined;

/**
 * Registers for both hosts, and answers on one event only. 1.6 would collapse every system patch into
 * one at the head if a plain `context` handler changed the list; 0.73 has no other event.
 */
export function registerContext(pi: ExtensionAPI, dmail: Dmail): void {
	const on = pi.on as unknown as (event: string, handler: ContextHandler) => void;
	on("context", (event, ctx) =>
		generationOf(ctx) === "0.73" ? answer(dmail, event.messages, ctx) : undefined,
	);
	on("context_with_system", (event, ctx) => answer(dmail, event.messages, ctx));
}

function answer(dmail: Dmail, list: PiMessage[], ctx: ExtensionContext): ContextResult | undefined {
	try {
		dmail.recordMode();
		if (!dmail.mode.enabled || list.every((message) => message.role === "system")) return undefined;
		const log = readLog(ctx);
		const view = viewOf(log, list, marksOf(dmail, ctx));
		dmail.asked = view.next;
		dmail.show(ctx, savedBy(log.branch, view));
		return view.messages === list ? undefined : { messages: [...view.messages] };
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		dmail.tell(ctx, `folding failed, the request goes out unfolded: ${reason}`);
		dmail.show(ctx, 0, true);
		return undefined;
	}
}

/** Without the tool a marker would name what the model cannot use. */
function marksOf(dmail: Dmail, ctx: ExtensionContext): Marks {
	return {
		folds: true,
		markers: dmail.isToolActive(),
		nudgeAt: dmail.settings.nudge ? firstNudgeAt(ctx.model?.contextWindow) : undefined,
	};
}

/** What is sent for a list in hand. */
export function viewOf(log: Log, list: readonly PiMessage[], marks: Marks): View<PiMessage> {
	const { branch, stored, generation } = log;
	const replayer = new Replayer(piHost, marks);
	for (const entry of branch) replayer.push(entry);
	const { live, ...hand } = align(projection(stored, generation), list, {
		lag: generation === "0.73",
		length: branch.length,
		replayer,
	});
	for (const entry of live) replayer.push(entry);
	return replayer.view({ asking: true, hand });
}
