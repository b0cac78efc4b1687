// What the report names beside the numbers: replies that came to nothing, and images.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Oddities } from "../../src/profile/asides.ts";
import { drawSession } from "../../src/report/session.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
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

function failed(errorMessage: unknown, stopReason = "error") {
	return { ...reply([], undefined, stopReason), errorMessage };
}

test("what was said of failed requests is told, a line for each message, with the first that it was said of", () => {
	const page = `<html>\n\t<p>${"x".repeat(1_000)}</html>`;
	const profile = profileOf(
		sessionOf([
			failed("429 slow down"),
			failed("Request was aborted", "aborted"),
			failed("429 slow down"),
			reply([{ type: "text", text: "yes" }], USAGE),
			...[undefined, "", " \n", 7, null].map((message) => failed(message)),
			failed(page),
			...Array.from({ length: 3 }, () => failed("429 slow down")),
		]),
	);
	const { failures } = profile.asides;
	assert.deepEqual([...failures.keys()], [1, 2, 3, 10, 11, 12, 13]);
	assert.equal(failures.get(10), `<html> <p>${"x".repeat(200 - 11)}…`);
	const lines = textOf(profile).split("\n");
	const at = lines.indexOf("  #1, #3, #11, … (5 requests) error: 429 slow down");
	assert.deepEqual(lines.slice(at + 1, at + 3), [
		"  #2 aborted: Request was aborted",
		`  #10 error: ${failures.get(10)}`,
	]);
	const narrow = drawSession(profile, { kind: "terminal", columns: 60, colour: false });
	assert.match(narrow, /\n {2}#10 error: <html> <p>x{36}…\n/);
});

test("of very many messages a report has a few and the count of the others", () => {
	const profile = profileOf(sessionOf(Array.from({ length: 30 }, (_, at) => failed(`no ${at}`))));
	assert.match(textOf(profile), /\n {2}#8 error: no 7\n {2}… and 22 other messages\n/);
});

test("of more failed replies than are kept the newest have their messages", () => {
	const oddities = new Oddities();
	const count = 20_000;
	const [first] = sessionOf([failed("no")]);
	assert.ok(first);
	for (let at = 0; at < count; at++) oddities.look(first as SessionEntry, at, false);
	const path = Array.from({ length: count }, (_, at) => at);
	const { failures } = oddities.on(path, (at) => at);
	assert.ok(failures.size >= 4_096 && failures.size < 8_192, `${failures.size}`);
	assert.ok(failures.has(count) && failures.has(count - 4_095));
	assert.ok(!failures.has(1));
});
