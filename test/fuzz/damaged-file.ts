// Files as a disk, a power cut or another program may leave them: bytes without sense, and sessions of the
// fixtures or recorded ones with damage of every kind. Whatever they are, nothing throws and nothing is lost.

import assert from "node:assert/strict";
import {
	ftruncateSync,
	mkdtempSync,
	openSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { Ajv } from "ajv";
import fc from "fast-check";
import { foldContext } from "../../fold.ts";
import { measure } from "../../src/profile/measure.ts";
import { recoverFolds } from "../../src/profile/recover.ts";
import { writeJson } from "../../src/report/json.ts";
import { projection, readBranch } from "../../src/session/branch.ts";
import type { SessionEntry } from "../../src/session/entry.ts";
import { readSession } from "../../src/session/file.ts";
import { piHost } from "../../src/session/message.ts";
import { parseSession } from "../../src/session/parse.ts";
import { SessionTree } from "../../src/session/tree.ts";
import { sent } from "../support/chat.ts";
import { recordedSessions } from "../support/sessions.ts";
import { checkReading } from "./reading.ts";

/** A recorded session is damaged a piece at a time, or a case would take seconds. */
const PIECE_BYTES = 60_000;

const FIXTURES = join(import.meta.dirname, "../fixtures");

/** Bytes that mean something to a reader of JSON lines, and some that mean nothing. */
const SPARKS = [
	"\n",
	"\r\n",
	"\0",
	"\ufeff",
	"\u2028",
	'"',
	"\\",
	"\\u",
	"\\ud800",
	"{",
	"}",
	"[",
	"]",
	",",
	":",
	"null",
	"-1e999",
	"NaN",
	'{"type":"message","id":"e1","parentId":"e2"',
	'{"type":"session"}',
	'"__proto__":{"id":1},',
	'{"type":"custom","customType":"dmail.fold","data":{"v":1}}\n',
].map((text) => Buffer.from(text));

/** One damage; `at` and `length` are shares of the file. */
interface Damage {
	readonly does: "cut" | "drop" | "spark" | "flip" | "repeat" | "swap" | "value" | "glue";
	readonly at: number;
	readonly length: number;
	readonly pick: number;
}

const share = fc.double({ min: 0, max: 1, noNaN: true });

const damage: fc.Arbitrary<Damage> = fc.record({
	does: fc.constantFrom("cut", "drop", "spark", "flip", "repeat", "swap", "value", "glue"),
	at: share,
	length: share.map((part) => part ** 4),
	pick: fc.nat(),
});

/** A file without any sense. */
export const anyBytes: fc.Arbitrary<Buffer> = fc
	.array(
		fc.oneof(
			fc.constantFrom(...SPARKS),
			fc.uint8Array({ maxLength: 20 }),
			fc.json().map((text) => Buffer.from(text)),
		),
		{ maxLength: 60 },
	)
	.map((parts) => Buffer.concat(parts));

/** A damaged session; of the recorded ones a piece, where they are at hand. */
export function anyDamagedSession(): fc.Arbitrary<Buffer> {
	const files = sessionFiles();
	return fc
		.tuple(fc.constantFrom(...files), share, fc.array(damage, { minLength: 1, maxLength: 6 }))
		.map(([file, at, damages]) => damages.reduce(harm, pieceOf(file, at)));
}

function sessionFiles(): string[] {
	const recorded = recordedSessions();
	const own = ["sessions", "profile"].map((name) => join(FIXTURES, name));
	return [...own, ...(recorded === undefined ? [] : [recorded])].flatMap((folder) =>
		readdirSync(folder)
			.filter((name) => name.endsWith(".jsonl"))
			.sort()
			.map((name) => join(folder, name)),
	);
}

const CONTENTS = new Map<string, Buffer>();

/** The header and what follows a place in the file, whole lines; a short file as it is. */
function pieceOf(file: string, at: number): Buffer {
	const whole = CONTENTS.get(file) ?? readFileSync(file);
	CONTENTS.set(file, whole);
	if (whole.length <= PIECE_BYTES) return whole;
	const start = whole.indexOf("\n", Math.floor(at * (whole.length - PIECE_BYTES))) + 1;
	return Buffer.concat([
		whole.subarray(0, whole.indexOf("\n") + 1),
		whole.subarray(start, start + PIECE_BYTES),
	]);
}

function harm(file: Buffer, { does, at, length, pick }: Damage): Buffer {
	const from = Math.floor(at * file.length);
	const to = Math.min(file.length, from + 1 + Math.floor(length * file.length));
	const [before, between, after] = [
		file.subarray(0, from),
		file.subarray(from, to),
		file.subarray(to),
	];
	switch (does) {
		case "cut":
			return before;
		case "drop":
			return Buffer.concat([before, after]);
		case "spark":
			return Buffer.concat([before, SPARKS[pick % SPARKS.length] ?? between, between, after]);
		case "flip":
			return Buffer.concat([before, between.map((byte) => byte ^ (1 << (pick % 8))), after]);
		case "repeat":
			return Buffer.concat([before, between, between, after]);
		case "swap":
			return Buffer.concat([before, after, between]);
		case "value":
			return Buffer.from(withOtherValue(file.toString("utf8"), at, pick));
		case "glue": {
			const end = file.indexOf("\n", from);
			return end < 0 ? file : Buffer.concat([file.subarray(0, end), file.subarray(end + 1)]);
		}
	}
}

const VALUES = [
	"null",
	"0",
	"-7",
	"1e308",
	'""',
	'"e1"',
	"[]",
	"{}",
	"true",
	'[null,{"type":"text"}]',
];

/** Puts another value in the place of one: JSON still, and nothing that pi would write. */
function withOtherValue(text: string, at: number, pick: number): string {
	const values = /("\w+":)("(?:[^"\\\n]|\\.){0,60}"|-?\d[\d.e+-]*|null|true|false)/g;
	values.lastIndex = Math.floor(at * text.length);
	const found = values.exec(text);
	if (!found) return text;
	const value = VALUES[pick % VALUES.length];
	return `${text.slice(0, found.index)}${found[1]}${value}${text.slice(values.lastIndex)}`;
}

