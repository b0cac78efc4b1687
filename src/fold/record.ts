// What the session stores of folding: the records, their codec, and what each may refer to.
//
// A record names entries of its own branch by id and is never rewritten: a later record may only add.
// Records are reduced left to right; one that cannot be read or applied is skipped, and all others stand.

/** What was expected of a fold when it was made, and what came of it. Every field `null` where unknown. */
export interface Effect {
	/** tokens that leave the next request */
	readonly removedTokens: number | null;
	/** what the landing costs once, in US dollars */
	readonly onceUsd: number | null;
	/** tokens that each later request saves */
	readonly perRequestTokens: number | null;
	/** requests until it has paid for itself */
	readonly requestsToPay: number | null;
	/** whether it has paid by now */
	readonly paid: boolean | null;
}

/**
 * A fold: one range of finished steps, and the summary that stands for it.
 *
 * - `fromEntryId` is in, `toEntryId` is out; `null` means up to this record's own place on the branch
 * - both lie before the record on its own branch
 * - the range of another fold lies inside, around or beside it, never across its edge
 */
export interface FoldRecord {
	readonly kind: "fold";
	/** 1: this extension's; 0: the plain form that other D-Mail extensions write */
	readonly v: 0 | 1;
	/** 4 or more lower-case hex digits; for the plain form the id of the record's own entry */
	readonly id: string;
	readonly fromEntryId: string;
	readonly toEntryId: string | null;
	/** 1-based, for people; nothing resolves against step numbers */
	readonly fromStep?: number | undefined;
	/** the last step folded, 1-based, for people */
	readonly toStep?: number | undefined;
	readonly summary: string;
	/** SHA-256 over the stored entries of the range, in hex */
	readonly digest?: string | undefined;
	readonly by?: "model" | "user" | "auto" | undefined;
	/** the tool call that made it */
	readonly callId?: string | undefined;
	/** the pinned cut that it answers */
	readonly cutEntryId?: string | undefined;
	/** the user message of the range that stays as a message of its own */
	readonly keep?: string | undefined;
	readonly notes?: readonly string[] | undefined;
	/** recorded, and waiting to be landed by a later record */
	readonly held?: true | undefined;
	/** ids of held folds that land with it */
	readonly lands?: readonly string[] | undefined;
	readonly predicted?: Effect | undefined;
}

/** Held folds that are replayed from now on. */
export interface LandRecord {
	readonly kind: "land";
	readonly ids: readonly string[];
	readonly predicted?: Effect | undefined;
}

/** Show a fold's source in place again, hide it again, or take the fold back for good. */
export interface StateRecord {
	readonly kind: "open" | "shut" | "drop";
	readonly id: string;
	/** `open` only: folds inside it that are opened with it, so that all of its steps are in view */
	readonly inner?: readonly string[] | undefined;
}

/** A range that may not be folded, or may be again. Half-open, as a fold's. */
export interface PinRecord {
	readonly kind: "pin" | "unpin";
	readonly fromEntryId: string;
	readonly toEntryId: string | null;
}

/** The switch as it was set. Read from the whole file, whatever its branch. */
export interface ModeRecord {
	readonly kind: "mode";
	readonly enabled: boolean;
	readonly nudge: boolean;
	readonly by: "user" | "auto";
}

/** A record of ours that cannot be read; `of` is what it meant to be. */
export interface BrokenRecord {
	readonly kind: "broken";
	readonly of: DmailRecord["kind"];
	readonly reason: string;
}

export type DmailRecord = FoldRecord | LandRecord | StateRecord | PinRecord | ModeRecord;
export type AnyRecord = DmailRecord | BrokenRecord;

/** A record as pi stores it: `pi.appendEntry(customType, data)`. */
export interface Stored {
	readonly customType: string;
	readonly data: Readonly<Record<string, unknown>>;
}

/** A summary of ours is at most this long, in UTF-16 units. */
export const SUMMARY_LIMIT = 20_000;

const PREFIX = "dmail.";

/**
 * The record as plain JSON; fields without a value are left out.
 *
 * 13. One operation appends one entry of bounded size: a range is named by its ends, however much it holds.
 * 14. `decode(encode(r))` is `r`.
 */
export function encode(record: DmailRecord): Stored {
	const { kind, ...fields } = record;
	const data: Record<string, unknown> = {};
	if (kind !== "fold" || record.v === 1) data["v"] = 1;
	for (const [key, value] of Object.entries(fields)) {
		if (value === undefined || key === "v") continue;
		if (kind === "fold" && record.v === 0 && key === "id") continue;
		data[key] = value;
	}
	return { customType: PREFIX + kind, data };
}

/**
 * Reads one custom entry: `undefined` if its `customType` is none of ours, else the record, or a
 * broken one that says why. Never throws, whatever JSON `data` is.
 *
 * @param entryId the entry's own id: it serves as the id of a plain record
 */
export function decode(customType: string, data: unknown, entryId: string): AnyRecord | undefined {
	const kind = customType.startsWith(PREFIX) ? customType.slice(PREFIX.length) : "";
	const read = Object.hasOwn(READERS, kind) ? READERS[kind as DmailRecord["kind"]] : undefined;
	if (!read) return undefined;
	const of = kind as DmailRecord["kind"];
	if (typeof data !== "object" || data === null || Array.isArray(data))
		return { kind: "broken", of, reason: "no data" };
	const fields = data as Fields;
	const version = fields["v"];
	if (version !== undefined && version !== 1)
		return { kind: "broken", of, reason: `unknown version ${short(version)}` };
	try {
		return read(fields, entryId);
	} catch (error) {
		if (error instanceof FieldError) return { kind: "broken", of, reason: error.message };
		throw error;
	}
}

