// `/dmail status`: what folding does now.

import type { ExtensionContext } from "@mariozechner/pi-coding-agent";
import { Replayer } from "../../fold.ts";
import { piHost } from "../session/message.ts";
import { formatCount } from "./badge.ts";
import type { Call, Command } from "./command.ts";
import { SEND_TOOL, say } from "./dmail.ts";
import { readLog } from "./log.ts";

export const STATUS: Command = { name: "status", help: "what folding does now", run: status };

function status({ dmail, ctx }: Call): void {
	const { enabled, why } = dmail.mode;
	const lines = [`is ${enabled ? "on" : "off"} (${why})`];
	if (enabled && !dmail.isToolActive()) lines.push(`${SEND_TOOL} is not offered to the model`);
	lines.push(...sizes(ctx, enabled));
	say(ctx, lines.join("\n"));
}

function sizes(ctx: ExtensionContext, enabled: boolean): string[] {
	const { branch } = readLog(ctx);
	const folded = new Replayer(piHost);
	const raw = new Replayer(piHost, { folds: false, markers: false });
	for (const entry of branch) {
		folded.push(entry);
		raw.push(entry);
	}
	const count = (state: string) => folded.folds.filter((fold) => fold.state === state).length;
	const skipped = count("skipped") + folded.unreadable.length;
	const stored = raw.size();
	const sent = enabled ? folded.size(true) : stored;
	return [
		`conversation: ~${formatCount(sent)} tokens sent, ~${formatCount(stored)} stored`,
		`folds: ${count("landed")} landed, ${count("absorbed")} absorbed, ${count("held")} held, ${skipped} skipped`,
	];
}
