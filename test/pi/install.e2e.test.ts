// Installing for real: the packed tarball in an empty folder, loaded with -e, and a git install by pi
// itself, offline from this very tree. Needs npm and git, and npm a registry or its cache.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { EXTENSION, HOSTS, makeHome, runCommand, runPrint } from "../support/real-pi.ts";

const run = promisify(execFile);
const QUIET = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
const REPOSITORY = "https://example.com/someone/pi-dmail";

let scratch = "";
before(() => {
	scratch = mkdtempSync(join(tmpdir(), "dmail-install-"));
});
after(() => rmSync(scratch, { recursive: true, force: true }));

test("the packed tarball, installed in an empty folder, loads with -e on both hosts", async (t) => {
	await run("npm", ["pack", "--pack-destination", scratch, "--loglevel=error"], { cwd: EXTENSION });
	const tarball = readdirSync(scratch).find((name) => name.endsWith(".tgz")) ?? assert.fail();
	const folder = join(scratch, "empty");
	mkdirSync(folder);
	writeFileSync(join(folder, "package.json"), "{}");
	await run("npm", ["install", ...QUIET, join(scratch, tarball)], { cwd: folder });
	const installed = join(folder, "node_modules", "pi-dmail");
	assert.deepEqual(
		["@mariozechner", "@earendil-works", "@sinclair"].filter((scope) =>
			readdirSync(join(folder, "node_modules")).includes(scope),
		),
		[],
		"no host comes with it",
	);
	const fixture = join(EXTENSION, "test/fixtures/profile/folds.jsonl");
	const profiled = await run(join(folder, "node_modules/.bin/pi-dmail"), [fixture], {
		cwd: folder,
	});
	assert.match(profiled.stdout, /Requests of the active branch: 17/);
	assert.match(profiled.stdout, /^Folds$/m);
	for (const host of HOSTS) {
		const home = makeHome(host);
		t.after(() => home.remove());
		const { requests, stderr } = await runPrint(home, "hi", {
			script: ["hello"],
			extensions: [installed],
		});
		assert.equal(stderr, "");
		assert.ok(requests[0]?.tools.includes("send_dmail"), host);
	}
});

test("pi installs it from git and loads it", async (t) => {
	if (!existsSync(join(EXTENSION, ".git"))) return t.skip("this tree is no git checkout");
	const repository = join(scratch, "repository");
	await makeRepository(repository);
	const npm = await npmEnvironment();
	for (const host of HOSTS) {
		const home = makeHome(host);
		t.after(() => home.remove());
		const redirect = `[url "file://${repository}"]\n\tinsteadOf = ${REPOSITORY}\n`;
		writeFileSync(join(home.root, ".gitconfig"), redirect);
		const install = await runCommand(home, ["install", `git:${REPOSITORY}`], npm);
		assert.equal(install.code, 0, install.stdout + install.stderr);
		const { requests, stderr } = await runPrint(home, "hi", { script: ["hello"], discover: true });
		assert.equal(stderr, "");
		assert.ok(requests[0]?.tools.includes("send_dmail"), host);
		assert.ok(requests[0]?.system.includes("# Folding your context"), host);
	}
});

/** How this machine's npm reaches its registry and its cache, whatever the home; PI_OFFLINE stays away. */
async function npmEnvironment(): Promise<Record<string, string>> {
	const config = async (key: string) => (await run("npm", ["config", "get", key])).stdout.trim();
	const own = Object.entries(process.env).filter(([name]) => !/^(?:HOME|TMPDIR|PI_.*)$/.test(name));
	return {
		...(Object.fromEntries(own) as Record<string, string>),
		npm_config_cache: await config("cache"),
		npm_config_userconfig: await config("userconfig"),
		npm_config_prefer_offline: "true",
		PI_OFFLINE: "0",
	};
}

/** A repository with what this tree tracks, as it lies on disk now. */
async function makeRepository(folder: string): Promise<void> {
	const tracked = (await run("git", ["ls-files", "-z"], { cwd: EXTENSION })).stdout.split("\0");
	for (const name of tracked.filter((one) => one !== "")) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		cpSync(join(EXTENSION, name), join(folder, name));
	}
	const git = (...args: string[]) => run("git", args, { cwd: folder });
	await git("init", "--quiet");
	await git("add", "--all");
	const author = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
	await git(...author, "commit", "--quiet", "--message", "As it lies on disk");
}
