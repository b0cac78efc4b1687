// Nudges: when a marker says that there is much to fold, which steps it names, and that nothing which comes
// later changes a byte of it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type Entry, firstNudgeAt, foldContext, type Marks, Replayer } from "../../fold.ts";
import { anyBranch, handOf, meddling } from "../support/arbitrary.ts";
import { cases } from "../support/cases.ts";
import { branch, print, textHost } from "../support/notation.ts";
import { type Branch, isReply, projection } from "./branch.ts";
import { equalsOracle } from "./checked-view.ts";

const withNudges = (nudgeAt: number): Marks => ({ folds: true, markers: true, nudgeAt });

/** The view of a line in which every step, reply and result, has 40 tokens and the first nudge is due at 80. */
function nudged(line: string, nudgeAt = 80): string {
	const entries = branch(line).map(sized);
	const replayer = new Replayer(textHost, withNudges(nudgeAt));
	for (const entry of entries) replayer.push(entry);
	equalsOracle(entries, replayer, { asking: true }, withNudges(nudgeAt));
	return print(replayer.view({ asking: true }));
}

/** `R3:failed` is the result of a call that failed. */
function sized(entry: Entry<string>): Entry<string> {
	const failed = entry.kind === "result" && entry.message?.endsWith(":failed");
	return { ...entry, tokens: 20, ...(failed ? { failed: true as const } : {}) };
}

