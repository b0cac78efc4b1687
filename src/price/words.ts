// What a landing costs and when it has paid, in words: the extension and the profiler say it alike. Formats no
// amount; how numbers are written is the caller's.

/** Nobody asks so often on one branch: a landing that has not paid by then is said never to. */
const MOST_REQUESTS = 1_000;

/** What a landing costs once, `amount` being the size of dC: `costs $0.012 once`, `saves $0.0011 at once`. */
export function onceWords(dC: number, amount: string): string {
	return dC <= 0 ? `saves ${amount} at once` : `costs ${amount} once`;
}

/** When a landing has paid for itself: `pays after 6 requests`; `null`: never. */
export function payWords(requestsToPay: number | null): string {
	if (requestsToPay === null) return "never pays";
	const requests = Math.ceil(requestsToPay);
	if (requests > MOST_REQUESTS) return `never pays within ${MOST_REQUESTS} requests`;
	if (requests <= 0) return "pays at once";
	return `pays after ${requests} request${requests === 1 ? "" : "s"}`;
}

/** What of `payWords` a narrow column has room for: `pays after 6`. */
export function payCell(requestsToPay: number | null): string {
	return payWords(requestsToPay).replace(/ requests?$/, "");
}

/** Both, of a landing: `costs $0.012 once, pays after 6 requests`, `saves $0.0011 at once`. */
export function landingWords(dC: number, amount: string, requestsToPay: number | null): string {
	const once = onceWords(dC, amount);
	// what saves at once has paid at once
	return dC <= 0 ? once : `${once}, ${payWords(requestsToPay)}`;
}

/** What of that a narrow column has room for: `$0.012 once, pays after 6`, `saves $0.0011 at once`. */
export function landingCell(dC: number, amount: string, requestsToPay: number | null): string {
	return dC <= 0 ? onceWords(dC, amount) : `${amount} once, ${payCell(requestsToPay)}`;
}
