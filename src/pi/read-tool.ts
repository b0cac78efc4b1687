// The tool `read_dmail`: the model reads its folds again, searches them, and shows one in place or hides
// it. Reading changes nothing; opening and shutting is one record.

import type {
	AgentToolResult,
	ExtensionAPI,
	ExtensionContext,
} from "@mariozechner/pi-coding-agent";
import { Type } from "@sinclair/typebox";
import { type Dmail, READ_TOOL } from "./dmail.ts";
import { tellShown, tellSteps } from "./keep.ts";
import { type NotRead, type Reading, readFolds } from "./keep-read.ts";
import { changeFold } from "./keep-state.ts";
import { readLog, replayLog } from "./log.ts";
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
		async execute(...[, params, , , ctx]: Arguments): Promise<Result> {
			const wish = withoutBlanks(params);
			return dmail.turns.take(
				async () => undefined,
				() => {
					if (!dmail.mode.enabled) throw new Error(OFF);
					const { fold, open } = wish;
					return open === undefined ? answer(read(ctx, wish)) : turn(pi, ctx, { fold, open });
				},
			);
		},
	};
}

const OFF =
	"D-Mail is off: every step is in view as it was; the user can switch it on with /dmail on";

type Result = AgentToolResult<undefined>;

/** What pi calls a tool with. */
type Arguments = [string, Params, AbortSignal | undefined, unknown, ExtensionContext];

interface Params {
	readonly fold?: string;
	readonly query?: string;
	readonly offset?: number;
	readonly limit?: number;
	readonly open?: boolean;
}

/** Some models fill what they leave out with empty texts. */
function withoutBlanks({ fold, query, ...rest }: Params): Params {
	return { ...rest, ...(fold?.trim() ? { fold } : {}), ...(query ? { query } : {}) };
}

function read(ctx: ExtensionContext, wish: Params): Reading | NotRead {
	const log = readLog(ctx);
	return readFolds(log, replayLog(log), wish);
}

/** What is stored stands in a block of its own, to the letter. */
function answer(reading: Reading | NotRead): Result {
	if (!reading.ok) throw new Error(reading.reason);
	const page = reading.page === undefined ? [] : [{ type: "text" as const, text: reading.page }];
	return {
		content: [{ type: "text", text: reading.text }, ...page, ...reading.images],
		details: undefined,
	};
}

function turn(
	pi: ExtensionAPI,
	ctx: ExtensionContext,
	{ fold: id, open }: { readonly fold?: string | undefined; readonly open: boolean },
): Result {
	if (id === undefined) throw new Error('`open` needs a fold: {"fold":"<id>","open":true}');
	const choice = changeFold(pi, ctx, open ? "open" : "shut", id);
	if (!choice.ok) throw new Error(`${choice.reason}; to read it leave \`open\` out`);
	const { fold } = choice;
	const text = open
		? `Fold ${fold.record.id} is open and shows ${tellShown(fold)}. Hide it again with read_dmail({"fold":"${fold.record.id}","open":false}).`
		: `Fold ${fold.record.id} is shut: its summary stands for ${tellSteps(fold)} from the next request on.`;
	return { content: [{ type: "text", text }], details: undefined };
}