describe("which markers name which steps", () => {
	const rows: [string, string, string][] = [
		["at the first threshold", "U1 A1 R1 A2 R2", "U1‹1› A1 R1‹2› A2 R2!1–2‹3›"],
		[
			"then at its double, and at the double of that",
			"U1 A1 R1 A2 R2 A3 R3 A4 R4 A5 R5 A6 R6 A7 R7 A8 R8",
			"U1‹1› A1 R1‹2› A2 R2!1–2‹3› A3 R3‹4› A4 R4!1–4‹5› A5 R5‹6› A6 R6‹7› A7 R7‹8› A8 R8!1–8‹9›",
		],
		[
			"a step that is not answered yet does not count",
			"U1 A1 R1 A2 R2a A3 R3",
			"U1‹1› A1 R1‹2› A2 R2a!1–2‹3› A3 R3‹4›",
		],
		[
			"a fold ends a stretch, held or landed",
			"U1 A1 R1 A2 R2 A3[send_dmail(1, held)] R3 A4 R4",
			"U1‹1› A1 R1‹2› A2 R2!1–2‹3› A3 R3‹4› A4 R4!3–4‹5›",
		],
		[
			"a chip carries none, nor does the marker that it takes over",
			"U1 A1 R1 A2 R2 A3[send_dmail(1)] R3 A4 R4",
			"U1‹1› C(1–2)‹3› A3* R3‹4› A4 R4!3–4‹5›",
		],
		[
			"a fold that is dropped keeps its steps out of later ones",
			"U1 A1 R1 A2 R2 A3[send_dmail(1)] R3 drop(1) A4 R4",
			"U1‹1› A1 R1‹2› A2 R2!1–2‹3› A3 R3‹4› A4 R4!3–4‹5›",
		],
		[
			"so does one that is open",
			"U1 A1 R1 A2 R2 A3[send_dmail(1)] R3 open(1) A4 R4",
			"U1‹1› A1 R1‹2› A2 R2!1–2‹3› A3 R3‹4› A4 R4!3–4‹5›",
		],
		[
			"what a fold leaves is named again at the next threshold",
			"U1 A1 R1 A2 R2 A3 R3 A4[send_dmail(3)] R4 A5 R5 A6 R6 A7 R7",
			"U1‹1› A1 R1‹2› A2 R2!1–2‹3› C(3–3)‹4› A4* R4‹5› A5 R5‹6› A6 R6‹7› A7 R7!4–7‹8›",
		],
		[
			"a record that cannot be replayed ends none",
			"U1 A1 R1 raw(A1..none) A2 R2",
			"U1‹1› A1 R1‹2› A2 R2!1–2‹3›",
		],
		[
			"pins are left out of the range",
			"U1 A1 R1 pin(1) A2 R2 A3 R3",
			"U1‹1› A1 R1‹2› A2 R2‹3› A3 R3!2–3‹4›",
		],
		[
			"until they are taken off",
			"U1 A1 R1 pin(1) A2 R2 unpin(1) A3 R3",
			"U1‹1› A1 R1‹2› A2 R2‹3› A3 R3!1–3‹4›",
		],
		[
			"the larger stretch is named",
			"U1 A1 R1 A2 R2 A3 R3 pin(3) A4 R4",
			"U1‹1› A1 R1‹2› A2 R2!1–2‹3› A3 R3‹4› A4 R4‹5›",
		],
		[
			"after a refused fold none about the same steps",
			"U1 A1 R1 A2[send_dmail] R2:failed A3 R3 A4 R4",
			"U1‹1› A1 R1‹2› A2 R2:failed‹3› A3 R3!2–3‹4› A4 R4‹5›",
		],
		[
			"so it is beside other calls",
			"U1 A1 R1 A2[bash, send_dmail] R2a R2b:failed A3 R3",
			"U1‹1› A1 R1‹2› A2 R2a R2b:failed‹3› A3 R3!2–3‹4›",
		],
		[
			"another call that failed beside it refuses no fold",
			"U1 A1 R1 A2[bash, send_dmail] R2a:failed R2b A3 R3",
			"U1‹1› A1 R1‹2› A2 R2a:failed R2b!1–2‹3› A3 R3‹4›",
		],
		[
			"nor does a failed result that answers nothing",
			"U1 A1 R1 R7:failed A2 R2",
			"U1‹1› A1 R1 R7:failed‹2› A2 R2!1–2‹3›",
		],
		[
			"nor a call that only looked",
			"U1 A1 R1 A2[send_dmail] R2 A3 R3",
			"U1‹1› A1 R1‹2› A2 R2!1–2‹3› A3 R3‹4›",
		],
		[
			"a result that the host does not show offers none",
			"U1 A1 R1 A2 (R2) A3 R3",
			"U1‹1› A1 R1‹2› A2 m‹3› A3 R3!1–3‹4›",
		],
		[
			"what a fold left is measured no more when it is folded as well",
			"U1 A1 R1 A2 R2 A3 R3 fold(3, held) fold(1–2, held) A4 R4 A5 R5",
			"U1‹1› A1 R1‹2› A2 R2!1–2‹3› A3 R3‹4› A4 R4‹5› A5 R5!4–5‹6›",
		],
		[
			"a number that is repeated carries it once",
			"U1 A1 R1 A2 R2 X U2",
			"U1‹1› A1 R1‹2› A2 R2!1–2‹3› X U2‹3›",
		],
		[
			"of two messages before a reply the last",
			"U1 A1 R1 A2 R2 U2",
			"U1‹1› A1 R1‹2› A2 R2 U2!1–2‹3›",
		],
		[
			"a chip that takes no marker takes no nudge away",
			"U1 A1 R1 A2 R2 c raw(c..)",
			"U1‹1› A1 R1‹2› A2 R2!1–2‹3› C(?–?)",
		],
		[
			"not on the request that a fold keeps",
			"U1 A1 R1 A2 U2 A3 R3 A4[send_dmail(1)] R4",
			"U1‹1› C(1–3) U2‹4› A4* R4‹5›",
		],
	];
	for (const [name, line, view] of rows) test(name, () => assert.equal(nudged(line), view));

	test("of stretches that are as large the newest is named, while it grows, else the oldest", () => {
		const view = (line: string) => nudged(line, 20);
		assert.equal(view("U1 A1 A2 A3 pin(2) U2"), "U1‹1› A1 m‹2› A2 m‹3› A3 U2!3‹4›");
		assert.equal(
			view("U1 A1 A2 A3 A4 pin(2) pin(4) U2"),
			"U1‹1› A1 m‹2› A2 m‹3› A3 m‹4› A4 U2!1‹5›",
		);
	});

	test("pins part what is left whichever came first", () => {
		const view = "U1‹1› A1 m‹2› A2 m‹3› A3 U2!1‹4›";
		assert.equal(nudged("U1 A1 A2 A3 pin(2) pin(3) U2", 20), view);
		assert.equal(nudged("U1 A1 A2 A3 pin(3) pin(2) U2", 20), view);
	});

	test("what a compaction leaves counts as seen", () => {
		const view = nudged("U1 A1 R1 A2 R2 A3 R3 S(A2) A4 R4 A5 R5 A6 R6");
		assert.match(view, /R4‹5› A5 R5!2–5‹6› A6 R6‹7›$/);
	});

	test("three in a stretch, then none until the user says something", () => {
		const steps = (from: number, to: number) =>
			Array.from({ length: to - from + 1 }, (_, i) => `A${from + i} R${from + i}`).join(" ");
		const named = (view: string) =>
			[...view.matchAll(/!\d+–(\d+)/g)].map((found) => Number(found[1]));
		assert.deepEqual(named(nudged(`U1 ${steps(1, 20)}`)), [2, 4, 8]);
		assert.deepEqual(named(nudged(`U1 ${steps(1, 17)} U2 ${steps(18, 40)}`)), [2, 4, 8, 17, 32]);
		assert.deepEqual(
			named(nudged(`U1 ${steps(1, 8)} A9[send_dmail(1)] R9 ${steps(10, 12)}`)),
			[10, 12],
		);
	});
});

