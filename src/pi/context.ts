// The context hook: what pi is about to send, folded. It never throws and never guesses: on doubt the
// list goes out as it came.

import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import { type Entry, firstNudgeAt, type Marks, Replayer, type View } from "../../fold.ts";
import { align } from "../session/align.ts";
import { projection } from "../session/branch.ts";
import type { PiMessage, SessionEntry } from "../session/entry.ts";
import { piHost } from "../session/message.ts";
import type { Dmail } from "./dmail.ts";
import type { Matched } from "./land-due.ts";
import { generationOf, type Log, readLog } from "./log.ts";
import { onDemand } from "./on-demand.ts";
import { STRANGE, savedBy, strangenessOf } from "./saving.ts";

interface ContextResult {
	messages: PiMessage[];
}

type ContextHandler = (
	event: { messages: PiMessage[] },
	ctx: ExtensionContext,
) => Promise<ContextResult | undefined>;

/**
 * Registers for both hosts, and answers on one event only. 1.6 would collapse every system patch into
 * one at the head if a plain `context` handler changed the list; 0.73 has no other event.
 */
export function registerContext(pi: ExtensionAPI, dmail: Dmail): void {
	const on = pi.on as unknown as (event: string, handler: ContextHandler) => void;
	on("context", async (event, ctx) => {
		// 0.73 lets a run go on whose session was left, and refuses whatever is asked or said for it
		if (dmail.isOver || generationOf(ctx) !== "0.73") return undefined;
		return answer(pi, dmail, event.messages, ctx);
	});
	on("context_with_system", (event, ctx) => answer(pi, dmail, event.messages, ctx));
}

async function answer(
	pi: ExtensionAPI,
	dmail: Dmail,
	list: PiMessage[],
	ctx: ExtensionContext,
): Promise<ContextResult | undefined> {
	try {
		dmail.recordMode();
		if (!dmail.mode.enabled || list.every((message) => message.role === "system")) return undefined;
		let log = readLog(ctx);
		const landDue = log.branch.some(isHeld) ? await loadLanding() : undefined;
		// loading took its time, and entries may have come in: from here on it is one tick
		if (landDue) log = readLog(ctx);
		const matched = match(log, list, marksOf(dmail, ctx));
		if (isAstray(dmail, ctx, matched)) return undefined;
		landDue?.(pi, dmail, ctx, matched);
		const view = viewOfMatched(matched);
		dmail.asked = view.next;
		const strangeness = strangenessOf(matched);
		if (strangeness !== undefined) dmail.tell(ctx, strangeness);
		dmail.show(ctx, savedBy(matched, view));
		return view.messages === list ? undefined : { messages: [...view.messages] };
	} catch (error) {
		tellFailure(dmail, ctx, error);
		return undefined;
	}
}

/** Whether nothing can be said of a list: half a view would move bytes with every request. Says so once. */
function isAstray(dmail: Dmail, ctx: ExtensionContext, { isStrange }: Matched): boolean {
	dmail.astray = isStrange ? STRANGE : undefined;
	if (!isStrange) return false;
	dmail.tell(ctx, STRANGE);
	dmail.asked = 0;
	dmail.show(ctx, 0, true);
	return true;
}

function tellFailure(dmail: Dmail, ctx: ExtensionContext, error: unknown): void {
	const reason = error instanceof Error ? error.message : String(error);
	try {
		dmail.tell(ctx, `folding failed, the request goes out unfolded: ${reason}`);
		dmail.show(ctx, 0, true);
	} catch {
		// the session was replaced meanwhile: there is nobody left to tell, and no request
	}
}

const loadLanding = onDemand(async () => (await import("./land-due.ts")).landDue);

function isHeld({ record }: Entry<PiMessage>): boolean {
	return record?.kind === "fold" && record.held === true;
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
	return viewOfMatched(match(log, list, marks));
}

function viewOfMatched({ replayer, hand }: Matched): View<PiMessage> {
	return replayer.view({ asking: true, hand });
}

function match(log: Log, list: readonly PiMessage[], marks: Marks): Matched {
	const { branch, stored, generation } = log;
	const replayer = new Replayer(piHost, marks);
	for (const entry of branch) replayer.push(entry);
	const { live, isStrange, ...hand } = align(projection(stored, generation), list, {
		lag: generation === "0.73",
		length: branch.length,
		replayer,
	});
	for (const entry of live) replayer.push(entry);
	return { log: live.length === 0 ? log : withLive(log, live), replayer, hand, isStrange };
}

function withLive(log: Log, live: readonly Entry<PiMessage>[]): Log {
	const stored = live.flatMap(({ id, message }): SessionEntry[] =>
		message ? [{ type: "message", id, parentId: null, timestamp: "", message }] : [],
	);
	return { ...log, stored: [...log.stored, ...stored], branch: [...log.branch, ...live] };
}
