import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { BUILT_IN_POLICY, readPolicy } from "../../src/pi/policy.ts";
import { scratch } from "../support/scratch.ts";

test("the injected policy is POLICY.md to the byte, within 600 tokens", () => {
	const { text, warning } = readPolicy({});
	assert.equal(warning, undefined);
	assert.equal(text, readFileSync(new URL("../../POLICY.md", import.meta.url), "utf8").trim());
	const golden = new URL("../golden/policy.txt", import.meta.url);
	assert.equal(
		text,
		readFileSync(golden, "utf8"),
		"a change of it costs every user one cache miss",
	);
	assert.ok(text.length / 4 <= 600, `${text.length / 4} tokens`);
});

test("DMAIL_POLICY names another file", () => {
	const path = join(scratch(), "mine.md");
	writeFileSync(path, "Fold at noon.\n");
	assert.deepEqual(readPolicy({ DMAIL_POLICY: path }), { text: "Fold at noon." });
});

test("a policy file that is no text is refused, and says why", () => {
	const folder = scratch();
	for (const [bytes, why] of [
		[Buffer.from("Fold\0 at noon."), "it has NUL bytes"],
		[Buffer.from("Fold at noon, \ud83d\ude00", "utf16le"), "it has NUL bytes"],
		[Buffer.from("Falte später zusammen.", "latin1"), "it is not UTF-8"],
		[Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), "it is not UTF-8"],
	] as const) {
		const path = join(folder, "policy.md");
		writeFileSync(path, bytes);
		assert.deepEqual(readPolicy({ DMAIL_POLICY: path }), {
			text: BUILT_IN_POLICY,
			warning: `policy: ${path} is not a text file: ${why}; using the built-in text`,
		});
	}
});

test("a policy file that may never end or is far too large is not read, and says why", () => {
	const folder = scratch();
	const pipe = join(folder, "pipe.md");
	execFileSync("mkfifo", [pipe]);
	const large = join(folder, "large.md");
	writeFileSync(large, "Fold at noon.\n".repeat(5_000));
	for (const [path, why] of [
		[pipe, "is no regular file"],
		["/dev/zero", "is no regular file"],
		[folder, "is no regular file"],
		[large, "has 70000 bytes; at most 65536 are taken"],
	] as const)
		assert.deepEqual(readPolicy({ DMAIL_POLICY: path }), {
			text: BUILT_IN_POLICY,
			warning: `policy: ${path} ${why}; using the built-in text`,
		});
	writeFileSync(large, "F".repeat(65_536));
	assert.equal(readPolicy({ DMAIL_POLICY: large }).warning, undefined);
});

test("a missing or empty policy file means the built-in text and one warning", () => {
	const folder = scratch();
	const empty = join(folder, "empty.md");
	writeFileSync(empty, " \n");
	for (const path of [empty, join(folder, "none.md"), folder]) {
		const { text, warning } = readPolicy({ DMAIL_POLICY: path });
		assert.equal(text, BUILT_IN_POLICY);
		assert.match(warning ?? "", /^policy: .*using the built-in text$/);
	}
});
