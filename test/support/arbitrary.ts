// Random branches for the laws, woven from small moves so that most of each is a conversation as pi stores it
// and the rest is what goes wrong with one. Messages are strings, as the notation's host has them.

import fc from "fast-check";
import {
	type AnyRecord,
	type Call,
	type Entry,
	type FoldRecord,
	type Hand,
	propose,
	Replayer,
} from "../../fold.ts";
import { textHost } from "./notation.ts";

/** Picks one of whatever there is when the move is made. */
const pick = fc.nat({ max: 999 });

const words = fc.constantFrom(
	"",
	":please",
	":[step 2]",
	":a\n[step 3]\nb",
	":</dmail>",
	`:${"long ".repeat(500)}`,
);

const calls = fc.record({
	count: fc.nat({ max: 3 }),
	repeat: fc.boolean(),
	fails: fc.nat({ max: 9 }),
});

/** One thing that happens in a session. */
const move = fc.oneof(
	{ weight: 8, arbitrary: fc.record({ move: fc.constant("turn" as const), calls }) },
	{ weight: 3, arbitrary: fc.record({ move: fc.constant("user" as const), words }) },
	{ weight: 1, arbitrary: fc.record({ move: fc.constant("reply" as const), calls }) },
	{ weight: 1, arbitrary: fc.record({ move: fc.constant("result" as const), pick }) },
	{
		weight: 2,
		arbitrary: fc.record({ move: fc.constant("attempt" as const), calls, shown: fc.boolean() }),
	},
	{
		weight: 4,
		arbitrary: fc.record({
			move: fc.constant("other" as const),
			kind: fc.constantFrom("custom", "bash", "summary", "system", "other" as const),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ move: fc.constant("compaction" as const), pick }) },
	{
		weight: 1,
		arbitrary: fc.record({ move: fc.constant("edit" as const), pick, omits: fc.boolean() }),
	},
	{
		weight: 5,
		arbitrary: fc.record({
			move: fc.constant("fold" as const),
			from: pick,
			to: fc.option(pick, { nil: undefined }),
			by: fc.constantFrom("user" as const, "model" as const),
			held: fc.boolean(),
			lands: fc.boolean(),
		}),
	},
	{
		weight: 2,
		arbitrary: fc.record({
			move: fc.constant("raw" as const),
			from: pick,
			to: fc.option(pick, { nil: null }),
			form: fc.constantFrom("ours" as const, "plain" as const),
			held: fc.boolean(),
			keep: pick,
			callId: fc.option(pick, { nil: undefined }),
		}),
	},
	{
		weight: 4,
		arbitrary: fc.record({
			move: fc.constant("turn fold" as const),
			kind: fc.constantFrom("land" as const, "open" as const, "shut" as const, "drop" as const),
			pick,
			inner: fc.array(pick, { maxLength: 2 }),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			move: fc.constant("pin" as const),
			kind: fc.constantFrom("pin" as const, "unpin" as const),
			from: pick,
			to: pick,
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			move: fc.constant("record" as const),
			record: fc.constantFrom<AnyRecord>(
				{ kind: "broken", of: "fold", reason: "no data" },
				{ kind: "mode", enabled: true, nudge: true, by: "user" },
				{ kind: "drop", id: "none" },
			),
		}),
	},
);

type Move = typeof move extends fc.Arbitrary<infer T> ? T : never;

/** A branch with all that this project may meet on one. */
export const anyBranch: fc.Arbitrary<Entry<string>[]> = fc
	.array(move, { maxLength: 28, size: "max" })
	.map((moves) => new Weaver(moves).entries);

/** A branch on which nothing was recorded. */
export const bareBranch: fc.Arbitrary<Entry<string>[]> = anyBranch.map((entries) =>
	named(entries.filter((entry) => entry.kind !== "record")),
);

class Weaver {
	readonly entries: Entry<string>[] = [];
	private readonly replayer = new Replayer(textHost);
	private readonly folds: string[] = [];
	private readonly made: Call[] = [];
	private serial = 0;

	constructor(moves: readonly Move[]) {
		for (const one of moves) this.make(one);
		named(this.entries);
	}