type Fields = Readonly<Record<string, unknown>>;

/** A field that is missing or of a wrong type. */
class FieldError extends Error {}

const READERS: Record<DmailRecord["kind"], (fields: Fields, entryId: string) => DmailRecord> = {
	fold: (fields, entryId) => (fields["v"] === 1 ? readFold(fields) : readPlain(fields, entryId)),
	land: (fields) => ({ kind: "land", ids: strings(fields, "ids"), ...effect(fields) }),
	open: (fields) => ({ kind: "open", id: text(fields, "id"), ...inner(fields) }),
	shut: (fields) => ({ kind: "shut", id: text(fields, "id") }),
	drop: (fields) => ({ kind: "drop", id: text(fields, "id") }),
	pin: (fields) => ({ kind: "pin", ...range(fields) }),
	unpin: (fields) => ({ kind: "unpin", ...range(fields) }),
	mode: (fields) => ({
		kind: "mode",
		enabled: flag(fields, "enabled"),
		nudge: flag(fields, "nudge"),
		by: oneOf(fields, "by", ["user", "auto"] as const),
	}),
};

function readFold(fields: Fields): FoldRecord {
	const id = text(fields, "id");
	if (!/^[0-9a-f]{4,64}$/.test(id))
		throw new FieldError(`id: not 4 or more hex digits: ${short(id)}`);
	const summary = text(fields, "summary");
	if (summary.length > SUMMARY_LIMIT)
		throw new FieldError(`summary: ${summary.length} characters, the limit is ${SUMMARY_LIMIT}`);
	if (fields["toEntryId"] === undefined) throw new FieldError("toEntryId: neither a text nor null");
	return {
		kind: "fold",
		v: 1,
		id,
		...range(fields),
		...optional("fromStep", step(fields, "fromStep")),
		...optional("toStep", step(fields, "toStep")),
		summary,
		digest: text(fields, "digest"),
		by: oneOf(fields, "by", ["model", "user", "auto"] as const),
		...optional("callId", maybeText(fields, "callId")),
		...optional("cutEntryId", maybeText(fields, "cutEntryId")),
		...optional("keep", maybeText(fields, "keep")),
		...optional("notes", fields["notes"] === undefined ? undefined : strings(fields, "notes")),
		...optional("held", fields["held"] === true ? (true as const) : undefined),
		...optional("lands", fields["lands"] === undefined ? undefined : strings(fields, "lands")),
		...effect(fields),
	};
}

/** Other extensions write only the ends, the summary and perhaps the first step. */
function readPlain(fields: Fields, entryId: string): FoldRecord {
	return {
		kind: "fold",
		v: 0,
		id: entryId,
		...range(fields),
		...optional("fromStep", step(fields, "fromStep")),
		...optional("toStep", step(fields, "toStep")),
		summary: text(fields, "summary"),
	};
}

function range(fields: Fields): { fromEntryId: string; toEntryId: string | null } {
	const toEntryId = fields["toEntryId"];
	return {
		fromEntryId: text(fields, "fromEntryId"),
		toEntryId: toEntryId === null || toEntryId === undefined ? null : text(fields, "toEntryId"),
	};
}

function effect(fields: Fields): { predicted?: Effect } {
	const value = fields["predicted"];
	if (typeof value !== "object" || value === null) return {};
	const from = value as Fields;
	const paid = from["paid"];
	return {
		predicted: {
			removedTokens: number(from["removedTokens"]),
			onceUsd: number(from["onceUsd"]),
			perRequestTokens: number(from["perRequestTokens"]),
			requestsToPay: number(from["requestsToPay"]),
			paid: typeof paid === "boolean" ? paid : null,
		},
	};
}

function inner(fields: Fields): { inner?: readonly string[] } {
	return fields["inner"] === undefined ? {} : { inner: strings(fields, "inner") };
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
	return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}

function number(value: unknown): number | null {
	return Number.isFinite(value) ? (value as number) : null;
}

function text(fields: Fields, key: string): string {
	const value = fields[key];
	if (typeof value !== "string" || value === "") throw new FieldError(`${key}: not a text`);
	return value;
}

function maybeText(fields: Fields, key: string): string | undefined {
	return fields[key] === undefined ? undefined : text(fields, key);
}

function strings(fields: Fields, key: string): string[] {
	const value = fields[key];
	if (!Array.isArray(value) || !value.every((one) => typeof one === "string"))
		throw new FieldError(`${key}: not a list of texts`);
	return [...value];
}

function flag(fields: Fields, key: string): boolean {
	const value = fields[key];
	if (typeof value !== "boolean") throw new FieldError(`${key}: neither true nor false`);
	return value;
}

function step(fields: Fields, key: string): number | undefined {
	const value = fields[key];
	if (value === undefined) return undefined;
	const isStep = Number.isSafeInteger(value) && (value as number) > 0;
	if (!isStep) throw new FieldError(`${key}: not a step number`);
	return value as number;
}

function oneOf<T extends string>(fields: Fields, key: string, values: readonly T[]): T {
	const value = values.find((one) => one === fields[key]);
	if (value === undefined) throw new FieldError(`${key}: none of ${values.join(", ")}`);
	return value;
}

function short(value: unknown): string {
	const said = typeof value === "string" ? value : String(JSON.stringify(value));
	return said.length > 40 ? `${said.slice(0, 40)}…` : said;
}
