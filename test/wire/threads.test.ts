// Message threads of the newer host: a request continues the thread of the reply before it as long as its
// messages do. Against an endpoint in this process; nothing leaves it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { streamSimple } from "@earendil-works/pi-ai/api/anthropic-messages";
import type { Entry } from "../../fold.ts";
import type { PiMessage, SessionEntry } from "../../src/session/entry.ts";
import { dress } from "../support/wire/dress.ts";
import { type Json, listIn } from "../support/wire/finding.ts";
import { type Folding, listOf, runOf } from "../support/wire/run.ts";
import { contextOf, modelOf, TARGETS } from "../support/wire/target.ts";

const generation = "1.6";
const plain = TARGETS["anthropic-messages"][0] ?? assert.fail();
const target = { ...plain, compat: { supportsMessageThreads: true } };

/** What the endpoint was sent for one request. */
interface Asked {
	readonly thread: Json;
	readonly messages: number;
}

/** Has the run's replies made one by one, each asked for with all that was said before it. */
async function replay(folding: Folding, sessionId: string): Promise<Asked[]> {
	const branch = runOf(folding === "on");
	const dressed = dress(branch, { seed: 0, target, generation, plain: true });
	const asked: Asked[] = [];
	const entries: SessionEntry[] = [];
	for (const entry of dressed) {
		const reply = branch.find(({ id, kind }) => id === entry.id && kind === "assistant");
		entries.push(reply ? { ...entry, ...(await ask(reply)) } : entry);
	}
	return asked;

	async function ask(reply: Entry<string>): Promise<{ message: PiMessage }> {
		const context = contextOf(listOf(entries, { generation }, folding), generation);
		const streamed = (streamSimple as unknown as Streaming)(modelOf(target), context, {
			apiKey: "none",
			reasoning: "medium",
			sessionId,
			fetch: async (_url, { body }) => {
				const sent = JSON.parse(body) as Json;
				asked.push({ thread: sent["thread"] as Json, messages: listIn(sent["messages"]).length });
				return new Response(eventsOf(reply, branch, asked.length), {
					headers: { "content-type": "text/event-stream" },
				});
			},
		});
		const message = await streamed.result();
		assert.equal(message.errorMessage, undefined);
		// the times of the run, or two replies of one millisecond would be one
		return { message: { ...message, timestamp: 1_700_000_000_000 + asked.length * 60_000 } };
	}
}

type Streaming = (
	model: Json,
	context: Json,
	options: {
		apiKey: string;
		reasoning: string;
		sessionId: string;
		fetch: (url: string, init: { body: string }) => Promise<Response>;
	},
) => { result(): Promise<PiMessage & { errorMessage?: string }> };

/** A reply as the endpoint streams it: it thinks, says something and calls. */
function eventsOf(reply: Entry<string>, branch: readonly Entry<string>[], nth: number): string {
	const blocks: [start: Json, ...deltas: Json[]][] = [
		[
			{ type: "thinking", thinking: "", signature: "" },
			{ type: "thinking_delta", thinking: `thought ${nth}` },
			{ type: "signature_delta", signature: "c2lnbmF0dXJl" },
		],
		[
			{ type: "text", text: "" },
			{ type: "text_delta", text: `reply ${nth}` },
		],
		...(reply.calls ?? []).map(({ id, name }): [Json, Json] => [
			{ type: "tool_use", id: `toolu_${id}`, name, input: {} },
			{ type: "input_json_delta", partial_json: JSON.stringify(inputOf(id, branch)) },
		]),
	];
	const usage = { input_tokens: 1, output_tokens: 1 };
	const message = { id: `msg_${nth}`, type: "message", role: "assistant", model: target.id, usage };
	const stop = (reply.calls ?? []).length > 0 ? "tool_use" : "end_turn";
	const events: Json[] = [
		{ type: "message_start", message: { ...message, content: [] } },
		...blocks.flatMap(([start, ...deltas], index) => [
			{ type: "content_block_start", index, content_block: start },
			...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
			{ type: "content_block_stop", index },
		]),
		{ type: "message_delta", delta: { stop_reason: stop }, usage },
		{ type: "message_stop" },
	];
	return events.map((one) => `event: ${one["type"]}\ndata: ${JSON.stringify(one)}\n\n`).join("");
}

function inputOf(callId: string, branch: readonly Entry<string>[]): Json {
	for (const { record } of branch)
		if (record?.kind === "fold" && record.callId === callId)
			return { fromStep: record.fromStep, summary: record.summary };
	return { command: "ls" };
}

const kinds = (asked: readonly Asked[]) => asked.map(({ thread }) => thread["type"]);

for (const folding of ["off", "markers only"] as const)
	test(`without a fold a thread is created once and continued (${folding})`, async () => {
		const asked = await replay(folding, folding);
		assert.deepEqual(kinds(asked), ["create", ...Array(39).fill("continue")]);
	});

test("a fold has its thread created anew, once; between folds it is continued", async () => {
	const asked = await replay("on", "on");
	const created = kinds(asked).flatMap((kind, index) => (kind === "create" ? [index + 1] : []));
	// the folds are made by steps 12, 24 and 36: the request after each
	assert.deepEqual(created, [1, 13, 25, 37]);
	for (const { thread, messages } of asked)
		if (thread["type"] === "continue") assert.ok(messages <= 2, `${messages} messages sent again`);
});
