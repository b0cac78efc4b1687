// `/dmail land [ID…]`: folds that are held land with the next request, whatever it costs.

import type { Fold } from "../../fold.ts";
import { payWords } from "../price/words.ts";
import {
	type Answer,
	answering,
	type Call,
	type Command,
	type Completion,
	refuse,
	tell,
} from "./command.ts";
import type { Dmail } from "./dmail.ts";
import { supersededHeld } from "./held.ts";
import { append, heldIn, readLog, replayLog } from "./log.ts";
import { heldFolds } from "./moment.ts";
import { pricingOf } from "./price.ts";
import { costWords } from "./price-text.ts";
import { landRecord, quoteTogether } from "./timing.ts";

export const LAND: Command = {
	name: "land",
	help: "land held folds with the next request: [ID…]",
	bare: "all that are held",
	enough: "these alone",
	complete,
	run: answering(land),
};

function land({ pi, dmail, ctx, argument }: Call): Answer {
	if (!dmail.mode.enabled) return refuse("is off, nothing lands; switch it on with /dmail on");
	const log = readLog(ctx);
	const replayer = replayLog(log);
	const view = replayer.view({ asking: true });
	const scene = { log, replayer, view, pricing: pricingOf(pi, ctx, { log, replayer, view }) };
	const held = heldFolds(scene);
	if (held.length === 0) return tell("no fold is held; nothing changed");
	const ids = wordsOf(argument);
	const known = held.map(({ fold }) => fold.record.id);
	const unknown = ids.find((id) => !known.includes(id));
	if (unknown !== undefined) return refuse(whyNot(unknown, replayer.folds, known));
	const due = ids.length === 0 ? held : held.filter(({ fold }) => ids.includes(fold.record.id));
	const [record, quote] = [landRecord(scene, due), quoteTogether(scene, due)];
	if (!record || !quote) return tell("no fold is held; nothing changed");
	append(pi, record);
	dmail.recount(ctx);
	const what =
		due.length === 1 ? `fold ${record.ids[0]} lands` : `folds ${record.ids.join(", ")} land`;
	return tell(
		`${what} with the next request: it ${costWords(quote)} and ${payWords(quote.requestsToPay)}`,
	);
}

function whyNot(id: string, folds: readonly Fold[], known: readonly string[]): string {
	const [, around] = [...supersededHeld(folds)].find(([fold]) => fold.record.id === id) ?? [];
	if (!around) return `fold ${id} is not held; held are ${known.join(", ")}`;
	const { id: outer } = around.record;
	return `fold ${id} is superseded by fold ${outer}, which is held around it; write /dmail land ${outer}`;
}

function wordsOf(argument: string): string[] {
	return argument
		.toLowerCase()
		.split(/[\s,]+/)
		.filter((word) => word !== "");
}

/** The held folds that are not named yet. */
function complete(dmail: Dmail, argument: string): Completion[] {
	const log = dmail.log();
	if (!log) return [];
	const [, before = "", typed = ""] = /^([\s\S]*?)(\S*)$/.exec(argument) ?? [];
	const named = wordsOf(before);
	return heldIn(log)
		.filter((id) => id.startsWith(typed.toLowerCase()) && !named.includes(id))
		.map((id) => ({ value: `${before}${id}`, label: id, description: "held" }));
}
