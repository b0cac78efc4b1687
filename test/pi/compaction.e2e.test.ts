// Compaction on real pis of both generations, in a window of 24,000 tokens: what is cancelled, what pi's
// summariser is sent, and what is sent afterwards.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readSession } from "../../src/session/file.ts";
import { estimateText } from "../../src/session/size.ts";
import type { RawSize } from "../support/neighbours/log-raw.ts";
import { writeLines, writePartFiles } from "../support/part-files.ts";
import {
	EXTENSION,
	HOSTS,
	type Home,
	type HostVersion,
	makeHome,
	neighbour,
	sessionEntries,
	sessionFile,
	writeSettings,
} from "../support/real-pi.ts";
import { RpcPi } from "../support/real-pi-rpc.ts";
import type { Script } from "../support/scripted-provider.ts";
import { assertPaired, chipsOf, textOf, type WireRequest } from "../support/wire.ts";

const WINDOW = 24_000;
const COMPACTION = { enabled: true, reserveTokens: 4_000, keepRecentTokens: 2_000 };

interface Settings {
	readonly net?: boolean;
	readonly enabled?: boolean;
}

function homeFor(t: TestContext, host: HostVersion, dmail: Settings): Home {
	const home = makeHome(host);
	t.after(() => home.remove());
	writePartFiles(home, 40);
	writeSettings(home, { compaction: COMPACTION, dmail: { timing: "now", ...dmail } });
	return home;
}

function start(home: Home, script: Script, args: readonly string[] = []): RpcPi {
	return new RpcPi(home, {
		script,
		args,
		extensions: [neighbour("log-raw"), EXTENSION],
		env: { SCRIPTED_WINDOW: String(WINDOW), RAW_LOG: rawLog(home) },
		limitMs: 30_000,
	});
}

function rawLog(home: Home): string {
	return join(home.root, "raw.jsonl");
}

/** What the host would have sent, request by request. */
function rawSizes(home: Home): number[] {
	const lines = readFileSync(rawLog(home), "utf8").trimEnd().split("\n");
	return lines.map((line) => (JSON.parse(line) as RawSize).tokens);
}

/** What a host puts around the summary of a compaction when it sends it; no estimate counts it. */
const FRAME = /^The conversation history before this point[^\n]*\n\n<summary>\n|\n<\/summary>$/g;

/** Size of the messages that were sent, estimated as everywhere. */
function sentSize(request: WireRequest): number {
	return request.messages.reduce((sum, message) => {
		const call = (block: { name?: string; arguments?: unknown }) =>
			block.name === undefined ? "" : block.name + JSON.stringify(block.arguments);
		const text = message.content
			.map((block) => block.text?.replace(FRAME, "") ?? call(block))
			.join("");
		return sum + estimateText(text);
	}, 0);
}

/** The request without the labels of steps, and what they say of them. */
function withoutMarkers(request: WireRequest): WireRequest {
	const isMarker = (text: string | undefined) => /^\[step \d+\]/.test(text ?? "");
	const messages = request.messages.map((message) => ({
		...message,
		content: message.content.filter(({ text }) => !isMarker(text)),
	}));
	return { ...request, messages };
}

function asked(requests: readonly WireRequest[], kind: WireRequest["kind"]): WireRequest[] {
	return requests.filter((request) => request.kind === kind);
}

/** How each compaction ended: whether it was cancelled. */
function cancelled(pi: RpcPi): boolean[] {
	return pi.events
		.filter(({ type }) => type === "compaction_end")
		.map((event) => event["aborted"] === true);
}

function isAboutCompaction(notice: string): boolean {
	return notice.includes("need not compact");
}

function summaries(requests: readonly WireRequest[]): string {
	const sent = asked(requests, "summary").map(({ messages }) => messages.map(textOf).join("\n"));
	return sent.join("\n");
}

/**
 * Parts of 900 tokens are read until the window is nearly full; with the last one all but the newest steps
 * are folded, and the reply after that fails, so that no smaller size is measured. Then small steps.
 */
