// Laws 13 and 14: records, as the session stores them.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type DmailRecord, decode, encode, propose, Replayer, SUMMARY_LIMIT } from "../../fold.ts";
import { anyBranch } from "../support/arbitrary.ts";
import { cases } from "../support/cases.ts";
import { textHost } from "../support/notation.ts";

const text = fc.string({ minLength: 1 });
const step = fc.integer({ min: 1, max: 1_000_000 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const number = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }), { nil: null });

const predicted = fc.record(
	{
		removedTokens: number,
		onceUsd: number,
		perRequestTokens: number,
		requestsToPay: number,
		paid: fc.option(fc.boolean(), { nil: null }),
	},
	{ noNullPrototype: true },
);

const range = { fromEntryId: text, toEntryId: fc.option(text, { nil: null }) };

const ours = fc.record({
	kind: fc.constant("fold" as const),
	v: fc.constant(1 as const),
	id: fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 4, maxLength: 64 }),
	...range,
	fromStep: maybe(step),
	toStep: maybe(step),
	summary: text,
	digest: text,
	by: fc.constantFrom("model" as const, "user" as const, "auto" as const),
	callId: maybe(text),
	cutEntryId: maybe(text),
	keep: maybe(text),
	notes: maybe(fc.array(fc.string())),
	held: maybe(fc.constant(true as const)),
	lands: maybe(fc.array(fc.string())),
	predicted: maybe(predicted),
});

const plain = fc.record({
	kind: fc.constant("fold" as const),
	v: fc.constant(0 as const),
	id: fc.constant("e1"),
	...range,
	fromStep: maybe(step),
	toStep: maybe(step),
	summary: text,
});

const anyRecord: fc.Arbitrary<DmailRecord> = fc.oneof(
	ours,
	plain,
	fc.record({
		kind: fc.constant("land" as const),
		ids: fc.array(fc.string()),
		predicted: maybe(predicted),
	}),
	fc.record({
		kind: fc.constantFrom("shut" as const, "drop" as const),
		id: text,
	}),
	fc.record({
		kind: fc.constant("open" as const),
		id: text,
		inner: maybe(fc.array(fc.string(), { maxLength: 3 })),
	}),
	fc.record({ kind: fc.constantFrom("pin" as const, "unpin" as const), ...range }),
	fc.record({
		kind: fc.constant("mode" as const),
		enabled: fc.boolean(),
		nudge: fc.boolean(),
		by: fc.constantFrom("user" as const, "auto" as const),
	}),
);

test("14: decode(encode(r)) is r", () => {
	fc.assert(
		fc.property(anyRecord, (record) => {
			const { customType, data } = encode(record);
			const stored = JSON.parse(JSON.stringify(data));
			assert.deepEqual(decode(customType, stored, "e1"), JSON.parse(JSON.stringify(record)));
		}),
		cases(),
	);
});

const TYPES = ["fold", "land", "open", "shut", "drop", "pin", "unpin", "mode"];

test("14: decoding arbitrary JSON never throws", () => {
	const customType = fc.oneof(
		fc.constantFrom(...TYPES.map((kind) => `dmail.${kind}`)),
		fc.constantFrom("dmail.", "dmail.cut", "dmail.toString", "dmail.__proto__", "other"),
		fc.string(),
	);
	const data = fc.oneof(fc.jsonValue(), fc.dictionary(keyOfRecord(), fc.jsonValue()));
	fc.assert(
		fc.property(customType, data, (type, value) => {
			const record = decode(type, value, "e1");
			const isOurs = TYPES.some((kind) => type === `dmail.${kind}`);
			assert.equal(record !== undefined, isOurs);
			if (record?.kind === "broken") assert.ok(record.reason.length > 0);
		}),
		cases(5),
	);
});

function keyOfRecord(): fc.Arbitrary<string> {
	const keys =
		"v id ids fromEntryId toEntryId fromStep summary digest by notes held lands enabled nudge";
	return fc.constantFrom(...keys.split(" "), "predicted", "__proto__", "constructor");
}

test("14: what decodes is written back as it was read", () => {
	fc.assert(
		fc.property(anyRecord, (record) => {
			const once = decode(encode(record).customType, encode(record).data, "e1");
			assert.ok(once && once.kind !== "broken");
			assert.deepEqual(encode(once), encode(record));
		}),
		cases(),
	);
});

