import { testBreaks } from "../support/wire/breaks.ts";
import type { Json } from "../support/wire/finding.ts";
import { checkCompletions, completionsReplies } from "../support/wire/openai-completions.ts";
import { testValid } from "../support/wire/valid.ts";

const ask: Json = { role: "user", content: "go" };
const calls = (...ids: string[]): Json => ({
	role: "assistant",
	content: null,
	tool_calls: ids.map((id) => ({
		id,
		type: "function",
		function: { name: "ls", arguments: "{}" },
	})),
});
const result = (id: string): Json => ({ role: "tool", tool_call_id: id, content: "done" });
const garbled: Json = {
	role: "assistant",
	tool_calls: [{ id: "a", type: "function", function: { name: "ls", arguments: '{"path":' } }],
};

testBreaks({
	check: checkCompletions,
	payload: (messages) => ({ model: "gpt", messages }),
	sound: [
		[{ role: "developer", content: "help" }, ask],
		[ask, calls("a", "b"), result("b"), result("a"), ask],
		[ask, calls("a"), result("a"), calls("a"), result("a")],
	],
	broken: [
		["unknown role", [{ role: "toolResult", content: "done" }]],
		["empty content", [{ role: "user", content: [] }]],
		["empty text", [{ role: "user", content: [{ type: "text", text: "" }] }]],
		["empty reply", [ask, { role: "assistant", content: null }]],
		["id shape", [ask, calls("a".repeat(41)), result("a".repeat(41))]],
		["id used twice", [ask, calls("a", "a"), result("a"), result("a")]],
		["arguments are no JSON", [ask, garbled, result("a")]],
		["unanswered call", [ask, calls("a", "b"), result("a"), ask]],
		["orphan result", [ask, result("a")]],
		["orphan result", [ask, calls("a"), result("a"), ask, result("a")]],
		["lone surrogate", [{ role: "user", content: "\udc00" }]],
	],
});

testValid({ api: "openai-completions", check: checkCompletions, replies: completionsReplies });
