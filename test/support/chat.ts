// Writes short sessions for tests, entry by entry, and sends them the way the hook does.

import {
	encode,
	type FoldRecord,
	foldContext,
	Replayer,
	type Stored,
	type View,
} from "../../fold.ts";
import { type Aligned, align } from "../../src/session/align.ts";
import { type Generation, projection, readBranch } from "../../src/session/branch.ts";
import type { Content, PiMessage, SessionEntry } from "../../src/session/entry.ts";
import { piHost } from "../../src/session/message.ts";

/** A session under construction. Times go up by a second; ids are `e0`, `e1` … */
export class Chat {
	readonly entries: SessionEntry[];

	/** Goes on from entries that there are. */
	constructor(entries: readonly SessionEntry[] = []) {
		this.entries = [...entries];
	}

	user(content: Content = `request ${this.entries.length}`): this {
		return this.say({ role: "user", content, timestamp: this.now });
	}

	/** A reply with a call for each id; `stop` makes it an attempt where it is an error. */
	reply(ids: readonly string[] = [], stop = ids.length > 0 ? "toolUse" : "stop"): this {
		const calls = ids.map(
			(id) => ({ type: "toolCall", id, name: "bash", arguments: { command: "ls" } }) as const,
		);
		const text = { type: "text", text: `reply ${this.entries.length}` } as const;
		return this.say({
			role: "assistant",
			provider: "p",
			model: "m",
			content: [text, ...calls],
			stopReason: stop,
			timestamp: this.now,
		});
	}

	result(id: string, output = `output ${this.entries.length} ${"x".repeat(400)}`): this {
		return this.say({
			role: "toolResult",
			toolCallId: id,
			toolName: "bash",
			content: [{ type: "text", text: output }],
			isError: false,
			timestamp: this.now,
		});
	}

	/** A reply with calls, and the results of all of them. */
	step(...ids: readonly string[]): this {
		this.reply(ids);
		for (const id of ids) this.result(id);
		return this;
	}

	bash(command = `make ${this.entries.length}`): this {
		return this.say({
			role: "bashExecution",
			command,
			output: "done",
			exitCode: 0,
			cancelled: false,
			truncated: false,
			timestamp: this.now,
		});
	}

	custom(customType = "plan", content: Content = `note ${this.entries.length}`): this {
		return this.push({ type: "custom_message", customType, content, display: true });
	}

	compaction(firstKeptEntryId: string): this {
		return this.push({ type: "compaction", summary: "so far", firstKeptEntryId, tokensBefore: 9 });
	}

	/** A fold from one entry to another, not included; `null`: up to here. */
	fold(fromEntryId: string, toEntryId: string | null, more: Partial<FoldRecord> = {}): this {
		const id = `f${this.entries.length.toString(16).padStart(3, "0")}`;
		const record: FoldRecord = {
			kind: "fold",
			v: 1,
			id,
			fromEntryId,
			toEntryId,
			summary: `summary ${id}`,
			digest: "0",
			by: "model",
			...more,
		};
		return this.record(encode(record));
	}

	/** A record as it would be appended. */
	record(stored: Stored): this {
		return this.push({ type: "custom", ...stored });
	}

	/** The id that the next entry will have. */
	get next(): string {
		return `e${this.entries.length}`;
	}

	/** The list that the host hands to the hook: its own copy. */
	list(generation: Generation = "1.6"): PiMessage[] {
		return projection(this.entries, generation).map((shown) => structuredClone(shown.message));
	}

	private get now(): number {
		return 1_700_000_000_000 + this.entries.length * 1_000;
	}

	private say(message: PiMessage): this {
		return this.push({ type: "message", message });
	}

	/** Gives fields of the newest message other values. */
	amend(fields: object): this {
		const entry = this.entries.at(-1);
		if (entry?.type !== "message") throw new Error("the newest entry is no message");
		Object.assign(entry.message, fields);
		return this;
	}

	/** An entry of any type. */
	push(fields: object): this {
		const entry = {
			id: this.next,
			parentId: this.entries.at(-1)?.id ?? null,
			timestamp: new Date(this.now).toISOString(),
			...fields,
		};
		this.entries.push(entry as SessionEntry);
		return this;
	}
}

/** Aligns a list with a session, without sending it. */
export function aligned(
	entries: readonly SessionEntry[],
	list: readonly PiMessage[],
	generation: Generation = "1.6",
): Aligned {
	const replayer = new Replayer(piHost);
	for (const entry of readBranch(entries, generation)) replayer.push(entry);
	return align(projection(entries, generation), list, {
		lag: generation === "0.73",
		length: entries.length,
		replayer,
	});
}

/** What is sent of a list. */
export function sent(
	entries: readonly SessionEntry[],
	list: readonly PiMessage[],
	generation: Generation = "1.6",
): View<PiMessage> {
	return sentOf(entries, aligned(entries, list, generation), generation);
}

/** What is sent of a list that was aligned. */
export function sentOf(
	entries: readonly SessionEntry[],
	hand: Aligned,
	generation: Generation,
): View<PiMessage> {
	const branch = [...readBranch(entries, generation), ...hand.live];
	return foldContext(branch, piHost, { asking: true, hand });
}
