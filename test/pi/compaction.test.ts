// What the extension does when pi is about to compact: which records it appends and when, what the user is
// told, and that a failure of ours leaves pi as it is. The host is a stand-in.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExtensionAPI, ExtensionContext } from "@mariozechner/pi-coding-agent";
import { type DmailRecord, decode } from "../../fold.ts";
import { registerCompaction } from "../../src/pi/compaction.ts";
import type { Preparation } from "../../src/pi/compaction-preparation.ts";
import type { Dmail } from "../../src/pi/dmail.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { Chat } from "../support/chat.ts";

const OUTPUT = "x".repeat(8_000);

/** Steps of 2,000 tokens; the last reply was measured with so many tokens. */
function chat(steps: number, total: number): Chat {
	const one = new Chat().user("the request");
	for (let step = 1; step <= steps; step++) {
		one.reply([`c${step}`]);
		if (step === steps) measure(one, total);
		one.result(`c${step}`, OUTPUT);
	}
	return one;
}

function measure(one: Chat, totalTokens: number): void {
	const entry = one.entries.at(-1);
	if (entry?.type !== "message") throw new Error("the newest entry is no reply");
	const usage = { input: totalTokens, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens };
	one.entries[one.entries.length - 1] = {
		...entry,
		message: { ...entry.message, usage },
	} as SessionEntry;
}

interface Options {
	readonly enabled?: boolean;
	readonly net?: boolean;
	readonly window?: number;
}

/** A host that plays one session, and what came of it. */
class StandIn {
	readonly chat: Chat;
	readonly told: string[] = [];
	recounts = 0;
	readonly ctx: ExtensionContext;
	private readonly handlers = new Map<string, (event: unknown, ctx: ExtensionContext) => unknown>();

	constructor(one: Chat, { enabled = true, net = true, window = 24_000 }: Options = {}) {
		this.chat = one;
		const manager = {
			getLeafId: () => one.entries.at(-1)?.id ?? null,
			getEntry: (id: string) => one.entries.find((entry) => entry.id === id),
			buildSessionProjection: () => undefined,
		};
		this.ctx = {
			hasUI: true,
			ui: { notify: (text: string) => this.told.push(text) },
			cwd: "/project",
			model: { contextWindow: window },
			isIdle: () => true,
			sessionManager: manager,
		} as unknown as ExtensionContext;
		const pi = {
			on: (name: string, handler: () => unknown) => this.handlers.set(name, handler),
			appendEntry: (customType: string, data: object) =>
				one.record({ customType, data: { ...data } }),
		} as unknown as ExtensionAPI;
		const dmail = {
			mode: { enabled, why: "" },
			settings: { net },
			tell: (_ctx: ExtensionContext, text: string) => this.told.push(text),
			recount: () => this.recounts++,
		} as unknown as Dmail;
		registerCompaction(pi, dmail);
	}

	async emit(name: string, event: object = {}): Promise<unknown> {
		return this.handlers.get(name)?.({ type: name, ...event }, this.ctx);
	}

	/** Asks as pi 1.6 does. */
	ask(preparation: Preparation, reason = "threshold"): Promise<unknown> {
		return this.emit("session_before_compact", { preparation, reason });
	}

	/** Our records, in order. */
	get records(): DmailRecord[] {
		return this.chat.entries.flatMap((entry) => {
			if (entry.type !== "custom") return [];
			const record = decode(entry.customType, entry.data, entry.id);
			return record && record.kind !== "broken" ? [record] : [];
		});
	}
}

function prepare(tokensBefore: number): Preparation {
	return {
		firstKeptEntryId: "e9",
		messagesToSummarize: [{ role: "user", content: "the request", timestamp: 1 }],
		turnPrefixMessages: [],
		isSplitTurn: false,
		tokensBefore,
		fileOps: { read: new Set(), written: new Set(), edited: new Set() },
		settings: { enabled: true, reserveTokens: 4_000, keepRecentTokens: 2_000 },
	};
}

test("held folds land at once where they make the compaction unnecessary, and the user is told once", async () => {
	const host = new StandIn(chat(9, 19_000).fold("e1", "e9", { held: true }), { net: false });
	assert.deepEqual(await host.ask(prepare(21_000)), { cancel: true });
	const [fold, land, ...others] = host.records;
	assert.ok(fold?.kind === "fold" && land?.kind === "land");
	assert.deepEqual([land.ids, others], [[fold.id], []]);
	assert.deepEqual(await host.ask(prepare(21_000)), { cancel: true });
	assert.equal(host.records.length, 2, "nothing is appended without a change");
	assert.equal(host.told.length, 1);
	assert.match(host.told[0] ?? "", /pi need not compact: folds keep ~[78]\.\dk tokens out/);
});

