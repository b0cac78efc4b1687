// What pi shows of a branch, against pi's own functions of both hosts.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as recent from "@earendil-works/pi-coding-agent";
import * as old from "@mariozechner/pi-coding-agent";
import { type Generation, projection, walk } from "../../src/session/branch.ts";
import type { PiMessage, SessionEntry } from "../../src/session/entry.ts";

/** Fails to compile where a value of pi's own types would need a cast. */
export function acceptsEntriesOfPi(
	entries: readonly (old.SessionEntry | recent.SessionEntry)[],
): readonly SessionEntry[] {
	return entries;
}

function shown(entries: readonly SessionEntry[], leafId: string | null, generation: Generation) {
	const byId = new Map(entries.map((entry) => [entry.id, entry]));
	const branch = walk((id) => byId.get(id), leafId);
	return projection(branch, generation).map(({ message }) => message);
}

/** pi's own answers, by pi's own types: the one cast between its world and ours. */
const PI: Record<Generation, (entries: readonly SessionEntry[], leafId: string | null) => unknown> =
	{
		"0.73": (entries, leafId) =>
			old.buildSessionContext(entries as old.SessionEntry[], leafId).messages,
		"1.6": (entries, leafId) =>
			recent.buildSessionContext(entries as recent.SessionEntry[], leafId).messages,
	};

function assertAsPi(entries: readonly SessionEntry[], leafId: string | null): void {
	for (const generation of ["0.73", "1.6"] as const)
		assert.deepEqual(
			shown(entries, leafId, generation),
			PI[generation](entries, leafId),
			`as ${generation} shows it`,
		);
}

function user(id: string, parentId: string | null, text = id): SessionEntry {
	return entry(id, parentId, { role: "user", content: text, timestamp: 1 });
}

function entry(id: string, parentId: string | null, message: PiMessage): SessionEntry {
	return { type: "message", id, parentId, timestamp: "2026-01-01T00:00:00.000Z", message };
}

test("a branch without compaction is shown as pi shows it", () => {
	const entries = [user("a", null), user("b", "a"), user("c", "a"), user("d", "c")];
	assertAsPi(entries, "d");
	assertAsPi(entries, "b");
	assertAsPi(entries, null);
});
