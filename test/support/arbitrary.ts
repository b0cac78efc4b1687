// Random branches for the laws, woven from small moves so that most of each is a conversation as pi stores it
// and the rest is what goes wrong with one. Messages are strings, as the notation's host has them.

import fc from "fast-check";
import type { AnyRecord, Entry, Hand } from "../../fold.ts";
import { type Node, Weaver } from "./weaver.ts";

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

/** Now and then a session goes back, and on from an earlier entry. */
const fork = fc.record({ move: fc.constant("fork" as const), pick });

type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never;

/** One move of a session. */
export type Move = Drawn<typeof move> | Drawn<typeof fork>;

/** A branch with all that this project may meet on one. */
export const anyBranch: fc.Arbitrary<Entry<string>[]> = fc
	.array(move, { maxLength: 28, size: "max" })
	.map((moves) => named(new Weaver(moves).entries));

/** A whole session, several branches as a rule, in the order of its file. */
export const anyTree: fc.Arbitrary<Node[]> = fc
	.array(fc.oneof({ weight: 35, arbitrary: move }, { weight: 1, arbitrary: fork }), {
		maxLength: 28,
		size: "max",
	})
	.map((moves) => named(new Weaver(moves).tree));

/** A branch on which nothing was recorded. */
export const bareBranch: fc.Arbitrary<Entry<string>[]> = anyBranch.map((entries) =>
	named(entries.filter((entry) => entry.kind !== "record")),
);

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
function named<T>(entries: T[]): T[] {
	Object.defineProperty(entries, fc.toStringMethod, {
		value: () => entries.map((entry) => `\n  ${fc.stringify(entry)}`).join(""),
		configurable: true,
	});
	return entries;
}
