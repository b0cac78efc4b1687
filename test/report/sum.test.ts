// Unknown is unknown and not 0: sessions of which nothing, or not all, was measured or priced, in every form.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { listCommand } from "../../src/report/command-list.ts";
import { profileSession } from "../../src/report/command-session.ts";
import { nameScale } from "../../src/report/sum.ts";
import { askIn } from "../support/run-command.ts";
import { scratch } from "../support/scratch.ts";

const directory = scratch();

type Usage = "none" | "unpriced" | "priced";
const TOKENS = { input: 900, output: 100, cacheRead: 0, cacheWrite: 0 };
const COST = { input: 0.4, output: 0.02, cacheRead: 0, cacheWrite: 0, total: 0.42 };
const USED: Readonly<Record<Usage, object>> = {
	none: {},
	unpriced: { usage: TOKENS },
	priced: { usage: { ...TOKENS, cost: COST } },
};

/** A session of one reply for each, by its name. */
function write(name: string, ...usages: readonly Usage[]): string {
	const time = (n: number) => new Date(Date.UTC(2026, 0, 5, 9, usages.length, n)).toISOString();
	const header = { type: "session", version: 3, id: name, timestamp: time(0), cwd: "/p" };
	const entries = usages.flatMap((usage, n) => [
		{ role: "user", content: `${name} ${n}` },
		{ role: "assistant", content: [], model: name, stopReason: "stop", ...USED[usage] },
	]);
	const lines = entries.map((message, n) => ({
		...{ type: "message", id: `e${n}`, parentId: n > 0 ? `e${n - 1}` : null, timestamp: time(n) },
		message: { timestamp: Date.parse(time(n)), ...message },
	}));
	mkdirSync(join(directory, "p"), { recursive: true });
	const file = join(directory, "p", `${name}.jsonl`);
	writeFileSync(file, [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(""));
	return file;
}

const files = {
	unmeasured: write("unmeasured", "none", "none"),
	unpriced: write("unpriced", "unpriced", "unpriced"),
	partly: write("partly", "priced", "none", "unpriced"),
	whole: write("whole", "priced"),
};

const said = async (name: keyof typeof files, ...options: string[]) =>
	(await askIn(directory, profileSession, [files[name], ...options])).out;

test("a session without any usage has no cost and no tokens to tell, and says why", async () => {
	const text = await said("unmeasured");
	assert.match(text, /^ {2}prompt –, output –, cost – \(no request has usage\)$/m);
	assert.match(text, /^Whole file: 2 requests, – \(no request has usage\)$/m);
	assert.doesNotMatch(text, /\$0|prompt 0|output 0/);
});

test("one without any price has tokens and no cost", async () => {
	const text = await said("unpriced");
	assert.match(text, /prompt 1\.8k: /);
	assert.match(text, /output 200, cost – \(2 without a price\)/);
	assert.match(text, /^Whole file: 2 requests, – \(2 without a price\)$/m);
	assert.doesNotMatch(text, /\$0/);
});

test("one that was measured in part has lower bounds, and says of how many requests nothing is known", async () => {
	const text = await said("partly");
	assert.match(text, /prompt ≥1\.8k: /);
	assert.match(text, /output ≥200, cost ≥\$0\.42 \(1 without a price, 1 without usage\)/);
	assert.match(text, /^Whole file: 3 requests, ≥\$0\.42 \(1 without a price, 1 without usage\)$/m);
});

test("one that was measured throughout has plain sums", async () => {
	const text = await said("whole");
	assert.match(text, /output 100, cost \$0\.42$/m);
	assert.match(text, /^Whole file: 1 request, \$0\.42$/m);
});

test("of a report without its rows the sums stay", async () => {
	const text = await said("whole", "--last", "0");
	assert.match(text, /^Requests of the active branch: 1, none shown$/m);
	assert.match(text, /output 100, cost \$0\.42$/m);
});

test("in CSV and JSON what a request did not record is empty, and null", async () => {
	const [head, ...rows] = (await said("partly", "--csv")).trimEnd().split("\r\n");
	const names = head?.split(",") ?? [];
	const cells = (name: string) => rows.map((row) => row.split(",")[names.indexOf(name)]);
	assert.deepEqual(cells("prompt"), ["900", "", "900"]);
	assert.deepEqual(cells("costUsd"), ["0.42", "", ""]);
	assert.deepEqual(cells("missTokens"), ["0", "", "0"]);
	const { requests, totals, spend } = JSON.parse(await said("partly", "--json"));
	assert.deepEqual(
		requests.map((row: { costUsd: unknown }) => row.costUsd),
		[0.42, null, null],
	);
	assert.deepEqual([totals.unmeasured, totals.unpriced], [1, 1]);
	assert.deepEqual([spend.costUsd, spend.unpriced], [0.42, 1]);
});

test("of a file that is no session a listing knows nothing but that", async () => {
	const other = scratch();
	writeFileSync(join(other, "none.jsonl"), "no session\n");
	const list = (...more: string[]) =>
		askIn(other, listCommand, ["--list", "--all", "--deep", ...more]);
	const { code, out } = await list();
	const { sessions } = JSON.parse((await list("--json")).out);
	assert.equal(code, 1);
	assert.doesNotMatch(out.split("\n")[1] ?? "", /\$0/);
	const [{ requests, prompt, costUsd, problems }] = sessions;
	assert.deepEqual([requests, prompt, costUsd, problems > 0], [null, null, null, true]);
});

test("so it is in a listing", async () => {
	const { out } = await askIn(directory, listCommand, ["--list", "--all", "--deep"]);
	const row = (name: string) => out.split("\n").find((line) => line.startsWith(name)) ?? "";
	assert.match(row("unmeasured"), /–\s+–\s+–$/);
	assert.match(row("unpriced"), /1\.8k\s+0%\s+–$/);
	assert.match(row("partly"), /≥1\.8k\s+0%\s+≥\$0\.42$/);
	assert.match(row("whole"), /\s900\s+0%\s+\$0\.42$/);
	assert.match(
		out,
		/4 sessions: 8 requests, prompt ≥4\.5k, output ≥500, ≥\$0\.84 \(3 without a price, 3 without usage\)/,
	);
	const json = await askIn(directory, listCommand, ["--list", "--all", "--deep", "--json"]);
	const { sessions } = JSON.parse(json.out);
	const unmeasured = sessions.find(({ id }: { id: string }) => id === "unmeasured");
	const { requests, prompt, cacheHit, costUsd } = unmeasured;
	assert.deepEqual([requests, prompt, cacheHit, costUsd], [2, null, null, null]);
});

test("a listing of one request does not say requests", async () => {
	const other = scratch();
	const message = { role: "assistant", content: [], provider: "p", model: "m", stopReason: "stop" };
	const at = { timestamp: "2026-01-05T09:00:00.000Z" };
	const lines = [
		{ type: "session", version: 3, id: "single", ...at, cwd: "/" },
		{ type: "message", id: "e0", parentId: null, ...at, message },
	];
	const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
	writeFileSync(join(other, "single.jsonl"), text);
	const { out } = await askIn(other, listCommand, ["--list", "--all", "--deep"]);
	assert.match(out, /^1 session: 1 request, prompt –, output –, – \(no request has usage\)$/m);
});

test("a session that only lost tokens to marks says that no fold was sent, not that it saved less than nothing", async () => {
	const at = { timestamp: "2026-01-05T09:00:00.000Z" };
	const data = { v: 1, enabled: true, nudge: true, by: "user" };
	const usage = { input: 900, output: 10, cacheRead: 0, cacheWrite: 0 };
	const call = { type: "toolCall", id: "c", name: "bash", arguments: {} };
	const said = { role: "assistant", provider: "p", model: "m", usage };
	const messages = [
		{ role: "user", content: "go on" },
		{ ...said, content: [call], stopReason: "toolUse" },
		{ role: "toolResult", toolCallId: "c", toolName: "bash", content: [] },
		{ ...said, content: [], stopReason: "stop" },
	];
	const entries = [
		{ type: "custom", customType: "dmail.mode", data },
		...messages.map((message) => ({ type: "message", message })),
	];
	const ids = entries.map((entry, i) => ({
		...{ id: `e${i}`, parentId: i > 0 ? `e${i - 1}` : null },
		...at,
		...entry,
	}));
	const lines = [{ type: "session", version: 3, id: "marked", ...at, cwd: "/" }, ...ids];
	const other = scratch();
	const file = join(other, "marked.jsonl");
	writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
	const { totals } = JSON.parse((await askIn(other, profileSession, [file, "--json"])).out);
	assert.ok(totals.savedTokens < 0);
	const { out } = await askIn(other, profileSession, [file]);
	assert.match(out, /raw \(estimates\), no fold was sent$/m);
	writeFileSync(file, `${JSON.stringify(lines[0])}\n`);
	assert.match((await askIn(other, profileSession, [file])).out, /format 3, 1 line, /);
});

test("savings are said to be scaled to usage where they are, beside sizes that are not", async () => {
	const folds = join(import.meta.dirname, "../fixtures/profile/folds.jsonl");
	const { out } = await askIn(directory, profileSession, [folds]);
	assert.match(out, /raw \(estimates\), saved ~27\.4k, scaled ×1\.10 to usage \(~\$/);
	assert.equal(nameScale({ requests: 0, k: 1 }), "");
});
