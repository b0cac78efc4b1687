// `/dmail net`: folds the oldest steps at once, without the model.

import { lastCompleted } from "../../fold.ts";
import { expected } from "../price/cost.ts";
import { type Answer, answering, type Call, type Command, refuse, tell } from "./command.ts";
import { measurePressure } from "./compaction-pressure.ts";
import { append, heldIn, readLog, replayLog } from "./log.ts";
import { spareIn, tellNet } from "./net.ts";
import { chooseNet } from "./net-choice.ts";
import { priceNet } from "./net-price.ts";
import { priceLines } from "./price-text.ts";

export const NET: Command = {
	name: "net",
	help: "fold the oldest steps now, without the model",
	alone: true,
	run: answering(net),
};

/** Folds down to half the window, and below that all but the newest steps. */
function net({ pi, dmail, ctx }: Call): Answer {
	if (!dmail.mode.enabled) return refuse("is off, nothing was folded; switch it on with /dmail on");
	const log = readLog(ctx);
	const live = !ctx.isIdle();
	if (lastCompleted(replayLog(log).steps, { live }) === 0)
		return refuse("nothing was folded: no step is finished yet");
	const lands = heldIn(log);
	const { next, scale } = measurePressure(log, lands);
	const window = ctx.model?.contextWindow || null;
	const half = window === null ? 0 : window / 2;
	const made = chooseNet(log, {
		lands,
		next,
		scale,
		aim: next > half ? half : Number.NEGATIVE_INFINITY,
		most: Number.POSITIVE_INFINITY,
		spare: spareIn(window),
		live,
	});
	if (!made.ok) return refuse(`nothing was folded: ${made.reason}; /dmail fold folds newer steps`);
	const quote = priceNet(pi, ctx, log, made);
	append(pi, { ...made.record, predicted: expected(quote) });
	dmail.recount(ctx);
	return tell([tellNet(made, window), ...priceLines(quote)].join("\n"));
}
