// The tool `send_dmail` as pi and the model see it: the model folds finished steps of its own. What it does is
// loaded with the first call.

import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import { Type } from "@sinclair/typebox";
import { type Dmail, SEND_TOOL } from "./dmail.ts";
import { onDemand } from "./on-demand.ts";
import { renderSendCall, renderSendResult } from "./render.ts";
import type { SendCall, SendParams, SendResult } from "./send-answer.ts";

const PARAMETERS = Type.Object({
	// no integer: both hosts would make one of 1.5 and fold what was not asked for
	fromStep: Type.Number({ description: "First step to fold, as in its [step N] marker" }),
	summary: Type.Optional(
		Type.String({
			description: "What must stay: done, learned, decided, open; exact paths, commands, errors",
		}),
	),
	toStep: Type.Optional(
		Type.Number({ description: "Last step to fold; default: the last completed step" }),
	),
	preview: Type.Optional(Type.Boolean({ description: "Only say what folding would change" })),
});

const load = onDemand(() => import("./send-answer.ts"));

export function sendTool(pi: ExtensionAPI, dmail: Dmail) {
	return {
		name: SEND_TOOL,
		label: "D-Mail",
		description:
			"Fold finished steps of your own out of your context: your summary takes their place from the next request on. Stored steps stay as they are. The step in progress is never folded.",
		promptSnippet: "Fold finished steps into a summary you write",
		parameters: PARAMETERS,
		// scripts of 1.6's code mode have call ids that the transcript does not know
		exposure: "model-only",
		renderCall: renderSendCall,
		renderResult: renderSendResult,
		async execute(...[callId, params, signal, , ctx]: Arguments): Promise<SendResult> {
			const call: SendCall = { ...params, callId };
			return dmail.turns.take(
				async () => {
					const { answerSend, askBefore } = await load();
					return { answerSend, git: await askBefore(dmail, ctx, call) };
				},
				({ answerSend, git }) => {
					if (signal?.aborted) throw new Error("Operation aborted");
					return answerSend({ pi, dmail, ctx }, call, git);
				},
			);
		},
	};
}

/** What pi calls a tool with; the fourth, a way to report progress, goes unused. */
type Arguments = [string, SendParams, AbortSignal | undefined, unknown, ExtensionContext];
