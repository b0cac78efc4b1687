// The laws on recorded sessions, request by request, with folds that `propose` allowed on the way.

import assert from "node:assert/strict";
import { type Entry, foldContext, propose, Replayer } from "../../fold.ts";
import { readBranch, walk } from "../../src/session/branch.ts";
import type { PiMessage } from "../../src/session/entry.ts";
import { readSession } from "../../src/session/file.ts";
import { piHost } from "../../src/session/message.ts";
import { recordedPath, testRecorded } from "../session/recorded.ts";

testRecorded("3, 16: what was sent stays, whatever is folded behind it", (file) => {
	const replayer = new Replayer(piHost);
	const entries: Entry<PiMessage>[] = [];
	const push = (entry: Entry<PiMessage>) => {
		entries.push(entry);
		replayer.push(entry);
	};
	let sent: readonly PiMessage[] = [];
	for (const entry of branchOf(file)) {
		if (entry.kind === "assistant" || entry.kind === "attempt") {
			const { messages } = replayer.view({ asking: true });
			startsWith(messages, sent);
			assert.equal(replayer.size(true), sizeOf(messages));
			sent = messages;
		}
		push(entry);
		const fold = entry.kind === "result" ? foldOf(replayer, entries.length) : undefined;
		if (fold) push(fold);
		if (fold || entry.kind === "compaction" || entry.kind === "edit") sent = [];
	}
	const fresh = foldContext(entries, piHost, { asking: true });
	assert.deepEqual(replayer.view({ asking: true }).messages, fresh.messages);
});

function branchOf(file: string): Entry<PiMessage>[] {
	const { entries } = readSession(recordedPath(file));
	const byId = new Map(entries.map((entry) => [entry.id, entry]));
	return readBranch(
		walk((id) => byId.get(id), entries.at(-1)?.id),
		"1.6",
	);
}

/** A fold of a few of the newest steps after every 20th entry, where it is allowed. */
function foldOf(replayer: Replayer<PiMessage>, at: number): Entry<PiMessage> | undefined {
	if (at % 20 !== 0) return undefined;
	const fromStep = Math.max(1, replayer.steps.count - (at % 7) * 3);
	const answer = propose(replayer, { fromStep, live: true });
	if (!answer.ok) return undefined;
	const { ok, range, ...frozen } = answer;
	const record = { kind: "fold", v: 1, summary: "done", by: "model", ...frozen } as const;
	return { id: `record${at}`, kind: "record", record: { ...record, id: `f${1000 + at}` } };
}

function startsWith(messages: readonly PiMessage[], sent: readonly PiMessage[]): void {
	for (const [i, message] of sent.entries())
		if (messages[i] !== message) assert.deepEqual(messages[i], message);
}

function sizeOf(messages: readonly PiMessage[]): number {
	return messages.reduce((sum, message) => sum + piHost.tokens(message), 0);
}
