// What is true of every view, whatever the branch: checked by each helper that makes one. Written for the
// host whose messages are strings; knows nothing of how a view is made.

import assert from "node:assert/strict";
import type { Fold, View } from "../../fold.ts";
import { type Branch, callOf, compactionOf, projection, takenBy, within } from "./branch.ts";

/** Checks a view of a branch; `visible` are the folds whose chip should be in it. */
export function checkView(branch: Branch, view: View<string>, visible: readonly Fold[]): void {
	assert.equal(view.messages.length, view.sources.length, "a source for each message");
	checkOrder(branch, view);
	checkChips(view, visible);
	checkNothingVanishes(branch, view);
	checkPairs(branch, view);
	checkMarkers(branch, view);
}

/** Positions rise; only what a fold keeps stands before its place, right after the chip. */
function checkOrder(branch: Branch, { sources }: View<string>): void {
	const compaction = compactionOf(branch);
	let last = -1;
	let chip: Fold | undefined;
	for (const source of sources) {
		if (source.from === "chip") {
			chip = source.fold;
			assert.ok(chip.to > last, "a chip stands in its range's place");
			last = Math.max(last, chip.from);
		} else if (source.from === "entry" && source.at !== compaction) {
			const isKept = chip && within(source.at, chip) && branch[source.at]?.kind !== "system";
			assert.ok(isKept || source.at > last, `position ${source.at} after ${last}`);
			if (isKept) continue;
			last = source.at;
			chip = undefined;
		}
	}
}

function checkChips({ sources }: View<string>, visible: readonly Fold[]): void {
	const chips = sources.flatMap((source) => (source.from === "chip" ? [source.fold] : []));
	assert.equal(new Set(chips).size, chips.length, "a chip stands once");
	for (const chip of chips) assert.ok(visible.includes(chip), "a chip is of a visible fold");
	for (const [i, fold] of visible.entries()) {
		const next = visible[i + 1];
		if (next) assert.ok(fold.to <= next.from, "visible folds are disjoint and in order");
	}
}

function checkNothingVanishes(branch: Branch, { sources }: View<string>): void {
	const shown = sources.flatMap((source) => (source.from === "entry" ? [source.at] : []));
	const chips = sources.flatMap((source) => (source.from === "chip" ? [source.fold] : []));
	const all = projection(branch);
	for (const { at } of all) {
		const times = shown.filter((one) => one === at).length;
		const due = all.filter((one) => one.at === at).length;
		const isShown = (other: number) => all.some((one) => one.at === other);
		const calls = [callOf(branch, at), takenBy(branch, at, isShown)];
		const over = chips.filter(
			(fold) => within(at, fold) || calls.some((call) => within(call, fold)),
		);
		if (times > 0) assert.equal(times, due, `position ${at} is shown as often as the host does`);
		else assert.equal(over.length, 1, `position ${at} lies under one chip`);
	}
	for (const at of shown)
		assert.ok(
			all.some((one) => one.at === at),
			`the host shows ${at}`,
		);
}

/** Every call that has its result in view is in view itself, and the other way round. */
function checkPairs(branch: Branch, { sources }: View<string>): void {
	const shown = new Set(sources.flatMap((source) => (source.from === "entry" ? [source.at] : [])));
	const projected = new Set(projection(branch).map(({ at }) => at));
	for (const at of projected) {
		const call = callOf(branch, at);
		const taker = takenBy(branch, at, (other) => projected.has(other));
		if (taker >= 0 && taker !== call) continue;
		if (call >= 0 && projected.has(call))
			assert.equal(shown.has(at), shown.has(call), `result ${at} and its call ${call} together`);
	}
}

/** One marker at a place, never on a reply or a custom message; a number repeats after an attempt only. */
function checkMarkers(branch: Branch, { messages, sources }: View<string>): void {
	const compaction = compactionOf(branch);
	let newest = 0;
	let before = -1;
	let at = -1;
	for (const [i, message] of messages.entries()) {
		const source = sources[i];
		if (source?.from === "entry" && source.at !== compaction) at = Math.max(at, source.at);
		else if (source?.from === "chip") at = Math.max(at, source.fold.from);
		const markers = [...message.matchAll(/‹(\d+)›/g)].map((found) => Number(found[1]));
		assert.ok(markers.length <= 1, `one marker at a place: ${message}`);
		const [marker] = markers;
		if (marker === undefined) continue;
		assert.match(message, /^[URm<]/, `what carries a marker: ${message}`);
		const attempted = branch.some((entry, i) => i > before && entry.kind === "attempt");
		assert.ok(marker > newest || (marker === newest && attempted), `${marker} after ${newest}`);
		newest = marker;
		before = at;
	}
}
