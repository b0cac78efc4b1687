// How folds look in pi's transcript: calls and results of the tools, pinned cuts, chips. Only paints what is
// stored; a text that could move a cursor is made harmless, since pi dies of a line that is too wide.

import type { ExtensionAPI, Theme } from "@mariozechner/pi-coding-agent";
import { keyText } from "@mariozechner/pi-coding-agent";
import { Box, type Component, Text, truncateToWidth } from "@mariozechner/pi-tui";
import { decode, type FoldRecord } from "../../fold.ts";
import { payWords } from "../price/words.ts";
import { formatCount } from "./badge.ts";
import { spellSteps } from "./cut.ts";
import { CUT, stepsIn } from "./cut-queue.ts";
import { firstLine } from "./picker-label.ts";
import { harmless } from "./plain-text.ts";

/** The part of pi's theme that is painted with. */
export type Paint = Pick<Theme, "fg" | "bg" | "bold">;

/** What a renderer is told beside what it paints. */
export interface Shown {
	readonly expanded: boolean;
}

/** A tool's result as pi hands it to a renderer; of an older version its details may be anything. */
export interface ShownResult {
	readonly content: readonly { readonly type: string; readonly text?: string | undefined }[];
	readonly details?: unknown;
}

/** Where the call stands: pi says there whether the result is an error. */
export interface CallState {
	readonly expanded: boolean;
	readonly isError: boolean;
}

/** A call of `send_dmail`: what it folds, and the summary's first line; expanded all of it. */
export function renderSendCall(args: unknown, paint: Paint, { expanded }: Shown): Component {
	const { fromStep, toStep, summary, preview } = fieldsOf(args);
	const verb = preview === true ? paint.fg("warning", "preview of ") : "";
	const steps =
		typeof fromStep === "number" ? spellSteps(stepsIn({ fromStep, toStep }) ?? { fromStep }) : "…";
	const head = `${title("send_dmail", paint)} ${verb}${paint.fg("accent", steps)}`;
	if (typeof summary !== "string" || summary.trim() === "") return plain(head);
	const text = expanded ? harmless(summary) : firstLine(summary);
	const end = !expanded && summary.trim() !== text ? " …" : "";
	return plain(`${head}\n${paint.fg("muted", `${text}${end}`)}`);
}

/** The result: one line for a fold, another for a preview, the reason for a refusal; expanded all of it. */
export function renderSendResult(
	result: ShownResult,
	shown: Shown,
	paint: Paint,
	state: CallState,
): Component {
	const text = textOf(result);
	if (state.isError) return plain(refusal(text, paint));
	if (shown.expanded) return plain(paint.fg("toolOutput", text));
	const details = fieldsOf(result.details);
	const line = details["preview"] === true ? previewLine(details, paint) : foldLine(details, paint);
	return plain(line === undefined ? paint.fg("toolOutput", text) : `${line}${expandHint(paint)}`);
}

function foldLine(details: Fields, paint: Paint): string | undefined {
	const steps = stepsIn(details);
	const { id, by } = details;
	if (!steps || typeof id !== "string") return undefined;
	const pinned = by === "user" ? ", as you pinned it" : "";
	const held = details["held"] === true ? ", held for a cheaper moment" : "";
	const done = paint.fg("success", `◆ folded ${spellSteps(steps)} as ${id}${pinned}${held}`);
	return `${done}${paint.fg("muted", `: ${effect(details)}`)}`;
}

function previewLine(details: Fields, paint: Paint): string | undefined {
	const steps = stepsIn(details);
	if (!steps) return undefined;
	const would = paint.fg("warning", `◇ preview, nothing folded: ${spellSteps(steps)}`);
	return `${would}${paint.fg("muted", ` would be ${effect(details)}`)}`;
}

/** `−12k tokens a request, pays after 6 requests`. */
function effect({ perRequestTokens, requestsToPay }: Fields): string {
	if (typeof perRequestTokens !== "number") return "sizes unknown";
	const saves =
		perRequestTokens > 0
			? `−${formatCount(perRequestTokens)} tokens a request`
			: `no smaller (+${formatCount(-perRequestTokens)} tokens)`;
	const pays = payWords(typeof requestsToPay === "number" ? requestsToPay : null);
	return `${saves}, ${pays}`;
}

function refusal(text: string, paint: Paint): string {
	return paint.fg("error", `✗ refused: ${text}`);
}

/** A call of `read_dmail`: which fold, what is looked for, or that one is opened or shut. */
export function renderReadCall(args: unknown, paint: Paint): Component {
	const { fold, query, offset, open } = fieldsOf(args);
	const parts = [
		...(open === undefined ? [] : [open === true ? "open" : "shut"]),
		...(typeof fold === "string" && fold !== "" ? [`fold ${firstLine(fold)}`] : []),
		...(typeof query === "string" && query !== "" ? [`lines with "${firstLine(query)}"`] : []),
		...(typeof offset === "number" ? [`from ${offset}`] : []),
	];
	const what = parts.length > 0 ? parts.join(" ") : "all folds";
	return plain(`${title("read_dmail", paint)} ${paint.fg("accent", what)}`);
}

