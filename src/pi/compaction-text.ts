// What a summariser reads of a folded conversation: the view in plain messages. A fold is told by its
// summary, its notes and the user's words; nothing that we say to the model (how to treat a fold, labels,
// pointers, the folding calls) is in it, since what a summariser repeats stays in the session for good.

import { breakMarkers, type Fold, quote, type Replayer, type View } from "../../fold.ts";
import { type AssistantMessage, blocksOf, type PiMessage } from "../session/entry.ts";
import { piHost } from "../session/message.ts";
import { READ_TOOL, SEND_TOOL } from "./dmail.ts";

/** One message of a view, as a summariser reads it. */
export interface Piece {
	/** the first position on the branch that it stands for */
	readonly at: number;
	/** where its fold ends, if it is a chip, or a message that a chip keeps */
	readonly end?: number | undefined;
	readonly isChip: boolean;
	/** whether a turn of the conversation begins with it */
	readonly opensTurn: boolean;
	/** whether what it stands for begins one inside */
	readonly holdsTurn: boolean;
	/** whether it answers a call, so that nothing can begin with it */
	readonly isResult: boolean;
	/** size in the view */
	readonly tokens: number;
	/** what is left of it; empty where all of it was ours */
	readonly plain: readonly PiMessage[];
}

/**
 * The pieces of a view, in order. What leads it is left out: the host hands a summary on by itself, and
 * system messages are no conversation.
 *
 * @param view a view of the replayer's branch without markers
 */
export function piecesOf(replayer: Replayer<PiMessage>, view: View<PiMessage>): Piece[] {
	const { era } = replayer.steps;
	const shown = new Set(view.sources.map((source) => (source.from === "entry" ? source.at : -1)));
	let chip: Fold | undefined;
	return view.messages.flatMap((message, index) => {
		const source = view.sources[index];
		if (source?.from === "chip") {
			chip = source.fold;
			return [chipPiece(replayer, message, chip, shown)];
		}
		if (source?.from !== "entry" || source.at === era.compaction) return [];
		return message.role === "system" ? [] : [entryPiece(message, source.at, chip)];
	});
}

/** @param chip the last chip before it: what that one keeps comes right after it */
function entryPiece(message: PiMessage, at: number, chip: Fold | undefined): Piece {
	const plain = withoutOurs(message);
	const opensTurn = message.role !== "assistant" && message.role !== "toolResult";
	return {
		at,
		end: chip && at < chip.to ? chip.to : undefined,
		isChip: false,
		opensTurn,
		holdsTurn: opensTurn,
		isResult: message.role === "toolResult",
		tokens: piHost.tokens(message),
		plain: plain ? [plain] : [],
	};
}

function chipPiece(
	replayer: Replayer<PiMessage>,
	chip: PiMessage,
	fold: Fold,
	shown: ReadonlySet<number>,
): Piece {
	const said = saidIn(replayer, fold, shown);
	return {
		at: fold.from,
		end: fold.to,
		isChip: true,
		opensTurn: false,
		holdsTurn: said.length > 0,
		isResult: false,
		tokens: piHost.tokens(chip),
		plain: [...said, told(fold)],
	};
}

/** The user's words in a fold, as messages of his; what is shown beside the chip is not told twice. */
function saidIn(
	{ steps }: Replayer<PiMessage>,
	fold: Fold,
	shown: ReadonlySet<number>,
): PiMessage[] {
	const said: PiMessage[] = [];
	for (let at = Math.max(fold.from, steps.era.start); at < fold.to; at++) {
		const entry = steps.entries[at];
		if (!entry?.message || shown.has(at)) continue;
		const words = piHost.words(entry.message);
		if (words === undefined) continue;
		said.push({ role: "user", content: breakMarkers(quote(words)), timestamp: 0 });
	}
	return said;
}

/** What was done in a fold, as a reply: most summaries are the model's own words. */
function told({ record }: Fold): PiMessage {
	const text = [record.summary, ...(record.notes ?? [])].join("\n");
	return {
		role: "assistant",
		content: [{ type: "text", text: breakMarkers(text) }],
		provider: "",
		model: "",
		stopReason: "stop",
		timestamp: 0,
	};
}

/**
 * The message without what is ours in it: folding calls and what they returned, messages to the model, and
 * the first block of what it read back, which only tells how to read on. `undefined`: all of it is ours.
 */
export function withoutOurs(message: PiMessage): PiMessage | undefined {
	switch (message.role) {
		case "assistant":
			return withoutFolding(message);
		case "toolResult":
			if (message.toolName === READ_TOOL)
				return { ...message, content: blocksOf(message.content).slice(1) };
			return message.toolName === SEND_TOOL ? undefined : message;
		case "custom":
			return message.customType.startsWith("dmail.") ? undefined : message;
		default:
			return message;
	}
}

function withoutFolding(message: AssistantMessage): AssistantMessage | undefined {
	const blocks = blocksOf(message.content);
	const rest = blocks.filter((block) => !(block.type === "toolCall" && block.name === SEND_TOOL));
	if (rest.length === blocks.length) return message;
	return rest.length > 0 ? { ...message, content: rest } : undefined;
}
