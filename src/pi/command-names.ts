// Tells pi which commands there are. What they do is loaded when the first one is typed.

import type { ExtensionAPI, ExtensionCommandContext } from "@mariozechner/pi-coding-agent";
import type { Completion } from "./command.ts";
import type { Dmail } from "./dmail.ts";
import { onDemand } from "./on-demand.ts";

const DESCRIPTIONS = {
	dmail: "Context folding: switch it, look at folds, price and make them, take them back",
	"send-dmail": "The same as /dmail fold: fold steps yourself, or ask the model to",
} as const;

export type CommandName = keyof typeof DESCRIPTIONS;

/** What a command does with what is typed after its name. */
export interface Typed {
	run(text: string, ctx: ExtensionCommandContext): Promise<void>;
	/** ways to go on; `null`: none, or all is typed already */
	complete(prefix: string): Completion[] | null;
}

export function registerCommands(pi: ExtensionAPI, dmail: Dmail): void {
	const load = onDemand(async () => (await import("./commands.ts")).makeCommands(pi, dmail));
	for (const name of Object.keys(DESCRIPTIONS) as CommandName[])
		pi.registerCommand(name, {
			description: DESCRIPTIONS[name],
			getArgumentCompletions: async (prefix) => (await load())[name].complete(prefix),
			handler: async (text, ctx) => (await load())[name].run(text, ctx),
		});
}

/**
 * What to tell of commands that pi gave another name, since another extension has one by that name as well:
 * typed as it was, pi 0.73 sends it to the model.
 */
export function tellRenamed(pi: ExtensionAPI): string[] {
	const ours = Object.entries(DESCRIPTIONS);
	return pi.getCommands().flatMap(({ name, description }) => {
		const [own] = ours.find(([, said]) => said === description) ?? [];
		return own === undefined || own === name
			? []
			: [
					`another extension has a command /${own} too; type /${name} for the one of this extension`,
				];
	});
}
