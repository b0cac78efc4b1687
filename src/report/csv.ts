// Comma-separated values by RFC 4180, safe to open in a spreadsheet.

import { printable } from "./printable.ts";

export type CsvValue = string | number | boolean | null;

/** One record with its line break (CRLF, as the RFC has it). Unknown is an empty field. */
export function csvRecord(values: readonly CsvValue[]): string {
	return `${values.map(field).join(",")}\r\n`;
}

function field(value: CsvValue): string {
	if (value === null) return "";
	if (typeof value !== "string") return `${value}`;
	const text = guard(printable(value));
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A spreadsheet runs a text that begins like a formula; an apostrophe makes it a text again. */
function guard(text: string): string {
	return /^\s*[=+\-@|%＝＋－＠]/.test(text) ? `'${text}` : text;
}
