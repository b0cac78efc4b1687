// The tool `read_dmail` as pi and the model see it: the model reads its folds again, searches them, and shows
// one in place or hides it. What it does is loaded with the first call.

import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import { Type } from "@sinclair/typebox";
import { type Dmail, READ_TOOL } from "./dmail.ts";
import { onDemand } from "./on-demand.ts";
import type { ReadParams, ReadResult } from "./read-answer.ts";
import { renderReadCall, renderReadResult } from "./render.ts";

const PARAMETERS = Type.Object({
	fold: Type.Optional(Type.String({ description: "Id of a fold, from its chip or the index" })),
	query: Type.Optional(
		Type.String({ description: "Find lines with this text, in one fold or all" }),
	),
	offset: Type.Optional(
		Type.Integer({ description: "First character of a page; of lists and finds the first line" }),
	),
	limit: Type.Optional(Type.Integer({ description: "Characters (at most 8000) or lines" })),
	open: Type.Optional(
		Type.Boolean({ description: "true: show the fold in place again; false: hide it" }),
	),
});

const load = onDemand(() => import("./read-answer.ts"));

export function readTool(pi: ExtensionAPI, dmail: Dmail) {
	return {
		name: READ_TOOL,
		label: "D-Mail",
		description:
			"Read folded steps again, word for word: a fold by pages, lines that match, or without arguments the list of folds.",
		promptSnippet: "Read, search or reopen what was folded",
		parameters: PARAMETERS,
		// scripts of 1.6's code mode see results that the transcript does not have
		exposure: "model-only",
		renderCall: renderReadCall,
		renderResult: renderReadResult,
		async execute(...[, params, , , ctx]: Arguments): Promise<ReadResult> {
			return dmail.turns.take(load, ({ answerRead }) => answerRead({ pi, dmail, ctx }, params));
		},
	};
}

/** What pi calls a tool with. */
type Arguments = [string, ReadParams, AbortSignal | undefined, unknown, ExtensionContext];
