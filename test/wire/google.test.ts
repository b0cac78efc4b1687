import { testBreaks } from "../support/wire/breaks.ts";
import type { Json } from "../support/wire/finding.ts";
import { checkGoogle, googleReplies } from "../support/wire/google.ts";
import { testValid } from "../support/wire/valid.ts";

const user = (...parts: Json[]): Json => ({ role: "user", parts });
const model = (...parts: Json[]): Json => ({ role: "model", parts });
const text = (said: string): Json => ({ text: said });
const call = (id: string): Json => ({
	functionCall: { name: "ls", args: {}, id },
	thoughtSignature: "c2ln",
});
const unsigned = (id: string): Json => ({ functionCall: { name: "ls", args: {}, id } });
const response = (id: string): Json => ({
	functionResponse: { name: "ls", response: { output: "done" }, id },
});
const ask = user(text("go"));

testBreaks({
	check: checkGoogle,
	payload: (contents) => ({ model: "gemini-3-flash-preview", contents }),
	sound: [
		[ask, model(text("well")), ask],
		[ask, model(call("a"), unsigned("b")), user(response("a"), response("b"))],
		[ask, model(call("a")), user(response("a")), user(text("[step 2]"))],
		[ask, model(unsigned("a")), user(response("a")), ask, model(text("well")), ask],
	],
	broken: [
		["first content", [model(text("hello")), ask]],
		["last content", [ask, model(text("hello"))]],
		["model twice in a row", [ask, model(text("one")), model(text("two")), ask]],
		["no parts", [ask, user()]],
		["empty text", [user(text(""))]],
		["unanswered call", [ask, model(call("a"), call("b")), user(response("a"))]],
		["orphan response", [ask, user(response("a"))]],
		["response not first", [ask, model(call("a")), ask, user(response("a"))]],
		["call without signature", [ask, model(unsigned("a")), user(response("a"))]],
		["lone surrogate", [user(text("\ud83d"))]],
	],
});

testValid({ api: "google-generative-ai", check: checkGoogle, replies: googleReplies });
