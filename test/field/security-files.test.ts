// What SECURITY.md promises of the machine: which files are read and written, which programs run, and that
// nothing is sent anywhere.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
	mkdirSync,
	readdirSync,
	readFileSync,
	realpathSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pasteCommand } from "../../src/report/command-paste.ts";
import { Chat } from "../support/chat.ts";
import { askIn } from "../support/run-command.ts";
import { inDirectory } from "../support/scratch.ts";
import { fileOf } from "./profiled.ts";

const ROOT = join(import.meta.dirname, "../..");

/**
 * All that touches the machine, by file: what it takes of Node's modules for files and processes. Whoever adds
 * a line here says in SECURITY.md what it is for.
 */
const TOUCHES: Readonly<Record<string, readonly string[]>> = {
	"src/notes/git.ts": ["execFile", "lstat"],
	"src/pi/policy.ts": ["readFileSync", "statSync"],
	"src/pi/settings.ts": ["readFileSync", "statSync"],
	"src/profile/memory.ts": ["*"],
	"src/report/command-list.ts": ["realpathSync"],
	"src/report/command-paste.ts": ["writeFileSync"],
	"src/report/command-what-if.ts": ["realpathSync"],
	"src/report/output.ts": ["fstatSync", "writeSync"],
	"src/report/startup.ts": [
		"enableCompileCache",
		"getCompileCacheDir",
		"readFileSync",
		"registerHooks",
		"renameSync",
		"statSync",
		"stripTypeScriptTypes",
		"writeFileSync",
	],
	"src/report/view.ts": ["*"],
	"src/session/file-head.ts": ["closeSync", "openSync", "readSync"],
	"src/session/file-place.ts": ["Stats", "statSync"],
	"src/session/file-root.ts": ["readFileSync"],
	"src/session/file-search.ts": ["Dirent", "Stats", "readdirSync", "realpathSync", "statSync"],
	"src/session/file.ts": ["closeSync", "openSync", "readSync"],
};

const MACHINE =
	/^(?:node:)?(?:fs|fs\/promises|child_process|worker_threads|cluster|module|vm|process)$/;
/** Ways out of the machine: modules, globals, and names of well-known clients. */
const NETWORK =
	/^(?:node:)?(?:net|tls|dns|dns\/promises|dgram|http|https|http2|inspector|inspector\/promises|undici|ws|axios|got|node-fetch)$/;