test("13: a fold's record is of bounded size, however much it folds", () => {
	fc.assert(
		fc.property(anyBranch, fc.nat({ max: 40 }), (branch, from) => {
			const replayer = new Replayer(textHost);
			for (const entry of branch) replayer.push(entry);
			const proposal = propose(replayer, { fromStep: 1 + from, live: false });
			if (!proposal.ok) return;
			const { ok, range, ...frozen } = proposal;
			const { data } = encode({
				...frozen,
				kind: "fold",
				v: 1,
				id: "0123456789abcdef",
				by: "model",
				summary: "s",
				digest: "0".repeat(64),
				callId: "c".repeat(64),
			});
			assert.ok(ok && range.from < range.to);
			assert.ok(JSON.stringify(data).length <= 400);
		}),
		cases(),
	);
});

/** A fold's data with one field changed; `undefined` leaves it out. */
function data(change: Record<string, unknown>): Record<string, unknown> {
	const whole = { v: 1, id: "a1b2", fromEntryId: "e1", toEntryId: "e4", summary: "done" };
	return { ...whole, digest: "00", by: "model", ...change };
}

const BROKEN: [string, Record<string, unknown>, RegExp][] = [
	["a version that is not known", { v: 2 }, /^unknown version 2$/],
	["an id that is no hex", { id: "xyzz" }, /^id: not 4 or more hex digits: xyzz$/],
	["an id that does not begin with one", { id: "!a1b2" }, /^id: not 4 or more hex digits: !a1b2$/],
	["an id that does not end with one", { id: "a1b2!" }, /^id: not 4 or more hex digits: a1b2!$/],
	["an id of 41 letters", { id: "z".repeat(41) }, /^id: not 4 or more hex digits: z{40}…$/],
	["an id of 40 letters", { id: "z".repeat(40) }, /^id: not 4 or more hex digits: z{40}$/],
	["a version that is a text", { v: "2" }, /^unknown version 2$/],
	["a version that is no version at all", { v: { of: 1 } }, /^unknown version {"of":1}$/],
	["an id that is too short", { id: "a1b" }, /^id: not 4 or more hex digits: a1b$/],
	["an id in capitals", { id: "A1B2" }, /^id: not 4 or more hex digits/],
	["no first entry", { fromEntryId: undefined }, /^fromEntryId: not a text$/],
	["an empty first entry", { fromEntryId: "" }, /^fromEntryId: not a text$/],
	["no end", { toEntryId: undefined }, /^toEntryId: neither a text nor null$/],
	["an end of a wrong type", { toEntryId: 4 }, /^toEntryId: not a text$/],
	["an empty summary", { summary: "" }, /^summary: not a text$/],
	[
		"a summary that is too long",
		{ summary: "s".repeat(SUMMARY_LIMIT + 1) },
		/^summary: 20001 characters, the limit is 20000$/,
	],
	["no digest", { digest: undefined }, /^digest: not a text$/],
	["nobody's", { by: "nobody" }, /^by: none of model, user, auto$/],
	["a step that is none", { fromStep: 0 }, /^fromStep: not a step number$/],
	["half a step", { toStep: 1.5 }, /^toStep: not a step number$/],
	["notes of a wrong type", { notes: "edited" }, /^notes: not a list of texts$/],
	["a note of a wrong type", { notes: [1] }, /^notes: not a list of texts$/],
	["notes of which one is of a wrong type", { notes: ["a", 1] }, /^notes: not a list of texts$/],
	["a step of a wrong type", { toStep: "3" }, /^toStep: not a step number$/],
	["lands of a wrong type", { lands: {} }, /^lands: not a list of texts$/],
	["a call id of a wrong type", { callId: 7 }, /^callId: not a text$/],
];

for (const [name, change, reason] of BROKEN)
	test(`a fold with ${name} cannot be read`, () => {
		const record = decode("dmail.fold", JSON.parse(JSON.stringify(data(change))), "e9");
		assert.ok(record?.kind === "broken");
		assert.equal(record.of, "fold");
		assert.match(record.reason, reason);
	});

test("a fold in the plain form is read by its own entry's id", () => {
	const said = { fromEntryId: "e1", toEntryId: "e4", summary: "done", note: "unknown" };
	const read = {
		kind: "fold",
		v: 0,
		id: "e9",
		fromEntryId: "e1",
		toEntryId: "e4",
		summary: "done",
	};
	assert.deepEqual(decode("dmail.fold", said, "e9"), read);
	const openEnded = { ...said, toEntryId: undefined, fromStep: 3 };
	const toItsPlace = { ...read, toEntryId: null, fromStep: 3 };
	assert.deepEqual(decode("dmail.fold", openEnded, "e9"), toItsPlace);
});

test("a summary at the limit is read", () => {
	const record = decode("dmail.fold", data({ summary: "s".repeat(SUMMARY_LIMIT) }), "e9");
	assert.equal(record?.kind, "fold");
});

