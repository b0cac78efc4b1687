// The picker: where to fold, chosen in a list with prices. A component of pi's terminal: it only keeps what
// is chosen and paints it, and never paints a line wider than it is asked for, since that would end pi.

import type { KeybindingsManager, Theme } from "@mariozechner/pi-coding-agent";
import {
	type Component,
	decodeKittyPrintable,
	matchesKey,
	truncateToWidth,
	visibleWidth,
	wrapTextWithAnsi,
} from "@mariozechner/pi-tui";
import { propose } from "../../fold.ts";
import { spellSteps } from "./cut.ts";
import { type Choices, quoteRows, type Row, rowLabel, rowName, rowPrice } from "./picker-rows.ts";
import { priceLines } from "./price-text.ts";

/** What the user chose. */
export interface Picked {
	readonly fromStep: number;
	readonly toStep: number;
	readonly author: Author;
}

/** Who writes the summary. */
export type Author = "model" | "user";

/** What the picker paints with, where the choice goes, and what it may offer. */
export interface PickerPort {
	readonly theme: Pick<Theme, "fg" | "bold">;
	readonly keys: Pick<KeybindingsManager, "matches">;
	/** rows of the list that fit */
	readonly height: number;
	/** whether the model can be asked: its tool is offered */
	readonly asksModel: boolean;
	/** called once; `undefined`: nothing was chosen */
	done(picked: Picked | undefined): void;
}

type Stage = "start" | "end" | "author";

interface RowLook {
	readonly isSelected: boolean;
	/** columns of the terminal */
	readonly width: number;
	readonly price: ReturnType<typeof rowPrice>;
	/** columns of the widest name on the screen */
	readonly names: number;
	/** columns of the widest word on when a row pays */
	readonly pays: number;
}

const AUTHORS: Record<Author, string> = {
	model: "The model writes the summary: it is asked now",
	user: "I write the summary: an editor opens",
};

export class Picker implements Component {
	private readonly choices: Choices;
	private readonly port: PickerPort;
	private stage: Stage = "start";
	private start: Row | undefined;
	private end: Row | undefined;
	private index = 0;
	private filter = "";
	private isFiltering = false;
	/** why the newest choice does not work */
	private refusal = "";
	/** the rows that were found last, and for what: each key asks for them several times */
	private found: { least: number; filter: string; rows: readonly Row[] };

	constructor(choices: Choices, port: PickerPort) {
		this.choices = choices;
		this.port = port;
		this.found = { least: 0, filter: "", rows: choices.rows };
	}

	invalidate(): void {
		// nothing painted is kept
	}

	handleInput(data: string): void {
		this.refusal = "";
		const { keys } = this.port;
		if (keys.matches(data, "tui.select.cancel")) this.back();
		else if (keys.matches(data, "tui.select.confirm") || data === "\n") this.confirm();
		else if (!this.move(data)) this.type(data);
	}

	render(width: number): string[] {
		const { theme } = this.port;
		const border = theme.fg("border", "─".repeat(Math.max(1, width)));
		const lines = [
			border,
			theme.fg("accent", theme.bold(this.title())),
			...this.list(width),
			...this.foot(width),
			theme.fg("dim", this.hints()),
			border,
		];
		return lines.map((line) => truncateToWidth(line, Math.max(1, width), "…"));
	}

	private title(): string {
		const { start, end } = this;
		if (this.stage === "start" || !start)
			return "Fold: choose the first step (each row: from there to now)";
		if (this.stage === "end" || !end) return `Fold from step ${start.first}: choose the last step`;
		return `Fold ${spellSteps({ fromStep: start.first, toStep: end.last })}: who writes the summary?`;
	}

	private hints(): string {
		if (this.isFiltering) return "type to filter · enter choose · esc end filter";
		const keys = "↑↓/jk move · enter choose · esc back";
		return this.stage === "author" ? keys : `${keys} · / filter · pgup/pgdn home/end`;
	}

	private list(width: number): string[] {
		if (this.stage === "author") return this.authors().map((author, at) => this.author(author, at));
		const rows = this.rows();
		if (rows.length === 0) return [this.port.theme.fg("muted", "  no step matches")];
		const { height } = this.port;
		const top = Math.max(0, Math.min(this.index - (height >> 1), rows.length - height));
		const shown = rows.slice(top, top + height);
		const names = Math.max(...shown.map((row) => rowName(row).length));
		const priced = shown.map((row) => ({ row, price: rowPrice(this.quote(row)) }));
		const pays = Math.max(...priced.map(({ price }) => price.pays.length));
		const painted = priced.map(({ row, price }, at) =>
			this.row(row, { isSelected: top + at === this.index, width, price, names, pays }),
		);
		if (rows.length > height)
			painted.push(this.port.theme.fg("muted", `  (${this.index + 1}/${rows.length})`));
		return painted;
	}

	private row(row: Row, { isSelected, width, price, names, pays }: RowLook): string {
		const { theme } = this.port;
		const cells = [
			pad(rowName(row), names),
			price.saves.padStart(6),
			...(width >= 40 ? [pad(price.pays, pays)] : []),
			...(width >= 60 ? [rowLabel(this.choices, row)] : []),
		];
		const line = `${isSelected ? "→ " : "  "}${cells.join("  ")}`;
		return isSelected ? theme.fg("accent", line) : theme.fg("text", line);
	}