const FOLD_AT_THE_LIMIT: Script = (request) => {
	if (request.kind === "summary") return "THE COMPACTION'S SUMMARY";
	const n = request.index;
	const part = {
		name: "read",
		args: { path: `part-${n}.txt` },
	};
	const fold = {
		name: "send_dmail",
		args: {
			fromStep: 1,
			summary: "Parts 0 to 19 are read: 100 lines of tildes each, no two parts differ in more.",
		},
	};
	if (n < 20) return { calls: [part] };
	if (n === 20) return { text: "I fold.", calls: [part, fold] };
	if (n === 21) return { error: "invalid request" };
	return n % 2 === 0
		? { calls: [{ name: "bash", args: { command: `echo small ${n}` } }] }
		: `done ${n}`;
};

for (const host of HOSTS) {
	test(`${host}: a fold that landed makes a compaction unnecessary; the user's own goes through, folded`, async (t) => {
		const home = homeFor(t, host, { net: false });
		const pi = start(home, FOLD_AT_THE_LIMIT);
		await pi.ask("read the parts, please");
		const first = cancelled(pi);
		assert.ok(first.length > 0 && first.every(Boolean), `${first}`);
		assert.equal(pi.notices().filter(isAboutCompaction).length, 1, "one notice");
		await pi.ask("go on");
		const second = cancelled(pi);
		assert.ok(second.length > first.length && second.every(Boolean), `${second}`);
		assert.equal(pi.notices().filter(isAboutCompaction).length, 1, "once for one measure");
		assert.equal((await pi.send({ type: "compact" }))["success"], true);
		assert.equal(cancelled(pi).at(-1), false);
		for (const prompt of ["one more", "another", "the last"]) await pi.ask(prompt);
		await pi.command("/dmail status");
		const status = pi.notices().at(-1) ?? "";
		const { requests } = await pi.close();

		assertPaired(requests);
		const agent = asked(requests, "agent");
		const raw = rawSizes(home);
		assert.equal(raw.length, agent.length);
		await t.test(
			"the summariser reads the summary and the user's words, and nothing else of it",
			() => {
				const text = summaries(requests);
				assert.match(text, /Parts 0 to 19 are read: 100 lines of tildes each/);
				assert.match(text, /read the parts, please/);
				assert.doesNotMatch(text, /part 3 line|<dmail|send_dmail|read_dmail|\[step \d+\]/);
			},
		);
		await t.test("afterwards no request is larger than the stored conversation", () => {
			const from = agent.findIndex((one) => chipsOf(one).length > 0);
			assert.equal(from, 21);
			for (const [index, request] of agent.entries()) {
				const sent = sentSize(withoutMarkers(request));
				assert.ok(sent <= (raw[index] ?? 0), `request ${index}: ${sent} > ${raw[index]}`);
			}
			assert.ok(agent.slice(-3).every((one) => sentSize(one) < 2_000));
		});
		await t.test("the live estimate is what is sent", () => {
			const [, count = "", unit = ""] = /~([\d.]+)(k?) tokens sent/.exec(status) ?? [];
			const told = Number(count) * (unit === "k" ? 1_000 : 1);
			const last = agent.at(-1) ?? assert.fail();
			const sent = sentSize(last) + estimateText("done 00");
			assert.ok(Math.abs(told - sent) <= 0.05 * sent, `${told} told, ${sent} sent`);
		});
	});

	test(`${host}: a needed compaction is never cancelled: after a fold beside 30,000 tokens`, async (t) => {
		const home = homeFor(t, host, { net: false });
		writeSettings(home, {
			compaction: { ...COMPACTION, keepRecentTokens: 3_000 },
			dmail: { net: false, timing: "now" },
		});
		writeLines(home, "big.txt", 740);
		writeLines(home, "small.txt", 60);
		const script: Script = (request) => {
			if (request.kind === "summary") return "THE COMPACTION'S SUMMARY";
			const big = { name: "read", args: { path: "big.txt" } };
			const fold = { name: "send_dmail", args: { fromStep: 1, summary: "Two steps are done." } };
			const small = { name: "read", args: { path: "small.txt" } };
			if (request.index < 2) return { calls: [small] };
			return request.index === 2 ? { calls: [fold, big, big, big] } : "done";
		};
		const pi = new RpcPi(home, {
			script,
			extensions: [EXTENSION],
			env: { SCRIPTED_WINDOW: "40000" },
		});
		await pi.ask("read much");
		const ends = cancelled(pi);
		assert.ok(ends.length > 0 && !ends.some(Boolean), `${ends}`);
		assert.equal(pi.notices().filter(isAboutCompaction).length, 0);
		const { requests } = await pi.close();
		const text = summaries(requests);
		assert.match(text, /Two steps are done\./);
		assert.doesNotMatch(text, /<dmail|send_dmail|\[step \d+\]/);
		assertPaired(requests);
	});

	test(`${host}: an overflow is never cancelled, and pi then reads the folded text`, async (t) => {
		const home = homeFor(t, host, {});
		const script: Script = (request) => {
			if (request.kind === "summary") return "THE COMPACTION'S SUMMARY";
			const n = request.index;
			const args = { path: `part-${n}.txt` };
			const fold = { name: "send_dmail", args: { fromStep: 1, summary: "Five parts are read." } };
			if (n < 6) return { calls: [{ name: "read", args }] };
			if (n === 6) return { calls: [fold] };
			if (n === 7) return { error: "prompt is too long: 210000 tokens > 200000 maximum" };
			return "done after the overflow";
		};
		const pi = start(home, script);
		await pi.ask("read the parts");
		assert.deepEqual(cancelled(pi), [false]);
		const { requests } = await pi.close();
		const text = summaries(requests);
		assert.match(text, /Five parts are read\./);
		assert.doesNotMatch(text, /part 3 line|<dmail|send_dmail/);
		assert.match(textOf(requests.at(-1)?.messages[0] ?? assert.fail()), /THE COMPACTION'S SUMMARY/);
		assert.ok(
			sessionEntries(home).every(({ data }) => data?.["by"] !== "auto"),
			"no net",
		);
	});

	test(`${host}: after retries that failed pi may count what is stored; it is cancelled, once said`, async (t) => {
		const home = homeFor(t, host, { net: false });
		writeSettings(home, {
			compaction: COMPACTION,
			retry: { baseDelayMs: 10, maxRetries: 1 },
			dmail: { net: false, timing: "now" },
		});
		// three folds keep what is sent below 12,000 tokens, while 27,000 are stored
		const script: Script = (request) => {
			if (request.kind === "summary") return "THE COMPACTION'S SUMMARY";
			const n = request.index;
			const args = { path: `part-${n}.txt` };
			const fold = { name: "send_dmail", args: { fromStep: 1, summary: `Read up to ${n}.` } };
			if (n < 33) return { calls: [n % 11 === 10 ? fold : { name: "read", args }] };
			return n === 34 || n === 35 ? { error: "overloaded_error" } : `done ${n}`;
		};
		const pi = start(home, script);
		for (const prompt of ["read", "this fails", "go on"]) await pi.ask(prompt);
		const ends = cancelled(pi);
		assert.ok(ends.every(Boolean));
		assert.equal(pi.notices().filter(isAboutCompaction).length, host === "1.6.0" ? 1 : 0);
		const { requests } = await pi.close();
		assert.equal(asked(requests, "summary").length, 0);
		assert.equal(chipsOf(requests.at(-1) ?? assert.fail()).length, 1);
	});

	test(`${host}: where a fold stands for all there is, pi's summariser reads it, and nothing is kept`, async (t) => {
		const home = homeFor(t, host, { net: false });
		const script: Script = (request) => {
			if (request.kind === "summary") return "THE COMPACTION'S SUMMARY";
			const n = request.index;
			return n < 6 ? { calls: [{ name: "read", args: { path: `part-${n}.txt` } }] } : `done ${n}`;
		};
		const pi = start(home, script);
		await pi.ask("read the parts, please");
		await pi.command("/dmail fold 1 -- Parts 0 to 5 hold tildes, no two of them differ.");
		const record = sessionEntries(home).at(-1);
		assert.equal(record?.customType, "dmail.fold");
		assert.equal((await pi.send({ type: "compact" }))["success"], true);
		const { entries } = readSession(sessionFile(home));
		const compaction = entries.find((entry) => entry.type === "compaction");
		assert.equal(compaction?.firstKeptEntryId, record?.id, "at the fold's own record");
		await pi.command("/dmail status");
		assert.match(pi.notices().at(-1) ?? "", /^folds: 0 landed, 0 held, 1 skipped/m);
		for (const prompt of ["go on", "and on"]) await pi.ask(prompt);
		await pi.command("/dmail list");
		assert.match(pi.notices().at(-1) ?? "", /Parts 0 to 5 hold tildes/, "it is readable still");
		const { requests } = await pi.close();
		const text = summaries(requests);
		assert.match(text, /read the parts, please/);
		assert.match(text, /Parts 0 to 5 hold tildes, no two of them differ\./);
		assert.doesNotMatch(text, /part \d line \d|done 6|<dmail|send_dmail|\[step \d+\]/);
		assert.equal(asked(requests, "summary").length, 1);
		const [first, second] = asked(requests, "agent").slice(-2);
		const [lead, ...others] = (first ?? assert.fail()).messages.map(textOf);
		assert.match(lead ?? "", /THE COMPACTION'S SUMMARY/);
		assert.deepEqual(others, ["go on\n[step 8]"]);
		assert.ok(sentSize(second ?? assert.fail()) < 300);
		assertPaired(requests);
	});

	test(`${host}: a fold that is held is read as folded, and lands once pi has compacted`, async (t) => {
		const home = homeFor(t, host, {});
		writeSettings(home, { compaction: { ...COMPACTION, keepRecentTokens: 5_000 } });
		const script: Script = (request) => {
			if (request.kind === "summary") return "THE COMPACTION'S SUMMARY";
			const n = request.index;
			const args = { path: `part-${n}.txt` };
			const fold = { name: "send_dmail", args: { fromStep: 3, toStep: 4, summary: "Parts 2, 3." } };
			const late = { name: "send_dmail", args: { fromStep: 8, toStep: 9, summary: "Parts 7, 8." } };
			if (n < 12) return { calls: [{ name: "read", args }] };
			return n === 12 ? { calls: [fold, late] } : `done ${n}`;
		};
		const pi = start(home, script);
		await pi.ask("read the parts");
		const records = () => sessionEntries(home).filter(({ type }) => type === "custom");
		const kinds = () => records().map(({ customType }) => customType);
		const held = records().filter(({ data }) => data?.["held"] === true);
		assert.equal(held.length, 2, "both cost more than they soon save");
		assert.equal((await pi.send({ type: "compact" }))["success"], true);
		assert.deepEqual(kinds().slice(-1), ["dmail.land"]);
		assert.deepEqual(records().at(-1)?.data?.["ids"], [held[1]?.data?.["id"]]);
		await pi.ask("go on");
		const { requests } = await pi.close();
		assert.match(summaries(requests), /Parts 2, 3\./);
		assert.doesNotMatch(summaries(requests), /part [23] line \d|<dmail|send_dmail/);
		const last = requests.at(-1) ?? assert.fail();
		assert.match(chipsOf(last).join(), /Parts 7, 8\./);
		assertPaired(requests);
	});

	test(`${host}: while D-Mail is off pi compacts what is stored`, async (t) => {
		const home = homeFor(t, host, { net: true });
		const script: Script = (request) => {
			if (request.kind === "summary") return "THE COMPACTION'S SUMMARY";
			const n = request.index;
			const args = { path: `part-${n}.txt` };
			const fold = { name: "send_dmail", args: { fromStep: 1, summary: "Some parts are read." } };
			if (n < 5) return { calls: [{ name: "read", args }] };
			return n === 5 ? { calls: [fold] } : `done ${n}`;
		};
		const pi = start(home, script);
		await pi.ask("read the parts");
		await pi.command("/dmail off");
		assert.equal((await pi.send({ type: "compact" }))["success"], true);
		const { requests } = await pi.close();
		assert.match(summaries(requests), /part 0 line/);
	});
}
