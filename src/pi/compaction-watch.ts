// Answers pi when it is about to compact, and puts the folds right when it has. Loaded when it first is.

import { isContextOverflow } from "@mariozechner/pi-ai";
import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import type { DmailRecord } from "../../fold.ts";
import type { AssistantMessage, PiMessage } from "../session/entry.ts";
import { formatCount } from "./badge.ts";
import { type Cause, concludeCause, type OwnChecks } from "./compaction-cause.ts";
import { type Preparation, rewrite } from "./compaction-preparation.ts";
import { decide, measurePressure, type Pressure, sumUsage } from "./compaction-pressure.ts";
import { type Dmail, say } from "./dmail.ts";
import { append, heldIn, type Log, readLog } from "./log.ts";
import { castNet, tellNet } from "./net.ts";

/** The event as both hosts send it; only 1.6 gives the reason. */
export interface BeforeCompact {
	readonly preparation: Preparation;
	readonly customInstructions?: string | undefined;
	readonly reason?: Cause | undefined;
}

/** Watches one session in which D-Mail is on: what the user was told already. */
export class Watch {
	private readonly checks: OwnChecks;
	private readonly pi: ExtensionAPI;
	private readonly dmail: Dmail;
	/** the measured reply after which the user was last told of a cancelled compaction */
	private toldAfter = "";

	constructor(pi: ExtensionAPI, dmail: Dmail, checks: OwnChecks) {
		this.pi = pi;
		this.dmail = dmail;
		this.checks = checks;
	}

	/** Answers pi: cancel, or compact what is prepared by now. */
	answer(event: BeforeCompact, ctx: ExtensionContext): { cancel: true } | undefined {
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
		try {
			const held = heldIn(readLog(ctx));
			if (held.length > 0) this.record(ctx, { kind: "land", ids: held });
			else this.dmail.recount(ctx);
		} catch (error) {
			this.tellSettling(ctx, error);
		}
	}

	private tellSettling(ctx: ExtensionContext, error: unknown): void {
		const reason = error instanceof Error ? error.message : String(error);
		try {
			this.dmail.tell(ctx, `held folds could not be looked at, they wait: ${reason}`);
		} catch {
			// pi has ended or left the session meanwhile, as 0.73 does in print mode: nobody is left to tell
		}
	}

	private decide(event: BeforeCompact, ctx: ExtensionContext): { cancel: true } | undefined {
		const { preparation } = event;
		const log = readLog(ctx);
		if (isCompacted(log) && isEmpty(preparation)) {
			say(ctx, "pi has compacted already, and nothing came in since");
			return { cancel: true };
		}
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
		if (rewrite(preparation, { log, lands, window })) return undefined;
		say(ctx, UNCUT);
		return { cancel: true };
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

/**
 * Whether nothing but records of ours came in since pi compacted. pi itself refuses to compact twice, but 0.73
 * looks only at the last entry: behind ours it would ask a model to sum up nothing.
 */
function isCompacted({ branch }: Log): boolean {
	const last = branch.findLast(({ kind }) => kind !== "record");
	return last?.kind === "compaction";
}

const UNCUT =
	"pi did not compact: behind a fold there is no place to cut, and pi would read the folded steps as they are stored; to let it, type /dmail off and /compact";

function isEmpty({ messagesToSummarize, turnPrefixMessages }: Preparation): boolean {
	return messagesToSummarize.length + turnPrefixMessages.length === 0;
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
