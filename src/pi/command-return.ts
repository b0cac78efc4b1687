// `/dmail return ID`: goes back to the end of the folded steps, as a new branch on which all of them are in
// view. The branch that is left stays as it is; pi's /tree leads back to it.

import { type Answer, answering, type Call, type Command, refuse, tell } from "./command.ts";
import { chooseFold, type Kept, keptFolds, tellSteps } from "./keep.ts";
import { completingFolds } from "./keep-complete.ts";
import { append, generationOf, readLog, replayLog } from "./log.ts";
import { wayTo } from "./return.ts";

export const RETURN: Command = {
	name: "return",
	help: "branch off at the end of a fold, its steps in view: ID",
	complete: completingFolds(({ fold }) => fold !== undefined && fold.from < fold.to),
	run: answering(goBack),
};

async function goBack({ pi, ctx, argument }: Call): Promise<Answer> {
	if (argument === "") return refuse("name a fold: /dmail return ID; /dmail list shows them");
	await ctx.waitForIdle();
	const log = readLog(ctx);
	const choice = chooseFold(keptFolds(log, replayLog(log)), argument);
	if (!choice.ok) return refuse(choice.reason);
	const { fold, record } = choice.fold;
	const way = fold && wayTo(fold, log);
	if (!way) return refuse(`fold ${record.id} has no step to return to; nothing changed`);
	const steps = tellSteps(choice.fold);
	const are = isOneStep(choice.fold) ? "is" : "are";
	const failed = await move(ctx, way.entryId, `fold ${record.id}, ${steps}`);
	if (failed !== undefined) return refuse(`${failed}; nothing changed`);
	// a move alone is not stored: pi stands again where the file ends when it is opened
	append(pi, {
		kind: "open",
		id: record.id,
		...(way.inner.length > 0 ? { inner: way.inner } : {}),
	});
	const left = way.isPartly ? ", but for those that pi compacted away meanwhile" : "";
	return tell(
		`back at the end of fold ${record.id}: ${steps} ${are} in view${left}; what came later is on the branch that you left, and /tree leads there`,
	);
}

function isOneStep({ steps }: Pick<Kept, "steps">): boolean {
	return steps !== undefined && steps.first === steps.last;
}

/** Why pi did not move; `undefined`: it did. */
async function move(ctx: Call["ctx"], entryId: string, label: string): Promise<string | undefined> {
	if (!ctx.isIdle()) return "the model has been asked something meanwhile; try again";
	try {
		// a fork of a labelled session loses its beginning on 0.73
		const options = generationOf(ctx) === "0.73" ? {} : { label };
		const { cancelled } = await ctx.navigateTree(entryId, options);
		return cancelled ? "pi or an extension cancelled the move" : undefined;
	} catch (error) {
		return `the move failed: ${error instanceof Error ? error.message : String(error)}`;
	}
}