const SENDERS =
	/\b(?:fetch|WebSocket|EventSource|XMLHttpRequest|sendBeacon)\s*\(|process\.binding|\beval\s*\(/;

function sources(): string[] {
	const inside = ["src", "bin"].flatMap((folder) =>
		readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
			.filter((name) => /\.m?[jt]s$/.test(name))
			.map((name) => `${folder}/${name}`),
	);
	return ["index.ts", "fold.ts", "profile.ts", ...inside];
}

interface Import {
	readonly module: string;
	readonly names: readonly string[];
}

/** What a file takes from where; `*` where it takes all of a module, or loads it later. */
function importsOf(text: string): Import[] {
	const named = [...text.matchAll(/\bfrom\s*["']([^"']+)["']/g)].map((found) => {
		const before = text.slice(0, found.index);
		const list = /(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|[^;{}]*)\s*$/.exec(before)?.[1] ?? "*";
		const names = /^\{([^}]*)\}/.exec(list.trim())?.[1]?.split(",") ?? ["*"];
		return { module: found[1] ?? "", names: names.map(clean).filter((name) => name !== "") };
	});
	const others = text.matchAll(/\b(?:import|require|getBuiltinModule)\s*\(?\s*["']([^"']+)["']/g);
	return [...named, ...[...others].map((found) => ({ module: found[1] ?? "", names: ["*"] }))];
}

function clean(name: string): string {
	return (
		name
			.trim()
			.replace(/^type\s+/, "")
			.split(/\s+as\s+/)[0] ?? ""
	);
}

test("files and programs are touched where SECURITY.md says, and nowhere else", () => {
	const found: Record<string, string[]> = {};
	for (const path of sources()) {
		const imports = importsOf(readFileSync(join(ROOT, path), "utf8"));
		const names = imports.filter(({ module }) => MACHINE.test(module)).flatMap((one) => one.names);
		if (names.length > 0) found[path] = names.sort();
	}
	assert.deepEqual(found, TOUCHES);
});

test("nothing is sent anywhere: no module, package or global that could is named in any file", () => {
	for (const path of sources()) {
		const text = readFileSync(join(ROOT, path), "utf8");
		for (const { module } of importsOf(text)) assert.doesNotMatch(module, NETWORK, path);
		assert.doesNotMatch(text, SENDERS, path);
	}
	const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
	assert.deepEqual(Object.keys(dependencies).sort(), [
		"cli-table3",
		"ink",
		"jiti",
		"react",
		"string-width",
	]);
});

/** A session with a fold of this id, however odd. */
function sessionOf(id: string): string {
	const chat = new Chat().user("go").step("a").step("b").fold("e1", "e3");
	const text = fileOf(chat.entries);
	return text.replaceAll('"f005"', JSON.stringify(id));
}

test("the profiler reads the session that it is given, and asks for no other file, program or name", (t) => {
	inDirectory((directory) => {
		const home = join(realpathSync(directory), "home");
		mkdirSync(join(home, "sessions", "--p--"), { recursive: true });
		writeFileSync(join(home, "secret.txt"), "secret");
		const file = join(home, "sessions", "--p--", "2026_s.jsonl");
		writeFileSync(file, sessionOf("f005"));
		const may = [
			realpathSync(ROOT),
			realpathSync(join(ROOT, "node_modules")),
			join(home, "sessions"),
		];
		const run = (...args: readonly string[]) =>
			spawnSync(
				process.execPath,
				[
					"--permission",
					"--disable-warning=SecurityWarning",
					...may.map((path) => `--allow-fs-read=${path}`),
					...args,
				],
				{
					encoding: "utf8",
					cwd: realpathSync(ROOT),
					timeout: 60_000,
					env: {
						...{ HOME: home, PI_CODING_AGENT_SESSION_DIR: join(home, "sessions") },
						...{ NODE_DISABLE_COMPILE_CACHE: "1", NO_COLOR: "1", PATH: "" },
					},
				},
			);
		const outside = run(
			"-e",
			`require("fs").readFileSync(${JSON.stringify(join(home, "secret.txt"))})`,
		);
		if (!/ERR_ACCESS_DENIED/.test(outside.stderr)) return t.skip("this Node has no permissions");
		for (const args of [
			[file],
			[file, "--json"],
			["--list", "--all", "--deep"],
			["folds", file],
			["read", file, "f005", "--force"],
			["what-if", file],
		]) {
			const { status, stdout, stderr } = run("profile.ts", ...args);
			assert.deepEqual([status, stderr], [0, ""], args.join(" "));
			assert.ok(stdout.length > 40, args.join(" "));
		}
		// the fold's digest is made up, so its text is not searched: read it was all the same
		assert.match(run("profile.ts", "grep", file, "output").stderr, /is not what was folded/);
	});
});

test("paste writes one file, at the path given, whatever is called what; over nothing, and through no link", async () => {
	await inDirectory(async (directory) => {
		const here = join(directory, "here");
		mkdirSync(here);
		writeFileSync(join(directory, "mine.txt"), "mine");
		symlinkSync(join(directory, "made.txt"), join(here, "dangling"));
		symlinkSync(join(directory, "mine.txt"), join(here, "linked"));
		const id = "../../f005";
		writeFileSync(join(here, "s.jsonl"), sessionOf(id).replace(/"digest":"0"/, '"more":"0"'));
		const paste = (name: string) => askIn(here, pasteCommand, ["s.jsonl", id, name]);
		assert.deepEqual((await paste("new.txt")).code, 0);
		for (const name of ["new.txt", "dangling", "linked", "../mine.txt", "s.jsonl", "no/new.txt"])
			assert.equal((await paste(name)).code, 1, name);
		for (const name of [".", "..", "", "new/", "new/."])
			assert.equal((await paste(name)).code, 2, name);
		assert.deepEqual(readdirSync(here).sort(), ["dangling", "linked", "new.txt", "s.jsonl"]);
		assert.deepEqual(readdirSync(directory).sort(), ["here", "mine.txt"]);
		assert.equal(readFileSync(join(directory, "mine.txt"), "utf8"), "mine");
		assert.match(readFileSync(join(here, "new.txt"), "utf8"), /^=== assistant/);
	});
});
