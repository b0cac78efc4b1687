// What-if on recorded sessions: what it says of them without folds is what they cost.

import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { netSummary } from "../../src/notes/net.ts";
import { PRESETS } from "../../src/price/preset.ts";
import { readPolicy } from "../../src/profile/policy.ts";
import { playFile, type SessionRows } from "../../src/profile/what-if.ts";
import { limitsOf } from "../../src/profile/what-if-era.ts";
import { sumSessions } from "../../src/profile/what-if-sums.ts";
import { byPreset, DEFAULTS, netTokens, OWN, type Terms } from "../../src/profile/what-if-terms.ts";
import { readSession } from "../../src/session/file.ts";
import { estimateText, estimateTokens } from "../../src/session/size.ts";
import { SessionTree } from "../../src/session/tree.ts";
import { NO_SESSIONS, recordedSessions } from "../support/sessions.ts";

const directory = recordedSessions();
const TERMS: Terms = { ...DEFAULTS, ...OWN, limits: (tape) => limitsOf(tape, undefined) };
/** Those of them whose replies have prices, and are long enough or odd enough to be told apart by. */
const PRICED = [
	"opus-six-compactions",
	"v1-fork-compacted",
	"v1-many-aborts",
	"v1-glued-records",
	"clean-parallel",
	"cjk-errors-first",
	"cjk-long-lines",
];

function playedUnder(name: string, policies: readonly string[], terms = TERMS): SessionRows {
	const read = policies.map(readPolicy).filter((one) => typeof one !== "string");
	const { session } = playFile(join(directory ?? "", `${name}.jsonl`), read, terms);
	assert.ok(session, name);
	return session;
}

for (const name of PRICED)
	test(`without folds ${name} costs what was recorded, within 5%`, (t) => {
		if (!directory) return t.skip(NO_SESSIONS);
		const { recordedUsd, bounds } = playedUnder(name, []);
		const off = bounds.none / (recordedUsd ?? Number.NaN) - 1;
		assert.ok(Math.abs(off) < 0.05, `${(off * 100).toFixed(1)}%`);
	});

test("auto reaches three quarters of what hindsight could, and is dearer by a summary at most", (t) => {
	if (!directory) return t.skip(NO_SESSIONS);
	const preset = PRESETS["anthropic-5m"];
	assert.ok(preset);
	const terms = { ...TERMS, ...byPreset(preset) };
	const sessions = PRICED.map((name) => playedUnder(name, ["cold", "auto"], terms));
	const { bounds, policies } = sumSessions(sessions);
	const [cold, auto] = policies;
	assert.ok(auto && cold && bounds.hindsight !== null);
	const reachable = (bounds.none - bounds.hindsight) / (bounds.none - bounds.oracle);
	assert.ok(reachable < 0.9, "no folds with summaries come near the oracle");
	assert.ok((auto.ofOracle ?? 0) > 0.75 * reachable, `${auto.ofOracle} of ${reachable}`);
	assert.ok((auto.ofOracle ?? 0) > (cold.ofOracle ?? 1));
	// a session that ends right after its first summary was written
	assert.ok(auto.worst > -0.1, `${auto.worst}`);
});

test("a net's size is estimated to within a third of what the net writes", (t) => {
	if (!directory || !existsSync(directory)) return t.skip(NO_SESSIONS);
	let seen = 0;
	for (const file of readdirSync(directory).filter((name) => name.endsWith(".jsonl"))) {
		const reading = readSession(join(directory, file));
		const tree = new SessionTree<(typeof entries)[number]>();
		const entries = "entries" in reading ? reading.entries : [];
		for (const [i, entry] of entries.entries()) tree.add(entry, i);
		const branch = tree.branch();
		const first = branch.findIndex((entry) => entry.type === "message" && isReply(entry.message));
		const stretch = branch.slice(first);
		const steps = stretch.filter((entry) => entry.type === "message" && isReply(entry.message));
		const tokens = stretch.reduce(
			(sum, entry) => sum + (entry.type === "message" ? estimateTokens(entry.message) : 0),
			0,
		);
		const net = first >= 0 && netSummary({ entries: stretch, firstStep: 1, folds: [] });
		if (!net || tokens < 30_000) continue;
		seen++;
		const written = estimateText(net.summary);
		const ratio = netTokens(steps.length, tokens) / written;
		assert.ok(ratio > 0.66 && ratio < 1.34, `${file}: ${ratio} of ${written}`);
	}
	assert.ok(seen > 5, `${seen} sessions`);
});

function isReply({ role, stopReason }: { role: string; stopReason?: unknown }): boolean {
	return role === "assistant" && ["stop", "length", "toolUse"].includes(`${stopReason}`);
}
