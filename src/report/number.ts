// Numbers as people read them: `12.3k`, `$0.42`, `87%`. Unknown is a dash, never 0.

export const UNKNOWN = "–";

/** The sign of every number below 0. */
const MINUS = "−";

const UNITS: readonly (readonly [number, string])[] = [
	[1, ""],
	[1e3, "k"],
	[1e6, "M"],
	[1e9, "G"],
	[1e12, "T"],
];

/** A count of tokens or things with at most three digits: `999`, `1.2k`, `54.7M`, `123k`. */
export function formatCount(value: number | null): string {
	if (value === null) return UNKNOWN;
	return scale(value, UNITS);
}

/** By how much something changes: `−1.2k`, `+300`. */
export function formatChange(value: number | null): string {
	return value !== null && value > 0 ? `+${formatCount(value)}` : formatCount(value);
}

/** A count with the word for one or for several: `1 request`, `1,200 requests`. */
export function plural(count: number, one: string, many: string): string {
	return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}

const BYTE_UNITS: readonly (readonly [number, string])[] = [
	[1, " B"],
	[1024, " KB"],
	[1024 ** 2, " MB"],
	[1024 ** 3, " GB"],
];

/** A size in bytes, in units of 1,024: `4.1 MB`. */
export function formatBytes(value: number | null): string {
	return value === null ? UNKNOWN : scale(value, BYTE_UNITS);
}

/** US dollars: `$0.42`, `$12`, `$0.0042` below a cent; `lowerBound` writes `≥` before it. */
export function formatUsd(value: number | null, lowerBound = false): string {
	if (value === null) return UNKNOWN;
	return `${lowerBound ? "≥" : ""}${signed(value, `$${dollars(Math.abs(value))}`)}`;
}

/** US dollars with two digits that count, for prices of single steps: `$0.42`, `$0.012`. */
export function formatPrice(value: number): string {
	const size = Math.abs(value);
	return size < 0.0995 && size >= 0.00995 ? signed(value, `$${size.toFixed(3)}`) : formatUsd(value);
}

/** A share of 0–1 as a whole percentage; 100% only for all of it. */
export function formatShare(value: number | null): string {
	if (value === null) return UNKNOWN;
	const percent = Math.abs(value) * 100;
	return signed(value, `${percent > 99 && percent < 100 ? 99 : Math.round(percent)}%`);
}

/** The same text with `~` before it: an estimate. Unknown stays unknown. */
export function estimated(text: string): string {
	return text === UNKNOWN ? text : `~${text}`;
}

/** An estimated share: `~29%`. All and nothing are told as they are, since none of them is an estimate. */
export function estimatedShare(value: number | null): string {
	return value === 0 || value === 1 ? formatShare(value) : estimated(formatShare(value));
}

/** An ISO time as `2026-11-30 08:15:02`, in UTC as stored. */
export function formatTime(iso: string | null): string {
	return iso === null ? UNKNOWN : iso.slice(0, 19).replace("T", " ");
}

/** The text of a number's size, with its sign; of one that rounds to nothing without. */
function signed(value: number, size: string): string {
	return value < 0 && /[1-9]/.test(size) ? `${MINUS}${size}` : size;
}

function dollars(value: number): string {
	if (value === 0) return "0";
	if (value >= 99.5) return Math.round(value).toLocaleString("en-US");
	if (value >= 0.00995) return value.toFixed(2);
	if (value < 0.000001) return "0.000001";
	// two digits that count, of what it is rounded to: 0.000999 has as many as 0.0011
	const rounded = Number(value.toPrecision(2));
	return rounded.toFixed(1 - Math.floor(Math.log10(rounded)));
}

function scale(value: number, units: readonly (readonly [number, string])[]): string {
	const size = Math.abs(value);
	let chosen = units[0] ?? [1, ""];
	// the next unit begins where this one would round to four digits
	for (const unit of units) if (size >= chosen[0] * 999.5) chosen = unit;
	const [factor, name] = chosen;
	const scaled = value / factor;
	const digits = factor === 1 || Math.abs(scaled) >= 99.95 ? 0 : 1;
	return signed(value, `${Math.abs(scaled).toFixed(digits)}${name}`);
}
