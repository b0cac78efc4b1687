// What was said of requests that failed, a line for each message: the first place to look where a session went
// wrong. A message may be a whole page of HTML, so it is cut to its line and made safe to print.

import type { Profile } from "../profile/profile.ts";
import { plural } from "./number.ts";
import { printable } from "./printable.ts";
import type { Paper } from "./table.ts";
import { clip } from "./width.ts";

/** More messages, and more requests with one message, are only counted. */
const MESSAGES = 8;
const REQUESTS = 3;

/** The lines, in the order in which the messages came first; none where no failed request has a message. */
export function drawFailures({ asides, requests }: Profile, { kind, columns }: Paper): string[] {
	const width = kind === "pipe" ? Number.POSITIVE_INFINITY : columns;
	const byMessage = new Map<string, number[]>();
	for (const [index, message] of asides.failures) {
		const said = `${requests.at(index - 1).stop ?? "failed"}: ${message}`;
		const indexes = byMessage.get(said) ?? [];
		byMessage.set(said, indexes);
		indexes.push(index);
	}
	const lines = [...byMessage]
		.slice(0, MESSAGES)
		.map(([said, indexes]) => clip(printable(`  ${nameRequests(indexes)} ${said}`), width));
	const more = byMessage.size - MESSAGES;
	return more > 0
		? [...lines, `  … and ${plural(more, "other message", "other messages")}`]
		: lines;
}

function nameRequests(indexes: readonly number[]): string {
	const named = indexes.slice(0, REQUESTS).map((index) => `#${index}`);
	return indexes.length > REQUESTS
		? `${named.join(", ")}, … (${indexes.length} requests)`
		: named.join(", ");
}
