// Weaves a session from moves, entry by entry, the way pi and the extension would. Messages are strings, as
// the notation's host has them.

import {
	type AnyRecord,
	type Call,
	type Entry,
	type FoldRecord,
	propose,
	Replayer,
} from "../../fold.ts";
import type { Move } from "./arbitrary.ts";
import { textHost } from "./notation.ts";

/** An entry of a session and the one that it follows; `null`: none. */
export interface Node {
	readonly entry: Entry<string>;
	readonly parentId: string | null;
}

/** Makes the moves, one after the other. */
export class Weaver {
	/** all entries in file order */
	readonly tree: Node[] = [];
	/** the branch that the newest of them is on */
	entries: Entry<string>[] = [];
	private replayer = new Replayer(textHost);
	private readonly folds: string[] = [];
	private readonly made: Call[] = [];
	private serial = 0;

	constructor(moves: readonly Move[]) {
		for (const one of moves) this.make(one);
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
			case "fork":
				this.goTo(1 + (one.pick % Math.max(1, this.entries.length)));
				break;
		}
	}

	/** Leaves the branch: it goes on after so many of its entries. */
	private goTo(length: number): void {
		this.entries = this.entries.slice(0, length);
		this.replayer = new Replayer(textHost);
		for (const entry of this.entries) this.replayer.push(entry);
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

	/** Ids repeat from reply to reply with some models, and others give none. */
	private fresh({ count, repeat }: { count: number; repeat: boolean }): Call[] {
		return Array.from({ length: count }, (_, i) => {
			const serial = ++this.serial;
			const id = repeat ? (serial % 4 === 0 ? "" : `same${i}`) : `call${serial}`;
			return { id, name: "bash" };
		});
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
		const made = said.callId === undefined ? undefined : this.made.at(-1 - (said.callId % 2));
		// a record names no call that has no id
		const callId = made?.id || undefined;
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
		const again = ++this.serial % 16 === 0 ? this.folds[0] : undefined;
		const own = fields.v === 0 ? this.nextId : (0xf000 + this.serial).toString(16);
		const id = (fields.v !== 0 && again) || own;
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

	private get nextId(): string {
		return `e${this.tree.length}`;
	}

	private idAt(at: number): string {
		return this.entries[at % this.entries.length]?.id ?? "elsewhere";
	}

	private record(record: AnyRecord): void {
		this.push("record", { record });
	}

	private push(kind: Entry<string>["kind"], fields: Partial<Entry<string>>): void {
		const tokens = 10 + this.entries.length;
		const entry = { id: this.nextId, kind, tokens, ...fields };
		this.tree.push({ entry, parentId: this.entries.at(-1)?.id ?? null });
		this.entries.push(entry);
		this.replayer.push(entry);
	}
}
