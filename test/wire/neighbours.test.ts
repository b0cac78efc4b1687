// Beside other extensions: whatever one does before or after ours, the request is as valid as without ours,
// its work is kept, folds are shown, and nothing is said twice. Random sessions; test/pi has real hosts.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { viewOf } from "../../src/pi/context.ts";
import { replayLog } from "../../src/pi/log.ts";
import { type Generation, projection, readBranch } from "../../src/session/branch.ts";
import { blocksOf, type PiMessage, type SessionEntry } from "../../src/session/entry.ts";
import { foldOfChip, isNote, lastMarker } from "../../src/session/message.ts";
import { anyBranch } from "../support/arbitrary.ts";
import { cases } from "../support/cases.ts";
import { checkAnthropic } from "../support/wire/anthropic.ts";
import { dress } from "../support/wire/dress.ts";
import { news } from "../support/wire/finding.ts";
import { checkGoogle } from "../support/wire/google.ts";
import { DEEDS, type Deed, meddle, RECAP, REMINDER, STAMP } from "../support/wire/neighbour.ts";
import { checkCompletions } from "../support/wire/openai-completions.ts";
import { checkResponses } from "../support/wire/openai-responses.ts";
import { type Api, payloadOf, TARGETS } from "../support/wire/target.ts";
import { foldAt } from "../support/wire/valid.ts";

const CHECKS: Record<Api, typeof checkAnthropic> = {
	"anthropic-messages": checkAnthropic,
	"openai-completions": checkCompletions,
	"openai-responses": checkResponses,
	"google-generative-ai": checkGoogle,
};

/** A session beside others: what they do before ours, and after it. */
const scene = fc.record({
	branch: anyBranch,
	seed: fc.nat(),
	generation: fc.constantFrom<Generation>("0.73", "1.6"),
	target: fc.constantFrom(...Object.values(TARGETS).map(([target]) => target ?? assert.fail())),
	before: fc.array(fc.constantFrom<Deed>(...DEEDS, "thin out"), { maxLength: 2 }),
	after: fc.array(fc.constantFrom(...DEEDS), { maxLength: 2 }),
});
type Scene = typeof scene extends fc.Arbitrary<infer T> ? T : never;

const REMOVALS: readonly Deed[] = ["remove", "summarise", "thin out"];

/** What each stage of a request had in hand. */
interface Passed {
	readonly entries: readonly SessionEntry[];
	/** what pi hands out */
	readonly own: readonly PiMessage[];
	/** what is sent without ours */
	readonly theirs: readonly PiMessage[];
	/** what ours was given, and what it made of it */
	readonly given: readonly PiMessage[];
	readonly ours: readonly PiMessage[];
	/** what is sent */
	readonly sent: readonly PiMessage[];
}

function pass({ branch, seed, generation, target, before, after }: Scene): Passed {
	const dressed = dress(branch, { seed, target, generation });
	const entries = foldAt(dressed, [(seed % 10) / 10], generation);
	const own = projection(entries, generation).map((shown) => structuredClone(shown.message));
	const given = before.reduce<readonly PiMessage[]>(meddle, own);
	const ours = view(entries, given, generation);
	return {
		entries,
		own,
		given,
		ours,
		theirs: after.reduce(meddle, given),
		sent: after.reduce(meddle, ours),
	};
}

function view(
	entries: readonly SessionEntry[],
	list: readonly PiMessage[],
	generation: Generation,
): readonly PiMessage[] {
	const log = { generation, cwd: "/", stored: entries, branch: readBranch(entries, generation) };
	return viewOf(log, list, { folds: true, markers: true, nudgeAt: 200 }).messages;
}

/** Tries one law on random sessions beside random neighbours. */
function law(name: string, check: (passed: Passed, scene: Scene) => void | Promise<void>): void {
	test(name, () =>
		fc.assert(
			fc.asyncProperty(scene, async (one) => check(pass(one), one)),
			cases(),
		),
	);
}

law("a request beside neighbours is as valid as without ours", async (passed, one) => {
	const { target, generation } = one;
	const [own = [], given = [], theirs = [], sent = []] = await Promise.all(
		[passed.own, passed.given, passed.theirs, passed.sent].map(async (list) =>
			CHECKS[target.api](await payloadOf(target, list, generation)),
		),
	);
	// a neighbour that cuts a list by its length may cut another fault off than it would without ours
	assert.deepEqual(news(sent, [...own, ...given, ...theirs]), []);
});

