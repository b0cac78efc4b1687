// Sums what policies did over several sessions. Dollars are added to dollars only: sessions without prices
// are summed where no session has any, and counted where some have.

import type { Tax } from "./tax.ts";
import { type Bounds, type PolicyRow, type SessionRows, sharesOf } from "./what-if.ts";

/** One policy over all sessions. */
export interface PolicySum extends PolicyRow {
	/** its saving in the session where it saved least; below 0: dearer than without folds */
	readonly worst: number;
	/** sessions in which it was the cheapest */
	readonly best: number;
}

/** All policies over all sessions. */
export interface Sums {
	readonly sessions: number;
	/** sessions that are in no sum of money, and so in no saving */
	readonly unpriced: number;
	readonly bounds: Bounds;
	readonly misses: number;
	readonly hits: number;
	readonly compactions: number;
	readonly policies: readonly PolicySum[];
}

/** Sums sessions that were played under the same policies. */
export function sumSessions(sessions: readonly SessionRows[]): Sums {
	const inUsd = sessions.some(({ bounds }) => bounds.inUsd);
	const counted = sessions.filter(({ bounds }) => bounds.inUsd === inUsd);
	const bounds = {
		inUsd,
		none: add(counted, (one) => one.bounds.none),
		oracle: add(counted, (one) => one.bounds.oracle),
		hindsight: counted.some((one) => one.bounds.hindsight === null)
			? null
			: add(counted, (one) => one.bounds.hindsight ?? 0),
	};
	const names = sessions[0]?.rows.map(({ policy }) => policy) ?? [];
	return {
		sessions: sessions.length,
		unpriced: sessions.length - counted.length,
		bounds,
		misses: add(sessions, (one) => one.misses),
		hits: add(sessions, (one) => one.hits),
		compactions: add(sessions, (one) => one.compactions),
		policies: names.map((policy, at) => ({
			policy,
			...sumPolicy(
				counted.flatMap(({ rows }) => rows[at] ?? []),
				bounds,
			),
			best: counted.filter((one) => one.best === policy).length,
		})),
	};
}

function sumPolicy(rows: readonly PolicyRow[], bounds: Bounds): Omit<PolicySum, "policy" | "best"> {
	const bill = add(rows, (row) => row.bill);
	const billUsd = bounds.inUsd ? add(rows, (row) => row.billUsd ?? 0) : null;
	return {
		billUsd,
		bill,
		...sharesOf(billUsd ?? bill, bounds),
		peak: Math.max(0, ...rows.map(({ peak }) => peak)),
		folds: add(rows, (row) => row.folds),
		landings: add(rows, (row) => row.landings),
		requestsToProfit: middle(rows.flatMap(({ requestsToProfit }) => requestsToProfit ?? [])),
		avoided: add(rows, (row) => row.avoided),
		lost: add(rows, (row) => row.lost),
		tax: sumTax(rows.map(({ tax }) => tax)),
		worst: Math.min(...rows.map(({ saving }) => saving)),
	};
}

function sumTax(taxes: readonly Tax[]): Tax {
	const recorded = taxes.filter(({ survived }) => survived !== null);
	return {
		terms: add(taxes, (tax) => tax.terms),
		reused: add(taxes, (tax) => tax.reused),
		repeats: add(taxes, (tax) => tax.repeats),
		survived: recorded.length > 0 ? add(recorded, (tax) => tax.survived ?? 0) : null,
	};
}

function add<T>(things: readonly T[], amount: (thing: T) => number): number {
	return things.reduce((sum, thing) => sum + amount(thing), 0);
}

function middle(numbers: readonly number[]): number | null {
	return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? null;
}
