// A start after the first: files of ours come from the cache without their types, and never an old one.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { scratch } from "../support/scratch.ts";

const root = scratch();
chmodSync(root, 0o700);

const run = promisify(execFile);
const STARTUP = pathToFileURL(join(import.meta.dirname, "../../src/report/startup.ts")).href;
const main = join(root, "main.ts");
writeFileSync(
	main,
	`import { startFast } from ${JSON.stringify(STARTUP)};
startFast(${JSON.stringify(`${pathToFileURL(root).href}/`)});
const { said } = await import("./said.ts");
console.log(said());
`,
);

/** What the program says; it says nothing on standard error. */
async function start(environment: NodeJS.ProcessEnv = {}) {
	const { stdout, stderr } = await run(process.execPath, [main], {
		env: { ...process.env, NODE_COMPILE_CACHE: join(root, "cache"), ...environment },
	});
	assert.equal(stderr, "");
	return stdout.trim();
}

function write(said: string): void {
	writeFileSync(
		join(root, "said.ts"),
		`export function said(): string { return new Error("${said}").stack?.split("\\n").slice(0, 2).join("") ?? ""; }\n`,
	);
}

function kept(): string[] {
	return readdirSync(join(root, "cache"), { recursive: true, encoding: "utf8" }).filter((name) =>
		/pi-dmail-.*\.json$/.test(name),
	);
}

test("a start from the cache runs the same code, places in it too, and a changed file is read anew", async () => {
	write("first");
	const first = await start();
	assert.match(first, /^Error: first.*said\.ts:1:\d+/);
	assert.equal(kept().length, 1);
	assert.equal(await start(), first);
	write("second one");
	assert.match(await start(), /^Error: second one/);
	assert.match(await start(), /^Error: second one/);
});

test("what is in the cache is what runs, unless others may write there", async () => {
	write("mine");
	await start();
	const [name = ""] = kept();
	const file = join(root, "cache", name);
	const known = JSON.parse(readFileSync(file, "utf8"));
	for (const stripped of Object.values<{ code: string }>(known))
		stripped.code = stripped.code.replace("mine", "kept");
	writeFileSync(file, JSON.stringify(known));
	assert.match(await start(), /^Error: kept/);
	chmodSync(join(file, ".."), 0o777);
	assert.match(await start(), /^Error: mine/);
	chmodSync(join(file, ".."), 0o700);
	for (const damaged of ["torn {", "null", '{"x":1}']) {
		writeFileSync(file, damaged);
		assert.match(await start(), /^Error: mine/);
	}
});

test("without a cache everything runs", async () => {
	write("plain");
	assert.match(await start({ NODE_DISABLE_COMPILE_CACHE: "1" }), /^Error: plain/);
});