	private author(author: Author, at: number): string {
		const isSelected = at === this.index;
		const line = `${isSelected ? "→ " : "  "}${AUTHORS[author]}`;
		return this.port.theme.fg(isSelected ? "accent" : "text", line);
	}

	private foot(width: number): string[] {
		const { theme } = this.port;
		const lines: string[] = [];
		if (this.isFiltering || this.filter !== "") lines.push(theme.fg("accent", `/${this.filter}`));
		if (this.refusal !== "") lines.push(...wrap(theme.fg("error", this.refusal), width));
		const row = this.stage === "author" ? this.end : this.rows()[this.index];
		if (row) lines.push(...wrap(theme.fg("muted", this.priceOf(row)), width));
		return lines;
	}

	private priceOf(row: Row): string {
		return priceLines(this.quote(row)).join(" ");
	}

	/** The price of the cut that a row stands for now: from it to the newest, or from the start to it. */
	private quote(row: Row) {
		return this.stage === "start" || !this.start
			? quoteRows(this.choices, row, undefined)
			: quoteRows(this.choices, this.start, row);
	}

	/** The rows of this stage that match the filter: an end does not lie before the start. */
	private rows(): readonly Row[] {
		const { start, choices, found } = this;
		const least = this.stage === "start" || !start ? 0 : start.first;
		if (found.least === least && found.filter === this.filter) return found.rows;
		const wanted = this.filter.toLowerCase();
		const rows = choices.rows.filter(
			(row) => row.last >= least && (wanted === "" || this.textOf(row).includes(wanted)),
		);
		this.found = { least, filter: this.filter, rows };
		return rows;
	}

	private textOf(row: Row): string {
		return `${rowName(row)} ${rowLabel(this.choices, row)}`.toLowerCase();
	}

	private authors(): Author[] {
		return this.port.asksModel ? ["model", "user"] : ["user"];
	}

	private confirm(): void {
		if (this.stage === "author") this.finish();
		else {
			const row = this.rows()[this.index];
			if (!row) return;
			if (this.stage === "start") this.chooseStart(row);
			else this.chooseEnd(row);
		}
	}

	private chooseStart(row: Row): void {
		this.start = row;
		this.enter("end", 0);
	}

	private chooseEnd(row: Row): void {
		const { replayer, live } = this.choices;
		const fromStep = this.start?.first ?? row.first;
		const proposal = propose(replayer, { fromStep, toStep: row.last, live });
		if (!proposal.ok) {
			this.refusal = proposal.reason;
			return;
		}
		this.end = row;
		this.enter("author", 0);
	}

	private finish(): void {
		const { start, end } = this;
		const author = this.authors()[this.index];
		if (start && end && author) this.port.done({ fromStep: start.first, toStep: end.last, author });
	}

	/** One step back; from the first list out of the picker. */
	private back(): void {
		if (this.isFiltering || this.filter !== "") {
			const row = this.rows()[this.index];
			this.isFiltering = false;
			this.filter = "";
			this.index = Math.max(0, row ? this.rows().indexOf(row) : 0);
		} else if (this.stage === "author") this.enter("end", this.end);
		else if (this.stage === "end") this.enter("start", this.start);
		else this.port.done(undefined);
	}

	private enter(stage: Stage, at: Row | number | undefined): void {
		this.stage = stage;
		this.filter = "";
		this.isFiltering = false;
		const index = typeof at === "object" ? this.rows().indexOf(at) : (at ?? 0);
		this.index = Math.max(0, index);
	}

	/** Moves the choice; says whether the key was one that does. */
	private move(data: string): boolean {
		const { keys, height } = this.port;
		const count = this.stage === "author" ? this.authors().length : this.rows().length;
		const letter = (key: string) => !this.isFiltering && data === key;
		if (keys.matches(data, "tui.select.up") || letter("k"))
			this.index = this.index === 0 ? Math.max(0, count - 1) : this.index - 1;
		else if (keys.matches(data, "tui.select.down") || letter("j"))
			this.index = this.index >= count - 1 ? 0 : this.index + 1;
		else if (keys.matches(data, "tui.select.pageUp")) this.index = Math.max(0, this.index - height);
		else if (keys.matches(data, "tui.select.pageDown"))
			this.index = Math.max(0, Math.min(count - 1, this.index + height));
		else if (matchesKey(data, "home")) this.index = 0;
		else if (matchesKey(data, "end")) this.index = Math.max(0, count - 1);
		else return false;
		return true;
	}

	private type(data: string): void {
		if (this.stage === "author") return;
		if (!this.isFiltering) {
			this.isFiltering = data === "/";
			return;
		}
		if (matchesKey(data, "backspace")) this.filter = [...this.filter].slice(0, -1).join("");
		else this.filter += printable(data);
		this.index = 0;
	}
}

/** What a key adds to a text: nothing, where it is none that prints. */
function printable(data: string): string {
	const key = decodeKittyPrintable(data);
	if (key !== undefined) return key;
	return /[\p{Cc}\p{Cs}]/u.test(data) ? "" : data;
}

function pad(text: string, width: number): string {
	return text + " ".repeat(Math.max(0, width - visibleWidth(text)));
}

function wrap(text: string, width: number): string[] {
	return wrapTextWithAnsi(text, Math.max(1, width));
}
