// A one-line notation for branches and views, and a host whose messages are strings. A branch line names
// entries (`U1 A1 R1 c X !ls B P S(A4)`) and records (`fold(1–2) open(1)`); a view prints the same way.
//
// `U1` a user message, `A3` the reply that is step 3 (`A3[bash, read]` its calls), `R3` its result (`R3a R3b`
// for two calls), `X` an attempt (`X[a]` with a call), `c` a custom message, `!ls` a command of the user, `B` a
// branch summary, `P` a system message, `S(A4)` a compaction that keeps from A4 on, `o` an entry without a
// message, `(X)` an entry of which the host shows nothing. A name with a tail (`U1:hello`) is a text.
//
// Records: `A3[send_dmail(1, toStep 2)]` by the model, `fold(1–2)` by the user at idle, both through `propose`;
// `, held` holds them. `raw(A1..A3)` and `plain(U1..)` are written as they stand, in our form and in that of
// other extensions, with `, held`, `, keep U2`, `, call 3`. `land(1 2) open(1) shut(1) drop(1)` count folds
// from 1; `pin(1–2)`, `unpin(1–2)`; `edit(R1)` omits, `edit(R1=R1:cut)` replaces; `bad` cannot be read.

import {
	type Call,
	type Entry,
	type FoldRecord,
	type Host,
	type Kind,
	type Proposal,
	parseStep,
	propose,
	type Refusal,
	Replayer,
	type View,
	type Wish,
} from "../../fold.ts";

/** A host whose messages are strings: their first letter says what they are. */
export const textHost: Host<string> = {
	kind: kindOf,
	callId: callIdOf,
	chip: (text) => text,
	note: (marker) => `m${label(marker)}`,
	mark: (message, marker) => message + label(marker),
	point: (message, callId, pointer) => `${message}{${callId}: ${pointer}}`,
	words: (message) => message,
	tokens: (message) => message.length,
};

/** A marker as it prints: `‹4›` for `[step 4]`, `!1–3‹4›` where it says that steps 1 to 3 can be folded. */
function label(marker: string): string {
	const found = /^(\[step \d+\])(?: Steps? (\d+(?:–\d+)?)\b.*)?$/.exec(marker);
	const nudge = found?.[2] === undefined ? "" : `!${found[2]}`;
	return `${nudge}‹${parseStep(found?.[1] ?? marker) ?? marker}›`;
}

const KINDS: Readonly<Record<string, Kind>> = {
	U: "user",
	A: "assistant",
	X: "attempt",
	R: "result",
	"!": "bash",
	c: "custom",
	B: "summary",
	P: "system",
	S: "compaction",
	o: "other",
};

function kindOf(message: string): Kind {
	return KINDS[message[0] ?? ""] ?? "custom";
}

/** `R3a:text#7‹4›` answers the call `3a`. */
function callIdOf(message: string): string | undefined {
	return /^R([^:#‹]*)/.exec(message)?.[1];
}

/** A view on one line: chips as `C(1–2)`, pointed replies as `A3*`. */
export function print(view: View<string>): string {
	return view.messages.map(printMessage).join(" ");
}

function printMessage(message: string): string {
	const chip = /^<dmail fold="[^"]*"(?: steps="(\d+)(?:-(\d+))?")?.*<\/dmail>(‹\d+›)?$/s.exec(
		message,
	);
	if (chip) return `C(${chip[1] ?? "?"}–${chip[2] ?? chip[1] ?? "?"})${chip[3] ?? ""}`;
	return message.replace(/(?:\{[^}]*\})+/, "*");
}

/** Reads a branch line. A fold that `propose` refuses is an error: the line would not say what it shows. */
export function branch(line: string): Entry<string>[] {
	return new Reader(line).entries;
}

/** What `propose` says to a wish (`send_dmail(2)` by the newest call, or `fold(2)` at idle) after a branch. */
export function ask(line: string, wish: string): Proposal | Refusal {
	return new Reader(line).propose(wish);
}

