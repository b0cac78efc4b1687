// What is written to a pipe comes whole, however slowly it is read; that nobody reads it is told.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { mayBeTerminal, writeWhole } from "../../src/report/output.ts";
import { scratch } from "../support/scratch.ts";

const OUTPUT = pathToFileURL(join(import.meta.dirname, "../../src/report/output.ts")).href;
const ROOT = join(import.meta.dirname, "../..");
const SESSION = "test/fixtures/profile/folds.jsonl";
const PIECE = "ä".repeat(50_000);
const PIECES = 40;

/** Writes pieces to standard output after `before`, and exits with 3 where nobody reads them. */
function write(before = "") {
	const program = `${before}
		const { writeWhole } = await import(${JSON.stringify(OUTPUT)});
		for (let i = 0; i < ${PIECES}; i++)
			if (writeWhole(1, "ä".repeat(${PIECE.length}))?.code === "EPIPE") process.exit(3);`;
	return spawn(process.execPath, ["--input-type=module", "--eval", program], {
		stdio: ["ignore", "pipe", "inherit"],
	});
}

for (const [title, before] of [
	["a pipe that waits", ""],
	["a pipe that does not wait, as Node's own stream leaves it", "process.stdout.isTTY;"],
] as const)
	test(`${title} is written to whole`, async () => {
		const writer = write(before);
		let text = "";
		writer.stdout.setEncoding("utf8");
		for await (const chunk of writer.stdout) {
			text += chunk;
			await new Promise((resolve) => setTimeout(resolve, 1));
		}
		assert.equal(text.length, PIECE.length * PIECES);
		assert.ok(text === PIECE.repeat(PIECES));
	});

test("a pipe that nobody reads any more is told of", async () => {
	const writer = write();
	writer.stdout.once("data", () => writer.stdout.destroy());
	const code = await new Promise((resolve) => writer.once("close", resolve));
	assert.equal(code, 3);
});

test("a file is no terminal, and has what was written to it", () => {
	const path = join(scratch(), "out");
	const file = openSync(path, "w");
	assert.equal(mayBeTerminal(file), false);
	assert.equal(writeWhole(file, PIECE), undefined);
	closeSync(file);
	assert.equal(readFileSync(path, "utf8"), PIECE);
});

test("a full disk is one line on standard error and exit code 1, not a stack", (t) => {
	const full = "/dev/full";
	if (!existsSync(full)) return t.skip(`this system has no ${full}`);
	const device = openSync(full, "w");
	for (const form of [[], ["--json"]]) {
		const { status, stderr } = spawnSync(process.execPath, ["profile.ts", SESSION, ...form], {
			cwd: ROOT,
			stdio: ["ignore", device, "pipe"],
			encoding: "utf8",
		});
		assert.match(stderr, /^profile: the output cannot be written: ENOSPC[^\n]*\n$/);
		assert.equal(status, 1);
	}
	closeSync(device);
});