test("fields that mean nothing are left out", () => {
	const record = decode("dmail.fold", data({ held: false, predicted: "much", extra: 1 }), "e9");
	assert.ok(record?.kind === "fold");
	const fields = "by digest fromEntryId id kind summary toEntryId v";
	assert.equal(Object.keys(record).sort().join(" "), fields);
});

test("a prediction keeps what it knows", () => {
	const known = { removedTokens: 5, onceUsd: "much", requestsToPay: Number.NaN, paid: 1 };
	const record = decode("dmail.land", { v: 1, ids: ["a1b2"], predicted: known }, "e9");
	assert.ok(record?.kind === "land");
	const rest = { onceUsd: null, perRequestTokens: null, requestsToPay: null, paid: null };
	assert.deepEqual(record.predicted, { removedTokens: 5, ...rest });
});

test("a record that is none of ours is left alone", () => {
	assert.equal(decode("dmail.cut", { v: 1 }, "e9"), undefined);
	assert.equal(decode("note", {}, "e9"), undefined);
	assert.equal(decode("dmail.hasOwnProperty", {}, "e9"), undefined);
});

test("what goes wrong for another reason than a field is no broken record", () => {
	const data = {
		get id(): string {
			throw new RangeError("no field is to blame");
		},
	};
	assert.throws(() => decode("dmail.drop", data, "e9"), RangeError);
});

/** What is stored of a record, and what it reads as. */
const STORED: [string, string, Record<string, unknown>, DmailRecord][] = [
	[
		"a fold with all its fields",
		"dmail.fold",
		{
			...data({ toEntryId: null, fromStep: 1, toStep: 3, by: "auto", callId: "c1" }),
			...{ cutEntryId: "e0", keep: "e2", notes: ["a"], held: true, lands: ["c3d4"] },
		},
		{
			...{ kind: "fold", v: 1, id: "a1b2", fromEntryId: "e1", toEntryId: null, summary: "done" },
			...{ fromStep: 1, toStep: 3, digest: "00", by: "auto", callId: "c1", cutEntryId: "e0" },
			...{ keep: "e2", notes: ["a"], held: true, lands: ["c3d4"] },
		},
	],
	[
		"a fold in the plain form",
		"dmail.fold",
		{ fromEntryId: "e1", toEntryId: "e4", summary: "done" },
		{ kind: "fold", v: 0, id: "e9", fromEntryId: "e1", toEntryId: "e4", summary: "done" },
	],
	["a landing", "dmail.land", { v: 1, ids: ["a1b2"] }, { kind: "land", ids: ["a1b2"] }],
	["an opening", "dmail.open", { v: 1, id: "a1b2" }, { kind: "open", id: "a1b2" }],
	[
		"an opening with what lies inside",
		"dmail.open",
		{ v: 1, id: "a1b2", inner: ["c3d4"] },
		{ kind: "open", id: "a1b2", inner: ["c3d4"] },
	],
	["a shutting", "dmail.shut", { v: 1, id: "a1b2" }, { kind: "shut", id: "a1b2" }],
	["a drop", "dmail.drop", { v: 1, id: "a1b2" }, { kind: "drop", id: "a1b2" }],
	[
		"a pin",
		"dmail.pin",
		{ v: 1, fromEntryId: "e1", toEntryId: "e4" },
		{ kind: "pin", fromEntryId: "e1", toEntryId: "e4" },
	],
	[
		"a release",
		"dmail.unpin",
		{ v: 1, fromEntryId: "e1", toEntryId: null },
		{ kind: "unpin", fromEntryId: "e1", toEntryId: null },
	],
	[
		"a switch",
		"dmail.mode",
		{ v: 1, enabled: false, nudge: true, by: "auto" },
		{ kind: "mode", enabled: false, nudge: true, by: "auto" },
	],
];

for (const [name, customType, stored, record] of STORED)
	test(`what is stored of ${name}, and what it reads as`, () => {
		assert.deepEqual(encode(record), { customType, data: stored });
		assert.deepEqual(decode(customType, stored, "e9"), record);
	});

test("a record without data cannot be read", () => {
	for (const nothing of [undefined, null, "text", 7, true, ["list"]])
		assert.deepEqual(decode("dmail.land", nothing, "e9"), {
			kind: "broken",
			of: "land",
			reason: "no data",
		});
});

test("a switch that is neither on nor off cannot be read", () => {
	const record = decode("dmail.mode", { v: 1, enabled: "yes", nudge: true, by: "user" }, "e9");
	assert.deepEqual(record, {
		kind: "broken",
		of: "mode",
		reason: "enabled: neither true nor false",
	});
});

test("a prediction that says nothing is left out", () => {
	const record = decode("dmail.land", { v: 1, ids: [], predicted: null }, "e9");
	assert.deepEqual(record, { kind: "land", ids: [] });
});
