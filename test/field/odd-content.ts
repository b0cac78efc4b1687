// Puts a session through everything that reads messages: parser, view on both hosts, profiler, notes, net,
// commands, tools and shell. What comes of it is for a test to judge; what throws has failed already.

import assert from "node:assert/strict";
import { factsOf } from "../../src/notes/facts.ts";
import { netSummary } from "../../src/notes/net.ts";
import { notesOf } from "../../src/notes/notes.ts";
import type { Profile } from "../../src/profile/profile.ts";
import { readCommand } from "../../src/report/command-read.ts";
import type { PiMessage, SessionEntry } from "../../src/session/entry.ts";
import { parseSession } from "../../src/session/parse.ts";
import { Chat, sent } from "../support/chat.ts";
import { typeCommands } from "../support/fake-commands.ts";
import { fileOf, profileOf } from "./profiled.ts";
import { askShell } from "./shell.ts";

/** What was made of a session. */
interface Outcome {
	readonly profile: Profile;
	/** what a person reads of a fold over all of it */
	readonly source: string;
	/** what the newer host's model is sent with that fold */
	readonly folded: readonly PiMessage[];
	/** the commands' answers, by line */
	readonly answers: ReadonlyMap<string, string>;
}

const LINES = [
	"/dmail status",
	"/dmail price 1",
	"/dmail fold",
	"/dmail fold 1 -- done",
	"/dmail list",
	"/dmail net",
];

/** Puts a session of at least one step through; its first entry is `e0`. */
export async function putThrough(entries: readonly SessionEntry[]): Promise<Outcome> {
	const read = parseSession(fileOf(entries));
	assert.deepEqual(
		read.entries.map(({ id, parentId }) => [id, parentId]),
		entries.map(({ id, parentId }) => [id, parentId]),
	);
	const folded = new Chat(read.entries).fold("e0", null);
	const id = folded.entries.at(-1)?.id;
	for (const generation of ["0.73", "1.6"] as const)
		for (const chat of [new Chat(read.entries), folded])
			sent(chat.entries, chat.list(generation), generation);
	notesOf(factsOf(read.entries, "/"));
	netSummary({ entries: read.entries, firstStep: 1, folds: [] });
	const answers = new Map<string, string>();
	const commands = typeCommands(read.entries);
	for (const line of LINES) answers.set(line, await commands.run(line));
	const source = await askShell(readCommand, [`${id}`, "--force"], folded.entries);
	assert.equal(source.code, 0, source.err);
	return {
		profile: profileOf(folded.entries),
		source: source.out,
		folded: sent(folded.entries, folded.list()).messages as PiMessage[],
		answers,
	};
}