	private make(one: Move): void {
		switch (one.move) {
			case "turn":
				this.turn(this.fresh(one.calls), one.calls.fails);
				break;
			case "user":
				this.push("user", { message: `U${++this.serial}${one.words}` });
				break;
			case "reply":
				this.reply("assistant", this.fresh(one.calls), true);
				break;
			case "result":
				this.result(this.made[one.pick % (this.made.length + 1)]?.id ?? "nobody");
				break;
			case "attempt":
				this.reply("attempt", this.fresh(one.calls), one.shown);
				break;
			case "other":
				this.push(
					one.kind as "custom",
					one.kind === "other" ? {} : { message: this.name(one.kind) },
				);
				break;
			case "compaction":
				this.push("compaction", {
					message: `S${++this.serial}`,
					...(one.pick % 3 === 0 ? { head: `P${this.serial}` } : {}),
					firstKeptEntryId: one.pick % 5 === 0 ? "elsewhere" : this.idAt(one.pick),
				});
				break;
			case "edit":
				this.edit(one.pick, one.omits);
				break;
			case "fold":
				this.fold(one);
				break;
			case "raw":
				this.raw(one);
				break;
			case "turn fold":
				this.turnFold(
					one.kind,
					this.foldId(one.pick),
					one.inner.map((nth) => this.foldId(nth)),
				);
				break;
			case "pin":
				this.record({ kind: one.kind, ...this.ends(one.from, one.to) });
				break;
			case "record":
				this.record(one.record);
				break;
		}
	}

	/** A reply with results for its calls; a rare one is left without, as after a crash. */
	private turn(made: readonly Call[], fails: number): void {
		this.reply("assistant", made, true);
		for (const [i, call] of made.entries()) if (fails !== i + 1) this.result(call.id);
	}

	private reply(kind: "assistant" | "attempt", made: readonly Call[], shown: boolean): void {
		const name = kind === "assistant" ? "A" : "X";
		const message = shown ? { message: `${name}${++this.serial}` } : {};
		this.push(kind, { ...message, calls: made });
		this.made.push(...made);
	}

	/** Ids repeat from reply to reply with some models. */
	private fresh({ count, repeat }: { count: number; repeat: boolean }): Call[] {
		return Array.from({ length: count }, (_, i) => ({
			id: repeat ? `same${i}` : `call${++this.serial}`,
			name: "bash",
		}));
	}

	private result(callId: string, failed = false): void {
		const fields = { message: `R${callId}#${++this.serial}`, callId };
		this.push("result", failed ? { ...fields, failed } : fields);
	}

	private name(kind: string): string {
		const letter = { custom: "c", bash: "!ls", summary: "B", system: "P" }[kind] ?? "c";
		return `${letter}${++this.serial}`;
	}

	private edit(at: number, omits: boolean): void {
		const target = this.entries[at % this.entries.length];
		if (target?.message === undefined || target.kind === "compaction" || target.kind === "edit")
			return;
		const message = omits ? {} : { message: `${target.message}~` };
		this.push("edit", { targetId: target.id, ...message });
	}

	/** Folds as the surfaces do: what `propose` allows, and nothing else. */
	private fold(wish: Extract<Move, { move: "fold" }>): void {
		const call = { id: `call${++this.serial}`, name: "send_dmail" };
		const byModel = wish.by === "model";
		if (byModel) this.reply("assistant", [call], true);
		const { count } = this.replayer.steps;
		const callId = byModel ? { callId: call.id } : {};
		const proposal = propose(this.replayer, {
			fromStep: 1 + (wish.from % (count + 1)),
			toStep: wish.to === undefined ? undefined : 1 + (wish.to % (count + 1)),
			...callId,
			live: byModel,
		});
		if (proposal.ok) {
			const { ok, range, keep, ...frozen } = proposal;
			const held = this.replayer.folds.filter((fold) => fold.state === "held");
			this.pushFold({
				...frozen,
				...callId,
				by: wish.by,
				...(keep === undefined ? {} : { keep }),
				...(wish.held ? { held: true } : {}),
				...(wish.lands ? { lands: held.map((fold) => fold.record.id) } : {}),
			});
		}
		if (byModel) this.result(call.id, !proposal.ok);
	}

