// The law of valid requests, tried for one wire format on both hosts: whatever is folded, a provider finds
// nothing in a request that it does not find in pi's own, and no reply that stays is touched.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encode, isPointer, propose } from "../../../fold.ts";
import { viewOf } from "../../../src/pi/context.ts";
import { replayLog } from "../../../src/pi/log.ts";
import { type Generation, projection, readBranch } from "../../../src/session/branch.ts";
import {
	type Block,
	blocksOf,
	type PiMessage,
	type SessionEntry,
} from "../../../src/session/entry.ts";
import { foldOfChip } from "../../../src/session/message.ts";
import { recordedBranch, testRecorded } from "../../session/recorded.ts";
import { anyBranch } from "../arbitrary.ts";
import { cases } from "../cases.ts";
import { dress } from "./dress.ts";
import { type Finding, type Json, news } from "./finding.ts";
import { type Api, payloadOf, TARGETS, type Target } from "./target.ts";

/** What is known of a wire format. */
export interface Format {
	readonly api: Api;
	/** what its provider would refuse of a payload */
	readonly check: (payload: Json) => readonly Finding[];
	/** the replies of a payload, one text each, as they stand in it */
	readonly replies: (payload: Json) => readonly string[];
}

const GENERATIONS: readonly Generation[] = ["0.73", "1.6"];

/** Tries the law on random branches and on recorded ones. */
export function testValid(format: Format): void {
	for (const generation of GENERATIONS) {
		const targets = TARGETS[format.api].filter(
			(target) => !(target.onlyToday && generation === "0.73"),
		);
		test(`${generation}: a folded view is as valid as pi's own list`, async () => {
			let [folded, all] = [0, 0];
			const one = fc.constantFrom(...targets);
			const law = fc.asyncProperty(anyBranch, one, fc.nat(), async (branch, target, seed) => {
				const dressed = dress(branch, { seed, target, generation });
				const entries = foldAt(dressed, [(seed % 10) / 10], generation);
				const view = await check(entries, format, { target, generation });
				all++;
				if (view.some((message) => foldOfChip(message) !== undefined)) folded++;
			});
			await fc.assert(law, cases());
			// in a short search this is luck
			assert.ok(all < 100 || folded > all / 4, `only ${folded} of ${all} views have a chip`);
		});
	}
	testRecorded("a folded view is as valid as pi's own list", async (file) => {
		const { branch } = recordedBranch(file);
		const target = modelIn(branch, format.api) ?? TARGETS[format.api][0] ?? assert.fail();
		for (const generation of GENERATIONS) {
			const entries = foldAt(branch, [0.1, 0.3, 0.6, 0.9], generation);
			const view = await check(entries, format, { target, generation });
			const chips = view.filter((message) => foldOfChip(message) !== undefined);
			// of a session of one step the newest fold absorbs the others
			assert.ok(chips.length > 0 || entries.length === branch.length, "no fold is seen");
		}
	});
}

/** To whom a request goes. */
interface Place {
	readonly target: Target;
	readonly generation: Generation;
}

async function check(
	entries: readonly SessionEntry[],
	format: Format,
	{ target, generation }: Place,
): Promise<readonly PiMessage[]> {
	const own = projection(entries, generation).map((shown) => structuredClone(shown.message));
	const view = viewOf(logOf(entries, generation), own, {
		folds: true,
		markers: true,
		nudgeAt: 200,
	}).messages;
	assertKept(view, own);
	const raw = await payloadOf(target, own, generation);
	const folded = await payloadOf(target, view, generation);
	assert.deepEqual(news(format.check(folded), format.check(raw)), []);
	assertSubsequence(format.replies(folded).map(unpointed), format.replies(raw).map(unpointed));
	return view;
}

function logOf(entries: readonly SessionEntry[], generation: Generation) {
	return { generation, cwd: "/", stored: entries, branch: readBranch(entries, generation) };
}

/** Every reply of the view is pi's own, in pi's order, but for the summary that reads as a pointer. */
function assertKept(view: readonly PiMessage[], own: readonly PiMessage[]): void {
	let at = -1;
	for (const message of view) {
		if (message.role !== "assistant") continue;
		at = own.findIndex((one, i) => i > at && isSameReply(one, message));
		assert.ok(at >= 0, `a reply was changed or moved: ${JSON.stringify(message)}`);
	}
}

function isSameReply(own: PiMessage, kept: PiMessage): boolean {
	if (own === kept) return true;
	if (own.role !== "assistant" || kept.role !== "assistant") return false;
	const pointed = blocksOf(own.content).map((block, at) =>
		pointedAs(block, blocksOf(kept.content)[at]),
	);
	return JSON.stringify({ ...own, content: pointed }) === JSON.stringify(kept);
}

/** The block, with the other's summary if that is a pointer and this one has a summary, too. */
function pointedAs(block: Block, other: Block | undefined): Block {
	if (block.type !== "toolCall" || other?.type !== "toolCall") return block;
	const summary = other.arguments["summary"];
	if (typeof summary !== "string" || !isPointer(summary)) return block;
	if (typeof block.arguments["summary"] !== "string") return block;
	return { ...block, arguments: { ...block.arguments, summary } };
}

/** A reply of a payload with its summaries left out, in an object or in a text of JSON. */
function unpointed(reply: string): string {
	return reply.replace(/(\\?"summary\\?":\s*)\\?"(?:[^"\\]|\\\\?.)*?\\?"(?=[,}])/g, "$1");
}

function assertSubsequence(some: readonly string[], all: readonly string[]): void {
	let at = -1;
	for (const one of some) {
		at = all.indexOf(one, at + 1);
		assert.ok(at >= 0, `not as pi sends it: ${one}`);
	}
}

/** The model of the newest reply over this wire format. */
function modelIn(branch: readonly SessionEntry[], api: Api): Target | undefined {
	for (const entry of branch.toReversed()) {
		const message = entry.type === "message" ? entry.message : undefined;
		if (message?.role !== "assistant" || message.api !== api) continue;
		return { api, provider: message.provider, id: message.model };
	}
	return undefined;
}

/** Folds a stretch of a few steps at each of these shares of the session, where `propose` says yes. */
export function foldAt(
	branch: readonly SessionEntry[],
	shares: readonly number[],
	generation: Generation,
): SessionEntry[] {
	const entries = [...branch];
	for (const [nth, share] of shares.entries()) {
		const replayer = replayLog(logOf(entries, generation));
		const { steps } = replayer;
		const first = steps.stepAt(steps.era.start);
		const fromStep = first + Math.floor((steps.count - first) * share);
		const toStep = Math.min(steps.count, fromStep + Math.ceil((steps.count - first) / 8));
		const proposal = propose(replayer, { fromStep, toStep, live: share > 0.6 });
		if (!proposal.ok) continue;
		const { ok, range, ...frozen } = proposal;
		const said = { summary: "These steps are done.", digest: "0", by: "user" } as const;
		const stored = encode({ kind: "fold", v: 1, id: `a00${nth}`, ...said, ...frozen });
		const parentId = entries.at(-1)?.id ?? null;
		entries.push({ type: "custom", id: `share${nth}`, parentId, timestamp: "", ...stored });
	}
	return entries;
}
