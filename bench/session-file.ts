// A session file of any size, made anew each time: prompts, replies with thinking and calls, results of up
// to 20 KB with the line breaks, quotes and foreign letters that real ones have, fold records, and a
// compaction where a window of a million tokens would be full.

import { closeSync, openSync, writeSync } from "node:fs";
import { encode } from "../fold.ts";

const LINE =
	'\tconst found = list.find((one) => one.id === "a-1") ?? fallback; // 0x3f, "quoted"\n';
const FOREIGN = "変更を確認しました。テストは通っています。\n";
const STEPS_A_PROMPT = 20;
const STEPS_A_FOLD = 50;
const STEPS_A_COMPACTION = 500;

/**
 * Writes a session of at least so many bytes.
 *
 * @returns how many entries it has
 */
export function writeSession(path: string, bytes: number, folds = true): number {
	const file = openSync(path, "w");
	try {
		const writer = new Writer(file);
		writer.line({
			type: "session",
			version: 3,
			id: "00000000-bench",
			timestamp: timeAt(0),
			cwd: "/bench",
		});
		for (let step = 1; writer.bytes < bytes; step++) {
			if (step % STEPS_A_PROMPT === 1) writer.prompt(step);
			writer.step(step, folds && step % STEPS_A_FOLD === 0);
			if (step % STEPS_A_COMPACTION === 0) writer.compact(step);
		}
		writer.flush();
		return writer.entries;
	} finally {
		closeSync(file);
	}
}

function timeAt(step: number): string {
	return new Date(timestampAt(step)).toISOString();
}

function timestampAt(step: number): number {
	return Date.UTC(2026, 0, 5) + step * 8_000;
}

class Writer {
	bytes = 0;
	entries = 0;
	private readonly file: number;
	private parentId: string | null = null;
	private pending = "";
	private firstOfFold: string | undefined;
	private newestReply = "";

	constructor(file: number) {
		this.file = file;
	}

	line(value: object): void {
		this.pending += `${JSON.stringify(value)}\n`;
		if (this.pending.length > 1 << 20) this.flush();
	}

	flush(): void {
		this.bytes += writeSync(this.file, this.pending);
		this.pending = "";
	}

	prompt(step: number): void {
		const text = `Go on with part ${step} and keep the tests green. ${LINE.repeat(3)}`;
		const content = [{ type: "text", text }];
		this.message(step, { role: "user", content, timestamp: timestampAt(step) });
	}

	step(step: number, folds: boolean): void {
		const callId = `toolu_bench_${step}`;
		const summary = `Part ${step} is done. ${"A file changed, the tests pass. ".repeat(10)}`;
		const call = folds
			? { name: "send_dmail", arguments: { fromStep: 1, summary } }
			: { name: "bash", arguments: { command: `npm test -- part-${step}` } };
		const reply = this.message(step, replyOf(step, { type: "toolCall", id: callId, ...call }));
		this.newestReply = reply;
		if (folds && this.firstOfFold !== undefined) this.fold(step, reply, callId, summary);
		this.firstOfFold = folds ? undefined : (this.firstOfFold ?? reply);
		const text = LINE.repeat(4 + ((step * 37) % 180)) + (step % 9 === 0 ? FOREIGN.repeat(20) : "");
		this.message(step, {
			role: "toolResult",
			toolCallId: callId,
			toolName: call.name,
			content: [{ type: "text", text }],
			isError: false,
			timestamp: timestampAt(step),
		});
	}

	/** Keeps the last reply and its result. */
	compact(step: number): void {
		const summary = `Steps up to ${step} are done. ${"A file changed, the tests pass. ".repeat(40)}`;
		const firstKeptEntryId = this.newestReply;
		this.entry(step, { type: "compaction", summary, firstKeptEntryId, tokensBefore: 900_000 });
		this.firstOfFold = undefined;
	}

	private fold(step: number, toEntryId: string, callId: string, summary: string): void {
		const { customType, data } = encode({
			kind: "fold",
			v: 1,
			id: (0x1000 + step).toString(16),
			fromEntryId: this.firstOfFold ?? toEntryId,
			toEntryId,
			summary,
			digest: "0".repeat(64),
			by: "model",
			callId,
		});
		this.entry(step, { type: "custom", customType, data });
	}

	private message(step: number, message: object): string {
		return this.entry(step, { type: "message", message });
	}

	private entry(step: number, fields: object): string {
		const id = (this.entries++).toString(16).padStart(8, "0");
		this.line({ id, parentId: this.parentId, timestamp: timeAt(step), ...fields });
		this.parentId = id;
		return id;
	}
}

function replyOf(step: number, call: object): object {
	const cacheRead = 20_000 + step * 50;
	const cost = { input: 0.00001, output: 0.005, cacheRead: cacheRead * 5e-7, cacheWrite: 0.006 };
	return {
		role: "assistant",
		content: [
			{ type: "thinking", thinking: LINE.repeat(6), thinkingSignature: "c2ln".repeat(120) },
			{ type: "text", text: "I run the tests and look at what they say about the last change." },
			call,
		],
		api: "anthropic-messages",
		provider: "anthropic",
		model: "bench",
		usage: {
			input: 2,
			output: 200,
			cacheRead,
			cacheWrite: 1_000,
			totalTokens: cacheRead + 1_202,
			cost: { ...cost, total: cost.input + cost.output + cost.cacheRead + cost.cacheWrite },
		},
		stopReason: "toolUse",
		timestamp: timestampAt(step),
	};
}
