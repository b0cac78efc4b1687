// The commands a user types. Each answers in words, in a terminal, over RPC and, on stderr, in print mode.

import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import { Replayer } from "../../fold.ts";
import { piHost } from "../session/message.ts";
import { formatCount } from "./badge.ts";
import { type Dmail, SEND_TOOL, say } from "./dmail.ts";
import { readLog } from "./log.ts";

interface Word {
	readonly name: string;
	readonly help: string;
	run(dmail: Dmail, ctx: ExtensionContext): void;
}

const WORDS: readonly Word[] = [
	{ name: "on", help: "fold from now on", run: (dmail, ctx) => turn(dmail, ctx, true) },
	{
		name: "off",
		help: "send everything as it is stored",
		run: (dmail, ctx) => turn(dmail, ctx, false),
	},
	{ name: "status", help: "what folding does now", run: status },
];

export function registerCommands(pi: ExtensionAPI, dmail: Dmail): void {
	pi.registerCommand("dmail", {
		description: "Context folding: on, off, status",
		getArgumentCompletions: complete,
		handler: async (argument, ctx) => {
			const name = argument.trim();
			const word = WORDS.find((one) => one.name === name);
			if (word) word.run(dmail, ctx);
			else if (name === "") turn(dmail, ctx, !dmail.mode.enabled);
			else
				say(
					ctx,
					`unknown word "${name}"; there are ${WORDS.map((one) => one.name).join(", ")}`,
					"error",
				);
		},
	});
}

function complete(prefix: string): { value: string; label: string; description: string }[] | null {
	const found = WORDS.filter((word) => word.name.startsWith(prefix.trimStart()));
	if (found.length === 0) return null;
	return found.map(({ name, help }) => ({ value: name, label: name, description: help }));
}

function turn(dmail: Dmail, ctx: ExtensionContext, enabled: boolean): void {
	const word = enabled ? "on" : "off";
	if (dmail.rival !== undefined)
		say(ctx, `stays off: ${dmail.rival} offers ${SEND_TOOL} too`, "error");
	else if (!dmail.switch(ctx, enabled)) say(ctx, `is ${word} already; nothing changed`);
	else say(ctx, enabled ? "is on: folds apply from the next request" : OFF_TEXT);
}

const OFF_TEXT = "is off: the next request carries everything as it is stored";

function status(dmail: Dmail, ctx: ExtensionContext): void {
	const { enabled, why } = dmail.mode;
	const lines = [`is ${enabled ? "on" : "off"} (${why})`];
	if (enabled && !dmail.isToolActive()) lines.push(`${SEND_TOOL} is not offered to the model`);
	lines.push(...sizes(ctx));
	say(ctx, lines.join("\n"));
}

function sizes(ctx: ExtensionContext): string[] {
	const { branch } = readLog(ctx);
	const folded = new Replayer(piHost);
	const raw = new Replayer(piHost, { folds: false, markers: false });
	for (const entry of branch) {
		folded.push(entry);
		raw.push(entry);
	}
	const count = (state: string) => folded.folds.filter((fold) => fold.state === state).length;
	const skipped = count("skipped") + folded.unreadable.length;
	return [
		`conversation: ~${formatCount(folded.size(true))} tokens sent, ~${formatCount(raw.size())} stored`,
		`folds: ${count("landed")} landed, ${count("absorbed")} absorbed, ${count("held")} held, ${skipped} skipped`,
	];
}
