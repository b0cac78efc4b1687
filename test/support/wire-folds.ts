// What must hold of a wire log in which folds were made: where bytes may change, what is gone, what is
// said once. Pure.

import assert from "node:assert/strict";
import {
	assertMarkers,
	assertPaired,
	assertPrefixes,
	countText,
	markersOf,
	samePrefix,
	type WireRequest,
} from "./wire.ts";

/** A fold that a script makes. Requests count from 0. */
export interface ExpectedFold {
	/** the first request that is sent folded */
	readonly request: number;
	readonly fromStep: number;
	readonly summary: string;
	/** the first request in which its chip lies inside another fold */
	readonly until?: number;
}

/** Text that a tool printed in steps that were folded. */
export interface FoldedOutput {
	readonly text: string;
	/** the first request without it */
	readonly from: number;
}

/** Throws unless everything below holds of the requests, on which folding was on all the time. */
export function assertFolded(
	requests: readonly WireRequest[],
	folds: readonly ExpectedFold[],
): void {
	assertCuts(requests, folds);
	assertOutputsGone(requests, folds);
	assertSummariesOnce(requests, folds);
	assertPaired(requests);
	for (const [index, request] of requests.entries()) {
		assertMarkers(request);
		assert.equal(markersOf(request).at(-1)?.step, index + 1, `request ${index}`);
	}
}

/**
 * Throws unless each request's messages are a byte-for-byte prefix of the next one's, and at a fold
 * everything before its first step still is.
 */
export function assertCuts(requests: readonly WireRequest[], folds: readonly ExpectedFold[]): void {
	assertPrefixes(
		requests,
		folds.map((fold) => fold.request),
	);
	for (const { request, fromStep } of folds) {
		const [before, after] = [requests[request - 1], requests[request]];
		assert.ok(before && after, `request ${request}`);
		const start = startOf(before, fromStep);
		const same = samePrefix(before, after);
		assert.ok(
			same >= start,
			`request ${request} changes message ${same}, before the fold's ${start}`,
		);
	}
}

/** Throws unless what was folded had been sent before and is not sent from the fold on. */
export function assertOutputsGone(
	requests: readonly WireRequest[],
	folds: readonly ExpectedFold[],
): void {
	const outputs = foldedOutputs(requests, folds);
	assert.ok(outputs.length >= folds.length, `${outputs.length} outputs were folded`);
	for (const { text, from } of outputs) {
		const seen = requests.map((request) => countText(request, text));
		assert.ok((seen[from - 1] ?? 0) > 0, `was sent before: ${text.slice(0, 60)}`);
		assert.deepEqual(
			[...seen.keys()].filter((index) => index >= from && (seen[index] ?? 0) > 0),
			[],
			`requests that carry folded output: ${text.slice(0, 60)}`,
		);
	}
}

/** Throws unless a summary stands exactly once in each request while its own chip is in view. */
export function assertSummariesOnce(
	requests: readonly WireRequest[],
	folds: readonly ExpectedFold[],
): void {
	for (const { request, until, summary } of folds)
		for (const [index, sent] of requests.entries()) {
			const isShown = index >= request && index < (until ?? requests.length);
			assert.equal(countText(sent, summary), isShown ? 1 : 0, `request ${index}: ${summary}`);
		}
}

/** What tools printed in the steps of folds, short texts and the folds' own receipts aside. */
export function foldedOutputs(
	requests: readonly WireRequest[],
	folds: readonly ExpectedFold[],
): FoldedOutput[] {
	return folds.flatMap(({ request, fromStep }) => {
		const before = requests[request - 1] ?? assert.fail(`request ${request}`);
		return before.messages.slice(startOf(before, fromStep)).flatMap((message) => {
			const text = message.content[0]?.text ?? "";
			const isOutput = message.role === "toolResult" && message.toolName !== "send_dmail";
			return isOutput && text.length >= 100 ? [{ text, from: request }] : [];
		});
	});
}

/** The first message of a step: the one after its marker. */
function startOf(request: WireRequest, step: number): number {
	const marker = markersOf(request).find((one) => one.step === step);
	assert.ok(marker, `step ${step} is named`);
	return marker.at + 1;
}

/**
 * The messages of each request with fold ids counted in the order of their first appearance, so that two
 * runs of one script can be compared: an id depends on the ids of entries, which pi draws anew each time.
 */
export function comparable(requests: readonly WireRequest[]): unknown[] {
	const named = new Map<string, string>();
	const pattern = /(fold(?: |=\\"|\\":\\"))([0-9a-f]{4,})\b/g;
	return requests.map(({ messages }) => {
		const text = JSON.stringify(messages).replace(pattern, (_, before: string, id: string) => {
			if (!named.has(id)) named.set(id, `#${named.size + 1}`);
			return `${before}${named.get(id)}`;
		});
		return JSON.parse(text);
	});
}