test("the measure is 20,000 tokens, and a quarter of a small window", () => {
	assert.equal(firstNudgeAt(200_000), 20_000);
	assert.equal(firstNudgeAt(80_000), 20_000);
	assert.equal(firstNudgeAt(32_000), 8_000);
	assert.equal(firstNudgeAt(0), 20_000);
	assert.equal(firstNudgeAt(undefined), 20_000);
});

test("its words are as the golden file has them", () => {
	const said: string[] = [];
	const host = {
		...textHost,
		mark: (message: string, marker: string) => {
			said.push(marker);
			return message;
		},
	};
	for (const line of ["U1 A1 R1", "U1 A1 R1 A2 R2", "U1 A1 A2 A3 pin(3) U2"]) {
		const entries = branch(line).map((entry) => ({ ...entry, tokens: 10_500 }));
		foldContext(entries, host, { asking: true, marks: withNudges(20_000) });
	}
	foldContext(branch("U1 A1 U2"), host, { asking: true, marks: withNudges(20) });
	const nudges = [...new Set(said)].filter((marker) => marker.includes("] "));
	const golden = new URL("../golden/nudge.txt", import.meta.url);
	assert.equal(`${nudges.join("\n")}\n`, readFileSync(golden, "utf8"));
});

test("its size is told in thousands from 1,000 tokens on", () => {
	const said = (tokens: number) => {
		const entries = branch("U1 A1 U2").map((entry) => ({ ...entry, tokens }));
		const host = { ...textHost, mark: (message: string, marker: string) => message + marker };
		return foldContext(entries, host, { asking: true, marks: withNudges(20) }).messages.at(-1);
	};
	assert.match(said(999) ?? "", /~999 tokens/);
	assert.match(said(1_000) ?? "", /~1k tokens/);
	assert.match(said(1_999) ?? "", /~1k tokens/);
});

const anyNudge = fc.constantFrom(30, 100, 400);

/** How many cases have a nudge is asked of these, so that it does not hang on how many are run, from which seed. */
const SAMPLE = { numRuns: 200, seed: 1 };
const NUDGED = 40;

function hasNudge([entries, nudgeAt]: readonly [Entry<string>[], number]): boolean {
	const { messages } = foldContext(entries, textHost, { marks: withNudges(nudgeAt) });
	return messages.some((message) => /!\d/.test(message));
}

test("3: with nudges a view asked for a reply is a prefix of the view once that reply is in", () => {
	fc.assert(
		fc.property(anyBranch, anyNudge, (entries, nudgeAt) => {
			const marks = withNudges(nudgeAt);
			let sent: readonly string[] | undefined;
			for (const [at, entry] of entries.entries()) {
				if (moves(entry)) sent = undefined;
				else if (isReply(entry))
					sent = foldContext(entries.slice(0, at), textHost, { asking: true, marks }).messages;
				if (!sent) continue;
				const now = foldContext(entries.slice(0, at + 1), textHost, { marks }).messages;
				assert.deepEqual(now.slice(0, sent.length), sent);
			}
		}),
		cases(),
	);
});

