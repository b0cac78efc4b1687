import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SessionTree, type TreeNode } from "../../src/session/tree.ts";

/** A tree from `id<parent`, one node a line. */
function grow(...sketch: readonly string[]): SessionTree<TreeNode> {
	const tree = new SessionTree<TreeNode>();
	for (const [at, one] of sketch.entries()) {
		const [id = "", parentId = null] = one.split("<");
		tree.add({ id, parentId }, at + 1);
	}
	return tree;
}

function ids(nodes: readonly TreeNode[]): string {
	return nodes.map(({ id }) => id).join(" ");
}

function problems(tree: SessionTree<TreeNode>): string[] {
	return tree.problems().map(({ line, reason }) => `${line} ${reason}`);
}

test("the active branch runs from the root to the last entry of the file", () => {
	const tree = grow("a", "b<a", "c<b", "d<a", "e<d");
	assert.equal(ids(tree.branch()), "a d e");
	assert.equal(ids(tree.branch("c")), "a b c");
	assert.deepEqual(tree.branchPositions(), [0, 3, 4]);
	assert.equal(tree.leaf?.id, "e");
	assert.equal(tree.get("b")?.parentId, "a");
	assert.equal(tree.countLeaves(), 2);
	assert.deepEqual(problems(tree), []);
});

test("an empty tree has no leaf and no branch", () => {
	const tree = grow();
	assert.equal(tree.leaf, undefined);
	assert.deepEqual(tree.branch(), []);
	assert.deepEqual(tree.branch("a"), []);
	assert.equal(tree.countLeaves(), 0);
});

test("a parent that is missing is a problem, and the branch begins after it", () => {
	const tree = grow("a", "b<x", "c<b");
	assert.equal(ids(tree.branch()), "b c");
	assert.deepEqual(problems(tree), [
		"2 entry b: its parent x is not in the file; a branch begins here",
	]);
});

test("a parent may come after its child", () => {
	const tree = grow("a<b", "b<c", "c");
	assert.equal(ids(tree.branch("a")), "c b a");
	assert.deepEqual(problems(tree), []);
});

test("a circle of parents is a problem and ends somewhere", () => {
	assert.equal(ids(grow("a<a", "b<a").branch()), "a b");
	const tree = grow("a<c", "b<a", "c<b", "d<c");
	assert.equal(ids(tree.branch()), "a b c d");
	assert.deepEqual(problems(tree), ["1 entry a: it is its own ancestor; a branch begins here"]);
});

test("where an id comes twice a child follows the one before it", () => {
	const tree = grow("a", "b<a", "c<b", "b<c", "d<b");
	assert.deepEqual(tree.branchPositions(), [0, 1, 2, 3, 4]);
	assert.equal(tree.get("b"), tree.nodes[3]);
});

test("whatever the ids say, every branch ends and every entry is on its own", () => {
	const id = fc.constantFrom("a", "b", "c", "d", "e", "f");
	const nodes = fc.array(fc.record({ id, parentId: fc.option(id) }), { maxLength: 12 });
	fc.assert(
		fc.property(nodes, (given) => {
			const tree = new SessionTree<TreeNode>();
			for (const [at, node] of given.entries()) tree.add(node, at + 1);
			for (const node of given) {
				const path = tree.branchPositions(node.id);
				assert.equal(new Set(path).size, path.length);
				assert.equal(tree.nodes[path.at(-1) ?? -1]?.id, node.id);
				const [root = -1, ...rest] = path;
				const isTold = tree.problems().some(({ line }) => line === root + 1);
				assert.ok(
					given[root]?.parentId === null || isTold,
					"a root has no parent, or is a problem",
				);
				for (const [index, at] of rest.entries())
					assert.equal(given[at]?.parentId, given[path[index] ?? -1]?.id);
			}
		}),
		{ numRuns: 500 },
	);
});

test("a long file written backwards is one branch", () => {
	const tree = new SessionTree<TreeNode>();
	const count = 200_000;
	for (let at = 0; at < count; at++)
		tree.add({ id: `${at}`, parentId: at === count - 1 ? null : `${at + 1}` }, at + 1);
	assert.equal(tree.branch("0").length, count);
});
