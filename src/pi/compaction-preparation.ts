// Rewrites what pi prepared for its summariser, in place, since pi reads the very object afterwards: the
// folded conversation instead of the stored one, and a cut that parts no fold. Touches no session entry.

import { Replayer } from "../../fold.ts";
import { blocksOf, type PiMessage } from "../session/entry.ts";
import { piHost } from "../session/message.ts";
import { chooseCut } from "./compaction-cut.ts";
import { land } from "./compaction-pressure.ts";
import { piecesOf, withoutOurs } from "./compaction-text.ts";
import type { Log } from "./log.ts";

/** Files that pi lists below a summary. */
interface FileOps {
	readonly read: Set<string>;
	readonly written: Set<string>;
	readonly edited: Set<string>;
}

/** What both hosts prepare, as far as it matters here; the fields that may be written are what they read. */
export interface Preparation {
	firstKeptEntryId: string;
	readonly messagesToSummarize: PiMessage[];
	/** the beginning of the turn that the cut parts; pi has it summarised by itself */
	readonly turnPrefixMessages: PiMessage[];
	isSplitTurn: boolean;
	readonly tokensBefore: number;
	readonly previousSummary?: string | undefined;
	readonly fileOps: FileOps;
	readonly settings: {
		readonly enabled: boolean;
		readonly reserveTokens: number;
		readonly keepRecentTokens: number;
	};
}

/** What the rewriting goes by. */
export interface Rewriting {
	readonly log: Log;
	/** folds that are held: they land once pi has compacted, and are read as landed */
	readonly lands: readonly string[];
	/** the model's window in tokens; `null` where unknown */
	readonly window: number | null;
}

/**
 * How many times what pi keeps may stay for the sake of a cut that parts no turn. With more a compaction frees
 * next to nothing where the newest turn is long, and after an overflow the next request is as long as the one that
 * failed: half a window is no measure then, since the window is what was told wrong.
 */
const SEAM = 2;

/**
 * Lets pi's summariser read the folded conversation. Without a fold in view the cut stays pi's own; with one it
 * is ours also where pi found nothing to summarise, as 0.73 does in CJK text, and would do so nonetheless.
 *
 * @returns whether pi may go on; if not, nothing was changed, and pi would read folded steps as they are stored
 */
export function rewrite(preparation: Preparation, { log, lands, window }: Rewriting): boolean {
	const { settings } = preparation;
	const replayer = new Replayer(piHost, { folds: true, markers: false });
	for (const entry of log.branch) replayer.push(entry);
	land(replayer, lands);
	const own = replayer.steps.positionOf(preparation.firstKeptEntryId) ?? log.branch.length;
	const view = replayer.view();
	if (!view.sources.some(({ from }) => from === "chip")) {
		strip(preparation);
		return true;
	}
	const cut = chooseCut(replayer, piecesOf(replayer, view), {
		keep: settings.keepRecentTokens,
		most: Math.min(SEAM * settings.keepRecentTokens, (window ?? Number.POSITIVE_INFINITY) / 2),
		own,
	});
	const first = cut && log.stored[cut.at];
	// a damaged session only: an answer behind the fold without its call, which nothing can begin with
	if (!cut || !first) return false;
	addFiles(preparation.fileOps, log, { from: own, to: cut.at });
	preparation.firstKeptEntryId = first.id;
	fill(preparation, log, cut);
	return true;
}

function fill(
	preparation: Preparation,
	{ generation }: Log,
	{ history, prefix }: { history: readonly PiMessage[]; prefix: readonly PiMessage[] },
): void {
	// with a parted turn and no history before it 0.73 forgets the summary that there was
	const isOne =
		generation === "0.73" && history.length === 0 && preparation.previousSummary !== undefined;
	replace(preparation.messagesToSummarize, isOne ? prefix : history);
	replace(preparation.turnPrefixMessages, isOne ? [] : prefix);
	preparation.isSplitTurn = preparation.turnPrefixMessages.length > 0;
}

/** Takes what is ours out of what pi prepared, unless nothing would be left. */
function strip({ messagesToSummarize, turnPrefixMessages }: Preparation): void {
	const history = messagesToSummarize.flatMap((message) => withoutOurs(message) ?? []);
	const prefix = turnPrefixMessages.flatMap((message) => withoutOurs(message) ?? []);
	if (history.length + prefix.length === 0) return;
	replace(messagesToSummarize, history);
	replace(turnPrefixMessages, prefix);
}

function replace(list: PiMessage[], by: readonly PiMessage[]): void {
	list.splice(0, list.length, ...by);
}

/** pi listed the files of what it would have summarised; a later cut summarises more. */
function addFiles(
	files: FileOps,
	{ branch }: Log,
	{ from, to }: { from: number; to: number },
): void {
	const lists = new Map([
		["read", files.read],
		["write", files.written],
		["edit", files.edited],
	]);
	for (const { message } of branch.slice(from, to)) {
		if (message?.role !== "assistant") continue;
		for (const block of blocksOf(message.content)) {
			const path = block.type === "toolCall" ? block.arguments?.["path"] : undefined;
			if (block.type === "toolCall" && typeof path === "string") lists.get(block.name)?.add(path);
		}
	}
}
