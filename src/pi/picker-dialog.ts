// Lets the user choose where to fold: in a list of our own in a terminal, by plain selections where a client
// asks instead. Decides nothing and folds nothing.

import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import type { Replayer } from "../../fold.ts";
import type { PiMessage } from "../session/entry.ts";
import { weighAssumed } from "./folding.ts";
import { type Log, readLog, replayLog } from "./log.ts";
import { type Author, type Picked, Picker } from "./picker.ts";
import {
	type Choices,
	quoteRows,
	type Row,
	rowLabel,
	rowName,
	rowPrice,
	rowsOf,
} from "./picker-rows.ts";
import { pricingOf } from "./price.ts";

/** Reads what there is to choose from. */
export function readChoices(pi: ExtensionAPI, ctx: ExtensionContext): Choices {
	const log = readLog(ctx);
	const replayer = replayLog(log);
	const live = !ctx.isIdle();
	const view = replayer.view({ asking: true });
	const pricing = pricingOf(pi, ctx, { log, replayer, view });
	const rows = rowsOf(replayer, live);
	return { rows, replayer, pricing, live, chipOf: rememberChips(log, replayer) };
}

/** Each is weighed when its row is first looked at: that reads all of its range. */
function rememberChips(log: Log, replayer: Replayer<PiMessage>): Choices["chipOf"] {
	const known = new Map<string, number>();
	return (range, keep) => {
		const key = `${range.from} ${range.to}`;
		const chip = known.get(key) ?? weighAssumed(log, replayer, { range, keep });
		known.set(key, chip);
		return chip;
	};
}

/**
 * Asks for start, end and author; `undefined` if the user left it.
 *
 * @param asksModel whether the model can be asked for a summary
 */
export async function pick(
	ctx: ExtensionContext,
	choices: Choices,
	asksModel: boolean,
): Promise<Picked | undefined> {
	let isTerminal = false;
	const picked = await ctx.ui.custom<Picked | undefined>((tui, theme, keys, done) => {
		isTerminal = true;
		// borders, title, filter, price and hints take the rest, and the footer stays in view
		const height = Math.max(3, Math.min(12, tui.terminal.rows - 12));
		return new Picker(choices, { theme, keys, height, asksModel, done });
	});
	return isTerminal ? picked : pickPlainly(ctx, choices, asksModel);
}

/** As many as a client can be expected to list. */
const LISTED = 100;

async function pickPlainly(
	ctx: ExtensionContext,
	choices: Choices,
	asksModel: boolean,
): Promise<Picked | undefined> {
	const start = await selectRow(ctx, "Fold: the first step", choices, undefined);
	if (!start) return undefined;
	const end = await selectRow(ctx, `Fold from step ${start.first}: the last step`, choices, start);
	if (!end) return undefined;
	const author = asksModel ? await selectAuthor(ctx) : "user";
	return author && { fromStep: start.first, toStep: end.last, author };
}

async function selectRow(
	ctx: ExtensionContext,
	title: string,
	choices: Choices,
	start: Row | undefined,
): Promise<Row | undefined> {
	const rows = choices.rows.filter((row) => row.last >= (start?.first ?? 0)).slice(0, LISTED);
	const texts = rows.map((row) => rowText(choices, row, start));
	const chosen = await ctx.ui.select(title, texts);
	return chosen === undefined ? undefined : rows[texts.indexOf(chosen)];
}

const BY_MODEL = "The model writes the summary";
const BY_USER = "I write the summary";

async function selectAuthor(ctx: ExtensionContext): Promise<Author | undefined> {
	const chosen = await ctx.ui.select("Who writes the summary?", [BY_MODEL, BY_USER]);
	if (chosen === undefined) return undefined;
	return chosen === BY_USER ? "user" : "model";
}

/** A row as plain text: where there is no list of ours. */
export function rowText(choices: Choices, row: Row, start: Row | undefined): string {
	const quote = start ? quoteRows(choices, start, row) : quoteRows(choices, row, undefined);
	const { saves, pays } = rowPrice(quote);
	return `${rowName(row)}: ${saves} tokens, ${pays} · ${rowLabel(choices, row)}`;
}
