import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { canonical, digestOf, foldId } from "../../src/session/digest.ts";
import type { SessionEntry } from "../../src/session/entry.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

function entry(fields: Record<string, unknown>): SessionEntry {
	return { id: "e1", parentId: null, timestamp: "2026-01-01T00:00:00Z", ...fields } as SessionEntry;
}

function message(fields: Record<string, unknown>): SessionEntry {
	return entry({ type: "message", message: fields });
}

const RESULT = {
	role: "toolResult",
	toolCallId: "c1",
	toolName: "read",
	content: [{ type: "text", text: "hello" }],
	isError: false,
	timestamp: 5,
	details: { a: 1 },
};

test("keys are sorted at every depth, and only what was said counts", () => {
	assert.deepEqual(canonical(message(RESULT)), [
		'{"content":[{"text":"hello","type":"text"}],"isError":false,"role":"toolResult","toolCallId":"c1","toolName":"read"}',
	]);
});

test("the order of keys, times, details, usage and ids changes nothing", () => {
	const { content, ...rest } = RESULT;
	const other = { ...rest, content, timestamp: 99, details: null, usage: { input: 1 } };
	const moved = { ...message(other), id: "e2", parentId: "e9" };
	assert.equal(digestOf([message(RESULT)], sha256), digestOf([moved], sha256));
});

for (const [field, value] of [
	["content", [{ type: "text", text: "hullo" }]],
	["isError", true],
	["toolCallId", "c2"],
	["toolName", "grep"],
	["role", "user"],
] as const)
	test(`another ${field} is another digest`, () => {
		const changed = message({ ...RESULT, [field]: value });
		assert.notEqual(digestOf([message(RESULT)], sha256), digestOf([changed], sha256));
	});

test("a missing or moved entry is another digest, an entry without a message is none", () => {
	const second = message({ role: "user", content: "go on" });
	const both = digestOf([message(RESULT), second], sha256);
	assert.notEqual(digestOf([message(RESULT)], sha256), both);
	assert.notEqual(digestOf([second, message(RESULT)], sha256), both);
	const label = entry({ type: "label", targetId: "e1", label: "here" });
	assert.equal(digestOf([message(RESULT), label, second], sha256), both);
});

test("custom messages, commands and branch summaries count with their own fields", () => {
	const custom = entry({ type: "custom_message", customType: "plan", content: "x", display: true });
	assert.deepEqual(canonical(custom), ['{"content":"x","customType":"plan","role":"custom"}']);
	const bash = message({ role: "bashExecution", command: "ls", output: "a", exitCode: 0 });
	assert.deepEqual(canonical(bash), [
		'{"command":"ls","exitCode":0,"output":"a","role":"bashExecution"}',
	]);
	const summary = entry({ type: "branch_summary", fromId: "e0", summary: "tried it" });
	assert.deepEqual(canonical(summary), ['{"role":"branchSummary","summary":"tried it"}']);
});

test("an id is as short as it can be, at least 4 digits, and depends on what the fold says", () => {
	const fold = { fromEntryId: "a", toEntryId: null, digest: "d", summary: "s", callId: "c" };
	const free = () => false;
	const id = foldId(fold, free, sha256);
	assert.match(id, /^[0-9a-f]{4}$/);
	assert.match(
		foldId(fold, (taken) => taken.length < 6, sha256),
		/^[0-9a-f]{6}$/,
	);
	for (const other of [{ toEntryId: "b" }, { digest: "e" }, { summary: "t" }, { callId: "d" }])
		assert.notEqual(foldId({ ...fold, ...other }, free, sha256), id);
});
