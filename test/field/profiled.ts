// Profiles sessions that exist only for a test: written to a file, measured, gone.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { measure } from "../../src/profile/measure.ts";
import type { Profile, RequestRow } from "../../src/profile/profile.ts";
import { drawSession } from "../../src/report/session.ts";
import { inDirectory } from "../support/scratch.ts";

/** The text of a session file: a header, then the records, a line each. */
export function fileOf(records: readonly object[], header: object = {}): string {
	const head = { type: "session", version: 3, id: "s", timestamp: TIME, cwd: "/a", ...header };
	return [head, ...records].map((one) => `${JSON.stringify(one)}\n`).join("");
}

const TIME = "2026-01-05T09:00:00.000Z";

/** What the profiler says of a session of these records, or of a file with this text or these bytes. */
export function profileOf(session: readonly object[] | string | Buffer): Profile {
	return inDirectory((directory) => {
		const file = join(directory, "session.jsonl");
		writeFileSync(file, isRecords(session) ? fileOf(session) : session);
		const { profile, refusal } = measure(file);
		assert.ok(profile, refusal);
		return profile;
	});
}

function isRecords(session: readonly object[] | string | Buffer): session is readonly object[] {
	return Array.isArray(session);
}

export function rowsOf({ requests }: Profile): RequestRow[] {
	return Array.from({ length: requests.length }, (_, i) => requests.at(i));
}

/** The report of a profile as plain text. */
export function textOf(profile: Profile): string {
	return drawSession(profile, { kind: "pipe", columns: 200, colour: false });
}
