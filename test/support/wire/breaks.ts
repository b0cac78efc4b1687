// Proves that a validator can fail: a sound payload, and for each rule one that breaks it.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Finding, Json } from "./finding.ts";

/** One way to break a payload: the rule, and the messages (contents, items) that break it. */
export type Break = readonly [rule: string, messages: readonly Json[], more?: Json];

/** Payloads of a format, by their messages. */
export interface Breaks {
	readonly check: (payload: Json) => readonly Finding[];
	/** the payload around messages */
	readonly payload: (messages: readonly Json[]) => Json;
	/** lists of messages in which nothing is to be found */
	readonly sound: readonly (readonly Json[])[];
	readonly broken: readonly Break[];
}

/** Tests each rule by itself; a broken payload breaks its own rule and no other. */
export function testBreaks({ check, payload, sound, broken }: Breaks): void {
	test("a sound payload has no finding", () => {
		for (const messages of sound) assert.deepEqual(check(payload(messages)), []);
	});
	for (const [rule, messages, more] of broken)
		test(`a broken payload is found out: ${rule}`, () => {
			const findings = check({ ...payload(messages), ...more });
			assert.deepEqual([...new Set(findings.map((finding) => finding.rule))], [rule]);
		});
}
