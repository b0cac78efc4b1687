// `/dmail price [step] [toStep] [-- summary]`: what a fold would change, without folding.

import { type Answer, answering, type Call, type Command, refuse, tell } from "./command.ts";
import { completeSteps, readSteps } from "./command-steps.ts";
import { spellSteps } from "./cut.ts";
import { previewFold } from "./folding.ts";
import { readLog, replayLog } from "./log.ts";
import { ASSUMED_SUMMARY } from "./price.ts";
import { pricesText } from "./price-text.ts";
import { foretell } from "./send-answer.ts";

export const PRICE: Command = {
	name: "price",
	help: "what a fold would save and cost: [step] [toStep] [-- summary]",
	bare: "all steps in view",
	enough: "from there to now",
	complete: completeSteps,
	run: answering(price),
};

function price({ pi, dmail, ctx, argument }: Call): Answer {
	const words = readSteps(argument, "price");
	if (typeof words === "string") return refuse(words);
	const { fromStep = firstStep(ctx), toStep, summary } = words;
	const wish = { fromStep, toStep, live: !ctx.isIdle() };
	const { timing } = dmail.settings;
	const fold = previewFold(pi, ctx, { wish, summary, by: "user", timing });
	if (!fold.ok) return refuse(fold.reason);
	const how =
		summary === undefined ? `a summary of ~${ASSUMED_SUMMARY} tokens by the model` : "your summary";
	const head = `folding ${spellSteps(fold)} with ${how} (nothing is folded):`;
	const { market, prompt } = fold.quote;
	return tell([head, ...foretell(fold), `Prices: ${pricesText(market, prompt)}`].join("\n"));
}

/** The first step that is still in view: without an argument all of it is priced. */
function firstStep(ctx: Call["ctx"]): number {
	const { steps } = replayLog(readLog(ctx));
	return steps.stepAt(steps.era.start);
}
