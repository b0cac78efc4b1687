import { testBreaks } from "../support/wire/breaks.ts";
import type { Json } from "../support/wire/finding.ts";
import { checkResponses, responsesReplies } from "../support/wire/openai-responses.ts";
import { testValid } from "../support/wire/valid.ts";

const ask: Json = { role: "user", content: [{ type: "input_text", text: "go" }] };
const said = (id: string): Json => ({
	type: "message",
	role: "assistant",
	id,
	content: [{ type: "output_text", text: "well", annotations: [] }],
});
const call = (callId: string, id = `fc_${callId}`): Json => ({
	type: "function_call",
	id,
	call_id: callId,
	name: "ls",
	arguments: "{}",
});
const output = (callId: string): Json => ({
	type: "function_call_output",
	call_id: callId,
	output: "done",
});
const reasoning: Json = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "c2ln" };

testBreaks({
	check: checkResponses,
	payload: (input) => ({ model: "gpt", input }),
	sound: [
		[ask, said("msg_pi_1"), ask],
		[ask, reasoning, call("a"), call("b"), output("b"), output("a"), ask],
		[ask, call("a", "fc_1"), output("a"), call("a", "fc_2"), output("a")],
	],
	broken: [
		["empty content", [{ role: "user", content: [] }]],
		["id shape", [ask, call("bash:1", "fc_1"), output("bash:1")]],
		["item id shape", [ask, call("a", "call_1"), output("a")]],
		["item twice", [ask, said("msg_1"), ask, said("msg_1"), ask]],
		["arguments are no JSON", [ask, { ...call("a"), arguments: "{" }, output("a")]],
		["unanswered call", [ask, call("a"), ask]],
		["orphan result", [ask, output("a"), ask]],
		["orphan result", [ask, call("a"), output("a"), output("a")]],
		["reasoning without its item", [ask, reasoning, ask]],
		["lone surrogate", [{ role: "user", content: "\ud83d" }]],
	],
});

testValid({ api: "openai-responses", check: checkResponses, replies: responsesReplies });
