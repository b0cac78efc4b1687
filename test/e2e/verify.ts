// `npm run verify:e2e`: the release gate. On a real pi of each generation, without any key: a fold through
// the real tool, a compaction that is forced, and what pi's summariser is sent. Prints PASS or FAIL for each
// assertion and `RESULT: PASS` or `RESULT: FAIL` last; exits 1 on a failure.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { FoldRecord } from "../../fold.ts";
import { sha256 } from "../../src/pi/log.ts";
import { readSession } from "../../src/session/file.ts";
import { readSource } from "../../src/session/source.ts";
import {
	EXTENSION,
	foldsOf,
	HOSTS,
	type Home,
	type HostVersion,
	makeHome,
	sessionFile,
	writeSettings,
} from "../support/real-pi.ts";
import { type RpcEvent, RpcPi } from "../support/real-pi-rpc.ts";
import type { Script } from "../support/scripted-provider.ts";
import { chipsOf, pairFaults, textOf, type WireRequest } from "../support/wire.ts";

const PROMPT = "Find out what the eleven probes say.";
const NARRATIVE = "All eleven probes answered; their sum is 66, and none failed.";
/** What the last probe says; no call and no summary has it. */
const DETAIL = "the tenth reading is 4711";

/** Eleven probes, a fold of them, two more steps. */
const SCRIPT: Script = (request) => {
	if (request.kind === "summary") return "The compaction's own summary.";
	const n = request.index;
	if (n < 11) return { calls: [{ name: "read", args: { path: `probe-${n}.txt` } }] };
	const summary = "All eleven probes answered; their sum is 66, and none failed.";
	const fold = { name: "send_dmail", args: { fromStep: 1, summary } };
	if (n === 11) return { text: "The probes are done.", calls: [fold] };
	return n === 12 ? { calls: [{ name: "read", args: { path: "probe-0.txt" } }] } : `done ${n}`;
};

interface Run {
	readonly host: HostVersion;
	readonly code: number | null;
	readonly stderr: string;
	readonly compacted: RpcEvent;
	readonly requests: readonly WireRequest[];
	readonly folds: readonly FoldRecord[];
	/** what reading the fold's source gives */
	readonly source: string;
	readonly stored: string;
}

async function run(host: HostVersion): Promise<Run> {
	const home = makeHome(host);
	try {
		writeProbes(home);
		writeSettings(home, { compaction: { keepRecentTokens: 20 }, dmail: { timing: "now" } });
		const pi = new RpcPi(home, { script: SCRIPT, extensions: [EXTENSION], limitMs: 60_000 });
		await pi.ask(PROMPT);
		const compacted = await pi.send({ type: "compact" });
		await pi.ask("Go on.");
		const { code, stderr, requests } = await pi.close();
		const folds = foldsOf(home);
		return { host, code, stderr, compacted, requests, folds, ...sourceOf(home, folds[0]) };
	} finally {
		home.remove();
	}
}

function writeProbes(home: Home): void {
	for (let probe = 0; probe < 11; probe++) {
		const lines = Array.from(
			{ length: 20 },
			(_, line) => `probe ${probe}, line ${line} ${"~".repeat(40)}`,
		);
		if (probe === 10) lines.push(DETAIL);
		writeFileSync(join(home.cwd, `probe-${probe}.txt`), `${lines.join("\n")}\n`);
	}
}

function sourceOf(home: Home, record: FoldRecord | undefined): { source: string; stored: string } {
	const branch = readSession(sessionFile(home)).entries;
	const stored = JSON.stringify(branch);
	if (!record) return { source: "", stored };
	const source = readSource({ record, branch, reader: "model", hash: sha256 });
	return { source: source.ok && source.verified ? source.text : "", stored };
}

/** The requests of pi's summariser, as text. */
function summaryText({ requests }: Run): string {
	const asked = requests.filter(({ kind }) => kind === "summary");
	return asked.map(allText).join("\n");
}

function allText(request: WireRequest | undefined): string {
	return (request?.messages ?? []).map(textOf).join("\n");
}

/** The results of the folding tool that the model was sent. */
function foldResults({ requests }: Run): string[] {
	const results = requests.flatMap(({ messages }) =>
		messages.filter(({ toolName, isError }) => toolName === "send_dmail" && !isError),
	);
	return results.map(textOf);
}

const after = (one: Run) =>
	one.requests.find(({ kind, index }) => kind === "agent" && index === 12);

/** Each a sentence and whether it holds of a run. */
const ASSERTIONS: readonly (readonly [string, (run: Run) => boolean])[] = [
	[
		"the model is offered send_dmail",
		(one) => one.requests[0]?.tools.includes("send_dmail") ?? false,
	],
	["it is told how to use it", (one) => (one.requests[0]?.system ?? "").includes("send_dmail")],
	["the real tool folds", (one) => foldResults(one).some((text) => text.includes("Folded"))],
	["the session has one fold record", (one) => one.folds.length === 1],
	[
		"the next request has the summary in place of the steps",
		(one) => chipsOf(after(one) ?? noRequest()).some((chip) => chip.includes(NARRATIVE)),
	],
	["and not their detail", (one) => !allText(after(one)).includes(DETAIL)],
	["the detail was sent before", (one) => allText(one.requests[11]).includes(DETAIL)],
	["the forced compaction succeeds", (one) => one.compacted["success"] === true],
	["its request shows the folded narrative", (one) => summaryText(one).includes(NARRATIVE)],
	["and not the dropped detail", (one) => !summaryText(one).includes(DETAIL)],
	["it shows what the user said", (one) => summaryText(one).includes(PROMPT)],
	[
		"no instruction, label or pointer of ours is in it",
		(one) => !/<dmail|send_dmail|read_dmail|\[step \d+\]|must not redo/.test(summaryText(one)),
	],
	[
		"afterwards the conversation begins with the compaction's summary",
		(one) => textOf(last(one).messages[0] ?? { role: "user", content: [] }).includes("own summary"),
	],
	["and no folded text comes back", (one) => !allText(last(one)).includes(DETAIL)],
	[
		"every call has its result, in every request",
		(one) => one.requests.every(({ messages }) => pairFaults(messages).length === 0),
	],
	["the session still has the detail", (one) => one.stored.includes(DETAIL)],
	["the fold's source reads back, proven unchanged", (one) => one.source.includes(DETAIL)],
	["pi ends well and quietly", (one) => one.code === 0 && one.stderr === ""],
];

function last({ requests }: Run): WireRequest {
	return requests.at(-1) ?? noRequest();
}

function noRequest(): never {
	throw new Error("the model was asked for less than the script has");
}

/** Prints how each assertion fares; says whether all hold. A run that breaks off holds none of them. */
function judge(host: HostVersion, one: PromiseSettledResult<Run>): boolean {
	let passed = true;
	for (const [sentence, holds] of ASSERTIONS) {
		const reason = one.status === "rejected" ? one.reason : failure(() => holds(one.value));
		if (reason !== undefined) passed = false;
		console.log(
			`${reason ? "FAIL" : "PASS"} pi ${host}: ${sentence}${reason ? ` (${reason})` : ""}`,
		);
	}
	return passed;
}

function failure(holds: () => boolean): unknown {
	try {
		return holds() ? undefined : "it does not";
	} catch (error) {
		return error;
	}
}

const runs = await Promise.allSettled(HOSTS.map(run));
const passed = runs.map((one, at) => judge(HOSTS[at] ?? "1.6.0", one)).every(Boolean);
console.log(`RESULT: ${passed ? "PASS" : "FAIL"}`);
if (!passed) process.exitCode = 1;
