// What a call of `read_dmail` does. Reading changes nothing; opening and shutting is one record.

import type {
	AgentToolResult,
	ExtensionAPI,
	ExtensionContext,
} from "@mariozechner/pi-coding-agent";
import type { Dmail } from "./dmail.ts";
import { tellShown, tellSteps } from "./keep.ts";
import { type NotRead, type Reading, readFolds } from "./keep-read.ts";
import { changeFold } from "./keep-state.ts";
import { readLog, replayLog } from "./log.ts";

/** What the model passes. */
export interface ReadParams {
	readonly fold?: string;
	readonly query?: string;
	readonly offset?: number;
	readonly limit?: number;
	readonly open?: boolean;
}

export type ReadResult = AgentToolResult<undefined>;

/** Where a call is answered. */
interface Place {
	readonly pi: ExtensionAPI;
	readonly dmail: Dmail;
	readonly ctx: ExtensionContext;
}

/** Reads, opens or shuts in this very tick; a refusal is thrown, as pi wants it of a tool. */
export function answerRead({ pi, dmail, ctx }: Place, params: ReadParams): ReadResult {
	if (!dmail.mode.enabled) throw new Error(OFF);
	const wish = withoutBlanks(params);
	const { fold, open } = wish;
	return open === undefined ? answer(read(ctx, wish)) : turn(pi, ctx, { fold, open });
}

const OFF =
	"D-Mail is off: every step is in view as it was; the user can switch it on with /dmail on";

/** Some models fill what they leave out with empty texts. */
function withoutBlanks({ fold, query, ...rest }: ReadParams): ReadParams {
	return { ...rest, ...(fold?.trim() ? { fold } : {}), ...(query ? { query } : {}) };
}

function read(ctx: ExtensionContext, wish: ReadParams): Reading | NotRead {
	const log = readLog(ctx);
	return readFolds(log, replayLog(log), wish);
}

/** What is stored stands in a block of its own, to the letter. */
function answer(reading: Reading | NotRead): ReadResult {
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
): ReadResult {
	if (id === undefined) throw new Error('`open` needs a fold: {"fold":"<id>","open":true}');
	const choice = changeFold(pi, ctx, open ? "open" : "shut", id);
	if (!choice.ok) throw new Error(`${choice.reason}; to read it leave \`open\` out`);
	const { fold } = choice;
	const text = open
		? `Fold ${fold.record.id} is open and shows ${tellShown(fold)}. Hide it again with read_dmail({"fold":"${fold.record.id}","open":false}).`
		: `Fold ${fold.record.id} is shut: its summary stands for ${tellSteps(fold)} from the next request on.`;
	return { content: [{ type: "text", text }], details: undefined };
}
