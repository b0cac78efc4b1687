// Inputs that invite a quadratic answer, each against half of it: what they cost must grow as they do.

import { walk } from "../src/session/branch.ts";
import type { SessionEntry } from "../src/session/entry.ts";
import { match } from "../src/session/match.ts";
import { parseSession } from "../src/session/parse.ts";
import { SessionTree, type TreeNode } from "../src/session/tree.ts";
import { wordsOf } from "../src/session/words.ts";
import { entry } from "../test/session/build.ts";
import { type Ratio, timeInTurn } from "./ratio.ts";

/** Twice the input may take so many times as long; a quadratic answer takes four times. */
const AT_MOST = 3;
const ROUNDS = 15;

/** The ratios about growth. Each input is made before the clock starts. */
export const GROWTH_RATIOS: readonly Ratio[] = [
	growing("match messages that are all alike", 30_000, (count) => {
		const same = Array.from({ length: count }, (_, at) => custom(at < count));
		const known = [user("old", 5), ...same, user("old", 6)];
		const list = [user("new", 7), ...same.slice(0, count - 1_000), user("new", 8)];
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

function growing(what: string, count: number, prepare: (count: number) => () => unknown): Ratio {
	return {
		name: `${what}, ${2 * count}`,
		against: `${count}`,
		atMost: AT_MOST,
		measure: () =>
			timeInTurn({
				rounds: ROUNDS,
				ours: prepare(2 * count),
				theirs: prepare(count),
			}),
	};
}

const user = (content: string, timestamp: number) =>
	({ role: "user", content, timestamp }) as const;

const custom = (display: boolean) =>
	({ role: "custom", customType: "again", content: "again", display, timestamp: 1 }) as const;