law("a neighbour's work is kept", ({ sent }, { before, after }) => {
	const all = [...before, ...after];
	const count = (deed: Deed) => all.filter((one) => one === deed).length;
	const reminders = countOf(sent, REMINDER);
	if (!all.some((deed) => deed === "summarise" || deed === "thin out"))
		assert.equal(reminders, count("append"));
	if (after.at(-1) === "append") assert.equal(textsOf(sent.at(-1))[0], REMINDER);
	const last = all.lastIndexOf("shorten results");
	const stamps = all.slice(Math.max(0, last)).filter((deed) => deed.endsWith("results")).length;
	for (const message of sent)
		if (message.role === "toolResult") assert.equal(stampsOf(message), stamps);
	if (all.filter((deed) => deed === "summarise").length === 1 && after.includes("summarise"))
		assert.ok(countOf(sent, RECAP) <= 1);
});

law("the folds are shown that neighbours left anything of", ({ own, entries, ours }, one) => {
	const chips = chipsOf(view(entries, own, one.generation));
	const left = new Set(chipsOf(ours));
	assert.equal(left.size, chipsOf(ours).length, "each once");
	if (!one.before.some((deed) => REMOVALS.includes(deed))) assert.deepEqual([...left], chips);
	for (const id of left) assert.ok(chips.includes(id));
});

law(
	"nothing is said twice, and nothing grows",
	({ own, sent, entries }, { before, after, generation }) => {
		const known = countBy(own.map(keyOf));
		for (const [key, count] of countBy(sent.filter(isPis).map(keyOf)))
			assert.ok(count <= (known.get(key) ?? 0), `${key} stands ${count} times`);
		const marked = countBy([...own.flatMap(markersOf), ...repeatedIn(entries, generation)]);
		for (const [step, count] of countBy(sent.flatMap(markersOf)))
			assert.ok(count <= 1 + (marked.get(step) ?? 0), `marker ${step} stands ${count} times`);
		const added = [...before, ...after].filter((deed) => deed === "append" || deed === "summarise");
		const notes = sent.filter(isNote).length;
		const most = own.length + added.length + notes + chipsOf(sent).length;
		assert.ok(sent.length <= most, `${sent.length} messages, at most ${most}`);
	},
);

law("ours applied twice to its own output changes nothing", ({ own, entries, ours }, one) => {
	// where a result ended with what looks like a marker and now ends with one, nobody can tell whose it is
	fc.pre(!one.before.includes("shorten results") || own.every((message) => !isForged(message)));
	assert.deepEqual(view(entries, structuredClone(ours), one.generation), ours);
});

/** The numbers that are asked for once more: by attempts. */
function repeatedIn(entries: readonly SessionEntry[], generation: Generation): number[] {
	const stored = readBranch(entries, generation);
	const { steps } = replayLog({ generation, cwd: "/", stored: entries, branch: stored });
	return stored.flatMap(({ kind }, at) => (kind === "attempt" ? [steps.stepAt(at)] : []));
}

function isForged(message: PiMessage): boolean {
	return message.role === "toolResult" && lastMarker(message) !== undefined;
}

function textsOf(message: PiMessage | undefined): string[] {
	if (!message || !("content" in message)) return [];
	return blocksOf(message.content).flatMap((block) => (block.type === "text" ? [block.text] : []));
}

function countOf(messages: readonly PiMessage[], text: string): number {
	return messages.flatMap(textsOf).filter((one) => one === text).length;
}

function stampsOf(message: PiMessage): number {
	return countOf([message], STAMP);
}

function chipsOf(messages: readonly PiMessage[]): string[] {
	return messages.flatMap((message) => {
		const fold = foldOfChip(message);
		return fold ? [`${fold.id} of ${fold.at}`] : [];
	});
}

/** Neither ours nor a neighbour's. */
function isPis(message: PiMessage): boolean {
	if (message.role !== "custom") return true;
	return message.customType !== "neighbour" && !message.customType.startsWith("dmail.");
}

function keyOf(message: PiMessage): string {
	const call = message.role === "toolResult" ? message.toolCallId : "";
	return `${message.role} ${message.timestamp} ${call}`;
}

function markersOf(message: PiMessage): number[] {
	return textsOf(message).flatMap((text) => {
		const found = /^\[step (\d+)\]/.exec(text);
		return found ? [Number(found[1])] : [];
	});
}

function countBy<K>(keys: readonly K[]): Map<K, number> {
	const counts = new Map<K, number>();
	for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
	return counts;
}
