// Ways to complete the arguments of the commands that keep: ids of folds, pinned steps. Newest first.

import type { Completion } from "./command.ts";
import type { Dmail } from "./dmail.ts";
import { type Kept, keptFolds, tellState, tellSteps } from "./keep.ts";
import { replayLog } from "./log.ts";
import { firstLine } from "./picker-label.ts";

/** As many as a person reads; typing more of an id shows others. */
const SHOWN = 30;

/** Completes an id, among the folds that a command would do something with. */
export function completingFolds(
	suits: (fold: Kept) => boolean,
): (dmail: Dmail, argument: string) => Completion[] {
	return (dmail, argument) => {
		const log = dmail.log();
		if (!log) return [];
		const typed = argument.toLowerCase();
		const folds = keptFolds(log, replayLog(log));
		// an id that is whole stays what it is, also where the command would refuse that fold
		if (folds.some(({ record }) => record.id === typed)) return [];
		const found = folds.filter((fold) => suits(fold) && fold.record.id.startsWith(typed));
		return found.slice(-SHOWN).reverse().map(completionOf);
	};
}

function completionOf(fold: Kept): Completion {
	const { id, summary } = fold.record;
	const description = `${tellSteps(fold)} · ${tellState(fold)} · ${firstLine(summary)}`;
	return { value: id, label: id, description };
}

/** Completes pinned steps. */
export function completePins(dmail: Dmail, argument: string): Completion[] {
	const log = dmail.log();
	if (!log) return [];
	const replayer = replayLog(log);
	const found = replayer.pins.map((pin) => {
		const { first, last } = replayer.steps.span(pin);
		return { value: first === last ? `${first}` : `${first}-${last}`, first };
	});
	return found
		.filter(({ value }) => value.startsWith(argument))
		.sort((a, b) => b.first - a.first)
		.slice(0, SHOWN)
		.map(({ value }) => ({ value, label: value, description: "pinned" }));
}
