// The message about a pinned cut while pi holds it for the next request of a run. pi takes no message back, but
// both hosts keep its content and details by reference until they store it: so long it can be reworded in place.

import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import type { Log } from "./log.ts";

/** The `customType` of the message. */
export const CUT = "dmail.cut";

/** What the user pinned, in steps; without an end the model chooses it. */
export interface CutSteps {
	readonly fromStep: number;
	readonly toStep?: number | undefined;
}

/** What the model is told of a cut, and of which steps it is one; without steps it takes one back. */
export interface CutNews {
	readonly text: string;
	readonly steps?: CutSteps | undefined;
}

/** A message on its way, as pi holds it. */
interface Waiting {
	readonly content: { type: "text"; text: string }[];
	readonly details: Record<string, number>;
	/** the newest message about a cut when it was sent */
	readonly before: string | undefined;
}

/** How a message is to go out. */
interface Delivery {
	readonly log: Log;
	readonly idle: boolean;
	/** starts a run where there is none */
	readonly wakes: boolean;
}

export class CutQueue {
	private waiting: Waiting | undefined;

	/** Another session: what waits in the one before is none of its own. */
	clear(): void {
		this.waiting = undefined;
	}

	/** The steps of a cut that the running run has not taken in yet. */
	steps(log: Log, idle: boolean): CutSteps | undefined {
		return stepsIn(this.find(log, idle)?.details);
	}

	/** Sends the news, or puts it in the place of what still waits: the model never reads that. */
	send(pi: ExtensionAPI, { text, steps }: CutNews, { log, idle, wakes }: Delivery): void {
		const waiting = this.find(log, idle);
		const { content, details, before } = waiting ?? {
			content: [],
			details: {},
			before: newestIn(log),
		};
		content.splice(0, 1, { type: "text", text });
		for (const key of Object.keys(details)) delete details[key];
		Object.assign(details, { v: 1 }, steps && detailsOf(steps));
		if (waiting) return;
		if (!idle) this.waiting = { content, details, before };
		const message = { customType: CUT, content, display: true, details };
		pi.sendMessage(message, { triggerTurn: wakes || !idle, deliverAs: "steer" });
	}

	/** What waits; pi has none waiting where nothing runs, or where a newer message is stored. */
	private find(log: Log, idle: boolean): Waiting | undefined {
		if (idle || this.waiting?.before !== newestIn(log)) this.waiting = undefined;
		return this.waiting;
	}
}

function detailsOf({ fromStep, toStep }: CutSteps): Record<string, number> {
	return toStep === undefined ? { fromStep } : { fromStep, toStep };
}

/** The id of the newest message about a cut on the branch. */
function newestIn({ stored }: Log): string | undefined {
	return stored.findLast((entry) => entry.type === "custom_message" && entry.customType === CUT)
		?.id;
}

/** The steps that a cut's message names; `undefined` for details that are not ours. */
export function stepsIn(details: unknown): CutSteps | undefined {
	const { fromStep, toStep } = (details ?? {}) as { fromStep?: unknown; toStep?: unknown };
	if (typeof fromStep !== "number") return undefined;
	return typeof toStep === "number" ? { fromStep, toStep } : { fromStep };
}
