// The context hook: what pi is about to send, folded. It never throws and never guesses: on doubt the
// list goes out as it came.

import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import {
	type Entry,
	firstNudgeAt,
	type Hand,
	type Marks,
	Replayer,
	type View,
} from "../../fold.ts";
import { align } from "../session/align.ts";
import { projection } from "../session/branch.ts";
import type { PiMessage, SessionEntry } from "../session/entry.ts";
import { piHost } from "../session/message.ts";
import type { Dmail } from "./dmail.ts";
import { append, generationOf, type Log, readLog } from "./log.ts";
import { pricingOf } from "./price.ts";
import { savedBy } from "./saving.ts";
import { landingDue } from "./timing.ts";

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
		generationOf(ctx) === "0.73" ? answer(pi, dmail, event.messages, ctx) : undefined,
	);
	on("context_with_system", (event, ctx) => answer(pi, dmail, event.messages, ctx));
}

function answer(
	pi: ExtensionAPI,
	dmail: Dmail,
	list: PiMessage[],
	ctx: ExtensionContext,
): ContextResult | undefined {
	try {
		dmail.recordMode();
		if (!dmail.mode.enabled || list.every((message) => message.role === "system")) return undefined;
		const log = readLog(ctx);
		const matched = match(log, list, marksOf(dmail, ctx));
		landDue(pi, dmail, ctx, matched);
		const view = viewOfMatched(matched);
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

/**
 * Lands what is due with this request: one record, in the same tick. Where that fails, folds that are held
 * wait for the next one.
 */
function landDue(pi: ExtensionAPI, dmail: Dmail, ctx: ExtensionContext, matched: Matched): void {
	const { log, replayer } = matched;
	if (!replayer.folds.some((fold) => fold.state === "held")) return;
	try {
		const view = replayer.view({ asking: true });
		const pricing = pricingOf(pi, ctx, { log, replayer, view });
		const record = landingDue({ log, replayer, view, pricing }, dmail.settings.timing);
		if (!record) return;
		append(pi, record);
		replayer.push({ id: "", kind: "record", record });
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		dmail.tell(ctx, `held folds could not be looked at, they wait: ${reason}`);
	}
}

/** A list in hand, matched with its branch. */
interface Matched {
	/** the branch, with the messages in hand that are not stored yet at its end */
	readonly log: Log;
	readonly replayer: Replayer<PiMessage>;
	readonly hand: Hand<PiMessage>;
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
	const { live, ...hand } = align(projection(stored, generation), list, {
		lag: generation === "0.73",
		length: branch.length,
		replayer,
	});
	for (const entry of live) replayer.push(entry);
	return { log: live.length === 0 ? log : withLive(log, live), replayer, hand };
}

function withLive(log: Log, live: readonly Entry<PiMessage>[]): Log {
	const stored = live.flatMap(({ id, message }): SessionEntry[] =>
		message ? [{ type: "message", id, parentId: null, timestamp: "", message }] : [],
	);
	return { ...log, stored: [...log.stored, ...stored], branch: [...log.branch, ...live] };
}
