// Why pi is about to compact. 1.6 says it; on 0.73 it is concluded from what came just before.

/** `threshold`: pi's own check of the size; `overflow`: a provider refused the request, or lost part of it. */
export type Cause = "manual" | "threshold" | "overflow";

/** How the newest reply of the session ended, and the tokens that its usage sums up to. */
interface LastReply {
	readonly stopReason: string | undefined;
	readonly total: number;
}

/**
 * The checks of its size that 0.73 makes of its own: one after a run has ended, one before the next prompt.
 * Each can ask for one compaction. Any other request for one was typed by the user.
 */
export class OwnChecks {
	private afterRun = false;
	private beforePrompt = false;

	/** A run ended, by a reply that stopped for this reason. After an abort pi does not check. */
	endRun(stopReason: string | undefined): void {
		this.afterRun = stopReason !== undefined && stopReason !== "aborted";
	}

	/** The user sent a prompt: pi checks before it starts a run. */
	takePrompt(): void {
		this.beforePrompt = true;
	}

	/** A run starts: what pi has not asked for until now it will not ask for. */
	clear(): void {
		this.afterRun = false;
		this.beforePrompt = false;
	}

	/** Whether a request for a compaction may be one of these checks; each counts once. */
	take(): boolean {
		// a prompt may come in while the check after the run still waits: that one asks first
		if (this.afterRun) this.afterRun = false;
		else if (this.beforePrompt) this.beforePrompt = false;
		else return false;
		return true;
	}
}

/** What is known on 0.73 when it asks. */
export interface Asked {
	/** whether the newest reply is one that did not fit, by pi's own test */
	readonly overflows: boolean;
	readonly reply: LastReply;
	/** pi's estimate of the whole context, in tokens: what it goes by after a failed reply */
	readonly estimate: number;
	/** pi compacts above so many tokens; `null` where it does not of its own, or the window is unknown */
	readonly limit: number | null;
}

/** Why 0.73 asks: its own check only asks where its own number stands above the limit. */
export function concludeCause(asked: Asked, checks: OwnChecks): Cause {
	if (asked.overflows) return "overflow";
	const { reply, estimate, limit } = asked;
	const counted = reply.stopReason === "error" ? estimate : reply.total;
	if (limit === null || counted <= limit) return "manual";
	return checks.take() ? "threshold" : "manual";
}