const TOKEN = /\([^)]*\)|[^\s([]*\[[^\]]*\]|[^\s(]+\([^)]*\)|\S+/g;
const RECORDS = /^(fold|raw|plain|land|open|shut|drop|pin|unpin|edit|S)\((.*)\)$/;

class Reader {
	readonly entries: Entry<string>[] = [];
	private readonly replayer = new Replayer(textHost);
	private readonly used = new Map<string, number>();
	/** calls of replies whose line gives none: the results that answer them */
	private readonly answered: readonly string[];
	private folds = 0;
	private newestCall: string | undefined;

	constructor(line: string) {
		const tokens = line.match(TOKEN) ?? [];
		this.answered = tokens
			.filter((token) => token.startsWith("R"))
			.map((one) => callIdOf(one) ?? "");
		for (const token of tokens) this.read(token);
	}

	propose(wish: string): Proposal | Refusal {
		const found = /^(send_dmail|fold)\((\d+)(?:(?:–|, toStep )(\d+))?/.exec(wish);
		if (!found) throw new Error(`not a wish: ${wish}`);
		const live = found[1] === "send_dmail";
		return propose(this.replayer, {
			fromStep: Number(found[2]),
			...(found[3] ? { toStep: Number(found[3]) } : {}),
			...(live && this.newestCall ? { callId: this.newestCall } : {}),
			live,
		} satisfies Wish);
	}

	private read(token: string): void {
		const hidden = /^\((.*)\)$/.exec(token);
		const record = RECORDS.exec(token);
		if (record) this.readRecord(record[1] ?? "", record[2] ?? "");
		else if (token === "bad")
			this.push(token, {
				kind: "record",
				record: { kind: "broken", of: "fold", reason: "no data" },
			});
		else this.readMessage(hidden?.[1] ?? token, hidden === null);
	}

	private readMessage(token: string, shown: boolean): void {
		const [, name = token, inBrackets] = /^([^[]*)(?:\[(.*)\])?$/.exec(token) ?? [];
		const kind = kindOf(name);
		const message = shown && kind !== "other" ? { message: name } : {};
		const entry = { kind, ...message, tokens: 10 * name.length };
		if (kind === "result") this.push(name, { ...entry, callId: callIdOf(name) });
		else if (kind === "assistant" || kind === "attempt")
			this.readReply(name, entry, splitCalls(inBrackets));
		else this.push(name, entry);
	}

	/** The calls of `A3` are `3`, or `3a`, `3b` where there are several. */
	private readReply(name: string, entry: Omit<Entry<string>, "id">, said: readonly string[]): void {
		const step = name.slice(1);
		const ids =
			said.length > 1
				? said.map((_, i) => step + String.fromCharCode(97 + i))
				: said.length === 1
					? [step]
					: this.answered.filter((id) => new RegExp(`^${step}[a-z]?$`).test(id) && step !== "");
		const calls: Call[] = ids.map((id, i) => ({ id, name: said[i] ?? "bash" }));
		this.push(name, { ...entry, calls });
		if (entry.kind === "assistant" && this.replayer.steps.count !== Number(/^\d+/.exec(step)?.[0]))
			throw new Error(`${name} is step ${this.replayer.steps.count}`);
		this.newestCall = ids.at(-1) ?? this.newestCall;
		for (const [i, call] of said.entries())
			if (call.startsWith("send_dmail(")) this.foldBy(call, ids[i]);
	}

	private foldBy(wish: string, callId?: string): void {
		const held = wish.includes("held");
		this.newestCall = callId ?? this.newestCall;
		const proposal = this.propose(wish);
		if (!proposal.ok) throw new Error(`${wish}: ${proposal.reason}`);
		const { ok, range, keep, ...frozen } = proposal;
		this.pushFold({
			...frozen,
			...(keep === undefined ? {} : { keep }),
			...(callId === undefined ? {} : { callId }),
			...(held ? { held } : {}),
			by: callId === undefined ? "user" : "model",
		});
	}

	private readRecord(kind: string, said: string): void {
		switch (kind) {
			case "fold":
				this.foldBy(`fold(${said})`);
				break;
			case "raw":
			case "plain":
				this.pushRaw(kind, said);
				break;
			case "land":
				this.push(kind, { kind: "record", record: { kind, ids: said.split(" ").map(foldId) } });
				break;
			case "open":
			case "shut":
			case "drop":
				this.push(kind, { kind: "record", record: { kind, id: foldId(said) } });
				break;
			case "pin":
			case "unpin":
				this.push(kind, { kind: "record", record: { kind, ...this.rangeOf(said) } });
				break;
			case "edit": {
				const [targetId = "", message] = said.split("=");
				this.push(kind, { kind: "edit", targetId, message });
				break;
			}
			case "S":
				this.push("S", { kind: "compaction", message: "S", firstKeptEntryId: said || undefined });
				break;
		}
	}

	private pushRaw(form: "raw" | "plain", said: string): void {
		const [ends = "", ...options] = said.split(", ");
		const [fromEntryId = "", toEntryId = ""] = ends.split("..");
		const option = (name: string) =>
			options.find((one) => one.startsWith(`${name} `))?.slice(name.length + 1);
		const keep = option("keep");
		const callId = option("call");
		this.pushFold({
			...(form === "plain" ? { v: 0 } : { v: 1, by: "user" }),
			fromEntryId,
			toEntryId: toEntryId || null,
			...(keep === undefined ? {} : { keep }),
			...(callId === undefined ? {} : { callId }),
			...(options.includes("held") ? { held: true } : {}),
		});
	}

	private pushFold(
		fields: Partial<FoldRecord> & Pick<FoldRecord, "fromEntryId" | "toEntryId">,
	): void {
		const id = foldId(`${++this.folds}`);
		const record: FoldRecord = { kind: "fold", v: 1, id, summary: `summary ${id}`, ...fields };
		this.push("fold", { kind: "record", record });
	}

	private rangeOf(said: string): { fromEntryId: string; toEntryId: string | null } {
		const { steps } = this.replayer;
		const [first = 0, last = first] = said.split("–").map(Number);
		const from = steps.positionOfStep(first) ?? 0;
		const to = steps.endOf(from, steps.positionOfStep(last) ?? from);
		return { fromEntryId: steps.entries[from]?.id ?? "", toEntryId: steps.entries[to]?.id ?? null };
	}

	/** The id is the name; a name used before gets a number. */
	private push(name: string, entry: Omit<Entry<string>, "id">): void {
		const count = (this.used.get(name) ?? 0) + 1;
		this.used.set(name, count);
		const whole = { id: count === 1 ? (name.split(":")[0] ?? name) : `${name}.${count}`, ...entry };
		this.entries.push(whole);
		this.replayer.push(whole);
	}
}

/** The id of the nth fold of a line, from 1: `f001`. */
export function foldId(nth: string): string {
	return `f${nth.padStart(3, "0")}`;
}

function splitCalls(inBrackets: string | undefined): string[] {
	return inBrackets?.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? [];
}
