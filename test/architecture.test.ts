// The import law of the design as a table: who may import whom. Types count too, but where said.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** A room and the rooms and packages that it may import; `node:` stands for Node's own modules. */
const LAW: Readonly<Record<string, readonly string[]>> = {
	"fold.ts": ["src/fold"],
	"src/fold": ["src/fold"],
	"src/session": ["fold.ts", "src/session"],
	"src/price": ["src/price"],
	"src/notes": ["fold.ts", "src/session", "src/notes"],
	"src/profile": ["fold.ts", "src/session", "src/price", "src/notes", "src/profile", "node:"],
	"src/report": [
		"fold.ts",
		"src/session",
		"src/price",
		"src/notes",
		"src/profile",
		"src/report",
		"cli-table3",
		"ink",
		"react",
		"string-width",
		"node:",
	],
	"src/pi": [
		"fold.ts",
		"src/session",
		"src/price",
		"src/notes",
		"src/pi",
		"@mariozechner/pi-coding-agent",
		"@mariozechner/pi-tui",
		"@mariozechner/pi-ai",
		"@sinclair/typebox",
		"node:",
	],
	"index.ts": ["src/pi", "@mariozechner/pi-coding-agent"],
	"profile.ts": ["src/profile", "src/report", "node:"],
	bin: ["jiti", "node:", "profile.ts"],
};

/** Files that may touch the machine where the rest of their room may not. */
const MAY_USE_NODE = [/^src\/session\/file[^/]*\.ts$/, /^src\/notes\/git\.ts$/];

function sourceFiles(folder: string): string[] {
	return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
		.filter((name) => /\.m?[jt]s$/.test(name))
		.map((name) => `${folder}/${name}`);
}

function files(): string[] {
	const top = readdirSync(ROOT);
	const doors = ["index.ts", "fold.ts", "profile.ts"].filter((name) => top.includes(name));
	return [...doors, ...["src", "bin"].filter((name) => top.includes(name)).flatMap(sourceFiles)];
}

function roomOf(path: string): string {
	if (!path.includes("/")) return path;
	return path.startsWith("bin/") ? "bin" : path.split("/").slice(0, 2).join("/");
}

/** Every module that a file names, as a room, a package or `node:`. */
function importsOf(path: string): string[] {
	const text = readFileSync(join(ROOT, path), "utf8");
	const named = text.matchAll(
		/(?:^|\n)\s*(?:import|export)\b[^"';]*?from\s+"([^"]+)"|\bimport\(\s*"([^"]+)"|(?:^|\n)\s*import\s+"([^"]+)"/g,
	);
	return [...named].map((found) => {
		const name = found[1] ?? found[2] ?? found[3] ?? "";
		if (name.startsWith("node:")) return "node:";
		if (!name.startsWith(".")) return packageOf(name);
		return roomOf(relative(ROOT, join(ROOT, dirname(path), name)));
	});
}

function packageOf(name: string): string {
	const parts = name.split("/");
	return parts.slice(0, name.startsWith("@") ? 2 : 1).join("/");
}

test("every room imports only what the law allows", () => {
	const broken: string[] = [];
	for (const path of files()) {
		const room = roomOf(path);
		const allowed = LAW[room];
		assert.ok(allowed, `${path}: the law does not know the room ${room}`);
		for (const name of importsOf(path)) {
			const mayUseNode = name === "node:" && MAY_USE_NODE.some((pattern) => pattern.test(path));
			if (!allowed.includes(name) && !mayUseNode) broken.push(`${path} imports ${name}`);
		}
	}
	assert.deepEqual(broken, []);
});

/** All files that a door reaches by static imports. */
function reached(door: string): Set<string> {
	const seen = new Set<string>();
	const visit = (path: string) => {
		if (seen.has(path)) return;
		seen.add(path);
		const text = readFileSync(join(ROOT, path), "utf8");
		for (const [, name = ""] of text.matchAll(/from\s+"(\.[^"]+)"/g))
			visit(relative(ROOT, join(ROOT, dirname(path), name)));
	};
	visit(door);
	return seen;
}

test("index.ts reaches neither ink nor cli-table3: they would cost every start of pi", () => {
	for (const path of reached("index.ts"))
		for (const name of importsOf(path))
			assert.ok(!["ink", "react", "cli-table3"].includes(name), `${path} imports ${name}`);
});

test("profile.ts reaches no package of pi at run time: git installs do not have one", () => {
	if (!files().includes("profile.ts")) return;
	for (const path of reached("profile.ts")) {
		const text = readFileSync(join(ROOT, path), "utf8");
		const values = text.matchAll(
			/(?:^|\n)import\s+(?!type\b)[^"']*?from\s+"(@(?:mariozechner|earendil-works)[^"]+)"/g,
		);
		assert.deepEqual(
			[...values].map((found) => found[1]),
			[],
			path,
		);
	}
});

test("files are at most 400 lines, and none is called utils, helpers, common, types or constants", () => {
	for (const path of files()) {
		const lines = readFileSync(join(ROOT, path), "utf8").split("\n").length;
		assert.ok(lines <= 401, `${path} has ${lines} lines`);
		assert.doesNotMatch(path, /(utils?|helpers?|common|types|constants)\.ts$/);
	}
});