/** So many lines of what was read stay in view. */
const READ_LINES = 6;

/** What was read: its first lines; expanded all of it. */
export function renderReadResult(
	result: ShownResult,
	shown: Shown,
	paint: Paint,
	state: CallState,
): Component {
	const text = textOf(result);
	if (state.isError) return plain(refusal(text, paint));
	const lines = text.split("\n");
	if (shown.expanded || lines.length <= READ_LINES + 1) return plain(paint.fg("toolOutput", text));
	const head = lines.slice(0, READ_LINES).join("\n");
	const rest = paint.fg("muted", `… ${lines.length - READ_LINES} more lines`);
	return plain(`${paint.fg("toolOutput", head)}\n${rest}${expandHint(paint)}`);
}

/** Registers what pi draws in its transcript: pinned cuts, and chips where it draws entries at all (1.6). */
export function registerRenderers(pi: ExtensionAPI): void {
	pi.registerMessageRenderer(CUT, (message, { expanded }, theme) =>
		renderCut(message, { expanded }, theme),
	);
	const host = pi as { registerEntryRenderer?: RegisterEntryRenderer };
	host.registerEntryRenderer?.("dmail.fold", (entry, { expanded }, theme) =>
		renderChip(entry, { expanded }, theme),
	);
}

type RegisterEntryRenderer = (
	customType: string,
	renderer: (entry: StoredFold, shown: Shown, paint: Paint) => Component | undefined,
) => void;

/** An entry with a record, as pi hands it over. */
export interface StoredFold {
	readonly id: string;
	readonly data?: unknown;
}

/** A cut that the user pinned, or took back: its steps; expanded what the model was told. */
export function renderCut(
	message: { readonly content: unknown; readonly details?: unknown },
	{ expanded }: Shown,
	paint: Paint,
): Component {
	const steps = stepsIn(message.details);
	const label = paint.fg("customMessageLabel", paint.bold("[dmail]"));
	const isTakenBack = !steps && fieldsOf(message.details)["v"] === 1;
	const what = isTakenBack
		? "cut taken back"
		: `cut pinned${steps ? `: ${spellSteps(steps)}` : ""}`;
	const said = saidIn(message.content);
	const told = expanded && said !== "" ? `\n${harmless(said)}` : "";
	const box = new Box(1, 0, (text) => paint.bg("customMessageBg", text));
	box.addChild(plain(`${label} ${paint.fg("customMessageText", `${what}${told}`)}`));
	return box;
}

/** Older messages of ours have a plain text for their content. */
function saidIn(content: unknown): string {
	if (typeof content === "string") return content;
	return Array.isArray(content) ? textOf({ content }) : "";
}

/** A fold where it was recorded; expanded its summary and its notes. Nothing for a record that is broken. */
export function renderChip(
	entry: StoredFold,
	{ expanded }: Shown,
	paint: Paint,
): Component | undefined {
	const record = decode("dmail.fold", entry.data, entry.id);
	if (record?.kind !== "fold") return undefined;
	const line = paint.fg("customMessageLabel", chipLine(record));
	// the call that made it stands right above, and shows the rest
	if (!expanded || record.callId !== undefined) return oneRow(` ${line}`);
	const notes = record.notes ?? [];
	const body = [record.summary, ...notes].map(harmless).join("\n");
	return new Text(`${line}\n${paint.fg("muted", body)}`, 1, 0);
}

function chipLine({ id, fromStep, toStep, by, summary, held }: FoldRecord): string {
	const steps = fromStep === undefined ? "" : ` · ${spellSteps({ fromStep, toStep })}`;
	const author = by === undefined ? "" : ` · ${AUTHORS[by]}`;
	return `◆ fold ${id}${steps}${author}${held ? " · held" : ""} · ${firstLine(summary)}`;
}

const AUTHORS: Record<NonNullable<FoldRecord["by"]>, string> = {
	model: "by the model",
	user: "by the user",
	auto: "by D-Mail",
};

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
	return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function textOf({ content }: ShownResult): string {
	const texts = content.map((block) => (block.type === "text" ? (block.text ?? "") : ""));
	return harmless(texts.filter((text) => text !== "").join("\n"));
}

function title(name: string, paint: Paint): string {
	return paint.fg("toolTitle", paint.bold(name));
}

function expandHint(paint: Paint): string {
	return paint.fg("dim", ` (${keyText("app.tools.expand")} to expand)`);
}

/** A text on one row, cut where the terminal ends. */
function oneRow(text: string): Component {
	return {
		render: (width) => [truncateToWidth(text, Math.max(1, width), "…")],
		invalidate: () => undefined,
	};
}

function plain(text: string): Text {
	return new Text(text, 0, 0);
}
