// Random sessions for the tests of compaction and net: turns, batches, calls that are answered late or
// never, and every kind of record that a fold can meet.

import fc from "fast-check";
import { encode, propose } from "../../fold.ts";
import { type Log, replayLog } from "../../src/pi/log.ts";
import { type Generation, readBranch } from "../../src/session/branch.ts";
import { Chat } from "../support/chat.ts";

const EVENTS = {
	user: 4,
	step: 14,
	batch: 3,
	answer: 2,
	late: 1,
	crash: 1,
	failed: 1,
	bash: 1,
	custom: 1,
	fold: 5,
	held: 1,
	net: 1,
	open: 1,
	drop: 1,
	pin: 1,
	compaction: 1,
} as const;
type Event = keyof typeof EVENTS;

/** Sessions of up to so many events; each ends as a request for a reply finds it. */
export function randomChats(maxLength = 40): fc.Arbitrary<Chat> {
	const names = Object.entries(EVENTS).map(([name, weight]) => ({
		weight,
		arbitrary: fc.constant(name as Event),
	}));
	const events = fc.array(fc.tuple(fc.oneof(...names), fc.nat(), fc.nat()), {
		minLength: 5,
		maxLength,
	});
	return events.map((list) => {
		const chat = new Chat().user("the first request");
		for (const [name, one, other] of list) happen(chat, name, [one, other]);
		return chat;
	});
}

/** The session as the extension reads it. */
export function logOf(chat: Chat, generation: Generation = "1.6"): Log {
	return {
		generation,
		cwd: "/project",
		stored: chat.entries,
		branch: readBranch(chat.entries, generation),
	};
}

function happen(chat: Chat, name: Event, [one, other]: [number, number]): void {
	const at = chat.entries.length;
	const id = `bash:${at % 7}`;
	const output = `output ${at} ${"x".repeat(one % 1_500)}`;
	switch (name) {
		case "user":
			chat.user(`request ${at} ${"y".repeat(other % 200)}`);
			break;
		case "step":
			chat.reply([id]).result(id, output);
			break;
		case "batch":
			chat.step(id, `read:${at % 5}`);
			break;
		case "answer":
			chat.reply();
			break;
		case "late":
			// an answer that comes after the next reply, as a crash can leave it
			chat.reply([id]).reply().result(id, output);
			break;
		case "crash":
			chat.reply([id]).user(`after a crash ${at}`);
			break;
		case "failed":
			chat.reply([], "error");
			break;
		case "bash":
			chat.bash();
			break;
		case "custom":
			chat.custom("plan", `plan ${at}`);
			break;
		case "compaction":
			if (at > 4) chat.compaction(`e${one % at}`);
			break;
		default:
			record(chat, name, [one, other]);
	}
}

function record(chat: Chat, name: Event, [one, other]: [number, number]): void {
	const log = logOf(chat);
	const replayer = replayLog(log);
	const { count } = replayer.steps;
	if (count === 0) return;
	const { folds } = replayer;
	const id = folds[one % Math.max(1, folds.length)]?.record.id;
	if (name === "open" || name === "drop") {
		if (id !== undefined) chat.record(encode({ kind: name, id }));
		return;
	}
	const fromStep = 1 + (one % count);
	const toStep = fromStep + (other % Math.min(8, count - fromStep + 1));
	const proposal = propose(replayer, { fromStep, toStep, live: one % 2 === 0 });
	if (!proposal.ok) return;
	const { ok: _ok, range: _range, fromEntryId, toEntryId, ...more } = proposal;
	if (name === "pin") chat.record(encode({ kind: "pin", fromEntryId, toEntryId }));
	else if (name === "held") chat.fold(fromEntryId, toEntryId, { ...more, held: true });
	else if (name === "net") chat.fold(fromEntryId, toEntryId, { ...more, by: "auto" });
	else chat.fold(fromEntryId, toEntryId, more);
}
