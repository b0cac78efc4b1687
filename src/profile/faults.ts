// What is wrong with the entries of a file beside the lines that they stand on: one rule for a profile, which
// keeps much of each entry, and for a listing, which keeps next to nothing.

import { type Block, blocksOf } from "../session/entry.ts";
import type { Problem } from "../session/parse.ts";
import type { SessionTree, TreeNode } from "../session/tree.ts";

const NONE: readonly string[] = [];

/** Why the usage of a reply, or the calls it makes, are not what they should be; without the line. */
export function faultsOfReply(usage: readonly string[], content: unknown): readonly string[] {
	const isWhole = !blocksOf(content).some(isNameless);
	// nearly all: a long session has one of these for each of its replies
	if (isWhole && usage.length === 0) return NONE;
	const faults = usage.map((reason) => `usage: ${reason}`);
	return isWhole ? faults : [...faults, NAMELESS];
}

function isNameless(block: Block): boolean {
	return block.type === "toolCall" && (typeof block.id !== "string" || block.id === "");
}

const NAMELESS = "a tool call without an id: only a result right after it can be its answer";

/** An entry of a tree; a compaction may say from where on it keeps. */
export interface KeepingNode extends TreeNode {
	readonly firstKeptEntryId?: string | undefined;
}

/** What is wrong with a file once all of it was read: parents, and what compactions of its branch keep. */
export function faultsOfTree(tree: SessionTree<KeepingNode>): Problem[] {
	const wanted = new Set<string>();
	for (const { firstKeptEntryId } of tree.nodes)
		if (firstKeptEntryId !== undefined) wanted.add(firstKeptEntryId);
	return wanted.size === 0 ? tree.problems() : [...tree.problems(), ...lostIn(tree, wanted)];
}

/** Compactions of the branch that keep from an entry which is not before them there. */
function lostIn(tree: SessionTree<KeepingNode>, wanted: ReadonlySet<string>): Problem[] {
	const seen = new Set<string>();
	const lost: Problem[] = [];
	for (const at of tree.branchPositions()) {
		const { id, firstKeptEntryId } = tree.nodes[at] ?? { id: "" };
		if (firstKeptEntryId !== undefined && !seen.has(firstKeptEntryId))
			lost.push({ line: tree.lines[at] ?? 0, reason: LOST });
		if (id !== "" && wanted.has(id)) seen.add(id);
	}
	return lost;
}

const LOST =
	"the compaction keeps from an entry that is not before it on its branch; only its summary is shown";
