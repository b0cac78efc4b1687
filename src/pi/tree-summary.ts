// What `/tree` summarises of a branch that is left: the folded conversation. The list that pi prepared is
// changed in place, since pi reads that very list afterwards; its entries, which are the session's own, never.

import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import type { SessionEntry } from "../session/entry.ts";
import type { Dmail } from "./dmail.ts";
import { readLog } from "./log.ts";
import { onDemand } from "./on-demand.ts";

interface BeforeTree {
	readonly preparation: {
		readonly entriesToSummarize: SessionEntry[];
		readonly userWantsSummary: boolean;
	};
}

const load = onDemand(() => import("./tree-entries.ts"));

export function registerTreeSummary(pi: ExtensionAPI, dmail: Dmail): void {
	const on = pi.on as unknown as (
		event: string,
		handler: (event: BeforeTree, ctx: ExtensionContext) => Promise<undefined>,
	) => void;
	on("session_before_tree", async ({ preparation }, ctx) => {
		if (!dmail.mode.enabled || !preparation.userWantsSummary) return undefined;
		const { foldEntries } = await load();
		const { entriesToSummarize } = preparation;
		const read = foldEntries(readLog(ctx), entriesToSummarize);
		entriesToSummarize.splice(0, entriesToSummarize.length, ...read);
		return undefined;
	});
}