test("4: a held record, a pin and a landing change no nudge before them", () => {
	fc.assert(
		fc.property(anyBranch, anyNudge, (entries, nudgeAt) => {
			const marks = withNudges(nudgeAt);
			for (const [at, { record }] of entries.entries()) {
				const quiet = record?.kind === "pin" || record?.kind === "unpin";
				if (!quiet && !(record?.kind === "fold" && record.held)) continue;
				const seen = (to: number) =>
					foldContext(entries.slice(0, to), textHost, { asking: true, marks }).messages;
				assert.deepEqual(seen(at + 1), seen(at));
			}
		}),
		cases(),
	);
});

test("16: with nudges the replayer equals the oracle, advanced or anew, of a branch or of a list in hand", () => {
	fc.assert(
		fc.property(anyBranch, anyNudge, meddling, (entries, nudgeAt, meddled) => {
			const marks = withNudges(nudgeAt);
			const advanced = new Replayer(textHost, marks);
			for (const [at, entry] of entries.entries()) {
				advanced.push(entry);
				equalsOracle(entries.slice(0, at + 1), advanced, { asking: at % 2 === 0 }, marks);
			}
			const hand = handOf(projection(entries), meddled, entries);
			equalsOracle(entries, advanced, { asking: true, hand }, marks);
		}),
		cases(),
	);
	const nudged = fc.sample(fc.tuple(anyBranch, anyNudge), SAMPLE).filter(hasNudge);
	assert.ok(nudged.length >= NUDGED, `${nudged.length} cases had nudges`);
});

/** What happens in a session of steps and folds only, of which a nudge must find the largest rest. */
const happening = fc.oneof(
	{
		weight: 9,
		arbitrary: fc.record({ is: fc.constant("step" as const), tokens: fc.nat({ max: 40 }) }),
	},
	{
		weight: 4,
		arbitrary: fc.record({
			is: fc.constantFrom("fold" as const, "fold" as const, "pin" as const, "unpin" as const),
			from: fc.nat({ max: 99 }),
			length: fc.nat({ max: 3 }),
		}),
	},
	fc.constant({ is: "user" as const }),
	fc.constant({ is: "refused" as const }),
);

type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

function stepEntries(n: number, tokens: number, refused: boolean): Entry<string>[] {
	const name = refused ? "send_dmail" : "bash";
	const failed = refused ? { failed: true as const } : {};
	const [id, message] = [`R${n}`, `R${n}`];
	return [
		{ id: `A${n}`, kind: "assistant", message: `A${n}`, calls: [{ id: `${n}`, name }], tokens },
		{ id, kind: "result", message, callId: `${n}`, tokens, ...failed },
	];
}

/** Every fold is held, so that all markers are in view. */
function happened(story: readonly Happening[]): Entry<string>[] {
	const entries: Entry<string>[] = branch("U0");
	let count = 0;
	for (const [i, one] of story.entries()) {
		const id = `r${i}`;
		if (one.is === "user") entries.push({ id, kind: "user", message: `U${i}` });
		else if (one.is === "step") entries.push(...stepEntries(++count, one.tokens, false));
		else if (one.is === "refused") entries.push(...stepEntries(++count, 5, true));
		else if (count > 0) {
			const first = 1 + (one.from % count);
			const end = first + 1 + one.length;
			const ends = { fromEntryId: `A${first}`, toEntryId: end > count ? null : `A${end}` };
			const fold = { kind: "fold", v: 1, id, summary: "done", held: true } as const;
			const record = one.is === "fold" ? { ...fold, ...ends } : { kind: one.is, ...ends };
			entries.push({ id, kind: "record", record });
		}
	}
	return entries;
}

test("however folds and pins lie, the largest stretch that they leave is named", () => {
	const story = fc.array(happening, { minLength: 10, maxLength: 20, size: "max" });
	const some = fc.tuple(story.map(happened), fc.constantFrom(1, 10, 60));
	fc.assert(
		fc.property(some, ([entries, nudgeAt]) => {
			const marks = withNudges(nudgeAt);
			const replayer = new Replayer(textHost, marks);
			for (const entry of entries) replayer.push(entry);
			equalsOracle(entries, replayer, { asking: true }, marks);
		}),
		cases(),
	);
	const nudged = fc.sample(some, SAMPLE).filter(hasNudge);
	assert.ok(nudged.length >= NUDGED, `${nudged.length} cases had nudges`);
});

function moves(entry: Branch[number]): boolean {
	return ["record", "compaction", "edit"].includes(entry.kind);
}
