import assert from "node:assert/strict";
import { propose, Replayer } from "../../fold.ts";
import { type Generation, projection, readBranch } from "../../src/session/branch.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { readSession } from "../../src/session/file.ts";
import { foldOfChip, piHost } from "../../src/session/message.ts";
import { SessionTree } from "../../src/session/tree.ts";
import { aligned, Chat, sent } from "../support/chat.ts";
import { recordedPath, testRecorded } from "./recorded.ts";

/** The active branch, with a fold over the older half of what can be folded. */
function foldHalf(file: string, generation: Generation): Chat {
	const { entries } = readSession(recordedPath(file));
	const tree = new SessionTree<SessionEntry>();
	for (const [index, entry] of entries.entries()) tree.add(entry, index + 1);
	const chat = new Chat(tree.branch());
	const replayer = new Replayer(piHost);
	for (const entry of readBranch(chat.entries, generation)) replayer.push(entry);
	const { steps } = replayer;
	const fromStep = steps.stepAt(steps.era.start);
	const toStep = fromStep + Math.floor((steps.count - fromStep) / 2);
	const proposal = propose(replayer, { fromStep, toStep, live: false });
	if (!proposal.ok) return chat;
	const { fromEntryId, toEntryId } = proposal;
	return chat.fold(fromEntryId, toEntryId, { fromStep, toStep: proposal.toStep });
}

function isFolded(chat: Chat): boolean {
	return chat.entries.at(-1)?.type === "custom";
}

testRecorded("a list as pi hands it out aligns one to one, folded or not", (file) => {
	for (const generation of ["0.73", "1.6"] as const) {
		const chat = foldHalf(file, generation);
		const list = chat.list(generation);
		const { at, live } = aligned(chat.entries, list, generation);
		assert.deepEqual(
			at,
			projection(chat.entries, generation).map((shown) => shown.at),
		);
		assert.equal(live.length, 0);
	}
});

testRecorded("ours applied to its own output changes nothing", (file) => {
	for (const generation of ["0.73", "1.6"] as const) {
		const chat = foldHalf(file, generation);
		const once = sent(chat.entries, chat.list(generation), generation).messages;
		const twice = sent(chat.entries, structuredClone(once), generation).messages;
		assert.deepEqual(twice, once);
		const chips = once.filter((message) => foldOfChip(message) !== undefined);
		assert.equal(chips.length, isFolded(chat) ? 1 : 0);
	}
});
