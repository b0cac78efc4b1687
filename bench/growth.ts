// Inputs that invite a quadratic answer, each in one piece against four pieces of it: what they cost must
// grow as they do.
//
// Why not one input against half of it: the larger one is farther away. A table of 200,000 keys misses the
// processor's caches where one of 100,000 still hits them, and a larger heap is collected in another way; an
// answer in linear time came to 3.6 times for twice the input, near the 4 of a quadratic one. Four pieces of
// their own are as much memory and as much work as the whole, so a linear answer comes to 1, and over four
// times the input a quadratic one to 4. Every sample takes 20 ms or more.

import { walk } from "../src/session/branch.ts";
import type { SessionEntry } from "../src/session/entry.ts";
import { match } from "../src/session/match.ts";
import { parseSession } from "../src/session/parse.ts";
import { SessionTree, type TreeNode } from "../src/session/tree.ts";
import { wordsOf } from "../src/session/words.ts";
import { entry } from "../test/session/build.ts";
import { type Ratio, repeated, timeInTurn } from "./ratio.ts";

const PIECES = 4;
/**
 * One piece may take so many times as long as its four parts: 4 ** 0.585, the same power of the size that
 * allows three times as long for twice the input. A quadratic answer takes four times.
 */
const AT_MOST = 2.25;
const ROUNDS = 15;

/** The ratios about growth. Each input is made before the clock starts. */
export const GROWTH_RATIOS: readonly Ratio[] = [
	growing("match messages that are all alike", 15_000, (count) => {
		const same = Array.from({ length: count }, (_, at) => custom(at < count));
		const known = [user("old", 5), ...same, user("old", 6)];
		const list = [user("new", 7), ...same.slice(0, count - 1_000), user("new", 8)];
		return () => match(known, list);
	}),
	growing("match messages that all have another time", 5_000, (count) => {
		const known = Array.from({ length: count }, (_, at) => user(`${at}`, at));
		const list = known.slice(0, count - 500).map((one) => ({ ...one, timestamp: -1 }));
		return () => match(known, list);
	}),
	growing("match messages that are all alike, and have another time", 2_500, (count) => {
		const known = Array.from({ length: count }, (_, at) => user("again", at));
		const list = known.slice(0, count - 500).map((one) => ({ ...one, timestamp: -1 }));
		return () => match(known, list);
	}),
	growing("walk a branch", 100_000, (count) => {
		const nodes = new Map<string, SessionEntry>();
		for (let at = 0; at < count; at++)
			nodes.set(`${at}`, entry("label", `${at}`, at === 0 ? null : `${at - 1}`));
		return () => walk((id) => nodes.get(id), `${count - 1}`);
	}),
	growing("read a tree that was written backwards", 100_000, (count) => () => {
		const tree = new SessionTree<TreeNode>();
		for (let at = 0; at < count; at++)
			tree.add({ id: `${at}`, parentId: at === count - 1 ? null : `${at + 1}` }, at + 1);
		tree.branch("0");
	}),
	growing("find words among blocks that never end", 40_000, (count) => {
		const message = user(`${'<file name="/a">\n'.repeat(count)}\n</file>x`, 1);
		return () => wordsOf(message);
	}),
	growing("read records that are all torn", 20_000, (count) => {
		const heads = '{"type":"message","id":"a","x":'.repeat(count);
		return () => parseSession(heads);
	}),
];

interface Growing {
	/** how often each is run in a round: a short one often. 1 if absent */
	readonly times?: number;
	/** in place of `AT_MOST` */
	readonly atMost?: number;
}

/**
 * An input four times as large as `count`, against four of `count`, each of its own.
 *
 * @param prepare makes an input, before the clock starts, and gives back what is timed with it
 */
export function growing(
	what: string,
	count: number,
	prepare: (count: number) => () => unknown,
	{ times = 1, atMost = AT_MOST }: Growing = {},
): Ratio {
	return {
		name: `${what}, ${PIECES * count}`,
		against: `${PIECES} of ${count}`,
		atMost,
		measure() {
			const parts = Array.from({ length: PIECES }, () => prepare(count));
			const theirs = () => {
				for (const part of parts) part();
			};
			return timeInTurn({
				rounds: ROUNDS,
				ours: repeated(prepare(PIECES * count), times),
				theirs: repeated(theirs, times),
			});
		},
	};
}

const user = (content: string, timestamp: number) =>
	({ role: "user", content, timestamp }) as const;

const custom = (display: boolean) =>
	({ role: "custom", customType: "again", content: "again", display, timestamp: 1 }) as const;
