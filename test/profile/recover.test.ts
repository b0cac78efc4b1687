// Folds brought back from a file: the entries as stored, whatever became of the fold and of the file.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { recoverFolds } from "../../src/profile/recover.ts";
import { pageOf } from "../../src/session/source-page.ts";
import { anyKeptSession, KeptSession, type Made, textsOf } from "../support/kept-session.ts";
import { scratch } from "../support/scratch.ts";
import { call, record, reply, result, user } from "../support/session-entries.ts";

const root = scratch();

function stored(lines: string) {
	const file = join(root, "session.jsonl");
	writeFileSync(file, lines);
	return recoverFolds(file).folds;
}

function sourceIn(lines: string, id: string, force = false) {
	return stored(lines)
		.find((fold) => fold.record.id === id)
		?.read(force);
}

test("every fold of a file is its entries, byte for byte, at any page size, on whatever branch it is", () => {
	fc.assert(
		fc.property(anyKeptSession, fc.integer({ min: 1, max: 200 }), (session, limit) => {
			const folds = stored(session.file);
			assert.equal(folds.length, session.made.length);
			for (const [at, made] of session.made.entries()) {
				const source = folds[at]?.read();
				assert.ok(source?.ok, source?.ok ? "" : source?.reason);
				assert.equal(source.verified, true);
				assert.deepEqual(source.entries, JSON.parse(JSON.stringify(made.entries)));
				let text = "";
				for (let offset: number | null = 0; offset !== null; ) {
					const page = pageOf(source, offset, limit);
					text += page.text;
					offset = page.next;
				}
				assert.equal(text, source.text);
				let passed = 0;
				for (const part of made.entries.flatMap(textsOf)) {
					const found = text.indexOf(part, passed);
					assert.ok(found >= 0, `${JSON.stringify(part)} after ${passed} in ${text}`);
					passed = found + part.length;
				}
			}
		}),
		{ numRuns: 150 },
	);
});

/** Two steps, each folded, then both; the made folds in that order. */
function twoSteps(): KeptSession {
	const step = (name: string) => [reply(name, call(name, "bash", {})), result(name, `${name} out`)];
	return new KeptSession([
		{ do: "say", drafts: [user("go"), ...step("one"), ...step("two"), reply("done")] },
		{ do: "fold", from: 0, to: 0 },
		{ do: "fold", from: 1, to: 0 },
		{ do: "fold", from: 0, to: 1 },
	]);
}

function idsOf({ made }: KeptSession): string[] {
	return made.map((one: Made) => one.record.id);
}

test("a source that was changed is refused and its entry named, and printed with force", () => {
	const session = twoSteps();
	const [first = "", second = "", both = ""] = idsOf(session);
	const changed = session.file.replace("two out", "two OUT");
	assert.ok(sourceIn(changed, first)?.ok);
	const told = (id: string) => {
		const source = sourceIn(changed, id);
		return source?.ok === false ? source.reason : undefined;
	};
	assert.match(
		told(second) ?? "",
		/one of its 2 messages, from entry e3 to e4, is not what was folded$/,
	);
	// the fold of the first step proves that the fault is in the second
	assert.equal(told(both), told(second));
	const forced = sourceIn(changed, both, true);
	assert.ok(forced?.ok && forced.verified === false && forced.text.includes("two OUT"));
	assert.match(forced.problem ?? "", /is not what was folded$/);
});

test("a line that is gone, unreadable or in another place is refused", () => {
	const session = twoSteps();
	const [first = "", second = "", both = ""] = idsOf(session);
	const lines = session.file.split("\n");
	const without = (at: number) => lines.filter((_, i) => i !== at).join("\n");
	const refusal = (file: string, id: string) => {
		const source = sourceIn(file, id);
		return source?.ok === false ? source.reason : undefined;
	};
	// the header is line 0: entry e2 is line 3
	assert.match(refusal(without(3), first) ?? "", /its first entry e1 is not on the branch$/);
	assert.equal(refusal(without(3), second), undefined, "what lies behind the gap is whole");
	const torn = lines.map((line, at) => (at === 3 ? line.slice(0, 90) : line)).join("\n");
	assert.match(refusal(torn, both) ?? "", /^not the original: entry e2 cannot be read$/);
	const half = sourceIn(without(3), both, true);
	assert.ok(half?.ok && half.text.includes("two out") && !half.text.includes("one out"));
});

test("records that are damaged, later or of another extension are read as far as they go", () => {
	const session = twoSteps();
	const fields = { fromEntryId: "e1", toEntryId: "e3" };
	const later = {
		v: 2,
		id: "9999",
		...fields,
		summary: "s",
		digest: session.made[0]?.record.digest,
	};
	const drafts = [
		record("dmail.fold", later),
		record("dmail.fold", { ...fields, summary: "plain" }),
		record("dmail.fold", { v: 1, id: "7777" }),
	];
	session.happen({ do: "say", drafts });
	const [again, plain, nowhere] = stored(session.file).slice(3);
	const source = again?.read();
	assert.equal(again?.damage, "unknown version 2");
	assert.ok(source?.ok && source.verified === true && source.text.includes("one out"));
	const other = plain?.read();
	assert.ok(other?.ok && other.verified === null && other.text === source.text);
	const none = nowhere?.read(true);
	assert.ok(none?.ok === false && /does not say where it begins$/.test(none.reason));
});

test("a file that is still being written is read up to its last whole line", () => {
	const session = twoSteps();
	const [first = ""] = idsOf(session);
	const cut = session.file.slice(0, -40);
	assert.equal(stored(cut).length, session.made.length - 1);
	assert.ok(sourceIn(cut, first)?.ok);
});

test("what is no session is refused", () => {
	const file = join(root, "none.jsonl");
	assert.deepEqual(recoverFolds(file), { folds: [], refusal: "there is no such file" });
});
