// What a fold would take away and what it would put there, before it is recorded.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
	type Draft,
	type FoldRecord,
	type Host,
	type Proposal,
	propose,
	Replayer,
	type Weight,
	weigh,
	weighCalls,
} from "../../fold.ts";
import { anyBranch } from "../support/arbitrary.ts";
import { cases } from "../support/cases.ts";
import { ask, branch, textHost } from "../support/notation.ts";
import type { Branch } from "./branch.ts";

function replayerOf(entries: Branch): Replayer<string> {
	const replayer = new Replayer(textHost);
	for (const entry of entries) replayer.push(entry);
	return replayer;
}

function draftOf({ range, fromEntryId, toEntryId, keep }: Proposal): Draft {
	const ends = { fromEntryId, toEntryId, ...(keep === undefined ? {} : { keep }) };
	const record: FoldRecord = { kind: "fold", v: 1, id: "a1b2", summary: "all done", ...ends };
	return { record, range };
}

function weighed(line: string, wish: string): Weight {
	const answer = ask(line, wish);
	assert.ok(answer.ok);
	const replayer = replayerOf(branch(line));
	return weigh(replayer, replayer.view({ asking: true }), draftOf(answer), textHost);
}

test("a weight tells the size of the next view: what is replaced goes, the chip comes", () => {
	// markers and pointers aside, which a fold moves and changes elsewhere
	const marks = { folds: true, markers: false };
	const host: Host<string> = {
		...textHost,
		point: (message) => message,
		mark: (message) => message,
		chip: (text, { id, at }) => `${id} at ${at}: ${text}`,
	};
	const sized = (entries: Branch) => {
		const replayer = new Replayer(host, marks);
		for (const entry of entries) replayer.push(entry);
		return replayer;
	};
	fc.assert(
		fc.property(anyBranch, fc.nat({ max: 9 }), (entries, from) => {
			const before = sized(entries);
			const answer = propose(before, { fromStep: 1 + from, live: false });
			if (!answer.ok) return;
			const draft = draftOf(answer);
			const { replaced, chip } = weigh(before, before.view(), draft, host);
			const after = sized([...entries, { id: "r", kind: "record", record: draft.record }]);
			const isSeen = after
				.view()
				.sources.some((source) => source.from === "chip" && source.fold.at === entries.length);
			assert.equal(after.size() - before.size(), (isSeen ? chip : 0) - replaced);
		}),
		cases(),
	);
});

test("what a landing takes out is its range and what its calls get smaller by, and its chip comes", () => {
	const marks = { folds: true, markers: false };
	const host: Host<string> = {
		...textHost,
		mark: (message) => message,
	};
	const sized = (entries: Branch) => {
		const replayer = new Replayer(host, marks);
		for (const entry of entries) replayer.push(entry);
		return replayer;
	};
	let landings = 0;
	let moved = 0;
	fc.assert(
		fc.property(anyBranch, (entries) => {
			const before = sized(entries);
			const view = before.view();
			for (const fold of before.folds.filter(({ state }) => state === "held")) {
				const { record } = fold;
				const land = { kind: "land" as const, ids: [record.id] };
				const after = sized([...entries, { id: "r", kind: "record", record: land }]);
				const isSeen = after
					.view()
					.sources.some((source) => source.from === "chip" && source.fold.at === fold.at);
				if (!isSeen) continue;
				const { replaced, chip } = weigh(before, view, { record, range: fold }, host);
				const calls = weighCalls(before, view, fold, host);
				const shift = calls.reduce((sum, { tokens }) => sum + tokens, 0);
				assert.equal(before.size() - after.size(), replaced + shift - chip);
				landings++;
				if (shift !== 0) moved++;
			}
		}),
		cases(),
	);
	assert.ok(landings > 0 && moved > 0, `${landings} landings, ${moved} with calls`);
});

test("a chip is weighed with the marker that it carries in the next view", () => {
	for (const line of [
		"U1 A1 R1 A2 R2",
		"U1 A1 R1 A2 R2 A3 R3",
		"U1 A1 R1 A2 R2 U2:next",
		"U1 A1 R1 A2 R2 U2:next A3 R3",
	])
		for (const toStep of [1, 2]) {
			const entries = branch(line);
			const before = replayerOf(entries);
			const answer = propose(before, { fromStep: 1, toStep, live: false });
			assert.ok(answer.ok, line);
			const draft = draftOf(answer);
			const { chip } = weigh(before, before.view({ asking: true }), draft, textHost);
			const after = replayerOf([...entries, { id: "r", kind: "record", record: draft.record }]);
			const { messages, sources } = after.view({ asking: true });
			const sent = messages[sources.findIndex(({ from }) => from === "chip")] ?? "";
			assert.equal(chip, textHost.tokens(sent), `${line}, 1–${toStep}: ${sent}`);
		}
});

test("the user's words and messages in the range are told apart", () => {
	const { quoted, userMessages, chip } = weighed("U1 A1 R1 A2 U2:hello A3 R3", "fold(1)");
	assert.equal(userMessages, 1);
	assert.equal(quoted, "\n\nWhat the user said in these steps:\n<user>\nU2:hello\n</user>".length);
	assert.ok(chip > quoted);
});

test("what stays is neither replaced nor counted", () => {
	const line = "U1 A1 R1 A2 U2:hello A3 R3 A4[send_dmail]";
	const live = weighed(line, "send_dmail(1)");
	assert.equal(live.userMessages, 0);
	assert.equal(live.quoted, 0);
	assert.equal(live.replaced, "A1R1‹2›A2A3R3‹4›".length);
});

test("a refold is weighed against the chip that is sent today, not against the raw steps", () => {
	const folded = "U1 A1 R1 A2 R2 A3[send_dmail(1)] R3";
	const replayer = replayerOf(branch(folded));
	const view = replayer.view({ asking: true });
	const { replaced } = weighed(folded, "fold(1)");
	assert.equal(replaced, replayer.size(true) - textHost.tokens(view.messages[0] ?? ""));
});
