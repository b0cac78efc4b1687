// A long session as pi would hold it: prompts, replies with calls, results of a few kilobytes, and fold
// records spread evenly over it. Made anew each time, the same for the same sizes.

import { encode } from "../fold.ts";
import { projection } from "../src/session/branch.ts";
import type { PiMessage, SessionEntry } from "../src/session/entry.ts";
import { entry } from "../test/session/build.ts";

/** A stored branch and the list that pi hands to the hook for it. */
export interface LongSession {
	readonly entries: readonly SessionEntry[];
	readonly list: readonly PiMessage[];
}

const RESULT_LINE = "src/fold/replay.ts:120:\tconst replayer = new Replayer(host, asked.marks);\n";
const PROMPT_EVERY = 40;

/** A session with so many messages and so many landed folds. */
export function makeSession(messages: number, folds: number): LongSession {
	const maker = new Maker();
	for (let fold = 1; fold <= folds; fold++) maker.stretch(Math.round((messages * fold) / folds));
	const list = projection(maker.entries, "1.6").map((shown) => shown.message);
	return { entries: maker.entries, list };
}

class Maker {
	readonly entries: SessionEntry[] = [];
	private messages = 0;
	private steps = 0;
	private folds = 0;

	/** Works until there are so many messages, and folds that stretch with its last two. */
	stretch(until: number): void {
		let from: string | undefined;
		const fromStep = this.steps + 1;
		if (this.messages % PROMPT_EVERY < 16) this.say(prompt(this.messages));
		while (this.messages < until - 2) {
			if (until - this.messages === 3) {
				this.say(prompt(this.messages));
				break;
			}
			const id = this.step("bash", { command: `npm test -- ${this.messages}` });
			from ??= id;
		}
		const summary = `Stretch ${fromStep} is done. ${"It changed a file and the tests pass. ".repeat(8)}`;
		const toEntryId = this.step("send_dmail", { fromStep, summary }, (callId, callEntryId) => {
			if (from !== undefined) this.record(from, callEntryId, callId, summary);
		});
		if (from === undefined) throw new RangeError(`no room for a fold before ${toEntryId}`);
	}

	private step(
		name: string,
		args: Record<string, unknown>,
		between?: (callId: string, entryId: string) => void,
	): string {
		const callId = `call_${this.steps++}`;
		const entryId = this.say(reply(callId, name, args, this.messages));
		between?.(callId, entryId);
		const text = RESULT_LINE.repeat(10 + ((this.messages * 7) % 50));
		this.say({
			role: "toolResult",
			toolCallId: callId,
			toolName: name,
			content: [{ type: "text", text }],
			isError: false,
			timestamp: this.messages,
		});
		return entryId;
	}

	private record(fromEntryId: string, toEntryId: string, callId: string, summary: string): void {
		const id = (0x1000 + this.folds++).toString(16);
		const { customType, data } = encode({
			kind: "fold",
			v: 1,
			id,
			fromEntryId,
			toEntryId,
			summary,
			digest: "0".repeat(64),
			by: "model",
			callId,
		});
		this.add("custom", { customType, data });
	}

	private say(message: PiMessage): string {
		this.messages++;
		return this.add("message", { message });
	}

	private add(type: "message" | "custom", fields: object): string {
		const id = this.entries.length.toString(16).padStart(8, "0");
		this.entries.push(entry(type, id, this.entries.at(-1)?.id ?? null, fields));
		return id;
	}
}

function prompt(timestamp: number): PiMessage {
	const text = `Prompt ${timestamp}: go on with the next part, and keep the tests green.`;
	return { role: "user", content: [{ type: "text", text }], timestamp };
}

function reply(
	callId: string,
	name: string,
	args: Record<string, unknown>,
	timestamp: number,
): PiMessage {
	const price = { input: 0, output: 0.001, cacheRead: 0.01, cacheWrite: 0.002, total: 0.013 };
	return {
		role: "assistant",
		content: [
			{ type: "text", text: "I run the tests and look at what they say about the last change." },
			{ type: "toolCall", id: callId, name, arguments: args },
		],
		api: "anthropic-messages",
		provider: "anthropic",
		model: "a-model",
		usage: {
			input: 3,
			output: 80,
			cacheRead: 40_000,
			cacheWrite: 900,
			totalTokens: 40_983,
			cost: price,
		},
		stopReason: "toolUse",
		timestamp,
	};
}
