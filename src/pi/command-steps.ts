// The arguments of the commands that take steps: `[step] [toStep] [-- summary]`, read and completed.

import type { Completion } from "./command.ts";
import type { Dmail } from "./dmail.ts";
import { replayLog } from "./log.ts";
import { stepLabel } from "./picker-label.ts";

/** Steps as the user typed them, and a summary of his own. */
export interface StepWords {
	readonly fromStep?: number | undefined;
	readonly toStep?: number | undefined;
	readonly summary?: string | undefined;
}

/** Reads an argument; a text says what is wrong with it. `word` is the command that it belongs to. */
export function readSteps(argument: string, word: string): StepWords | string {
	const [, numbers = "", dashes, summary = ""] =
		/^([\s\S]*?)(?:(?:^|\s)(--)(?:\s([\s\S]*))?)?$/.exec(argument) ?? [];
	const words = numbers.split(/\s+/).filter((one) => one !== "");
	const wrong = words.find((one) => !/^[1-9]\d{0,8}$/.test(one)) ?? words[2];
	const usage = `write /dmail ${word} [step] [toStep] [-- summary]`;
	if (wrong !== undefined) return `"${wrong}" is not a step; ${usage}`;
	if (dashes !== undefined && summary.trim() === "")
		return `there is no summary after --; ${usage}`;
	const [fromStep, toStep] = words.map(Number);
	return { fromStep, toStep, ...(dashes === undefined ? {} : { summary: summary.trim() }) };
}

/** As many as a person reads. */
const SHOWN = 30;

/**
 * Ways to name steps: the newest first, from the first one typed on for the second. None once a digit is typed:
 * that names a step already, and Enter would make another one of it.
 */
export function completeSteps(dmail: Dmail, argument: string): Completion[] {
	const typed = /^(?:([1-9]\d*)\s+)?$/.exec(argument);
	if (!typed) return [];
	const [, first] = typed;
	const found = stepsOf(dmail).filter(({ step }) => step >= Number(first ?? 1));
	return found.slice(0, SHOWN).map(({ step, label }) => ({
		value: first === undefined ? `${step}` : `${first} ${step}`,
		label: `${step}`,
		description: label(),
	}));
}

interface Step {
	readonly step: number;
	/** asked for only where it is shown */
	label(): string;
}

/** The steps in view that no fold hides, newest first. */
function stepsOf(dmail: Dmail): Step[] {
	const log = dmail.log();
	if (!log) return [];
	const replayer = replayLog(log);
	const { steps } = replayer;
	const found: Step[] = [];
	for (let step = steps.count; step >= steps.stepAt(steps.era.start); step--) {
		const at = steps.positionOfStep(step) ?? -1;
		if (!replayer.clash({ from: at, to: at + 1 }))
			found.push({ step, label: () => stepLabel(steps.entries[at]?.message) });
	}
	return found;
}
