// A reporter of node:test that adds up the cases which the files' properties tried, and prints one line at
// the end. Says nothing else; it stands beside another reporter.

import type { TestEvent } from "node:test/reporters";

const COUNT = /^(\d+) cases of (\d+) properties$/gm;

/** Yields the line. */
export default async function* countCases(events: AsyncIterable<TestEvent>) {
	let cases = 0;
	let properties = 0;
	const notes: string[] = [];
	for await (const event of events) {
		if (event.type === "test:stdout")
			for (const [, tried, of] of event.data.message.matchAll(COUNT)) {
				cases += Number(tried);
				properties += Number(of);
			}
		if (event.type === "test:diagnostic" && / cases/.test(event.data.message))
			notes.push(`${event.data.message}\n`);
	}
	yield* notes;
	yield `${cases.toLocaleString("en")} cases of ${properties} properties\n`;
}
