// `/dmail open ID` and `/dmail shut ID`: a fold shown in place again, and hidden again.

import { type Answer, answering, type Call, type Command, refuse, tell } from "./command.ts";
import { tellShown, tellSteps } from "./keep.ts";
import { completingFolds } from "./keep-complete.ts";
import { changeFold } from "./keep-state.ts";

export const OPEN: Command = {
	name: "open",
	help: "show the steps of a fold in place again: ID",
	complete: completingFolds(({ state }) => state === "landed"),
	run: answering((call) => turn(call, "open")),
};

export const SHUT: Command = {
	name: "shut",
	help: "hide the steps of an open fold again: ID",
	complete: completingFolds(({ state }) => state === "open"),
	run: answering((call) => turn(call, "shut")),
};

function turn({ pi, dmail, ctx, argument }: Call, verb: "open" | "shut"): Answer {
	if (argument === "") return refuse(`name a fold: /dmail ${verb} ID; /dmail list shows them`);
	const choice = changeFold(pi, ctx, verb, argument);
	if (!choice.ok) return refuse(choice.reason);
	dmail.recount(ctx);
	const { fold } = choice;
	const { id } = fold.record;
	const off = dmail.mode.enabled ? "" : "; D-Mail is off, so nothing of it is sent now";
	const text =
		verb === "open"
			? `fold ${id} is open and shows ${tellShown(fold)}; /dmail shut ${id} hides it again`
			: `fold ${id} is shut: its summary stands for ${tellSteps(fold)} from the next request on`;
	return tell(text + off);
}
