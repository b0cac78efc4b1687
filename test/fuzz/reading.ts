// No silent loss: whatever a file is, each of its lines is an entry, the header or a problem that is listed.

import assert from "node:assert/strict";
import type { Session } from "../../src/session/parse.ts";

/** Throws where a line of a text is accounted for by nothing that was read of it. */
export function checkReading(text: string, session: Session): void {
	const lines = text.split("\n");
	if (lines.at(-1) === "") lines.pop();
	assert.equal(session.lines, lines.length);
	assert.equal(session.entries.length, session.entryLines.length);
	if (session.refusal !== undefined) return;
	const told = new Set(session.entryLines);
	for (const { line, reason } of session.problems) {
		assert.ok(line >= 1 && line <= lines.length, `a problem of line ${line}`);
		assert.ok(reason.length > 0);
		const region = Number(/; (\d+) lines$/.exec(reason)?.[1] ?? 1);
		for (let at = line; at < line + region; at++) told.add(at);
	}
	for (const [at, line] of lines.entries())
		assert.ok(
			told.has(at + 1) || isNothing(line) || isHeader(line),
			`line ${at + 1} is lost: ${line}`,
		);
	const reached = session.entryLines.every((line, i) => line >= (session.entryLines[i - 1] ?? 0));
	assert.ok(reached, "entries are in file order");
}

function isNothing(line: string): boolean {
	return line.replace(/[\s\ufeff]/g, "") === "";
}

function isHeader(line: string): boolean {
	return /"type"\s*:\s*"session"/.test(line);
}
