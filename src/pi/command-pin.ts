// `/dmail pin STEP[-STEP]` and `/dmail unpin [STEP[-STEP]]`: steps that nobody may fold, and may again.

import { type PinProposal, type PinRefusal, proposePin, proposeUnpin } from "../../fold.ts";
import { type Answer, answering, type Call, type Command, refuse, tell } from "./command.ts";
import { completeSteps } from "./command-steps.ts";
import { tellSteps } from "./keep.ts";
import { completePins } from "./keep-complete.ts";
import { append, readLog, replayLog } from "./log.ts";

export const PIN: Command = {
	name: "pin",
	help: "keep steps from being folded: STEP[-STEP]",
	complete: (dmail, argument) => (argument === "" ? completeSteps(dmail, argument) : []),
	run: answering(pin),
};

export const UNPIN: Command = {
	name: "unpin",
	help: "let them be folded again: [STEP[-STEP]], else all",
	bare: "all pinned steps",
	// a number that is typed names steps already: Enter must not make others of it
	complete: (dmail, argument) => (readSpan(argument) ? [] : completePins(dmail, argument)),
	run: answering(unpin),
};

interface Span {
	readonly first: number;
	readonly last: number;
}

function pin(call: Call): Answer {
	const span = readSpan(call.argument);
	if (!span) return refuse(`name the steps: /dmail pin STEP[-STEP], not "${call.argument}"`);
	const answer = proposePin(replayLog(readLog(call.ctx)), span);
	return record(call, "pin", answer, (them) => `no fold may cover ${them} until /dmail unpin`);
}

function unpin(call: Call): Answer {
	const span = readSpan(call.argument);
	if (!span && call.argument !== "")
		return refuse(`name the steps: /dmail unpin [STEP[-STEP]], not "${call.argument}"`);
	const answer = proposeUnpin(replayLog(readLog(call.ctx)), span);
	return record(call, "unpin", answer, (_, they) => `${they} may be folded`);
}

/** `4` or `4-9`. */
function readSpan(argument: string): Span | undefined {
	const [, first, last = first] =
		/^([1-9]\d{0,8})(?:\s*[-–]\s*([1-9]\d{0,8}))?$/.exec(argument) ?? [];
	return first === undefined ? undefined : { first: Number(first), last: Number(last) };
}

function record(
	{ pi }: Call,
	kind: "pin" | "unpin",
	answer: PinProposal | PinRefusal,
	effect: (them: string, they: string) => string,
): Answer {
	if (!answer.ok) return refuse(`${answer.reason}; nothing changed`);
	const { fromEntryId, toEntryId, spans, takenIn } = answer;
	append(pi, { kind, fromEntryId, toEntryId });
	const steps = tellSpans(spans);
	const inPlace = takenIn.length > 0 ? `, in place of ${tellSpans(takenIn)}` : "";
	const isOne = spans.length === 1 && spans[0]?.first === spans[0]?.last;
	const after = isOne ? effect("it", "it") : effect("them", "they");
	return tell(`${kind === "pin" ? "pinned" : "unpinned"} ${steps}${inPlace}; ${after}`);
}

function tellSpans(spans: readonly Span[]): string {
	const inOrder = spans.toSorted((a, b) => a.first - b.first);
	return inOrder.map((steps) => tellSteps({ steps })).join(", ");
}