test("where pi compacts held folds are read as landed, and land only once it has", async () => {
	const host = new StandIn(chat(9, 19_000).fold("e1", "e9", { held: true, summary: "read it" }), {
		net: false,
	});
	const preparation = prepare(60_000);
	assert.equal(await host.ask(preparation), undefined);
	assert.equal(host.records.length, 1);
	assert.match(JSON.stringify(preparation.turnPrefixMessages), /read it/);
	host.chat.compaction("e1");
	await host.emit("session_compact");
	assert.deepEqual(
		host.records.map(({ kind }) => kind),
		["fold", "land"],
	);
	await host.emit("session_compact");
	assert.equal(host.records.length, 2);
	assert.equal(host.recounts, 2, "the badge is put right");
});

test("a held fold that was compacted away does not land", async () => {
	const host = new StandIn(chat(9, 19_000).fold("e1", "e9", { held: true }), { net: false });
	host.chat.user("next").step("n").compaction(host.chat.next);
	await host.emit("session_compact");
	assert.equal(host.records.length, 1);
});

test("the net is cast before pi compacts: one record, one notice, never twice for the same pressure", async () => {
	const host = new StandIn(chat(9, 19_000));
	assert.deepEqual(await host.ask(prepare(21_000)), { cancel: true });
	assert.deepEqual(await host.ask(prepare(21_000)), { cancel: true });
	const [net, ...others] = host.records;
	assert.ok(net?.kind === "fold" && others.length === 0);
	assert.equal(net.by, "auto");
	assert.equal(host.told.length, 1);
	assert.match(host.told[0] ?? "", /folded steps 1–\d without the model .*; pi need not compact/);
});

test("no net for an overflow, a manual compaction, without room to gain, or where it is switched off", async () => {
	for (const reason of ["overflow", "manual"]) {
		const host = new StandIn(chat(9, 19_000));
		assert.equal(await host.ask(prepare(21_000), reason), undefined);
		assert.deepEqual(host.records, []);
	}
	const off = new StandIn(chat(9, 19_000), { net: false });
	assert.equal(await off.ask(prepare(21_000)), undefined);
	const full = new StandIn(chat(9, 19_000));
	assert.equal(await full.ask(prepare(60_000)), undefined);
	assert.deepEqual([...off.records, ...full.records, ...off.told, ...full.told], []);
});

test("where a cut could only fall inside a fold pi does not compact, and the user is told the way out", async () => {
	const one = new Chat().user("first").step("a").compaction("e1").step("b");
	const host = new StandIn(one.fold("e1", null).result("nobody asked"));
	assert.deepEqual(await host.ask(prepare(9_000), "manual"), { cancel: true });
	assert.equal(host.records.length, 1);
	assert.match(
		host.told[0] ?? "",
		/pi did not compact: .*; to let it, type \/dmail off and \/compact$/,
	);
});

test("while D-Mail is off nothing is touched", async () => {
	const host = new StandIn(chat(9, 19_000).fold("e1", "e9", { held: true }), { enabled: false });
	const preparation = prepare(21_000);
	const before = JSON.stringify(preparation);
	assert.equal(await host.ask(preparation), undefined);
	await host.emit("session_compact");
	assert.equal(JSON.stringify(preparation), before);
	assert.deepEqual([host.records.length, host.told, host.recounts], [1, [], 0]);
});

test("a failure of ours is told, and pi compacts what it prepared", async () => {
	const host = new StandIn(chat(9, 19_000).fold("e1", "e9"));
	Object.assign(host.ctx.sessionManager, {
		getLeafId: () => {
			throw new Error("no leaf");
		},
	});
	const preparation = prepare(21_000);
	const before = JSON.stringify(preparation);
	assert.equal(await host.ask(preparation), undefined);
	assert.equal(JSON.stringify(preparation), before);
	assert.match(host.told[0] ?? "", /pi compacts what is stored, not what is folded: no leaf/);
});

test("0.73 gives no reason: its own checks are cancelled, what the user types goes through", async () => {
	const host = new StandIn(chat(9, 21_000).fold("e1", "e9"), { net: false });
	const ask = () => host.emit("session_before_compact", { preparation: prepare(23_000) });
	const messages = [{ role: "assistant", stopReason: "toolUse" }];
	assert.equal(await ask(), undefined, "before anything ran");
	await host.emit("agent_end", { messages });
	assert.deepEqual(await ask(), { cancel: true });
	assert.equal(await ask(), undefined);
	await host.emit("input");
	assert.deepEqual(await ask(), { cancel: true });
	await host.emit("input");
	await host.emit("before_agent_start");
	assert.equal(await ask(), undefined, "the run began without a question");
	await host.emit("agent_end", { messages: [{ role: "assistant", stopReason: "aborted" }] });
	assert.equal(await ask(), undefined);
	await host.emit("agent_end", { messages });
	await host.emit("session_start");
	assert.equal(await ask(), undefined, "another session");
});