/** A file that holds one case after the other. */
interface Slate {
	readonly path: string;
	readonly file: number;
}

let slate: Slate | undefined;

/** Reads and profiles a file; throws where anything throws, or is lost, or is no number. */
export function checkFile(bytes: Buffer): void {
	const text = bytes.toString("utf8");
	const session = parseSession(text);
	checkReading(text, session);
	checkBranches(session.entries);
	const file = write(bytes);
	const { bytes: length, ...read } = readSession(file);
	assert.equal(length, bytes.length);
	assert.deepEqual(read, session, "a file reads as its text does");
	for (const fold of recoverFolds(file).folds) for (const force of [false, true]) fold.read(force);
	const { profile, refusal } = measure(file);
	assert.equal(refusal, session.refusal);
	if (profile) checkJson(JSON.parse([...writeJson(profile)].join("")));
}

/** Both hosts' readings of the branch are sent without a throw; what goes out has been in the list, or is ours. */
function checkBranches(entries: readonly SessionEntry[]): void {
	const tree = new SessionTree<SessionEntry>();
	for (const [at, entry] of entries.entries()) tree.add(entry, at + 1);
	const branch = tree.branch();
	for (const host of ["0.73", "1.6"] as const) {
		const list = projection(branch, host).map(({ message }) => message);
		const { messages } = foldContext(readBranch(branch, host), piHost, { asking: true });
		assert.deepEqual(sent(branch, list, host).messages, messages);
	}
}

/** Writes a file over the one before: one that is emptied first goes to the disk each time, and most time with it. */
function write(bytes: Buffer): string {
	slate ??= newSlate();
	for (let at = 0; at < bytes.length; )
		at += writeSync(slate.file, bytes, at, bytes.length - at, at);
	ftruncateSync(slate.file, bytes.length);
	return slate.path;
}

function newSlate(): Slate {
	const folder = mkdtempSync(join(tmpdir(), "dmail-fuzz-"));
	process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
	const path = join(folder, "session.jsonl");
	return { path, file: openSync(path, "w") };
}

const SCHEMA = JSON.parse(
	readFileSync(join(import.meta.dirname, "../../docs/profile.schema.json"), "utf8"),
);
const isProfile = new Ajv({ validateFormats: false, allowUnionTypes: true }).compile(SCHEMA);

function checkJson(profile: unknown): void {
	assert.ok(isProfile(profile), JSON.stringify(isProfile.errors?.slice(0, 3)));
}
