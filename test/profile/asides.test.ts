// What the report names beside the numbers: replies that came to nothing, and images.

import assert from "node:assert/strict";
import { test } from "node:test";
import { profileOf, textOf } from "../field/profiled.ts";
import { entry } from "../session/build.ts";

const USAGE = { input: 100, output: 20, cacheRead: 0, cacheWrite: 0 };

function reply(content: unknown, usage: object | undefined, stopReason = "stop") {
	return { role: "assistant", content, usage, stopReason, provider: "p", model: "m", timestamp: 1 };
}

function sessionOf(messages: readonly object[]) {
	return messages.map((message, at) =>
		entry("message", `e${at}`, at === 0 ? null : `e${at - 1}`, { message }),
	);
}

test("a reply that says it is done, with nothing in it and no usage, is named as an empty stop", () => {
	const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
	const profile = profileOf(
		sessionOf([
			{ role: "user", content: "go", timestamp: 1 },
			reply([{ type: "text", text: "yes" }], USAGE),
			reply([], nothing),
			reply(null, undefined, "toolUse"),
			reply([], USAGE),
			reply([], nothing, "aborted"),
			reply([{ type: "text", text: "no usage" }], undefined),
		]),
	);
	assert.deepEqual(profile.asides.emptyStops, [2, 3]);
	assert.match(textOf(profile), /\n {2}2 empty stops \(nothing said, no usage\): #2, #3\n/);
});

test("images of the active branch are counted, with the bytes of their base64 beside the estimate", () => {
	const image = { type: "image", mimeType: "image/png", data: "A".repeat(3_000_000) };
	const entries = sessionOf([
		{ role: "user", content: [{ type: "text", text: "look" }, image], timestamp: 1 },
		{ role: "user", content: [image, image], timestamp: 2 },
		reply([{ type: "text", text: "seen" }], USAGE),
	]);
	// the second message is on a branch that was left
	const [first, left, last] = entries;
	assert.ok(first && left && last);
	const profile = profileOf([first, left, { ...last, parentId: "e0" }]);
	assert.deepEqual(profile.asides.images, { count: 1, bytes: 3_000_000 });
	assert.match(textOf(profile), /1 image, 2\.9 MB of base64; an estimate takes each for ~1\.2k/);
	assert.doesNotMatch(textOf(profileOf(sessionOf([reply("x", USAGE)]))), /image|empty stop/);
});
