// Times as every output has them.

/** ISO 8601 in UTC; null for a time that is none. */
export function timeOf(ms: number): string | null {
	const time = new Date(ms);
	return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
