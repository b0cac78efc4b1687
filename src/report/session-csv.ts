// The requests of a session as CSV, one a record. Exact numbers, unknown is empty.

import type { Profile, RequestRow } from "../profile/profile.ts";
import { type CsvValue, csvRecord } from "./csv.ts";

/** The CSV in pieces: a header, then a record per request; `last` as in every format. */
export function* writeCsv({ requests }: Profile, last?: number): Generator<string> {
	yield csvRecord(Object.keys(FIELDS));
	const fields = Object.values(FIELDS);
	const from = last === undefined ? 0 : Math.max(0, requests.length - last);
	for (let i = from; i < requests.length; i++) {
		const row = requests.at(i);
		yield csvRecord(fields.map((field) => field(row)));
	}
}

const FIELDS: Readonly<Record<string, (row: RequestRow) => CsvValue>> = {
	index: (row) => row.index,
	entryId: (row) => row.entryId,
	step: (row) => row.step,
	time: (row) => row.time,
	provider: (row) => row.provider,
	model: (row) => row.model,
	stop: (row) => row.stop,
	prompt: (row) => row.prompt,
	input: (row) => row.input,
	cacheRead: (row) => row.cacheRead,
	cacheWrite: (row) => row.cacheWrite,
	output: (row) => row.output,
	costUsd: (row) => row.costUsd,
	cacheHit: (row) => row.cacheHit,
	foldedTokens: (row) => row.foldedTokens,
	rawTokens: (row) => row.rawTokens,
	savedTokens: (row) => row.savedTokens,
	folds: (row) => row.folds,
	unfolded: (row) => row.unfolded,
	missCause: (row) => row.miss.map((miss) => miss.cause).join("+"),
	missTokens,
	missUsd,
};

/** Of a request without usage nothing is known, not even that it missed nothing. */
function missTokens({ prompt, miss }: RequestRow): number | null {
	return prompt === null ? null : miss.reduce((sum, { tokens }) => sum + tokens, 0);
}

function missUsd({ prompt, miss }: RequestRow): number | null {
	if (prompt === null) return null;
	let sum = 0;
	for (const { costUsd } of miss) {
		if (costUsd === null) return null;
		sum += costUsd;
	}
	return sum;
}
