// One session, asked in two places: `/dmail status` in pi and the profiler outside of it.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Effect, encode, type FoldRecord } from "../../fold.ts";
import { measure } from "../../src/profile/measure.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { typeCommands } from "../support/fake-commands.ts";
import { PRICED } from "../support/fake-pi.ts";
import { lineOf } from "../support/landing-words.ts";
import { scratch } from "../support/scratch.ts";
import {
	call,
	type Draft,
	record,
	reply,
	result,
	session,
	user,
} from "../support/session-entries.ts";

const EFFECT: Effect = {
	...{ removedTokens: 2_400, onceUsd: 0.0123, perRequestTokens: 2_000 },
	...{ requestsToPay: 5.4, paid: null },
};

/** A reply with what its request used: tokens read from the cache, written to it; priced as in pi's list. */
function asked(
	id: string,
	[cacheRead, cacheWrite]: readonly [number, number],
	name = "bash",
): Draft {
	const { cost } = PRICED;
	const parts = {
		input: 0,
		output: (50 * cost.output) / 1e6,
		cacheRead: (cacheRead * cost.cacheRead) / 1e6,
		cacheWrite: (cacheWrite * cost.cacheWrite) / 1e6,
	};
	const total = parts.output + parts.cacheRead + parts.cacheWrite;
	const usage = { input: 0, output: 50, cacheRead, cacheWrite, cost: { ...parts, total } };
	return (at) => {
		const entry = reply("", call(id, name, { summary: "s".repeat(400) }))(at);
		if (entry.type !== "message" || entry.message.role !== "assistant") return assert.fail();
		return { ...entry, message: { ...entry.message, usage } };
	};
}

/** A request, its call and the answer. */
const step = (id: string, used: readonly [number, number]) => [
	asked(id, used),
	result(id, "word ".repeat(400)),
];

function fold(id: string, range: readonly [number, number], more: Partial<FoldRecord> = {}): Draft {
	const [from, to] = range;
	const { customType, data } = encode({
		...{ kind: "fold", v: 1, id, fromEntryId: `e${from}`, toEntryId: `e${to}` },
		...{ summary: "s".repeat(400), digest: "0", by: "model", predicted: EFFECT, ...more },
	});
	return record(customType, data);
}

function stored(kind: "land" | "drop" | "open", data: Record<string, unknown>): Draft {
	return record(`dmail.${kind}`, { v: 1, ...data });
}

/** Asks both, and holds the one against the other. */
async function compare(entries: readonly SessionEntry[]): Promise<string[]> {
	const said = await typeCommands(entries, { model: PRICED }).run("/dmail status");
	const lines = said.split("\n").filter((line) => /^ {2}folds? \w+(, \w+)*: /.test(line));
	const directory = scratch();
	const file = join(directory, "session.jsonl");
	const header = { type: "session", version: 3, id: "n", timestamp: "2026-01-05T09:00:00.000Z" };
	writeFileSync(
		file,
		[{ ...header, cwd: "/" }, ...entries].map((one) => `${JSON.stringify(one)}\n`).join(""),
	);
	const { profile } = measure(file);
	assert.ok(profile);
	const { folds } = profile;
	const told = lines.map((line) => {
		const ids = (/^ {2}folds? ([^:]+):/.exec(line)?.[1] ?? "").split(", ");
		const rows = ids.map((id) => folds.find((row) => row.id === id) ?? assert.fail(id));
		return `  ${lineOf(rows)}`;
	});
	assert.deepEqual(lines, told);
	return lines;
}

/** e0 user · e1 … e12 steps 1 to 6 */
const STEPS: readonly Draft[] = [
	user("begin"),
	...step("a", [0, 10_000]),
	...step("b", [10_000, 620]),
	...step("c", [10_620, 620]),
	...step("d", [11_240, 610]),
	...step("e", [11_850, 620]),
	...step("f", [12_470, 620]),
];

test("a fold that landed at once: the same numbers in both places", async () => {
	const [line] = await compare(
		session(
			...STEPS,
			fold("aaaa", [1, 7]),
			...step("g", [10_000, 2_050]),
			...step("h", [12_050, 620]),
		),
	);
	assert.match(
		line ?? "",
		/predicted −2\.0k tokens a request, costs \$0\.012 once, pays after 6 requests/,
	);
	assert.match(line ?? "", /measured −1\.\dk tokens a request, .*; has paid|has not paid yet/);
});

test("held folds that landed together: the rows add up to the landing, its own prediction included", async () => {
	const lines = await compare(
		session(
			...STEPS,
			fold("aaaa", [1, 5], { held: true, predicted: { ...EFFECT, onceUsd: 0.05 } }),
			fold("bbbb", [7, 9], { held: true, predicted: { ...EFFECT, onceUsd: 0.06 } }),
			...step("g", [13_090, 620]),
			stored("land", { ids: ["aaaa", "bbbb"], predicted: { ...EFFECT, onceUsd: 0.02 } }),
			...step("h", [10_000, 3_000]),
			...step("i", [13_000, 620]),
		),
	);
	assert.equal(lines.length, 1);
	assert.match(lines[0] ?? "", /predicted −2\.0k tokens a request, costs \$0\.020 once/);
	assert.match(lines[0] ?? "", /folds aaaa, bbbb: .*measured −/);
});

test("a turn that did nothing but fold, and a fold taken back", async () => {
	const lines = await compare(
		session(
			...STEPS,
			asked("g", [13_090, 620], "send_dmail"),
			fold("aaaa", [1, 7], { callId: "g" }),
			result("g", "folded"),
			...step("h", [10_000, 2_050]),
			fold("bbbb", [7, 9]),
			...step("i", [11_000, 1_300]),
			stored("drop", { id: "bbbb" }),
			...step("j", [11_000, 2_000]),
			...Array.from({ length: 30 }, (_, n) => step(`k${n}`, [13_000 + n * 620, 620])).flat(),
		),
	);
	assert.equal(lines.length, 2);
	assert.match(lines[0] ?? "", /measured .*; has paid$/);
	assert.match(lines[1] ?? "", /measured .*; has not paid yet$/);
});
