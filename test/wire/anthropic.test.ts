import { anthropicReplies, checkAnthropic } from "../support/wire/anthropic.ts";
import { testBreaks } from "../support/wire/breaks.ts";
import type { Json } from "../support/wire/finding.ts";
import { testValid } from "../support/wire/valid.ts";

const user = (...content: Json[]): Json => ({ role: "user", content });
const assistant = (...content: Json[]): Json => ({ role: "assistant", content });
const text = (said: string): Json => ({ type: "text", text: said });
const use = (id: string): Json => ({ type: "tool_use", id, name: "bash", input: {} });
const result = (id: string): Json => ({ type: "tool_result", tool_use_id: id, content: "done" });
const cached = (block: Json): Json => ({ ...block, cache_control: { type: "ephemeral" } });
const thinking = { type: "thinking", thinking: "hm", signature: "c2ln" };
const ask = user(text("go"));

testBreaks({
	check: checkAnthropic,
	payload: (messages) => ({ model: "claude", messages }),
	sound: [
		[{ role: "user", content: "go" }],
		[ask, assistant(thinking, use("a"), use("b")), user(result("b"), result("a"))],
		[ask, assistant(use("a")), user(result("a")), user(text("and now")), ask],
		[
			ask,
			{ role: "system", content: [], output_config: { effort: "low" } },
			assistant(text("ok")),
			ask,
		],
	],
	broken: [
		["first message", [assistant(text("hello")), ask]],
		["last message", [ask, assistant(text("hello"))]],
		["empty message", [ask, assistant(), ask]],
		["blank text", [user(text(" \n"))]],
		["thinking without signature", [ask, assistant({ type: "thinking", thinking: "hm" }), ask]],
		["redacted thinking without data", [ask, assistant({ type: "redacted_thinking" }), ask]],
		["id shape", [ask, assistant(use("bash:1")), user(result("bash:1"))]],
		[
			"id used twice",
			[ask, assistant(use("a")), user(result("a")), assistant(use("a")), user(result("a"))],
		],
		["unanswered call", [ask, assistant(use("a")), ask]],
		[
			"unanswered call",
			[ask, assistant(use("a")), { role: "system", content: [text("now")] }, ask],
		],
		["orphan result", [ask, user(result("a"))]],
		["orphan result", [ask, assistant(use("a")), user(result("a"), result("a"))]],
		["result not first", [ask, assistant(use("a")), user(text("[step 2]")), user(result("a"))]],
		[
			"more than 4 breakpoints",
			[user(...["a", "b", "c", "d", "e"].map((one) => cached(text(one))))],
		],
		["breakpoint on thinking", [ask, assistant(cached(thinking)), ask]],
		["lone surrogate", [user(text("\ud83d"))]],
	],
});

testValid({ api: "anthropic-messages", check: checkAnthropic, replies: anthropicReplies });
