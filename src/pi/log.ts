// The session as the extension reads and extends it: the branch in hand, and one way to append a record.

import { createHash } from "node:crypto";
import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import {
	ALL_MARKS,
	type DmailRecord,
	decode,
	type Entry,
	encode,
	type Marks,
	type ModeRecord,
	Replayer,
} from "../../fold.ts";
import { type Generation, type GetEntry, toFoldEntry, walk } from "../session/branch.ts";
import type { PiMessage, SessionEntry } from "../session/entry.ts";
import { piHost } from "../session/message.ts";

/** A branch as it stands, stored and as the algebra sees it; same positions in both. */
export interface Log {
	readonly generation: Generation;
	/** the session's working directory */
	readonly cwd: string;
	readonly stored: readonly SessionEntry[];
	readonly branch: readonly Entry<PiMessage>[];
}

/** What a session is read from; pi's contexts have it. */
export type Sessions = Pick<ExtensionContext, "sessionManager" | "cwd">;

/** Which of the two supported hosts this is: only the newer one can say how it projects a session. */
export function generationOf(ctx: Sessions): Generation {
	return "buildSessionProjection" in ctx.sessionManager ? "1.6" : "0.73";
}

/** Reads the active branch, root first. Walks from the leaf: 0.73's own `getBranch` is quadratic. */
export function readLog(ctx: Sessions): Log {
	const manager = ctx.sessionManager;
	const generation = generationOf(ctx);
	const getEntry = (id: string) => manager.getEntry(id) as SessionEntry | undefined;
	const stored = walk(getEntry, manager.getLeafId());
	const branch = stored.map((entry) => read(entry, generation, getEntry));
	return { generation, cwd: ctx.cwd, stored, branch };
}

/** Replays a branch to its leaf. */
export function replayLog({ branch }: Log, marks: Marks = ALL_MARKS): Replayer<PiMessage> {
	const replayer = new Replayer(piHost, marks);
	for (const entry of branch) replayer.push(entry);
	return replayer;
}

/** Entries never change once they are stored, so each is read once; only an edit looks at another. */
const readBefore = new WeakMap<SessionEntry, Entry<PiMessage>>();

function read(entry: SessionEntry, generation: Generation, getEntry: GetEntry): Entry<PiMessage> {
	const before = readBefore.get(entry);
	if (before) return before;
	const now = toFoldEntry(entry, generation, getEntry);
	if (entry.type !== "context_edit") readBefore.set(entry, now);
	return now;
}

/** The ids of folds that are recorded and wait to land. */
export function heldIn(log: Log): string[] {
	const { folds } = replayLog(log);
	return folds.flatMap(({ state, record }) => (state === "held" ? [record.id] : []));
}

/** A switch record of the session, whatever its branch, with the time of its entry in ms. */
export interface TimedMode {
	readonly record: ModeRecord;
	readonly time: number;
}

/** Every switch record of the whole file, oldest first. */
export function readModes(ctx: ExtensionContext): TimedMode[] {
	const modes: TimedMode[] = [];
	for (const entry of ctx.sessionManager.getEntries()) {
		if (entry.type !== "custom" || entry.customType !== "dmail.mode") continue;
		const record = decode(entry.customType, entry.data, entry.id);
		if (record?.kind === "mode") modes.push({ record, time: Date.parse(entry.timestamp) });
	}
	return modes;
}

/** Appends one record at the leaf: one operation, one entry. */
export function append(pi: ExtensionAPI, record: DmailRecord): void {
	const { customType, data } = encode(record);
	pi.appendEntry(customType, data);
}

/** SHA-256 in lower-case hex. */
export function sha256(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}