	/** Folds as nobody should: ends anywhere, a call of anyone's, a keep that is none. */
	private raw(said: Extract<Move, { move: "raw" }>): void {
		const keep = this.entries[said.keep % this.entries.length]?.id;
		const callId = said.callId === undefined ? undefined : this.made.at(-1 - (said.callId % 2))?.id;
		const lands = this.folds.slice(said.from % 3, said.from % 4);
		const ours: Partial<FoldRecord> = {
			v: 1,
			by: "user",
			...(keep === undefined ? {} : { keep }),
			...(callId === undefined ? {} : { callId }),
			...(said.held ? { held: true } : {}),
			...(said.keep % 3 === 0 ? { lands } : {}),
		};
		this.pushFold({
			...this.ends(said.from, said.to),
			...(said.form === "plain" ? { v: 0 } : ours),
		});
	}

	private turnFold(
		kind: "land" | "open" | "shut" | "drop",
		id: string,
		inner: readonly string[],
	): void {
		if (kind === "land") this.record({ kind, ids: [id] });
		else this.record({ kind, id, ...(kind === "open" && inner.length > 0 ? { inner } : {}) });
	}

	private foldId(pick: number): string {
		return this.folds[pick % this.folds.length] ?? "none";
	}

	private pushFold(
		fields: Partial<FoldRecord> & Pick<FoldRecord, "fromEntryId" | "toEntryId">,
	): void {
		// one in many has an id that was given before
		const id = (++this.serial % 16 === 0 && this.folds[0]) || `f${this.serial}`;
		this.record({ kind: "fold", v: 1, id, summary: `summary ${id}`, ...fields });
		this.folds.push(id);
	}

	private ends(from: number, to: number | null): { fromEntryId: string; toEntryId: string | null } {
		const start = this.entries.length === 0 ? 0 : from % this.entries.length;
		const rest = this.entries.length - start;
		const end = to === null || to % 11 === 0 ? to : start + 1 + (to % rest);
		return {
			fromEntryId: this.entries[start]?.id ?? "elsewhere",
			toEntryId: end === null ? null : (this.entries[end]?.id ?? "elsewhere"),
		};
	}

	private idAt(at: number): string {
		return this.entries[at % this.entries.length]?.id ?? "elsewhere";
	}

	private record(record: AnyRecord): void {
		this.push("record", { record });
	}

	private push(kind: Entry<string>["kind"], fields: Partial<Entry<string>>): void {
		const tokens = 10 + this.entries.length;
		const entry = { id: `e${this.entries.length}`, kind, tokens, ...fields };
		this.entries.push(entry);
		this.replayer.push(entry);
	}
}

/** What another extension did to the list before it came to us. */
export interface Meddling {
	readonly where: number;
	readonly what: "delete" | "replace" | "custom" | "result" | "system" | "assistant" | "user";
	readonly pick: number;
}

export const meddling: fc.Arbitrary<Meddling[]> = fc.array(
	fc.record({
		where: pick,
		what: fc.constantFrom(
			"delete" as const,
			"delete" as const,
			"replace" as const,
			"custom" as const,
			"result" as const,
			"system" as const,
			"assistant" as const,
			"user" as const,
		),
		pick,
	}),
	{ maxLength: 6 },
);

/** The list in hand: what the host shows of a branch, after others had it. */
export function handOf(
	shown: readonly { at: number; message: string }[],
	meddled: readonly Meddling[],
	branch: readonly Entry<string>[],
): Hand<string> {
	const list = [...shown];
	const ids = branch.flatMap((entry) => (entry.calls ?? []).map((call) => call.id));
	for (const [i, { where, what, pick }] of meddled.entries()) {
		const index = list.length === 0 ? 0 : where % list.length;
		const there = list[index];
		if (what === "delete") list.splice(index, 1);
		else if (what === "replace") {
			if (there) list[index] = { at: there.at, message: `${there.message}!` };
		} else list.splice(index, 0, { at: -1, message: foreign(what, i, ids[pick % ids.length]) });
	}
	return { list: list.map((one) => one.message), at: list.map((one) => one.at) };
}

function foreign(what: Meddling["what"], serial: number, callId = "nobody"): string {
	const names = { custom: "c", system: "P", assistant: "A", user: "U", result: `R${callId}#` };
	return `${names[what as keyof typeof names]}foreign${serial}`;
}

/** Shows a branch on one line where a law fails. */
function named(entries: Entry<string>[]): Entry<string>[] {
	Object.defineProperty(entries, fc.toStringMethod, {
		value: () => entries.map((entry) => `\n  ${fc.stringify(entry)}`).join(""),
		configurable: true,
	});
	return entries;
}
