// The tree that the entries of a session are, by their parents. Takes them as they come in the file, needs
// only their ids, and answers in linear time whatever the ids say.

import type { Problem } from "./parse.ts";

/** What the tree asks of an entry. */
export interface TreeNode {
	readonly id: string;
	readonly parentId: string | null;
}

/** An entry that waits for its parent. */
interface Orphan {
	readonly id: string;
	/** its position in the file */
	readonly at: number;
	/** 1-based */
	readonly line: number;
}

/**
 * A tree that grows with its file.
 *
 * - a parent is the nearest entry before with that id, since ids may come twice; else the first one after
 * - an entry whose parent is nowhere, or would be its own descendant, is a root and a problem
 */
export class SessionTree<N extends TreeNode> {
	readonly nodes: N[] = [];
	/** by position in the file: its line, 1-based */
	readonly lines: number[] = [];
	/** by position in the file: the position of the parent; -1 for a root */
	private readonly parents: number[] = [];
	/** by position: one that is nearer to the root of the same tree, or the root itself */
	private readonly tops: number[] = [];
	private readonly positions = new Map<string, number>();
	/** entries whose parent did not come yet, by the parent's id */
	private readonly orphans = new Map<string, Orphan[]>();
	private readonly cycles: Problem[] = [];

	/** Takes the next entry of the file in. */
	add(node: N, line: number): void {
		const at = this.nodes.length;
		this.nodes.push(node);
		this.lines.push(line);
		const parent = this.parentOf(node, at);
		this.parents.push(parent);
		this.tops.push(parent < 0 ? at : this.top(parent));
		this.positions.set(node.id, at);
		if (node.parentId !== null && parent < 0) this.await(node.parentId, { id: node.id, at, line });
		this.adopt(node.id, at);
	}

	private parentOf({ parentId }: N, at: number): number {
		if (parentId === null) return -1;
		// as a rule it is the entry before, and no map has to be asked
		if (parentId === this.nodes[at - 1]?.id) return at - 1;
		return this.positions.get(parentId) ?? -1;
	}

	/** The newest entry with this id. */
	get(id: string): N | undefined {
		return this.nodes[this.positions.get(id) ?? -1];
	}

	/** Where the session stands when it is opened: pi takes the last entry of the file. */
	get leaf(): N | undefined {
		return this.nodes.at(-1);
	}

	/** The entries from the root to the last one of the file, or to the one with this id. */
	branch(leafId?: string): N[] {
		return this.branchPositions(leafId).map((at) => this.nodes[at] as N);
	}

	/** The same as positions in the file. */
	branchPositions(leafId?: string): number[] {
		const path: number[] = [];
		const leaf = leafId === undefined ? this.nodes.length - 1 : this.positions.get(leafId);
		for (let at = leaf; at !== undefined && at >= 0; at = this.parents[at]) path.push(at);
		return path.reverse();
	}

	/** How many entries nothing follows. */
	countLeaves(): number {
		// a byte each: a set of a million parents would take more than the tree
		const followed = new Uint8Array(this.nodes.length);
		let leaves = this.nodes.length;
		for (const parent of this.parents) {
			if (parent < 0 || followed[parent] === 1) continue;
			followed[parent] = 1;
			leaves--;
		}
		return leaves;
	}

	/** Parents that are missing or go in a circle, in file order. */
	problems(): Problem[] {
		const problems = [...this.cycles];
		for (const [parentId, children] of this.orphans)
			for (const child of children)
				problems.push(problemOf(child, `its parent ${parentId} is not in the file`));
		return problems.sort((a, b) => a.line - b.line);
	}

	private await(parentId: string, orphan: Orphan): void {
		const waiting = this.orphans.get(parentId);
		if (waiting) waiting.push(orphan);
		else this.orphans.set(parentId, [orphan]);
	}

	/** Gives an entry the children that came before it. */
	private adopt(id: string, at: number): void {
		const waiting = this.orphans.size > 0 ? this.orphans.get(id) : undefined;
		if (!waiting) return;
		this.orphans.delete(id);
		for (const child of waiting)
			if (this.top(at) === child.at) this.cycles.push(problemOf(child, "it is its own ancestor"));
			else {
				this.parents[child.at] = at;
				this.tops[child.at] = this.top(at);
			}
	}

	/** The root of the tree that a position is in. Shortens the way for the next time. */
	private top(of: number): number {
		let root = of;
		for (let up = this.tops[of]; up !== undefined && up !== root; up = this.tops[root]) root = up;
		for (let at: number | undefined = of; at !== undefined && at !== root; ) {
			const up: number | undefined = this.tops[at];
			this.tops[at] = root;
			at = up;
		}
		return root;
	}
}

function problemOf({ id, line }: Orphan, reason: string): Problem {
	return { line, reason: `entry ${id}: ${reason}; a branch begins here` };
}
