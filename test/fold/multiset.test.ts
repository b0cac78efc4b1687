// A bag of texts, against a plain list.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Multiset } from "../../src/fold/multiset.ts";

test("a bag has each text as often as it was put in, less what was taken out", () => {
	const bag = new Multiset(["a", "b", "a", ""]);
	assert.deepEqual([bag.size, [...bag.values()].sort()], [4, ["", "a", "a", "b"]]);
	for (const text of ["a", "b", "b", "c"]) bag.delete(text);
	assert.deepEqual([bag.size, [...bag.values()].sort()], [2, ["", "a"]]);
	assert.deepEqual([new Multiset().size, [...new Multiset().values()]], [0, []]);
});

test("a bag of one text, or of none, gives back no other", () => {
	const bag = new Multiset(["a"]);
	bag.delete("b");
	assert.deepEqual([bag.size, [...bag.values()]], [1, ["a"]]);
	bag.delete("a");
	bag.delete("a");
	assert.deepEqual([bag.size, [...bag.values()]], [0, []]);
	const empty = new Multiset();
	empty.delete("a");
	assert.equal(empty.size, 0);
});
