// What happens to folds when pi compacts. A compaction that they made unnecessary is cancelled; where it is
// needed the net folds, if it can; else pi's own summariser reads the folded conversation. While D-Mail is
// off, and where anything here fails, pi compacts as it would without us.

import { isContextOverflow } from "@mariozechner/pi-ai";
import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import type { DmailRecord } from "../../fold.ts";
import type { AssistantMessage, PiMessage } from "../session/entry.ts";
import { formatCount } from "./badge.ts";
import { type Cause, concludeCause, OwnChecks } from "./compaction-cause.ts";
import { type Preparation, rewrite } from "./compaction-preparation.ts";
import { decide, measurePressure, type Pressure, sumUsage } from "./compaction-pressure.ts";
import { type Dmail, say } from "./dmail.ts";
import { append, heldIn, type Log, readLog } from "./log.ts";
import { castNet, tellNet } from "./net.ts";

/** The event as both hosts send it; only 1.6 gives the reason. */
interface BeforeCompact {
	readonly preparation: Preparation;
	readonly customInstructions?: string | undefined;
	readonly reason?: Cause | undefined;
}

type Handler<E, R = undefined> = (event: E, ctx: ExtensionContext) => R | undefined;

export function registerCompaction(pi: ExtensionAPI, dmail: Dmail): void {
	const watch = new Watch(pi, dmail);
	const on = pi.on as unknown as <E, R>(event: string, handler: Handler<E, R>) => void;
	pi.on("session_start", () => watch.forget());
	pi.on("input", () => watch.checks.takePrompt());
	pi.on("before_agent_start", () => watch.checks.clear());
	pi.on("agent_start", () => watch.checks.clear());
	on("agent_end", ({ messages }: { messages: readonly PiMessage[] }) => {
		watch.checks.endRun(messages.findLast(isReply)?.stopReason);
		return undefined;
	});
	on("session_before_compact", (event: BeforeCompact, ctx) => watch.answer(event, ctx));
	pi.on("session_compact", (_event, ctx) => watch.settle(ctx));
}

/** Watches one session: who may ask for a compaction, and what the user was told already. */
class Watch {
	readonly checks = new OwnChecks();
	private readonly pi: ExtensionAPI;
	private readonly dmail: Dmail;
	/** the measured reply after which the user was last told of a cancelled compaction */
	private toldAfter = "";

	constructor(pi: ExtensionAPI, dmail: Dmail) {
		this.pi = pi;
		this.dmail = dmail;
	}

	/** Another session, or the same one anew. */
	forget(): void {
		this.checks.clear();
		this.toldAfter = "";
	}

	/** Answers pi: cancel, or compact what is prepared by now. */
	answer(event: BeforeCompact, ctx: ExtensionContext): { cancel: true } | undefined {
		if (!this.dmail.mode.enabled) return undefined;
		try {
			return this.decide(event, ctx);
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			this.dmail.tell(ctx, `pi compacts what is stored, not what is folded: ${reason}`);
			return undefined;
		}
	}

	/** pi has compacted: folds that were held land, as far as they are still in view. */
	settle(ctx: ExtensionContext): void {
		if (!this.dmail.mode.enabled) return;
		const held = heldIn(readLog(ctx));
		if (held.length > 0) this.record(ctx, { kind: "land", ids: held });
		else this.dmail.recount(ctx);
	}

	private decide(event: BeforeCompact, ctx: ExtensionContext): { cancel: true } | undefined {
		const { preparation } = event;
		const log = readLog(ctx);
		const window = ctx.model?.contextWindow || null;
		const limit = window === null ? null : window - preparation.settings.reserveTokens;
		const cause = event.reason ?? this.concludeCause(log, preparation, window);
		const lands = heldIn(log);
		const pressure = measurePressure(log, lands, preparation.tokensBefore);
		const ask = { cause, instructed: event.customInstructions !== undefined, limit };
		const answer = decide(ask, pressure);
		if (answer === "cancel") {
			if (lands.length > 0) this.record(ctx, { kind: "land", ids: lands });
			this.tell(ctx, pressure, tellCancelled(pressure, window));
			return { cancel: true };
		}
		if (answer === "net" && this.dmail.settings.net && window !== null && limit !== null) {
			const net = castNet(log, { lands, pressure, window, limit, ctx });
			if (net.ok) {
				this.record(ctx, net.record);
				this.tell(ctx, pressure, `${tellNet(net, window)}; pi need not compact`);
				return { cancel: true };
			}
		}
		rewrite(preparation, { log, lands, window });
		return undefined;
	}

	private concludeCause(log: Log, preparation: Preparation, window: number | null): Cause {
		const last = log.stored.findLast((entry) => entry.type === "message" && isReply(entry.message));
		const reply = last?.type === "message" && isReply(last.message) ? last.message : undefined;
		const { enabled, reserveTokens } = preparation.settings;
		const asked = {
			overflows: reply !== undefined && overflows(reply, window),
			reply: { stopReason: reply?.stopReason, total: reply?.usage ? sumUsage(reply.usage) : 0 },
			estimate: preparation.tokensBefore,
			limit: enabled && window !== null ? window - reserveTokens : null,
		};
		return concludeCause(asked, this.checks);
	}

	private record(ctx: ExtensionContext, record: DmailRecord): void {
		append(this.pi, record);
		this.dmail.recount(ctx);
	}

	/** Until a reply is measured anew pi may ask again about the same size: once is enough for the user. */
	private tell(ctx: ExtensionContext, { measuredAt }: Pressure, text: string): void {
		if (measuredAt !== "" && measuredAt === this.toldAfter) return;
		this.toldAfter = measuredAt;
		say(ctx, text);
	}
}

function tellCancelled({ landed, next }: Pressure, window: number | null): string {
	const left = window === null ? "" : ` of ${formatCount(window)}`;
	return `pi need not compact: folds keep ~${formatCount(landed)} tokens out of the next request, which has ~${formatCount(next)}${left}`;
}

function isReply(message: PiMessage): message is AssistantMessage {
	return message?.role === "assistant";
}

function overflows(reply: AssistantMessage, window: number | null): boolean {
	type Reply = Parameters<typeof isContextOverflow>[0];
	return reply.usage !== undefined && isContextOverflow(reply as Reply, window ?? undefined);
}
