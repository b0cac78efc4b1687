// `/dmail`, `/dmail on` and `/dmail off`: the switch.

import type { Call, Command } from "./command.ts";
import { pinnedCut, spellSteps, withdrawCut } from "./cut.ts";
import { say } from "./dmail.ts";

export const ON: Command = {
	name: "on",
	help: "fold from the next request on",
	alone: true,
	run: (call) => turn(call, true),
};

export const OFF: Command = {
	name: "off",
	help: "send everything as it is stored",
	alone: true,
	run: (call) => turn(call, false),
};

/** Turns folding on or off, and says what that changes. */
export function turn(call: Call, enabled: boolean): void {
	const { dmail, ctx } = call;
	const word = enabled ? "on" : "off";
	if (dmail.rival !== undefined) say(ctx, `stays off: ${dmail.rival} too`, "error");
	else if (!dmail.switch(ctx, enabled)) say(ctx, `is ${word} already; nothing changed`);
	else say(ctx, enabled ? ON_TEXT : `${OFF_TEXT}${withdraw(call)}`);
}

/** While off there is no tool to fold with: the model must not be left with the order to call it. */
function withdraw(call: Call): string {
	const cut = pinnedCut(call);
	if (!cut) return "";
	withdrawCut(call, cut, "taken back");
	return `; the cut that was pinned, ${spellSteps(cut)}, is taken back`;
}

const ON_TEXT = "is on: folds apply from the next request";
const OFF_TEXT = "is off: the next request carries everything as it is stored";
